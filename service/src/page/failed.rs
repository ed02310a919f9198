//! Detects documents that failed to load, and why. The browser shows an error page of its own in their place, and
//! through a proxy many failures look alike. The egress knows how each connection really ended.

use std::time::Duration;

use url::Url;

use super::script::IS_EMPTY;
use super::watch::PageState;
use super::{Page, PageError};
use crate::guard::egress::DialOutcome;
use crate::net_error::NetError;

/// Time limit for asking a document whether it has an element: its script may be busy, and then it has.
const EMPTY_TIMEOUT: Duration = Duration::from_secs(1);

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

    /// Returns why the document has no element and gets none, if that is so. If a response breaks off before its first
    /// bytes are parsed, Chromium drops them: the document stays empty, and for ever in the state `loading`.
    pub(super) async fn never_begun(&self) -> Option<PageError> {
        if !self.state.borrow().document.ended_early {
            return None;
        }
        let is_empty =
            self.run(EMPTY_TIMEOUT, "asking for the document's element", IS_EMPTY, []).await.unwrap_or(false);
        is_empty.then(|| self.cause(&self.state.borrow(), &NetError::ConnectionClosed))
    }

    /// The cause of a navigation that the browser ended with `seen`.
    pub(super) fn cause(&self, state: &PageState, seen: &NetError) -> PageError {
        if *seen == NetError::ProxyConnectionFailed
            && let Some(egress) = self.network.egress()
        {
            egress.note_unreached();
            return PageError::Crashed("the browser's network service crashed".to_owned());
        }
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
