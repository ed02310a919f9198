//! Detects documents that failed to load, and why. The browser shows an error page of its own in their place, and
//! through a proxy many failures look alike. The egress knows how each connection really ended.

use url::Url;

use super::watch::PageState;
use super::{Page, PageError};
use crate::guard::egress::DialOutcome;
use crate::net_error::NetError;

impl Page {
    /// Returns why the main frame's document is not the site's page, or `None` if it is. `is_cut` says whether the
    /// document's response is known to be incomplete.
    pub(super) fn not_a_page(&self, state: &PageState, is_cut: bool) -> Option<PageError> {
        let document = &state.document;
        // One that was found later than its browser reported it.
        let was_made_by_egress =
            || self.network.egress().is_some_and(|egress| egress.was_answered_in_place(&document.url));
        if document.made_by_egress || document.failure.is_some() || (document.missed && was_made_by_egress()) {
            return Some(self.cause(state, document.failure.as_ref().unwrap_or(&NetError::Failed)));
        }
        // A document that merely broke off is shown as far as it came, as browsers do; one that we cut is not.
        let cause = (document.broken || is_cut).then(|| self.cause(state, &NetError::Failed));
        cause.filter(|error| matches!(error, PageError::Blocked(_) | PageError::OverBudget(_)))
    }

    /// Why the browser shows a page of its own, or a blank one, in place of the document, if it does.
    #[must_use]
    pub fn load_error(&self) -> Option<PageError> {
        let state = self.state.borrow();
        let stopped = state.stopped.clone().filter(|_| state.has_shown_nothing());
        stopped.map(PageError::Blocked).or_else(|| self.not_a_page(&state, false))
    }

    /// The cause of a navigation that the browser ended with `seen`.
    pub(super) fn cause(&self, state: &PageState, seen: &NetError) -> PageError {
        match self.outcome_of(&state.asked_for) {
            Some(DialOutcome::Blocked(refusal)) => PageError::Blocked(refusal),
            Some(outcome @ DialOutcome::OverBudget(_)) => PageError::OverBudget(outcome.to_string()),
            outcome => {
                let known = outcome.as_ref().and_then(DialOutcome::net_error);
                PageError::Failed(known.unwrap_or_else(|| seen.clone()))
            }
        }
    }

    fn outcome_of(&self, url: &str) -> Option<DialOutcome> {
        let url = Url::parse(url).ok()?;
        self.network.egress()?.outcome_of(&url.host()?.to_owned(), url.port_or_known_default()?)
    }
}
