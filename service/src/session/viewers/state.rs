//! What the viewers of a session are told, and who they are.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use porthole_contract::Viewport;
use porthole_contract::limits::LIVE_INPUT_EVENTS_PER_SECOND_MAX;
use porthole_contract::live::ServerMessage;
use porthole_contract::session::{Control, TabInfo, ViewerRole};
use porthole_daemon::pace::FramePace;
use tokio::sync::{Notify, Semaphore, mpsc, watch};
use tokio::time::{Instant, timeout_at};

use super::cast::Cast;
use super::control::{ControlState, HeldByAnother, ViewerId};
use super::tab_input::TabInput;
use super::wish::Wish;
use crate::page::Dialog;
use crate::session::SessionError;
use crate::session::action::Action;
use crate::telemetry::LiveMetrics;

/// Frames a second of all viewers that may act: twice what is taken of one's input, and what they answer to frames.
const ACTING_FRAMES_PER_SECOND_MAX: u32 = 2 * LIVE_INPUT_EVENTS_PER_SECOND_MAX + 1_000;

/// The viewers of one session.
#[derive(Debug)]
pub(in crate::session) struct Viewers {
    pub(super) state: Mutex<State>,
    /// Changes with what viewers are told.
    pub(super) changed: watch::Sender<u64>,
    /// Tells the director that something may have changed.
    pub(super) stirred: Notify,
    /// Numbers the frames of the session.
    pub(super) seq: Arc<AtomicU64>,
    /// Held by the viewer that sends a large message.
    pub(super) large_messages: Arc<Semaphore>,
    /// How fast what those that may act send is read, of all of them.
    pub(super) pace_of_acting: Arc<FramePace>,
    pub(super) metrics: LiveMetrics,
}

/// The state that viewers are sent, and the viewers.
#[derive(Debug, Default)]
pub(super) struct State {
    /// How many viewers there were.
    pub(super) given: ViewerId,
    pub(super) watching: BTreeMap<ViewerId, Watching>,
    pub(super) control: ControlState,
    pub(super) tabs: Vec<TabView>,
    pub(super) active: String,
    pub(super) casts: HashMap<String, Cast>,
    pub(super) casts_given: u64,
    /// Input to the tabs that are watched.
    pub(super) inputs: HashMap<String, TabInput>,
    /// Whether control has changed hands since the director looked.
    pub(super) has_control_changed: bool,
    /// The viewport that a viewer asked for and the tabs do not have yet.
    pub(super) resize: Option<Viewport>,
    /// The text that a viewer copied last, until it is told.
    pub(super) copied: Option<(ViewerId, String)>,
    pub(super) has_director: bool,
}

/// A viewer, as the others need to know it.
#[derive(Debug)]
pub(super) struct Watching {
    pub(super) role: ViewerRole,
    /// The tab that it watches; the active one if `None`.
    pub(super) tab: Option<String>,
    pub(super) wish: Wish,
    pub(super) notes: mpsc::Sender<ServerMessage>,
}

/// A tab, as viewers are told of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TabView {
    pub(super) info: TabInfo,
    pub(super) dialog: Option<Dialog>,
    pub(super) has_crashed: bool,
    /// How often its renderer has died.
    pub(super) crashes: u64,
    /// Whether its title has been asked for, or can't be.
    pub(super) is_known: bool,
}

// === impl Viewers ===

impl Viewers {
    pub(in crate::session) fn new(metrics: LiveMetrics) -> Self {
        Self {
            state: Mutex::default(),
            changed: watch::Sender::new(0),
            stirred: Notify::new(),
            seq: Arc::default(),
            large_messages: Arc::new(Semaphore::new(1)),
            pace_of_acting: Arc::new(FramePace::new(ACTING_FRAMES_PER_SECOND_MAX)),
            metrics,
        }
    }

    /// Whether there are viewers.
    pub(in crate::session) fn any(&self) -> bool {
        !self.state().watching.is_empty()
    }

    /// Tells the director that something may have changed. Costs nothing where there is none.
    pub(in crate::session) fn stir(&self) {
        self.stirred.notify_one();
    }

    /// Who has control.
    pub(in crate::session) fn control(&self) -> Control {
        self.state().control.holder()
    }

    /// Tells all viewers of an action.
    pub(in crate::session) fn show(&self, action: Action) {
        let Action { tool, reference, bounding_box, key } = action;
        self.tell_all(&ServerMessage::Action { tool, reference, bounding_box, key });
    }

    /// Tells all viewers something that is no state.
    pub(in crate::session) fn tell_all(&self, message: &ServerMessage) {
        for watching in self.state().watching.values() {
            // A viewer that does not read misses it.
            let _ = watching.notes.try_send(message.clone());
        }
    }

    /// Waits until no viewer has control.
    ///
    /// # Errors
    /// [`SessionError::ControlHeld`] where one still has it at `until`.
    pub(in crate::session) async fn let_go(&self, until: Instant) -> Result<(), SessionError> {
        timeout_at(until, self.viewer_controls(false)).await.map_err(|_| SessionError::ControlHeld)
    }

    /// Waits until a viewer has control.
    pub(in crate::session) async fn taken(&self) {
        self.viewer_controls(true).await;
    }

    /// Waits until a viewer has control, or none has.
    async fn viewer_controls(&self, wanted: bool) {
        let mut changed = self.changed.subscribe();
        while (self.control() == Control::Viewer) != wanted && changed.changed().await.is_ok() {}
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells all viewers that there is something new.
    pub(super) fn publish(&self) {
        self.changed.send_modify(|version| *version = version.wrapping_add(1));
    }
}

impl State {
    /// A viewer acts.
    ///
    /// # Errors
    /// [`HeldByAnother`] where another one has control.
    pub(super) fn act(&mut self, viewer: ViewerId) -> Result<bool, HeldByAnother> {
        let changed = self.control.act(viewer, Instant::now())?;
        self.after(changed);
        Ok(changed)
    }

    /// A viewer takes control.
    ///
    /// # Errors
    /// [`HeldByAnother`] where another one has it, and gave input lately.
    pub(super) fn take(&mut self, viewer: ViewerId) -> Result<(), HeldByAnother> {
        let changed = self.control.take(viewer, Instant::now())?;
        self.after(changed);
        Ok(())
    }

    /// A viewer releases control, or leaves. Whether it had it.
    pub(super) fn release(&mut self, viewer: ViewerId) -> bool {
        let had = self.control.release(viewer);
        self.after(had);
        had
    }

    /// Takes control from a viewer without input.
    pub(super) fn expire(&mut self) {
        let expired = self.control.expire(Instant::now());
        self.after(expired);
    }

    /// Releases the buttons and keys that are held on a tab.
    pub(super) fn release_all(&self, tab: &str) {
        if let Some(tab_input) = self.inputs.get(tab) {
            tab_input.input.release_all();
        }
    }

    /// Releases all buttons and keys when control changes hands, and leaves it to the director to tell viewers: a viewer may
    /// take and release control a thousand times a second.
    pub(super) fn after(&mut self, changed_hands: bool) {
        self.has_control_changed |= changed_hands;
        if changed_hands {
            self.inputs.values().for_each(|tab| tab.input.release_all());
        }
    }

    /// Keeps what the viewer that has control has copied, until it is told. One text a session: each may be large.
    pub(super) fn copied(&mut self, text: String) {
        self.copied = self.control.viewer().map(|viewer| (viewer, text));
    }

    /// The tab that a viewer watches: its own if there still is one of that name, else the active one.
    pub(super) fn watched_by<'a>(&'a self, watching: &'a Watching) -> &'a str {
        let own = watching.tab.as_deref().filter(|tab| self.tabs.iter().any(|view| view.info.tab == **tab));
        own.unwrap_or(&self.active)
    }

    /// What the viewers of each tab ask for together.
    pub(super) fn wishes(&self) -> HashMap<String, Wish> {
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
