//! A session's life: what happens in it between calls, and what ends it.

use std::sync::{Arc, PoisonError};

use porthole_contract::session::{DialogKind, Event};
use tokio::sync::mpsc::Receiver;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use super::end::Reason;
use super::events::url_of;
use super::revive::revive;
use super::store::Shared;
use super::tabs::Tab;
use super::{Session, files};
use crate::cdp::Attached;
use crate::page::{BLANK, Dialog, News};
use crate::provider::Downloads;

impl Shared {
    /// Lives a session's life until it ends, and gives everything back.
    pub(super) async fn live(
        self: Arc<Self>,
        session: Arc<Session>,
        windows: Option<Receiver<Box<Attached>>>,
        downloads: Option<Downloads>,
    ) {
        let mut watching = JoinSet::new();
        if let Some(downloads) = downloads {
            watching.spawn(files::follow(Arc::clone(&session), downloads));
        }
        let first = session.tabs().active();
        if let Some(first) = first {
            watching.spawn(revive(Arc::clone(&session), first.clone()));
            watching.spawn(watch(Arc::clone(&session), first));
        }
        let reason = tokio::select! {
            reason = session.end.asked() => reason,
            () = self.ending.cancelled() => Reason::Drained,
            reason = grows_old(&session) => reason,
            () = take_on(&session, windows, &mut watching) => Reason::Lost,
        };
        session.end.ask(reason);
        // The first to ask says why.
        let reason = session.end.reason().unwrap_or(reason);
        drop(watching);
        {
            let mut store = self.store();
            store.live.remove(&session.id);
            if reason == Reason::Lost {
                store.remember_lost(session.id, Arc::clone(&session.sandbox));
            }
        }
        // The call that runs hears of the end and lets go of its tab.
        drop(session.turn.lock().await);
        session.tabs().clear();
        let lease = session.lease.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(lease);
        self.metrics.ended(reason.name());
        tracing::info!(session = %session.id, reason = reason.name(), "a session has ended");
    }
}

/// Waits until the session was idle for too long, or is too old.
async fn grows_old(session: &Session) -> Reason {
    let dies_at = session.since + session.limits.age;
    loop {
        let idle_at = session.idle_since() + session.limits.idle;
        sleep_until(idle_at.min(dies_at)).await;
        let now = Instant::now();
        if now >= dies_at {
            return Reason::Age;
        }
        // A call that runs is use, however long it takes, and so is a viewer.
        if session.viewers.any() || session.turn.try_lock().is_err() {
            session.touch();
        } else if now >= session.idle_since() + session.limits.idle {
            return Reason::Idle;
        }
    }
}

/// Takes on the session's windows as tabs, as long as its browser lives.
async fn take_on(session: &Arc<Session>, windows: Option<Receiver<Box<Attached>>>, watching: &mut JoinSet<()>) {
    let Some(mut windows) = windows else { return std::future::pending().await };
    while let Some(window) = windows.recv().await {
        if session.hides(&window.target_id).await {
            window.resume();
            continue;
        }
        if !session.tabs().has_room() {
            window.close();
            let name = session.tabs().refuse();
            session.events.push_unopened(Event::TabClosed { tab: name, url: url_of(place_of(&window)) });
            continue;
        }
        let by_target = window.opener_id.as_ref().and_then(|opener| session.tabs().by_target(opener));
        let opener = by_target.or_else(|| session.tabs().active()).map(|tab| tab.name);
        let Some(page) = session.adopt(&window) else { return };
        let tab = session.tabs().add(page, opener, false);
        session.tab_came.notify_waiters();
        session.viewers.stir();
        session.events.push(Event::TabOpened { tab: tab.name.clone(), url: url_of(place_of(&window)) });
        watching.spawn(revive(Arc::clone(session), tab.clone()));
        watching.spawn(watch(Arc::clone(session), tab));
    }
}

/// Where a window is as it comes.
fn place_of(window: &Attached) -> &str {
    if window.url.is_empty() { BLANK } else { &window.url }
}

impl Session {
    /// Removes a tab, with an event unless it closes on command. Whether it was one still.
    pub(super) fn remove(&self, tab: &Tab) -> bool {
        let was_open = self.tabs().remove(&tab.name).is_some();
        self.viewers.stir();
        if was_open && !tab.is_closing() {
            self.events.push(Event::TabClosed { tab: tab.name.clone(), url: url_of(&tab.page.meant_url()) });
        }
        was_open
    }

    /// Turns a tab's news into events. Whether the tab is gone.
    pub(super) fn gather(self: &Arc<Self>, tab: &Tab) -> bool {
        let mut feed = tab.news.lock().unwrap_or_else(PoisonError::into_inner);
        for news in feed.take() {
            let name = tab.name.clone();
            match news {
                News::Navigated { url } => {
                    self.showed(&url);
                    self.events.push(Event::Navigated { tab: name, url: url_of(&url) });
                }
                News::Dialog(dialog) => self.events.push(told(name, dialog)),
                News::Crashed => self.events.push(Event::Crashed { tab: name }),
                News::Gone => {}
            }
        }
        feed.is_gone()
    }
}

/// Gathers a tab's news as they come, until it is gone. The last tab takes the session with it.
async fn watch(session: Arc<Session>, tab: Tab) {
    let mut changes = tab.news.lock().unwrap_or_else(PoisonError::into_inner).changes();
    while !session.gather(&tab) {
        session.viewers.stir();
        changes.changed().await;
    }
    let was_open = session.remove(&tab);
    if tab.page.has_lost_its_browser() {
        session.end.ask(Reason::Lost);
    } else if was_open && session.tabs().active().is_none() {
        // Where a call has removed the last tab, it ends the session, once it is answered.
        // A page that floods is ended by us, which its caller did not ask for.
        session.end.ask(if tab.page.was_flooding() { Reason::Lost } else { Reason::Closed });
    }
}

fn told(tab: String, dialog: Dialog) -> Event {
    let kind = dialog.wire_kind();
    let default = (kind == DialogKind::Prompt).then_some(dialog.default);
    Event::Dialog { tab, kind, message: dialog.message, default }
}
