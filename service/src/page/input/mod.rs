//! A person's input to a page through a viewer, and what the browser draws outside of the page.
//!
//! `mouse`, `touch` and `keyboard` track what is held down, and turn a viewer's events into steps (`key`: one key).
//! `pump` sends the steps in order, without waiting for answers (`flight`: unanswered steps; `ask`: steps that need an
//! answer of a document; `sharing` and `turns`: what a person and an agent wait for). `outside` describes what no frame
//! shows: `look` finds the open field and the cursor, `chooser` intercepts file choosers. `rate` limits one viewer.
//! Nothing here knows viewers, roles or sockets.

mod ask;
mod chooser;
mod flight;
mod key;
mod keyboard;
mod look;
mod mouse;
mod outside;
mod pump;
mod rate;
mod shared;
mod sharing;
mod step;
mod touch;
mod turns;
mod wish;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chromiumoxide_cdp::cdp::browser_protocol::page::HandleJavaScriptDialogParams;
use porthole_contract::live::{Answer, ImeEvent, ImeEventType, KeyEvent, MouseEvent, TouchEvent, ViewerMessage};
use porthole_contract::session::UploadFile;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use self::keyboard::{Keyboard, Stroke};
use self::mouse::Mouse;
pub use self::outside::{Chooser, Outside};
use self::pump::Pump;
pub use self::rate::InputRate;
use self::shared::Shared;
pub use self::sharing::{Acting, Sharing};
use self::step::Step;
use self::touch::Touch;
use super::Page;
use super::interact::Clipboard;

/// What may wait to be sent, in events; a text counts once more for each [`step::EVENT_BYTES`]. It waits only while the page
/// answers nothing.
const WAITING_MAX: usize = 1_024;

/// Something that a person does.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "they are what they are called; the contract's types say the rest")]
pub enum InputEvent {
    Mouse(MouseEvent),
    Key(KeyEvent),
    Touch(TouchEvent),
    Ime(ImeEvent),
    /// Inserts a text as if pasted.
    Paste(String),
    /// Asks for what is selected, which comes by the channel of [`PageInput::start`].
    Copy,
    /// Answers the open field; `None` closes it.
    Choose(Option<Vec<String>>),
    /// Answers the file chooser; none cancels it.
    Files(Vec<UploadFile>),
}

/// What became of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "ignored events are counted"]
pub enum Taken {
    /// It goes to the page.
    Taken,
    /// It does nothing: a release of what is not held, an answer to what is not open, one event too many.
    Ignored,
    /// More files than the chooser takes; it stays open.
    TooManyFiles,
}

/// A person's input to one page. Dropping it releases what is held.
pub struct PageInput {
    shared: Arc<Shared>,
    devices: Mutex<Devices>,
    /// With when each came.
    steps: mpsc::UnboundedSender<(Instant, Step)>,
    /// The last dialog that was answered; 0 for none.
    answered_dialog: AtomicU64,
    controlled: watch::Sender<bool>,
    ended: CancellationToken,
}

/// What is held down.
#[derive(Default)]
struct Devices {
    mouse: Mouse,
    keyboard: Keyboard,
    touch: Touch,
    is_composing: bool,
}

impl InputEvent {
    /// The event of a viewer's message; `None` of one that is no input to the page.
    #[must_use]
    pub fn of(message: ViewerMessage) -> Option<Self> {
        Some(match message {
            ViewerMessage::Mouse { event } => Self::Mouse(event),
            ViewerMessage::Keyboard { event } => Self::Key(event),
            ViewerMessage::Touch { event } => Self::Touch(event),
            ViewerMessage::Ime { event } => Self::Ime(event),
            ViewerMessage::Paste { text } => Self::Paste(text),
            ViewerMessage::Copy => Self::Copy,
            ViewerMessage::Choose { values } => Self::Choose(values),
            ViewerMessage::Files { files } => Self::Files(files),
            _ => return None,
        })
    }
}

// === impl PageInput ===

impl PageInput {
    /// Begins to watch a page for what is outside of it; input may be sent from now on. What a person copies is sent to
    /// `copied`.
    #[must_use]
    pub fn start(page: Arc<Page>, clipboard: Clipboard, copied: mpsc::Sender<String>) -> Self {
        let (steps, queue) = mpsc::unbounded_channel();
        let (controlled, control) = watch::channel(false);
        let shared = Arc::new(Shared::new(page, clipboard));
        let ended = CancellationToken::new();
        tokio::spawn(Pump::new(Arc::clone(&shared), queue, copied, ended.clone()).run());
        tokio::spawn(look::watch(Arc::clone(&shared), ended.clone()));
        tokio::spawn(chooser::watch(Arc::clone(&shared), control, ended.clone()));
        Self { shared, devices: Mutex::default(), steps, answered_dialog: AtomicU64::new(0), controlled, ended }
    }

    /// Sends an event to the page without waiting for anything.
    pub fn send(&self, event: InputEvent) -> Taken {
        if self.shared.waiting.load(Ordering::Relaxed) >= WAITING_MAX {
            return Taken::Ignored;
        }
        // Held until the steps are in the queue, so that they are there in the order of what is held.
        let mut devices = self.devices();
        let steps = match event {
            InputEvent::Mouse(event) => devices.mouse.step(&event).into_iter().collect(),
            InputEvent::Touch(event) => devices.touch.steps(&event),
            InputEvent::Key(event) => match devices.keyboard.stroke(&event) {
                Stroke::Ignored => Vec::new(),
                Stroke::Steps(steps) if steps.is_empty() => return Taken::Taken,
                Stroke::Steps(steps) => steps,
            },
            InputEvent::Ime(event) => devices.compose(event),
            InputEvent::Paste(text) => vec![Step::Paste(text)],
            InputEvent::Copy => vec![Step::Copy],
            InputEvent::Choose(values) => {
                let is_open = self.shared.outside.borrow().field.is_some();
                is_open.then_some(Step::Choose(values)).into_iter().collect()
            }
            InputEvent::Files(files) => {
                let chooser = self.shared.outside.borrow().chooser.clone();
                let Some(chooser) = chooser else { return Taken::Ignored };
                if !chooser.multiple && files.len() > 1 {
                    return Taken::TooManyFiles;
                }
                // Answered once: files are large, and none may wait in vain.
                self.shared.outside.send_modify(|outside| outside.chooser = None);
                // One answer waits at most: each is large.
                let waits = self.shared.files_wait.swap(true, Ordering::Relaxed);
                (!waits).then_some(Step::Files(files)).into_iter().collect()
            }
        };
        if steps.is_empty() {
            return Taken::Ignored;
        }
        self.push(steps);
        Taken::Taken
    }

    /// Releases all buttons, keys and touches that are held, and ends a composition without its text.
    pub fn release_all(&self) {
        let mut devices = self.devices();
        let steps = devices.release();
        self.push(steps);
    }

    /// Whether a viewer may act: only then are the page's file choosers taken from the browser.
    pub fn set_controlled(&self, is_controlled: bool) {
        self.controlled.send_if_modified(|controlled| std::mem::replace(controlled, is_controlled) != is_controlled);
    }

    /// What the browser draws outside of the page; latest wins.
    #[must_use]
    pub fn outside(&self) -> watch::Receiver<Outside> {
        self.shared.outside.subscribe()
    }

    /// Has the page looked at soon, since something else than a person's input acted on it.
    pub fn look(&self) {
        self.shared.looks.acted();
    }

    /// Answers the open dialog, if it is the one of this number, which the person has seen.
    pub fn answer_dialog(&self, seen: u64, Answer { accept, text }: Answer) -> Taken {
        let page = &self.shared.page;
        let open = {
            let state = page.state.borrow();
            state.dialog.as_ref().map(|dialog| (state.dialogs, dialog.default.clone()))
        };
        // Answered once: an answer is sent past the bound on what waits.
        let Some((_, default)) = open
            .filter(|(number, _)| *number == seen && self.answered_dialog.swap(*number, Ordering::Relaxed) != *number)
        else {
            return Taken::Ignored;
        };
        let mut answer = HandleJavaScriptDialogParams::new(accept);
        // Without a text the browser answers with none, not with the one that the prompt shows.
        answer.prompt_text = text.or(Some(default)).filter(|_| accept);
        page.session.call(&answer).forget();
        Taken::Taken
    }

    fn push(&self, steps: Vec<Step>) {
        for step in steps {
            self.shared.waiting.fetch_add(step.weight(), Ordering::Relaxed);
            self.shared.page.sharing.add();
            // The pump ends after this.
            let _ = self.steps.send((Instant::now(), step));
        }
    }

    fn devices(&self) -> MutexGuard<'_, Devices> {
        self.devices.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for PageInput {
    fn drop(&mut self) {
        self.release_all();
        // The pump sends what is in its queue first.
        self.ended.cancel();
    }
}

impl std::fmt::Debug for PageInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PageInput").finish_non_exhaustive()
    }
}

// === impl Devices ===

impl Devices {
    fn compose(&mut self, event: ImeEvent) -> Vec<Step> {
        match event.kind {
            ImeEventType::Compose => {
                self.is_composing = !event.text.is_empty();
                vec![Step::Compose { text: event.text, from: event.selection_start, to: event.selection_end }]
            }
            ImeEventType::Commit => {
                let was_composing = std::mem::take(&mut self.is_composing);
                if event.text.is_empty() {
                    return if was_composing { vec![Step::cancel()] } else { Vec::new() };
                }
                vec![Step::Text(event.text)]
            }
            ImeEventType::Cancel if std::mem::take(&mut self.is_composing) => vec![Step::cancel()],
            ImeEventType::Cancel => Vec::new(),
        }
    }

    fn release(&mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        if std::mem::take(&mut self.is_composing) {
            steps.push(Step::cancel());
        }
        steps.extend(self.keyboard.release());
        steps.extend(self.mouse.release());
        steps.extend(self.touch.release());
        steps
    }
}
