//! What a call says of itself, what it works with while it has its turn, and what every answer has.

use std::sync::Arc;
use std::time::{Duration, Instant as Clock};

use porthole_contract::session::{Event, SnapshotAnswer};
use porthole_contract::{Warning, WarningCode};
use tokio::sync::MutexGuard;
use tokio::time::Instant;

use super::store::CallState;
use super::tabs::Tab;
use super::viewers::Acting;
use super::{Session, SessionError};
use crate::admission::{Admission, Client, Permit};
use crate::page::interact::Refs;
use crate::page::{Page, PageError};

/// What is left of a call's time for its answer.
pub(super) const ANSWER_TIME: Duration = Duration::from_millis(300);

/// What every call says.
pub struct Call<'a> {
    /// Who asks, for the queue.
    pub client: &'a Client,
    /// The tab; `None` for the active one.
    pub tab: Option<&'a str>,
    /// The call's own time.
    pub timeout_ms: u32,
    /// Since when the call runs: its time in other queues counts.
    pub since: Instant,
    /// What the call needs of the session.
    pub kind: Kind,
    /// The tool that acts; `None` of a call that only looks. One that acts waits for a viewer to let go of control.
    pub tool: Option<String>,
    /// Whether it does something that must not be done twice: it acts and is no navigation, which may be repeated.
    pub acts_once: bool,
}

/// What a call needs of the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A page that answers, and a permit.
    Works,
    /// Nothing of the page: it is answered while a dialog holds it, and takes no permit.
    Manages,
}

/// The turn of a call: what it works with. Other calls of the session wait.
pub struct Turn<'a> {
    /// The session.
    pub session: &'a Arc<Session>,
    /// The tab that the call is about. Some calls change it for their answer.
    pub tab: Tab,
    /// The end of the call's time.
    pub deadline: Instant,
    /// When the call began to wait for its effects.
    pub settling_since: Option<Clock>,
    /// Whether that wait ended at its time limit.
    pub(super) is_unsettled: bool,
    /// How many downloads the session's pages had begun before.
    pub(super) downloads_before: u64,
    /// What did not go quite as asked, each `code: sentence`.
    pub warnings: Vec<String>,
    /// The snapshot for the answer.
    pub snapshot: Option<SnapshotAnswer>,
    /// The tab that an agent still takes for the active one: it has closed since the last answer.
    pub(super) closed_tab: Option<String>,
    /// Whether a viewer had control while the call waited, and the tab has another document since.
    pub(super) was_led_away: bool,
    /// The tool that acts, until viewers have been shown what it does.
    pub(super) tool: Option<String>,
    /// Whether the session ends with this call.
    pub(super) closes: bool,
    pub(super) permit: Option<Arc<Permit>>,
    /// Where permits come from, and for whom.
    pub(super) admission: &'a Admission,
    pub(super) client: &'a Client,
    pub(super) held: MutexGuard<'a, CallState>,
    /// Keeps viewers from control while an agent acts.
    pub(super) _acting: Option<Acting>,
}

/// A call that failed.
pub struct Failed {
    /// Why.
    pub error: SessionError,
    /// What every answer has; `None` where no session is known.
    pub context: Option<Context>,
    /// Whether the call may have acted on the page: then it must not be sent again.
    pub may_have_acted: bool,
}

/// What every answer has of its session.
#[derive(Debug, Default)]
pub struct Context {
    /// The handle.
    pub session: String,
    /// The tab; empty once the session has ended.
    pub tab: String,
    /// Where the tab is.
    pub url: String,
    /// The page's title.
    pub title: String,
    /// What happened since the last call.
    pub events: Vec<Event>,
    /// The snapshot, where one was asked for.
    pub snapshot: Option<SnapshotAnswer>,
}

impl From<SessionError> for Failed {
    fn from(error: SessionError) -> Self {
        Self { error, context: None, may_have_acted: false }
    }
}

// === impl Turn ===

impl Turn<'_> {
    /// The tab's page.
    #[must_use]
    pub fn page(&self) -> Arc<Page> {
        Arc::clone(&self.tab.page)
    }

    /// Fails where the agent means a tab that has closed since it was told of it. What is named by a ref is meant in any case.
    pub(super) fn expects_tab(&self) -> Result<(), SessionError> {
        match &self.closed_tab {
            Some(closed) => Err(SessionError::TabClosed { closed: closed.clone(), active: self.tab.name.clone() }),
            None => Ok(()),
        }
    }

    /// Fails also where a person has led the tab to another document while the call waited: a point, and what has the focus,
    /// are something else there.
    pub(super) fn expects_document(&self) -> Result<(), SessionError> {
        self.expects_tab()?;
        if self.was_led_away {
            return Err(SessionError::LedAway { tab: self.tab.name.clone() });
        }
        Ok(())
    }

    /// The call's permit, for work that goes on after the call was given up: others wait until it has ended.
    pub(super) fn permit(&self) -> Result<Arc<Permit>, SessionError> {
        self.permit.clone().ok_or(SessionError::NotFound)
    }

    /// Gives the call's permit back, while it only waits for its page: others work meanwhile.
    pub(super) fn rests(&mut self) {
        self.permit = None;
    }

    /// Waits for a permit again, if the call has none.
    pub(super) async fn works_again(&mut self) -> Result<(), SessionError> {
        if self.permit.is_none() {
            self.permit = Some(Arc::new(self.admission.acquire(self.client, self.deadline).await?));
        }
        Ok(())
    }

    /// Adds warnings to the answer.
    pub(super) fn warns(&mut self, warnings: impl IntoIterator<Item = Warning>) {
        self.warnings.extend(warnings.into_iter().map(String::from));
    }

    /// Warns where the browser shows a page of its own in place of the tab's.
    pub(super) fn warn_of_load_error(&mut self) {
        let warning = match self.tab.page.load_error() {
            None => return,
            Some(PageError::Blocked(refusal)) => WarningCode::BlockedTarget.says(refusal.to_string()),
            Some(error) => WarningCode::NavigationFailed.says(error.to_string()),
        };
        self.warns([warning]);
    }

    /// The session's refs.
    pub fn refs(&mut self) -> &mut Refs {
        &mut self.held.refs
    }

    /// The session's state between calls.
    pub(super) fn held(&mut self) -> &mut CallState {
        &mut self.held
    }
}
