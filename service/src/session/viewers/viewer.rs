//! One viewer, without its transport: the next message for it. What it says itself is handled in `heard`.
//!
//! The state that the viewer was last sent is compared with the current state, so a slow viewer may miss steps but
//! never the final state. Frames go out one at a time, always the latest.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use porthole_contract::limits::LIVE_INPUT_EVENTS_PER_SECOND_MAX;
use porthole_contract::live::{CloseCode, FrameMode, Hello, LiveStatus, ServerMessage, raw_text};
use porthole_contract::session::ViewerRole;
use porthole_daemon::pace::FramePace;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::cast::Latest;
use super::control::ViewerId;
use super::frame::{Frame, Packed, ShownViewport};
use super::known::Known;
use super::pace::Pace;
use super::steer::Steering;
use super::window::Window;
use super::wish::Wish;
use crate::page::input::{InputRate, Outside};
use crate::session::Session;
use crate::session::end::Reason;

/// Messages that wait to be sent to one viewer; more are dropped.
const OUT_MAX: usize = 128;
/// The number of the first ping, which follows no frame.
pub const BARE_PING: u64 = 0;
/// Navigations that a viewer may begin in a second: each costs the browser's main thread about a millisecond.
const NAVIGATIONS_PER_SECOND_MAX: u32 = 10;

/// What is to be sent to a viewer.
#[derive(Debug)]
pub enum Outgoing {
    /// A text message.
    Text(String),
    /// A frame, and its number, which [`Viewer::sent`] takes.
    Frame(Packed, u64),
    /// The connection is to be closed.
    Close(CloseCode),
}

/// One viewer. Dropping it lets it leave.
pub struct Viewer {
    pub(super) session: Arc<Session>,
    pub(super) id: ViewerId,
    pub(super) role: ViewerRole,
    mode: FrameMode,
    /// The JPEG quality and the largest width and height that the viewer asks for; its line may take less.
    pub(super) asked_quality: u32,
    asked_size: (u32, u32),
    out: VecDeque<ServerMessage>,
    notes: mpsc::Receiver<ServerMessage>,
    pub(super) changed: watch::Receiver<u64>,
    pub(super) told: Known,
    cast: Option<Watched>,
    /// The number of the last frame that it was sent.
    shown: u64,
    /// What the browser draws outside of the watched page.
    outside: Option<watch::Receiver<Outside>>,
    pub(super) window: Window,
    pub(super) pace: Pace,
    closes_with: Option<CloseCode>,
    /// The first input that no frame has followed yet.
    pub(super) input_at: Option<Instant>,
    pub(super) rate: InputRate,
    pub(super) navigations: InputRate,
    pub(super) steering: Steering,
}

/// The cast that the viewer sees.
struct Watched {
    number: u64,
    latest: Latest,
    seen: u64,
}

// === impl Viewer ===

impl Viewer {
    pub(super) fn new(
        session: Arc<Session>,
        id: ViewerId,
        role: ViewerRole,
        hello: &Hello,
        notes: mpsc::Receiver<ServerMessage>,
    ) -> Self {
        let mut changed = session.viewers.changed.subscribe();
        changed.mark_changed();
        let now = Instant::now();
        let tab = session.tabs().active().map(|tab| tab.name).unwrap_or_default();
        let viewport = session.viewport();
        let shown =
            ShownViewport { width: viewport.width, height: viewport.height, offset_top: 0.0, page_scale_factor: 1.0 };
        let steering = Steering::new(Arc::clone(&session));
        let welcome = ServerMessage::Welcome { role, session: session.handle().to_owned(), tab: tab.clone() };
        let mut viewer = Self {
            session,
            id,
            role,
            mode: hello.frames,
            asked_quality: hello.quality,
            asked_size: (hello.max_width, hello.max_height),
            out: VecDeque::from([welcome, ServerMessage::Status { status: LiveStatus::Connected }]),
            notes,
            changed,
            told: Known::connected(tab),
            cast: None,
            shown: BARE_PING,
            outside: None,
            window: Window::default(),
            pace: Pace::new(hello.max_fps, now),
            closes_with: None,
            input_at: None,
            rate: InputRate::new(LIVE_INPUT_EVENTS_PER_SECOND_MAX, now),
            navigations: InputRate::new(NAVIGATIONS_PER_SECOND_MAX, now),
            steering,
        };
        let viewport = viewer.told.viewport(shown);
        viewer.tell(viewport);
        // A ping that follows no frame tells how long the line alone takes.
        viewer.window.sent(BARE_PING, 0, now);
        viewer
    }

    /// Waits for what the viewer is to be told next. Cancelled, it loses nothing.
    pub async fn next(&mut self) -> Outgoing {
        loop {
            if let Some(message) = self.out.pop_front() {
                match self.written(&message) {
                    Some(text) => return Outgoing::Text(text),
                    None => continue,
                }
            }
            if let Some(code) = self.closes_with {
                return Outgoing::Close(code);
            }
            if self.changed.has_changed().unwrap_or(false) {
                self.changed.mark_unchanged();
                self.look();
                continue;
            }
            let now = Instant::now();
            let has_frame = self.cast.as_ref().is_some_and(Watched::has_new);
            // A window that is closed opens with what the viewer says; then this is asked anew.
            let goes_at = self.pace.goes_at(&self.window, now).filter(|_| has_frame);
            if goes_at.is_some_and(|at| now >= at) {
                match self.next_frame(now) {
                    Some(told) => return told,
                    None => continue,
                }
            }
            let rests_at = self.window.rests_at().filter(|_| !has_frame);
            tokio::select! {
                biased;
                reason = self.session.end.asked() => self.end(reason),
                _ = self.changed.changed() => self.changed.mark_changed(),
                Some(note) = self.notes.recv() => self.tell([note]),
                note = self.steering.next() => self.tell([note]),
                () = sleep_until(goes_at.unwrap_or(now)), if goes_at.is_some() => {}
                () = sleep_until(rests_at.unwrap_or(now)), if rests_at.is_some() => {
                    self.window.rest();
                    self.adapt();
                }
                () = Watched::changes(&mut self.cast), if !has_frame => {}
                () = changes(&mut self.outside) => self.tell_outside(),
            }
        }
    }

    /// The viewer has been sent all of this frame.
    pub fn sent(&mut self, bytes: usize) {
        self.session.viewers.metrics.sent(bytes);
    }

    /// The viewer has answered the ping that followed this frame.
    pub fn answered(&mut self, seq: u64) {
        self.window.answered(seq, Instant::now());
        self.adapt();
    }

    /// The end of its session.
    #[must_use]
    pub fn session_end(&self) -> CancellationToken {
        self.session.end.token()
    }

    /// Whose turn it is to send a large message: one viewer of the session at a time.
    #[must_use]
    pub fn large_messages(&self) -> Arc<Semaphore> {
        Arc::clone(&self.session.viewers.large_messages)
    }

    /// How fast what is sent by the session's viewers that may act is read, of all of them.
    #[must_use]
    pub fn pace_of_acting(&self) -> Arc<FramePace> {
        Arc::clone(&self.session.viewers.pace_of_acting)
    }

    /// Whether it may send files: more bytes in a message than others.
    #[must_use]
    pub fn may_act(&self) -> bool {
        self.role == ViewerRole::Control
    }

    /// Asks for the picture that the viewer's line takes, and for its frame rate.
    pub(super) fn adapt(&mut self) {
        let (quality, side_percent) = self.window.line().takes(self.asked_quality);
        let (mut max_width, mut max_height) = self.asked_size;
        if side_percent < 100 {
            let viewport = self.session.viewport();
            max_width = (max_width.min(viewport.width) * side_percent / 100).max(1);
            max_height = (max_height.min(viewport.height) * side_percent / 100).max(1);
        }
        let mut state = self.session.viewers.state();
        let Some(watching) = state.watching.get_mut(&self.id) else { return };
        let wish = Wish { max_width, max_height, quality, max_fps: self.pace.max_fps, ..watching.wish };
        if std::mem::replace(&mut watching.wish, wish) != wish {
            drop(state);
            self.session.viewers.stir();
        }
    }

    /// The latest frame; `None` where something is to be told before it.
    fn next_frame(&mut self, now: Instant) -> Option<Outgoing> {
        let cast = self.cast.as_mut()?;
        let frame = cast.take(&self.session)?;
        if self.told.awaits_frame_of(frame.viewport) {
            // Another tab's cached frame may be older than what the viewer was shown.
            let seq = &self.session.viewers.seq;
            let is_later = frame.header.seq > self.shown;
            return Some(match is_later {
                true => self.show(&frame, now),
                false => self.show(&frame.numbered(seq.fetch_add(1, Ordering::Relaxed) + 1), now),
            });
        }
        // Then this frame, or a later one, is the latest anew.
        cast.seen = frame.nth - 1;
        let viewport = self.told.viewport(frame.viewport);
        self.tell(viewport);
        if !self.told.streams() {
            let status = self.told.status(LiveStatus::Streaming);
            self.tell(status);
        }
        None
    }

    fn show(&mut self, frame: &Frame, now: Instant) -> Outgoing {
        self.told.sees();
        self.pace.shown(now);
        self.shown = frame.header.seq;
        let packed = frame.packed(self.mode);
        self.window.sent(frame.header.seq, packed.len(), now);
        if let Some(input_at) = self.input_at.filter(|at| frame.came >= *at) {
            self.session.viewers.metrics.shown_after(now.duration_since(input_at));
            self.input_at = None;
        }
        Outgoing::Frame(packed, frame.header.seq)
    }

    /// Compares what is so with what the viewer was told.
    fn look(&mut self) {
        let session = Arc::clone(&self.session);
        let mut state = session.viewers.state();
        let copied = state.copied.take_if(|(viewer, _)| *viewer == self.id);
        let Some(watching) = state.watching.get(&self.id) else { return };
        let tab = state.watched_by(watching).to_owned();
        let view = state.tabs.iter().find(|view| view.info.tab == tab).cloned();
        let control = (state.control.holder(), state.control.is_held_by(self.id));
        let tabs = (state.tabs.iter().map(|view| view.info.clone()).collect::<Vec<_>>(), state.active.clone());
        let cast = state.casts.get(&tab).map(|cast| (cast.number, cast.latest.clone()));
        let outside = state.inputs.get(&tab).map(|tab| tab.outside.clone());
        drop(state);
        let holder = self.told.control(control.0, control.1);
        self.tell(holder);
        self.tell(copied.map(|(_, text)| ServerMessage::Clipboard { text }));
        // The first viewer is told of the page once the page has told its title, a moment later.
        let Some(view) = view.filter(|view| view.is_known) else { return };
        let tabs = self.told.tabs(tabs.0, tabs.1);
        self.tell(tabs);
        if self.told.tab != tab && control.1 {
            // No release would come to the tab that it leaves.
            self.session.viewers.state().release_all(&self.told.tab);
        }
        self.told.turns_to(tab);
        let news = self.told.watched_tab(view);
        self.tell(news);
        self.outside = outside;
        self.tell_outside();
        match cast {
            Some((number, latest)) => {
                if self.cast.as_ref().is_none_or(|watched| watched.number != number) {
                    self.cast = Some(Watched { number, latest, seen: 0 });
                }
            }
            None => self.cast = None,
        }
    }

    /// Tells what is new outside of the page.
    fn tell_outside(&mut self) {
        let Some(outside) = &mut self.outside else { return };
        let now = outside.borrow_and_update().clone();
        let news = self.told.outside(now);
        self.tell(news);
    }

    pub(super) fn tell(&mut self, messages: impl IntoIterator<Item = ServerMessage>) {
        for message in messages {
            if self.out.len() < OUT_MAX {
                self.out.push_back(message);
            }
        }
    }

    fn end(&mut self, reason: Reason) {
        if reason == Reason::Drained {
            self.closes_with = Some(CloseCode::GoingAway);
        } else {
            let status = self.told.status(LiveStatus::BrowserClosed);
            self.tell(status);
            self.closes_with = Some(CloseCode::SessionEnded);
        }
    }

    /// The message as this viewer reads it; `None` where its mode does not have it.
    fn written(&self, message: &ServerMessage) -> Option<String> {
        match self.mode {
            FrameMode::Raw => raw_text(message),
            FrameMode::Binary | FrameMode::Json => Some(message.text()),
        }
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        self.session.leave(self.id);
    }
}

/// Waits until what is outside of the page changes.
async fn changes(outside: &mut Option<watch::Receiver<Outside>>) {
    let changed = match outside {
        Some(outside) => outside.changed().await.is_ok(),
        None => false,
    };
    if !changed {
        std::future::pending::<()>().await;
    }
}

// === impl Watched ===

impl Watched {
    fn has_new(&self) -> bool {
        self.latest.borrow().as_ref().is_some_and(|frame| frame.nth > self.seen)
    }

    /// The latest frame, if it is new. Those before it were dropped for this viewer.
    fn take(&mut self, session: &Session) -> Option<Arc<Frame>> {
        let frame = self.latest.borrow_and_update().clone().filter(|frame| frame.nth > self.seen)?;
        if self.seen > 0 {
            session.viewers.metrics.dropped(frame.nth - self.seen - 1);
        }
        self.seen = frame.nth;
        Some(frame)
    }

    /// Waits for a frame. A cast that has ended brings none: its end is told otherwise.
    async fn changes(watched: &mut Option<Self>) {
        let changed = match watched {
            Some(watched) => watched.latest.changed().await.is_ok(),
            None => false,
        };
        if !changed {
            std::future::pending::<()>().await;
        }
    }
}
