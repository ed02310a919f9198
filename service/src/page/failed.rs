//! Telling a page from the lack of one: what the browser shows in a failed document's place is nobody's page, and through
//! a proxy many failures look alike. The egress knows how each connection really ended.

use url::Url;

use super::state::PageState;
use super::{Page, PageError};
use crate::guard::egress::DialOutcome;

impl Page {
    /// Why the main frame's document is no page, if it is none.
    pub(super) fn not_a_page(&self, state: &PageState) -> Option<PageError> {
        let document = &state.document;
        if document.made_by_egress || document.broken || document.failure.is_some() {
            let seen = document.failure.as_deref();
            // A document that merely broke off is shown as far as it came, as browsers do; one that we cut is not.
            let is_shown = seen.is_none() && !document.made_by_egress;
            return match self.outcome_of(&state.asked_for) {
                Some(DialOutcome::Blocked(refusal)) => Some(PageError::Blocked(refusal)),
                Some(outcome @ DialOutcome::OverBudget(_)) => Some(PageError::OverBudget(outcome.to_string())),
                _ if is_shown => None,
                Some(outcome) => Some(PageError::Failed(outcome.net_error().or(seen).unwrap_or(UNKNOWN).to_owned())),
                None => Some(PageError::Failed(seen.unwrap_or(UNKNOWN).to_owned())),
            };
        }
        None
    }

    /// The cause of a navigation that failed with this `net::` name.
    pub(super) fn cause(&self, seen: String) -> PageError {
        let outcome = self.outcome_of(&self.state.borrow().asked_for);
        match outcome {
            Some(DialOutcome::Blocked(refusal)) => PageError::Blocked(refusal),
            Some(outcome @ DialOutcome::OverBudget(_)) => PageError::OverBudget(outcome.to_string()),
            Some(outcome) => PageError::Failed(outcome.net_error().map_or(seen, str::to_owned)),
            None => PageError::Failed(seen),
        }
    }

    fn outcome_of(&self, url: &str) -> Option<DialOutcome> {
        let url = Url::parse(url).ok()?;
        self.egress.as_ref()?.outcome_of(&url.host()?.to_owned(), url.port_or_known_default()?)
    }
}

/// What Chromium calls a failure that it has no name for.
const UNKNOWN: &str = "net::ERR_FAILED";
