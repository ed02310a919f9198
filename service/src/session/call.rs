//! How one call of a session runs: its turn, its permit, its work, and the common part of every answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant as Clock};

use porthole_contract::WarningCode;
use porthole_contract::limits::{SESSION_CALLS_MAX, TITLE_MAX_CHARS};
use porthole_contract::session::{Control, Event, SessionTimings};
use tokio::sync::MutexGuard;
use tokio::time::{Instant, sleep_until};

use super::end::Reason;
use super::events::url_of;
use super::shown::ShownAction;
use super::store::CallState;
use super::tabs::Tab;
use super::turn::{ANSWER_TIME, Call, Context, Failed, Kind, Turn};
use super::{Session, SessionError, Sessions};
use crate::operation::over_budget;
use crate::page::interact::ActError;
use crate::page::{BLANK, Dialog, Page, PageError};

/// How long a page may take to say where it is, after a call.
const PLACE_TIMEOUT: Duration = Duration::from_secs(2);

/// How long a page may take to take what a person did before an agent acts on it. What was not sent by then is dropped.
const TAKEN_WITHIN: Duration = Duration::from_secs(5);

/// How long before the end of a call's time its page is no longer asked.
const WRITE_TIME: Duration = Duration::from_millis(50);

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

/// A call whose work was done.
struct Ran<T> {
    result: Result<T, SessionError>,
    context: Context,
    warnings: Vec<String>,
    timings: SessionTimings,
    closes: bool,
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
        let Ok(_slot) = session.call_slots.try_acquire() else {
            return Err(session.failed(SessionError::TooManyCalls { max: SESSION_CALLS_MAX }));
        };
        session.touch();
        let has_begun = AtomicBool::new(false);
        let ran = tokio::select! {
            biased;
            reason = session.end.asked() => Err(ended(reason)),
            ran = tokio::time::timeout_at(deadline, self.run(session, &call, deadline, &has_begun, work)) => {
                ran.unwrap_or(Err(SessionError::Deadline { timeout_ms }))
            }
        };
        session.touch();
        let may_have_acted = call.acts_once && has_begun.into_inner();
        let Ran { result, context, warnings, mut timings, closes } = match ran {
            Ok(ran) => ran,
            Err(error) => return Err(Failed { may_have_acted, ..session.failed(error) }),
        };
        match result {
            Ok(result) => {
                if closes {
                    session.end.ask(Reason::Closed);
                }
                timings.total = millis(call.since.elapsed());
                Ok(Answered { result, context, warnings, timings })
            }
            Err(error) => {
                let error = session.end.reason().map_or_else(|| session.held_by_dialog(error), ended);
                Err(Failed { error, context: Some(context), may_have_acted })
            }
        }
    }

    /// Does a call's work in its turn.
    async fn run<T>(
        &self,
        session: &Arc<Session>,
        call: &Call<'_>,
        deadline: Instant,
        has_begun: &AtomicBool,
        work: impl AsyncFnOnce(&mut Turn<'_>) -> Result<T, SessionError>,
    ) -> Result<Ran<T>, SessionError> {
        let waiting = Clock::now();
        let mut turn = self.turn(session, call, deadline).await?;
        let queued = waiting.elapsed();
        if let (Kind::Works, Some((tab, dialog))) = (call.kind, session.dialog()) {
            return Err(SessionError::Dialog { tab: tab.name, kind: dialog.kind });
        }
        let acting = Clock::now();
        has_begun.store(true, Ordering::Relaxed);
        let result = work(&mut turn).await;
        // In a remote browser an answer from a refused address is known only once it has come.
        let withheld = turn.page().withheld().filter(|_| call.kind == Kind::Works);
        let result = match withheld {
            Some(refusal) => {
                turn.snapshot = None;
                Err(refusal.into())
            }
            None => result,
        };
        turn.show(ShownAction::default());
        let (settle, act) = match turn.settling_since {
            Some(since) => (since.elapsed(), since.duration_since(acting)),
            None => (Duration::ZERO, acting.elapsed()),
        };
        let timings = SessionTimings { queue: millis(queued), act: millis(act), settle: millis(settle), total: 0 };
        let mut context = session.context(&mut turn).await;
        // All that the browser has told of the document by now is known.
        if call.kind == Kind::Works && result.is_ok() && !turn.closes {
            turn.warn_of_load_error();
        }
        if turn.closes {
            (context.tab, context.url, context.title) = Default::default();
        }
        Ok(Ran { result, context, warnings: turn.warnings, timings, closes: turn.closes })
    }

    /// Waits for a call's turn and for its permit.
    async fn turn<'a>(
        &'a self,
        session: &'a Arc<Session>,
        call: &Call<'a>,
        deadline: Instant,
    ) -> Result<Turn<'a>, SessionError> {
        let acts = call.tool.is_some();
        let (held, was_led_away) =
            if acts { session.acting_turn(call, deadline).await? } else { (session.turn.lock().await, false) };
        let acting = acts.then(|| session.agent_acts());
        let tab = session.tabs().get(call.tab)?;
        let is_closed = |name: &String| session.tabs().get(Some(name)).is_err();
        let closed_tab = held.tab_told.clone().filter(|told| acts && call.tab.is_none() && is_closed(told));
        let permit = match call.kind {
            Kind::Works => Some(Arc::new(self.0.admission.acquire(call.client, deadline).await?)),
            Kind::Manages => None,
        };
        tab.page.settles_by(deadline.checked_sub(ANSWER_TIME).unwrap_or(deadline));
        // The tab that a call names is the next one's, too.
        if call.kind == Kind::Works && call.tab.is_some() {
            session.tabs().activate(&tab.name);
            session.viewers.stir();
        }
        Ok(Turn {
            session,
            tab,
            deadline,
            settling_since: None,
            is_unsettled: false,
            downloads_before: session.files.list().begun,
            warnings: Vec::new(),
            snapshot: None,
            closed_tab,
            was_led_away,
            tool: call.tool.clone(),
            closes: false,
            permit,
            admission: &self.0.admission,
            client: call.client,
            held,
            _acting: acting,
        })
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
            events: self.take_events(),
            ..Context::default()
        };
        Failed { error, context: Some(context), may_have_acted: false }
    }

    /// The turn of a call that acts: it waits for viewers to let go of control, and for the page to take what they did. Other
    /// calls go on meanwhile. With it, whether a viewer had control, and the tab has another document now.
    ///
    /// # Errors
    /// [`SessionError::ControlHeld`].
    async fn acting_turn(
        &self,
        call: &Call<'_>,
        deadline: Instant,
    ) -> Result<(MutexGuard<'_, CallState>, bool), SessionError> {
        let until = deadline.checked_sub(ANSWER_TIME).unwrap_or(deadline);
        let page = || self.tabs().get(call.tab).ok().map(|tab| tab.page);
        let place = || page().map(|page| (page.target_id().to_owned(), page.navigations()));
        let (before, mut has_waited) = (place(), false);
        let mut waits_since = None;
        loop {
            if self.viewers.control() == Control::Viewer {
                self.viewers.let_go(until).await?;
                (has_waited, waits_since) = (true, None);
            }
            let since = *waits_since.get_or_insert_with(Instant::now);
            let by = until.min(since + TAKEN_WITHIN);
            // A dialog and the tabs wait for no page.
            if let Some(page) = page().filter(|_| call.kind == Kind::Works) {
                tokio::select! {
                    () = page.takes_input() => {}
                    () = self.viewers.taken() => continue,
                    () = sleep_until(by) => {}
                }
                if Instant::now() >= until && !page.has_taken_input() {
                    return Err(SessionError::ControlHeld);
                }
                if Instant::now() >= by {
                    page.drop_input(since);
                }
            }
            let held = self.turn.lock().await;
            let has_taken = || Instant::now() >= by || page().is_none_or(|page| page.has_taken_input());
            if self.viewers.control() != Control::Viewer && (call.kind == Kind::Manages || has_taken()) {
                return Ok((held, has_waited && place() != before));
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
        let ran_out = matches!(
            error,
            SessionError::Deadline { .. }
                | SessionError::Act(ActError::Page(PageError::TimedOut(_) | PageError::Leaving))
        );
        match self.dialog().filter(|_| ran_out) {
            Some((tab, dialog)) => SessionError::Dialog { tab: tab.name, kind: dialog.kind },
            None => error,
        }
    }

    /// The events that no answer has told yet. A window that was blank as it came is told with where it has gone since.
    fn take_events(&self) -> Vec<Event> {
        let mut events = self.events.take();
        for event in &mut events {
            if let Event::TabOpened { tab, url } = event
                && url == BLANK
                && let Ok(tab) = self.tabs().get(Some(tab))
            {
                *url = url_of(&tab.page.meant_url());
            }
        }
        events
    }

    /// What every answer has, after a call's work.
    async fn context(self: &Arc<Self>, turn: &mut Turn<'_>) -> Context {
        let tab = turn.tab.clone();
        let until = turn.deadline.checked_sub(WRITE_TIME).unwrap_or(turn.deadline);
        let (place, errors) = if self.dialog().is_some() {
            let asking = tokio::time::timeout_at(until, tab.page.last_place());
            let title = asking.await.ok().flatten().map(|(_, title)| title);
            (title.map(|title| (tab.page.url(), title)), Vec::new())
        } else if tab.page.is_leaving() {
            (tab.page.last_place().await, Vec::new())
        } else {
            // A busy script tells nothing, and the call must be answered in its own time.
            let asking = async { tokio::join!(place(&tab.page), tab.page.take_errors()) };
            tokio::time::timeout_at(until, asking).await.unwrap_or_default()
        };
        let place = place.filter(|(url, _)| !url.starts_with("chrome-error:"));
        let (url, title) = place.unwrap_or_else(|| (tab.page.url(), String::new()));
        let title = if tab.page.withheld().is_some() { String::new() } else { title };
        let by_egress = tab.page.blocked_by_egress();
        let told = std::mem::replace(&mut turn.held().blocked_by_egress_told, by_egress);
        let by_tabs = self.tabs().take_blocked();
        let count = by_egress.saturating_sub(told) + by_tabs;
        if count > 0 {
            self.events.push(Event::Blocked { count });
        }
        let beyond = tab.page.over_budget_requests();
        if beyond > std::mem::replace(&mut turn.held().over_budget_told, beyond) {
            turn.warns([over_budget()]);
        }
        for text in errors {
            self.events.push(Event::Console { text });
        }
        let tabs = self.tabs().all();
        turn.held().tab_told = tabs.iter().any(|open| open.name == tab.name).then(|| tab.name.clone());
        for open in &tabs {
            self.gather(open);
            if let Some(refusal) = open.page.take_refusal().or_else(|| open.page.take_empty_window()) {
                let tried = format!("tab {} tried to open a blocked address: {refusal}", open.name);
                turn.warns([WarningCode::BlockedTarget.says(tried)]);
            }
        }
        Context {
            session: self.handle.clone(),
            tab: tab.name,
            url: url_of(&url),
            title,
            events: self.take_events(),
            snapshot: turn.snapshot.take(),
        }
    }
}

/// Where a page is, and its title; `None` of one that does not answer in time.
async fn place(page: &Page) -> Option<(String, String)> {
    let asked = tokio::time::timeout(PLACE_TIMEOUT, page.arrival(async {})).await.ok()?;
    match asked.1 {
        Ok(arrival) => Some((arrival.final_url, arrival.title.chars().take(TITLE_MAX_CHARS).collect())),
        Err(_) => None,
    }
}

pub(super) fn millis(duration: Duration) -> u64 {
    duration.as_millis().try_into().unwrap_or(u64::MAX)
}
