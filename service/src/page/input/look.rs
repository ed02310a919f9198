//! Looks for what the browser draws outside of the page: the open field, the cursor under the pointer, the dialog.
//!
//! A page can't report its fields by itself, so it can't choose how often or how much we read. We ask its documents
//! after input, by `script/interact/act/outside.js`: soon, then at growing intervals, and regularly while a field is open.
//! Without input a page is not asked.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::input::{DispatchKeyEventParams, DispatchKeyEventType};
use porthole_contract::live::{FieldKind, FieldOption, OpenField};
use porthole_contract::session::BoundingBox as WireBox;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::outside::{Outside, cursor_named};
use super::shared::{OpenIn, Shared};
use super::step::ASKING_TIMEOUT;
use super::wish::Wish;
use crate::page::interact::{ActError, BoundingBox, FRAME_DEPTH_MAX, Frame};
use crate::page::watch::{Fatal, PageState};

/// Least pause between two looks.
const PAUSE: Duration = Duration::from_millis(40);
/// When the page is looked at again after input, from look to look: a popup may open late, but only soon after input.
const AGAIN_AFTER: [Duration; 6] = [
    Duration::from_millis(50),
    Duration::from_millis(100),
    Duration::from_millis(250),
    Duration::from_millis(500),
    Duration::from_millis(1_000),
    Duration::from_millis(2_500),
];
/// After a move alone it is looked at again this often.
const AGAIN_AFTER_MOVE: usize = 2;
/// How often it is looked at while a field is open, which its script may close.
const WHILE_OPEN: Duration = Duration::from_millis(300);
/// Least pause between two changes of an open field.
const FIELD_PAUSE: Duration = Duration::from_millis(250);
/// How long all documents may take to answer one look.
const LOOK_TIMEOUT: Duration = Duration::from_secs(2);
/// How deep closed shadow roots are followed.
const ROOT_DEPTH_MAX: usize = 8;
/// Frames that are remembered.
const FRAMES_MAX: usize = 64;
/// How long the browser may take to close its popup.
const CLOSED_WITHIN: Duration = Duration::from_secs(1);

/// What the kit says of a document; see `look` in `script/interact/act/outside.js`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Seen {
    cursor: Option<String>,
    /// The frame that the pointer is on, and where inside it.
    frame: Option<Inside>,
    field: Option<SeenField>,
    /// The field's number.
    number: u32,
    /// The frame that has the focus; 0 for none.
    focused_frame: u32,
    /// Whether a closed shadow root hides what has the focus.
    hides: bool,
}

#[derive(Debug, Deserialize)]
struct Inside {
    number: u32,
    x: f64,
    y: f64,
}

#[derive(Debug, Deserialize)]
struct SeenField {
    kind: FieldKind,
    options: Vec<FieldOption>,
    multiple: bool,
    value: String,
    min: Option<String>,
    max: Option<String>,
    step: Option<String>,
    rect: BoundingBox,
}

/// What one look found.
struct Found {
    cursor: Option<String>,
    field: Option<(OpenIn, OpenField)>,
}

/// Looks at one page.
struct Looker {
    shared: Arc<Shared>,
    main: Option<Frame>,
    /// Frames by the document and the number of their element.
    frames: HashMap<(String, u32), Frame>,
    /// When the page is looked at next.
    due: Option<Instant>,
    looked: Instant,
    /// How often it was looked at since the last input.
    again: usize,
    field_told: Instant,
}

/// Looks at the page until it or its input ends.
pub(super) async fn watch(shared: Arc<Shared>, ended: CancellationToken) {
    let mut state = shared.page.state.clone();
    state.mark_changed();
    let now = Instant::now();
    let mut looker = Looker {
        shared: Arc::clone(&shared),
        main: None,
        frames: HashMap::new(),
        due: None,
        looked: now - PAUSE,
        again: 0,
        field_told: now - FIELD_PAUSE,
    };
    loop {
        let due = looker.due;
        let looks = async {
            match due {
                Some(due) => sleep_until(due).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = ended.cancelled() => return,
            changed = state.changed() => {
                let is_gone = changed.is_err() || looker.note(&state.borrow_and_update());
                if is_gone {
                    return;
                }
            }
            () = shared.looks.came.notified() => looker.wish(),
            () = looks => {
                tokio::select! {
                    () = ended.cancelled() => return,
                    () = looker.look() => {}
                }
            }
        }
    }
}

impl Looker {
    /// Reads the page's state. Whether the page is gone.
    fn note(&mut self, state: &PageState) -> bool {
        let dialog = state.dialog.clone().map(|dialog| (state.dialogs, dialog));
        let was_held = self.tell(|outside| {
            let is_news = outside.dialog != dialog;
            let was_held = outside.dialog.is_some();
            outside.dialog.clone_from(&dialog);
            (is_news, was_held)
        });
        if was_held && dialog.is_none() {
            self.wish_again();
        }
        matches!(state.fatal, Some(Fatal::Gone | Fatal::Flooded))
    }

    /// Plans a look after input.
    fn wish(&mut self) {
        let (acted, moved) = {
            let wish = self.shared.looks.lock();
            (wish.acted, wish.moved)
        };
        if acted {
            self.wish_again();
        } else if moved {
            self.again = self.again.max(AGAIN_AFTER.len() - AGAIN_AFTER_MOVE);
            self.plan(PAUSE);
        }
    }

    fn wish_again(&mut self) {
        self.again = 0;
        self.plan(PAUSE);
    }

    /// Plans a look so long after the last one, if none is planned earlier.
    fn plan(&mut self, after: Duration) {
        let at = (self.looked + after).max(Instant::now());
        self.due = Some(self.due.map_or(at, |due| due.min(at)));
    }

    async fn look(&mut self) {
        self.due = None;
        let wish = self.shared.looks.take();
        // A page that is busy may be looked at before it has taken what it is looked at for.
        let is_taken = self.shared.page.sharing.has_taken_sent();
        let found = match timeout(LOOK_TIMEOUT, self.find(wish)).await {
            Ok(Ok(found)) => Some(found),
            // Its main frame has another document, and no field of the one before is open.
            Ok(Err(ActError::NotFound(_))) => {
                (self.main, self.frames) = (None, HashMap::new());
                Some(Found { cursor: None, field: None })
            }
            // A dialog holds it: what was open may still be.
            Ok(Err(error)) => {
                tracing::debug!(%error, "can't query a page after input");
                None
            }
            Err(_) => None,
        };
        if !is_taken || found.is_none() {
            self.shared.looks.keep(wish);
        }
        self.looked = Instant::now();
        if let Some(found) = found {
            self.told(found);
        }
        if let Some(after) = AGAIN_AFTER.get(self.again) {
            self.again += 1;
            self.plan(*after);
        } else if self.shared.outside.borrow().field.is_some() {
            self.plan(WHILE_OPEN);
        }
    }

    async fn find(&mut self, wish: Wish) -> Result<Found, ActError> {
        let main = match &self.main {
            Some(main) => main.clone(),
            None => self.main.insert(self.shared.page.main_document().await?).clone(),
        };
        let mut seen = self.ask(&main, wish.at, Some(wish)).await?;
        let mut cursor = seen.cursor.take();
        // Where the pointer is in each frame around it.
        let mut places = HashMap::from([(main.document().to_owned(), wish.at)]);
        let mut frame = main.clone();
        let mut on = seen.frame.take();
        while let Some(inside) = on.take().filter(|_| places.len() < FRAME_DEPTH_MAX) {
            frame = self.inner(&frame, inside.number).await?;
            let at = Some((inside.x, inside.y));
            places.insert(frame.document().to_owned(), at);
            let deeper = self.ask(&frame, at, None).await?;
            cursor = deeper.cursor.or(cursor);
            on = deeper.frame;
        }
        let mut frame = main;
        for _ in 0..FRAME_DEPTH_MAX {
            if seen.focused_frame == 0 {
                break;
            }
            frame = self.inner(&frame, seen.focused_frame).await?;
            let at = places.get(frame.document()).copied().flatten();
            seen = self.ask(&frame, at, Some(wish)).await?;
        }
        // The kit says so once of each element.
        for _ in 0..ROOT_DEPTH_MAX {
            if !seen.hides || self.shared.page.open_closed_roots(&frame, "focusedHosts").await? == 0 {
                break;
            }
            let at = places.get(frame.document()).copied().flatten();
            seen = self.ask(&frame, at, Some(wish)).await?;
        }
        let field = match seen.field {
            Some(field) => {
                let rect = self.shared.page.outward(&frame, field.rect, false, LOOK_TIMEOUT).await?;
                Some((OpenIn { frame, number: seen.number }, opened(field, rect)))
            }
            None => None,
        };
        Ok(Found { cursor, field })
    }

    /// Asks a document what is at a point, and, with a wish, what has the focus.
    async fn ask(&self, frame: &Frame, at: Option<(f64, f64)>, wish: Option<Wish>) -> Result<Seen, ActError> {
        let mut asked = json!({"focus": wish.is_some()});
        if let Some((x, y)) = at {
            (asked["x"], asked["y"]) = (x.into(), y.into());
        }
        if let Some(Wish { pressed, typed, closes, .. }) = wish {
            (asked["pressed"], asked["typed"], asked["closes"]) = (pressed.into(), typed.into(), closes.into());
        }
        frame.call(&self.shared.page, LOOK_TIMEOUT, "look", vec![asked]).await
    }

    async fn inner(&mut self, outer: &Frame, number: u32) -> Result<Frame, ActError> {
        let key = (outer.document().to_owned(), number);
        if let Some(frame) = self.frames.get(&key) {
            return Ok(frame.clone());
        }
        if self.frames.len() >= FRAMES_MAX {
            self.frames.clear();
        }
        let frame = self.shared.page.frame_in(outer, number).await?;
        self.frames.insert(key, frame.clone());
        Ok(frame)
    }

    fn told(&mut self, Found { cursor, field }: Found) {
        let is_early = self.field_told.elapsed() < FIELD_PAUSE;
        let (place, field) = match field {
            Some((place, field)) => (Some(place), Some(Arc::new(field))),
            None => (None, None),
        };
        let is_news = self.tell(|outside| {
            let is_cursor = cursor.as_deref().map(cursor_named).filter(|cursor| *cursor != outside.cursor);
            outside.cursor = is_cursor.unwrap_or(outside.cursor);
            // What a page changes in an open field is told now and then.
            let is_another = outside.field != field && !(is_early && outside.field.is_some() && field.is_some());
            if is_another {
                outside.field = field;
                // Keep the field that was reported: `choose` refers to it.
                *self.shared.field() = place;
            }
            (is_another || is_cursor.is_some(), is_another)
        });
        if is_news {
            self.field_told = Instant::now();
        }
    }

    /// Changes what is told; `change` says first whether it did.
    fn tell<T>(&self, change: impl FnOnce(&mut Outside) -> (bool, T)) -> T {
        let mut told = None;
        self.shared.outside.send_if_modified(|outside| {
            let (is_news, value) = change(outside);
            told = Some(value);
            is_news
        });
        told.expect("send_if_modified calls its function")
    }
}

/// Gives the open field what a person chose, or closes it.
pub(super) async fn choose(shared: &Shared, values: Option<Vec<String>>) -> Result<(), ActError> {
    let Some(OpenIn { frame, number }) = shared.field().clone() else { return Ok(()) };
    let page = &shared.page;
    let asked = Instant::now();
    // The browser's own popup has all keys while it is open; the page hears nothing of it. One that has just opened may not
    // listen yet.
    while frame.call::<bool>(page, ASKING_TIMEOUT, "closes", vec![number.into()]).await? {
        if asked.elapsed() > CLOSED_WITHIN {
            tracing::debug!("a popup did not close in time");
            break;
        }
        let escape = DispatchKeyEventParams {
            key: Some("Escape".to_owned()),
            code: Some("Escape".to_owned()),
            windows_virtual_key_code: Some(27),
            ..DispatchKeyEventParams::new(DispatchKeyEventType::RawKeyDown)
        };
        let _ = timeout(ASKING_TIMEOUT, page.session.call(&escape)).await;
        sleep(PAUSE).await;
    }
    let chosen: Value = values.unwrap_or_default().into();
    let took: bool = frame.call(page, ASKING_TIMEOUT, "chooses", vec![number.into(), chosen]).await?;
    tracing::debug!(took, "applied a viewer's choice");
    Ok(())
}

fn opened(field: SeenField, BoundingBox { x, y, width, height }: BoundingBox) -> OpenField {
    let SeenField { kind, options, multiple, value, min, max, step, rect: _ } = field;
    OpenField { kind, options, multiple, value, min, max, step, rect: WireBox { x, y, width, height } }
}
