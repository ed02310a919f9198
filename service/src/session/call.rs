//! One call to a session: its turn, its permit, its work, and the common part of every answer.

use std::sync::Arc;
use std::time::{Duration, Instant as Clock};

use porthole_contract::limits::TITLE_MAX_CHARS;
use porthole_contract::session::{Control, Event, SessionTimings, SnapshotAnswer};
use tokio::sync::MutexGuard;
use tokio::time::Instant;

use super::aim::ANSWER_TIME;
use super::end::Reason;
use super::events::url_of;
use super::shown::Shown;
use super::tabs::Tab;
use super::{Held, Session, SessionError, Sessions};
use crate::admission::{Client, Permit};
use crate::page::interact::{ActError, Refs};
use crate::page::{Dialog, Page, PageError};

/// How long a page may take to say where it is, after a call.
const PLACE_TIMEOUT: Duration = Duration::from_secs(2);

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
    /// When the wait for what the call began was begun, if it was.
    pub settling_since: Option<Clock>,
    /// What did not go quite as asked, each `code: sentence`.
    pub warnings: Vec<String>,
    /// The snapshot for the answer.
    pub snapshot: Option<SnapshotAnswer>,
    /// The tool that acts, until viewers have been shown what it does.
    pub(super) tool: Option<String>,
    permit: Option<Arc<Permit>>,
    held: MutexGuard<'a, Held>,
}

/// A call that succeeded.
pub struct Answered<T> {
    /// What it came to.
    pub result: T,
    /// What every answer has.
    pub context: Context,
    /// What did not go quite as asked.
    pub warnings: Vec<String>,
    /// Where the time went.
    pub timings: SessionTimings,
}

/// A call that failed.
pub struct Failed {
    /// Why.
    pub error: SessionError,
    /// What every answer has; `None` where no session is known.
    pub context: Option<Context>,
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
        Self { error, context: None }
    }
}

// === impl Turn ===

impl Turn<'_> {
    /// The tab's page.
    #[must_use]
    pub fn page(&self) -> Arc<Page> {
        Arc::clone(&self.tab.page)
    }

    /// The call's permit, for work that goes on after the call was given up: others wait until it has ended.
    pub(super) fn permit(&self) -> Result<Arc<Permit>, SessionError> {
        self.permit.clone().ok_or(SessionError::NotFound)
    }

    /// The session's refs.
    pub fn refs(&mut self) -> &mut Refs {
        &mut self.held.refs
    }

    /// The session's state between calls.
    pub(super) fn held(&mut self) -> &mut Held {
        &mut self.held
    }
}

impl Sessions {
    /// Runs one call of a session: waits for its turn and for a permit, does `work`, and gathers what every answer has.
    ///
    /// # Errors
    /// [`Failed`], with what every answer has.
    pub async fn call<T>(
        &self,
        session: &Arc<Session>,
        call: Call<'_>,
        work: impl AsyncFnOnce(&mut Turn<'_>) -> Result<T, SessionError>,
    ) -> Result<Answered<T>, Failed> {
        let timeout_ms = call.timeout_ms;
        let deadline = call.since + Duration::from_millis(timeout_ms.into());
        session.touch();
        let begun = Clock::now();
        let running = async {
            let acts = call.tool.is_some();
            let held = if acts { session.acting_turn(deadline).await? } else { session.turn.lock().await };
            let _acting = acts.then(|| session.agent_acts());
            let tab = session.tabs().get(call.tab)?;
            let permit = match call.kind {
                Kind::Works => Some(Arc::new(self.0.admission.acquire(call.client, deadline).await?)),
                Kind::Manages => None,
            };
            let queued = begun.elapsed();
            if let (Kind::Works, Some((tab, dialog))) = (call.kind, session.dialog()) {
                return Err(SessionError::Dialog { tab: tab.name, kind: dialog.kind });
            }
            let mut turn = Turn {
                session,
                tab,
                deadline,
                settling_since: None,
                warnings: Vec::new(),
                snapshot: None,
                tool: call.tool,
                permit,
                held,
            };
            let acting = Clock::now();
            let result = work(&mut turn).await;
            turn.show(Shown::default());
            let (settle, act) = match turn.settling_since {
                Some(since) => (since.elapsed(), since.duration_since(acting)),
                None => (Duration::ZERO, acting.elapsed()),
            };
            let timings = SessionTimings { queue: millis(queued), act: millis(act), settle: millis(settle), total: 0 };
            let context = session.context(&mut turn).await;
            Ok((result, context, turn.warnings, timings))
        };
        let ran = tokio::select! {
            biased;
            reason = session.end.asked() => Err(ended(reason)),
            ran = tokio::time::timeout_at(deadline, running) => {
                ran.unwrap_or(Err(SessionError::Deadline { timeout_ms }))
            }
        };
        session.touch();
        match ran {
            Ok((Ok(result), context, warnings, mut timings)) => {
                timings.total = millis(call.since.elapsed());
                Ok(Answered { result, context, warnings, timings })
            }
            Ok((Err(error), context, ..)) => {
                let error = session.end.reason().map_or_else(|| session.held_by_dialog(error), ended);
                Err(Failed { error, context: Some(context) })
            }
            Err(error) => Err(session.failed(error)),
        }
    }
}

/// The error of a call whose session ended under it.
fn ended(reason: Reason) -> SessionError {
    if reason == Reason::Lost { SessionError::Lost } else { SessionError::NotFound }
}

impl Session {
    /// The failure of a call that did not come to its work, or was given up during it.
    fn failed(&self, error: SessionError) -> Failed {
        let error = self.held_by_dialog(error);
        let active = self.tabs().active();
        let context = Context {
            session: self.handle.clone(),
            tab: active.map(|tab| tab.name).unwrap_or_default(),
            events: self.events.take(),
            ..Context::default()
        };
        Failed { error, context: Some(context) }
    }

    /// The turn of a call that acts: it waits for viewers to let go of control, and other calls go on meanwhile.
    ///
    /// # Errors
    /// [`SessionError::ControlHeld`].
    async fn acting_turn(&self, deadline: Instant) -> Result<MutexGuard<'_, Held>, SessionError> {
        let until = deadline.checked_sub(ANSWER_TIME).unwrap_or(deadline);
        loop {
            self.viewers.let_go(until).await?;
            let held = self.turn.lock().await;
            if self.viewers.control() != Control::Viewer {
                return Ok(held);
            }
        }
    }

    /// The first dialog that is open, and its tab. Tabs that opened one another share a process, which it holds.
    pub(super) fn dialog(&self) -> Option<(Tab, Dialog)> {
        let tabs = self.tabs().all();
        tabs.into_iter().find_map(|tab| tab.page.dialog().map(|dialog| (tab, dialog)))
    }

    /// The error of a call that ran out of time while a dialog, perhaps another tab's, held its page.
    fn held_by_dialog(&self, error: SessionError) -> SessionError {
        let ran_out =
            matches!(error, SessionError::Deadline { .. } | SessionError::Act(ActError::Page(PageError::TimedOut(_))));
        match self.dialog().filter(|_| ran_out) {
            Some((tab, dialog)) => SessionError::Dialog { tab: tab.name, kind: dialog.kind },
            None => error,
        }
    }

    /// What every answer has, after a call's work.
    async fn context(self: &Arc<Self>, turn: &mut Turn<'_>) -> Context {
        let tab = turn.tab.clone();
        let (place, errors) = match self.dialog() {
            Some(_) => Default::default(),
            None => tokio::join!(place(&tab.page), tab.page.take_errors()),
        };
        let (url, title) = place.unwrap_or_else(|| (tab.page.url(), String::new()));
        let blocked = tab.page.blocked_requests();
        let told = &mut turn.held().blocked_told;
        let count = blocked.saturating_sub(*told);
        *told = blocked.max(*told);
        if count > 0 {
            self.events.push(Event::Blocked { count });
        }
        for text in errors {
            self.events.push(Event::Console { text });
        }
        let tabs = self.tabs().all();
        for open in &tabs {
            self.gather(open);
        }
        Context {
            session: self.handle.clone(),
            tab: tab.name,
            url: url_of(&url),
            title,
            events: self.events.take(),
            snapshot: turn.snapshot.take(),
        }
    }
}

/// Where a page is, and its title; `None` of one that does not answer in time.
async fn place(page: &Page) -> Option<(String, String)> {
    let asked = tokio::time::timeout(PLACE_TIMEOUT, page.arrival(async {})).await.ok()?;
    match asked.1 {
        Ok(arrival) => Some((arrival.final_url, arrival.title.chars().take(TITLE_MAX_CHARS).collect())),
        Err(PageError::Blocked(_)) => page.take_refusal().and(None),
        Err(_) => None,
    }
}

pub(super) fn millis(duration: Duration) -> u64 {
    duration.as_millis().try_into().unwrap_or(u64::MAX)
}
