//! The viewers of a session, and what they are shown.
//!
//! `viewer` is one of them, without its transport, and `known` what it was told; `director` keeps the state that all are
//! told and runs one `cast` for each watched tab, by the `wish` of those who watch it. They share its `frame`s; `captures`
//! take its place at low rates. `window` bounds what is under way to one viewer, `line` is how fast that goes, `pace` when
//! its next frame is due. `control` says who may act, `hands` are viewers' input to a tab, `steer` is what they ask of a
//! session beside that. Without viewers there is no director, no cast and no cost.

mod captures;
mod cast;
mod control;
mod director;
mod frame;
mod hands;
mod known;
mod line;
mod pace;
mod steer;
mod viewer;
mod window;
mod wish;

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use porthole_contract::Viewport;
use porthole_contract::limits::LIVE_VIEWERS_MAX;
use porthole_contract::live::{CloseCode, Hello, ServerMessage};
use porthole_contract::session::{Control, TabInfo, ViewerRole};
use tokio::sync::{Notify, Semaphore, mpsc, watch};
use tokio::time::{Instant, timeout_at};

use self::cast::Cast;
use self::control::{Held, ViewerId, Wheel};
pub use self::frame::Packed;
use self::hands::Hands;
pub use self::viewer::{BARE_PING, Told, Viewer};
use self::wish::Wish;
use super::action::Action;
use super::ticket::Ticket;
use super::{Session, SessionError, SessionId, Sessions};
use crate::page::Dialog;
use crate::telemetry::LiveMetrics;

/// Messages that wait for one viewer, beside what it is told of the session's state.
const NOTES_MAX: usize = 64;

/// The viewers of one session.
#[derive(Debug)]
pub(super) struct Viewers {
    stage: Mutex<Stage>,
    /// Changes with what viewers are told.
    changed: watch::Sender<u64>,
    /// Tells the director that something may have changed.
    stirred: Notify,
    /// Numbers the frames of the session.
    seq: Arc<AtomicU64>,
    /// Held by the viewer that sends a large message.
    large_messages: Arc<Semaphore>,
    metrics: LiveMetrics,
}

/// What viewers are told, and who they are.
#[derive(Debug, Default)]
struct Stage {
    /// How many viewers there were.
    given: ViewerId,
    watching: BTreeMap<ViewerId, Watching>,
    wheel: Wheel,
    tabs: Vec<TabView>,
    active: String,
    casts: HashMap<String, Cast>,
    casts_given: u64,
    /// Input to the tabs that are watched.
    hands: HashMap<String, Hands>,
    /// Whether control has changed hands since the director looked.
    has_control_changed: bool,
    /// The viewport that a viewer asked for and the tabs do not have yet.
    resize: Option<Viewport>,
    /// The text that a viewer copied last, until it is told.
    copied: Option<(ViewerId, String)>,
    has_director: bool,
}

/// A viewer, as the others need to know it.
#[derive(Debug)]
struct Watching {
    role: ViewerRole,
    /// The tab that it watches; the active one if `None`.
    tab: Option<String>,
    wish: Wish,
    notes: mpsc::Sender<ServerMessage>,
}

/// A tab, as viewers are told of it.
#[derive(Clone, Debug, PartialEq)]
struct TabView {
    info: TabInfo,
    dialog: Option<Dialog>,
    has_crashed: bool,
    /// How often its renderer has died.
    crashes: u64,
    /// Whether its title has been asked for, or can't be.
    is_known: bool,
}

/// An acting call that runs. Dropping it tells viewers that it has ended.
pub(super) struct Acting(Arc<Session>);

// === impl Viewers ===

impl Viewers {
    pub(super) fn new(metrics: LiveMetrics) -> Self {
        Self {
            stage: Mutex::default(),
            changed: watch::Sender::new(0),
            stirred: Notify::new(),
            seq: Arc::default(),
            large_messages: Arc::new(Semaphore::new(1)),
            metrics,
        }
    }

    /// Whether there are viewers.
    pub(super) fn any(&self) -> bool {
        !self.stage().watching.is_empty()
    }

    /// Tells the director that something may have changed. Costs nothing where there is none.
    pub(super) fn stir(&self) {
        self.stirred.notify_one();
    }

    /// Who has control.
    pub(super) fn control(&self) -> Control {
        self.stage().wheel.holder()
    }

    /// Tells all viewers of an action.
    pub(super) fn show(&self, action: Action) {
        let Action { tool, reference, bounding_box, key } = action;
        self.tell_all(&ServerMessage::Action { tool, reference, bounding_box, key });
    }

    /// Tells all viewers something that is no state.
    pub(super) fn tell_all(&self, message: &ServerMessage) {
        for watching in self.stage().watching.values() {
            // A viewer that does not read misses it.
            let _ = watching.notes.try_send(message.clone());
        }
    }

    /// Waits until no viewer has control.
    ///
    /// # Errors
    /// [`SessionError::ControlHeld`] where one still has it at `until`.
    pub(super) async fn let_go(&self, until: Instant) -> Result<(), SessionError> {
        let mut changed = self.changed.subscribe();
        let free = async {
            while self.control() == Control::Viewer {
                if changed.changed().await.is_err() {
                    return;
                }
            }
        };
        timeout_at(until, free).await.map_err(|_| SessionError::ControlHeld)
    }

    fn stage(&self) -> MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells all viewers that there is something new.
    fn publish(&self) {
        self.changed.send_modify(|version| *version = version.wrapping_add(1));
    }
}

impl Stage {
    /// A viewer acts.
    ///
    /// # Errors
    /// [`Held`] where another one has control.
    fn act(&mut self, viewer: ViewerId) -> Result<bool, Held> {
        let changed = self.wheel.act(viewer, Instant::now())?;
        self.after(changed);
        Ok(changed)
    }

    /// A viewer takes control.
    ///
    /// # Errors
    /// [`Held`] where another one has it, and gave input lately.
    fn take(&mut self, viewer: ViewerId) -> Result<(), Held> {
        let changed = self.wheel.take(viewer, Instant::now())?;
        self.after(changed);
        Ok(())
    }

    /// A viewer releases control, or leaves. Whether it had it.
    fn release(&mut self, viewer: ViewerId) -> bool {
        let had = self.wheel.release(viewer);
        self.after(had);
        had
    }

    /// Takes control from a viewer without input.
    fn expire(&mut self) {
        let expired = self.wheel.expire(Instant::now());
        self.after(expired);
    }

    /// Releases the buttons and keys that are held on a tab.
    fn release_all(&self, tab: &str) {
        if let Some(hands) = self.hands.get(tab) {
            hands.input.release_all();
        }
    }

    /// Releases all buttons and keys when control changes hands, and leaves it to the director to tell viewers: a viewer may
    /// take and release control a thousand times a second.
    fn after(&mut self, changed_hands: bool) {
        self.has_control_changed |= changed_hands;
        if changed_hands {
            self.hands.values().for_each(|hands| hands.input.release_all());
        }
    }

    /// Keeps what the viewer that has control has copied, until it is told. One text a session: each may be large.
    fn copied(&mut self, text: String) {
        self.copied = self.wheel.viewer().map(|viewer| (viewer, text));
    }

    /// The tab that a viewer watches: its own if there still is one of that name, else the active one.
    fn watched_by<'a>(&'a self, watching: &'a Watching) -> &'a str {
        let own = watching.tab.as_deref().filter(|tab| self.tabs.iter().any(|view| view.info.tab == **tab));
        own.unwrap_or(&self.active)
    }

    /// What the viewers of each tab ask for together.
    fn wishes(&self) -> HashMap<String, Wish> {
        let mut wishes: HashMap<String, Wish> = HashMap::new();
        for watching in self.watching.values() {
            let tab = self.watched_by(watching);
            match wishes.get_mut(tab) {
                Some(wish) => *wish = wish.and(watching.wish),
                None => drop(wishes.insert(tab.to_owned(), watching.wish)),
            }
        }
        wishes
    }
}

impl Sessions {
    /// Adds a viewer to the session that the hello's ticket names.
    ///
    /// # Errors
    /// The code by which the connection is to be closed: the ticket is bad, its session is gone, or has too many viewers.
    pub fn watch(&self, hello: &Hello) -> Result<Viewer, CloseCode> {
        let shared = &self.0;
        let ticket = Ticket::read(&hello.ticket, &shared.owner_keys).ok_or(CloseCode::BadTicket)?;
        let id = SessionId::read(&ticket.session, &shared.owner_keys).ok_or(CloseCode::NoSession)?;
        let session = shared.store().live.get(&id).cloned().ok_or(CloseCode::NoSession)?;
        let viewer = session.join(hello, ticket.role)?;
        tracing::info!(session = %id, role = ?ticket.role, "a viewer joined a session");
        let begins = {
            let mut stage = session.viewers.stage();
            !std::mem::replace(&mut stage.has_director, true)
        };
        if begins {
            shared.tasks.spawn(director::direct(session));
        }
        Ok(viewer)
    }
}

impl Session {
    fn join(self: &Arc<Self>, hello: &Hello, role: ViewerRole) -> Result<Viewer, CloseCode> {
        if self.end.reason().is_some() {
            return Err(CloseCode::NoSession);
        }
        let (notes, from_others) = mpsc::channel(NOTES_MAX);
        let wish = Wish {
            max_width: hello.max_width,
            max_height: hello.max_height,
            quality: hello.quality,
            max_fps: hello.max_fps,
            viewport: None,
            is_unscaled: false,
        };
        let id = {
            let mut stage = self.viewers.stage();
            if stage.watching.len() >= LIVE_VIEWERS_MAX {
                return Err(CloseCode::TooManyViewers);
            }
            stage.given += 1;
            let id = stage.given;
            stage.watching.insert(id, Watching { role, tab: None, wish, notes });
            id
        };
        self.viewers.metrics.joined();
        self.touch();
        self.viewers.stir();
        Ok(Viewer::new(Arc::clone(self), id, role, hello, from_others))
    }

    fn leave(&self, id: ViewerId) {
        {
            let mut stage = self.viewers.stage();
            stage.watching.remove(&id);
            stage.release(id);
        }
        self.viewers.metrics.left();
        self.touch();
        self.viewers.publish();
        self.viewers.stir();
    }

    /// An acting call begins: viewers are told that the agent has control.
    pub(super) fn agent_acts(self: &Arc<Self>) -> Acting {
        self.viewers.stage().wheel.agent_begins();
        self.viewers.publish();
        Acting(Arc::clone(self))
    }
}

impl Drop for Acting {
    fn drop(&mut self) {
        {
            let mut stage = self.0.viewers.stage();
            stage.wheel.agent_ends();
            // What the agent did may have opened or closed a field.
            stage.hands.values().for_each(|hands| hands.input.look());
        }
        self.0.viewers.publish();
    }
}
