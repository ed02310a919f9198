//! Clicks on elements and at points, by events in the document or by the browser's input, and the warnings for those that
//! did not come.

use std::sync::atomic::Ordering;

use chromiumoxide_cdp::cdp::browser_protocol::input::{DispatchMouseEventParams, DispatchMouseEventType, MouseButton};
use futures_util::future::join;
use porthole_contract::limits::CLICK_COUNT_MAX;
use porthole_contract::{Warning, WarningCode};
use serde::Deserialize;
use serde_json::json;
use tokio::time::Instant;

use super::actionable::{Ask, Spot, Tries};
use super::pointer::{Dispatched, Done, Pointing, moves_pointer};
use super::press::{Came, HeldAt, Press};
use crate::page::Page;
use crate::page::interact::acted::{Acted, BoundingBox, Method, Point, Terms};
use crate::page::interact::error::finds_no_document;
use crate::page::interact::quiet::{ANSWER_TIMEOUT, Quiet, Rest};
use crate::page::interact::{ActError, Element, Modifiers};

/// A button of the mouse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Button {
    /// The main one.
    #[default]
    Left,
    /// The wheel.
    Middle,
    /// The one for context menus.
    Right,
}

/// How to click.
#[derive(Clone, Copy, Debug)]
pub struct Click {
    /// With which button.
    pub button: Button,
    /// How often, 1 to [`CLICK_COUNT_MAX`]: a double click is two.
    pub count: u8,
    /// Keys held meanwhile.
    pub modifiers: Modifiers,
    /// What is waited for.
    pub terms: Terms,
}

/// What a click at a point is for: a control, or the document's root.
#[derive(Debug, Default, Deserialize)]
pub struct ActedOn {
    number: u32,
    /// Whether it must stay what it is.
    stays: bool,
    /// The control's role; empty of no control.
    pub role: String,
    /// Its name.
    pub name: String,
}

/// What came of a click.
struct Clicked {
    method: Method,
    /// `None` where a dialog holds the page.
    rest: Option<Rest>,
    bounds: BoundingBox,
    warnings: Vec<Warning>,
}

/// What came of a click by events in the document.
enum InDocument {
    Clicked(Clicked),
    /// No event came to the element.
    NotReached {
        what: String,
    },
}

impl Page {
    /// Clicks an element, once it is visible, enabled, still and hit at the point.
    ///
    /// # Errors
    /// [`ActError`]: what it lacked when the time was over. [`ActError::Covered`] where another element was hit; no click
    /// came to that one.
    pub async fn click(&self, element: &Element, click: &Click) -> Result<Acted, ActError> {
        match self.click_as(element, click, Ask::pointer(&click.terms)).await {
            // The options of a closed select are drawn by the browser, outside of the page, and no event of a document chooses one.
            Err(error @ (ActError::NotVisible(_) | ActError::DispatchFailed(_))) => {
                self.choose(element, &click.terms).await?.ok_or(error)
            }
            acted => self.or_stale(element, acted).await,
        }
    }

    /// Clicks an element that must be as `ask` wants.
    pub(super) async fn click_as(&self, element: &Element, click: &Click, ask: Ask) -> Result<Acted, ActError> {
        let mut quiet = Quiet::watch(self, &element.frame);
        let mut tries = Tries::until(click.terms.deadline);
        let ask = Ask { clicks: true, ..ask };
        let mut pointing = Pointing { page: self, element, ask, quiet: &mut quiet, tries: &mut tries };
        let Clicked { method, rest, bounds, warnings } = pointing.click(click).await?;
        quiet.awaits_change = true;
        let settled = quiet.settle(rest).await?;
        let mut acted = Acted::new(settled, method, Some(bounds)).warns_of_no_change();
        acted.warnings.extend(warnings);
        Ok(acted)
    }

    /// Clicks at a point of the viewport, on the control that is hit there before the pointer comes; on nothing, if another one
    /// is by then. It is looked at once: the pointer stays there, and the next look shows what came by it.
    ///
    /// # Errors
    /// [`ActError::Covered`] where another control has come there; [`ActError::NotFound`] where the control is something else
    /// now; a dialog holds the page, it died, or did not take the input.
    pub async fn click_at(&self, point: Point, click: &Click) -> Result<(ActedOn, Acted), ActError> {
        let (hit, Point { x, y }) = self.hit_at(point).await?;
        let acted_on: Option<ActedOn> =
            hit.frame.call(self, ANSWER_TIMEOUT, "actedOnAt", vec![hit.number.into()]).await?;
        // Another document draws itself there, which can't be asked.
        let Some(acted_on) = acted_on else { return Ok((ActedOn::default(), self.click_unseen(point, click).await?)) };
        let element = hit.acted_on(acted_on.number, acted_on.stays);
        let click = Click { terms: Terms::until(Instant::now()), ..*click };
        let ask = Ask { hit: true, same: true, at: Some([x, y]), ..Ask::default() };
        let mut acted = self.click_as(&element, &click, ask).await?;
        acted.bounding_box = acted.bounding_box.filter(|_| !acted_on.role.is_empty());
        Ok((acted_on, acted))
    }

    /// Clicks at a point without asking what is there.
    async fn click_unseen(&self, point: Point, click: &Click) -> Result<Acted, ActError> {
        let presses = click.presses(point).into_iter().flat_map(|press| [press.down, press.up]);
        Ok(self.point_unseen(point, click.modifiers, presses).await?.warns_of_no_change())
    }
}

// === impl Pointing ===

impl Pointing<'_, '_> {
    /// Clicks in the way that the terms allow first, and in the other where no event came to the element.
    async fn click(&mut self, click: &Click) -> Result<Clicked, ActError> {
        if click.terms.document_first() {
            match self.click_in_document(click).await? {
                InDocument::Clicked(clicked) => return Ok(clicked),
                InDocument::NotReached { what } if !click.terms.by_input() => {
                    return Err(ActError::DispatchFailed(format!("no click came to {what}")));
                }
                InDocument::NotReached { .. } => {}
            }
        }
        self.click_by_input(click).await
    }

    /// Clicks by events in the document.
    async fn click_in_document(&mut self, click: &Click) -> Result<InDocument, ActError> {
        let (page, element) = (self.page, self.element);
        let options =
            json!({"button": click.button.number(), "count": click.count, "modifiers": click.modifiers.bits()});
        let (Spot { what, bounds, .. }, heard, acted) = loop {
            let ready = self.ready_in_document().await?;
            // What the pointer was over hears that it goes: a person's would, too.
            if moves_pointer(&click.terms) && page.has_pointer.load(Ordering::Relaxed) {
                self.place_pointer(ready.point).await?;
            }
            let Done {} = page.call_once(element, "domEnter", options.clone(), self.tries).await?;
            let comes = element.frame.call::<()>(page, self.tries.limit(), "clickComes", Vec::new());
            match join(comes, self.in_document("domClick", options.clone())).await {
                // Hidden as the pointer came, by a menu that opens still: nothing was pressed.
                (_, Err(ActError::NotVisible(_))) if self.tries.next().await => {}
                (heard, acted) => break (ready, heard, acted?),
            }
        };
        let Dispatched::Reached(rest) = acted else { return Ok(InDocument::NotReached { what }) };
        let is_left_button = click.button == Button::Left;
        let lost = if is_left_button && finds_no_document(&heard) {
            Some(left_before_click(&what))
        } else {
            let lost = rest.as_ref().and_then(|rest| rest.lost.as_ref());
            lost.map(|lost| format!("a press came, and no click: {lost}"))
        };
        let waits = is_left_button && rest.is_none() && heard.is_err();
        let lost = lost.map(|lost| WarningCode::ClickLost.says(lost));
        let warnings = lost.into_iter().chain(waits.then(|| waits_for_dialog(&what))).collect();
        Ok(InDocument::Clicked(Clicked { method: Method::Dom, rest, bounds, warnings }))
    }

    /// Clicks by the browser's input.
    async fn click_by_input(&mut self, click: &Click) -> Result<Clicked, ActError> {
        let Came { spot, rest, held, left_after, left_unclicked } =
            self.press(click.modifiers, |point| click.presses(point)).await?;
        if rest.as_ref().is_some_and(|rest| rest.seen == Some(false)) {
            return Err(ActError::DispatchFailed(format!("no click came to the document of {}", spot.what)));
        }
        let lost = match (&rest, left_after) {
            (_, Some(after)) => Some(
                WarningCode::ClickLost
                    .says(format!("the document left for another one after {after} of {} clicks", click.count)),
            ),
            // Other buttons act at the press.
            _ if left_unclicked && click.button == Button::Left => {
                Some(WarningCode::ClickLost.says(left_before_click(&spot.what)))
            }
            (Some(rest), None) => click.lost(rest, &spot.what),
            (None, None) => held.and_then(|held| click.held(held, &spot.what)),
        };
        let warnings = lost.into_iter().collect();
        Ok(Clicked { method: Method::Cdp, rest, bounds: spot.bounds, warnings })
    }
}

fn left_before_click(what: &str) -> String {
    format!("the document left before a click came to {what}; what acts at the press or the release has acted")
}

fn waits_for_dialog(what: &str) -> Warning {
    let comes = "it comes once the dialog is answered, unless it has come or that is something else then";
    WarningCode::DialogOpened.says(format!("before a click to {what} was heard of; {comes}"))
}

// === impl Click ===

impl Click {
    /// One click with the main button.
    #[must_use]
    pub fn once(terms: Terms) -> Self {
        Self { button: Button::Left, count: 1, modifiers: Modifiers::default(), terms }
    }

    /// How often it clicks, within the limits.
    fn times(&self) -> u8 {
        self.count.clamp(1, CLICK_COUNT_MAX)
    }

    /// Its presses at a point.
    fn presses(&self, point: Point) -> Vec<Press> {
        let event = |kind, buttons, count: u8| {
            let mut event = DispatchMouseEventParams::new(kind, point.x, point.y);
            event.button = Some(self.button.of_protocol());
            event.buttons = Some(buttons);
            event.click_count = Some(count.into());
            event.modifiers = Some(self.modifiers.bits());
            event
        };
        let press = |count| Press {
            down: event(DispatchMouseEventType::MousePressed, self.button.mask(), count),
            up: event(DispatchMouseEventType::MouseReleased, 0, count),
            stays_down: false,
        };
        (1..=self.times()).map(press).collect()
    }

    /// The warning for a dialog that opened before all clicks had come.
    fn held(&self, held: HeldAt, what: &str) -> Option<Warning> {
        let lost = match held {
            HeldAt::Press => format!("a dialog opened at the press, before a click came to {what}"),
            HeldAt::Click(done) => format!("a dialog opened after {done} of {} clicks to {what}", self.count),
            HeldAt::Release => return (self.button == Button::Left).then(|| waits_for_dialog(what)),
        };
        Some(WarningCode::ClickLost.says(lost))
    }

    /// The warning for clicks that did not follow their presses.
    fn lost(&self, rest: &Rest, what: &str) -> Option<Warning> {
        // Some systems open a menu at the press of another button, and no click follows.
        let wanted = if self.button == Button::Left { u32::from(self.times()) } else { 0 };
        if rest.reached == 0 || (rest.done >= wanted && rest.lost.is_none()) {
            return None;
        }
        let done = rest.done;
        let came =
            if wanted > 1 { format!("{done} of {wanted} clicks came") } else { "a press came, and no click,".into() };
        let by = rest.lost.as_ref().map(|by| format!(": {by} was there by then")).unwrap_or_default();
        Some(WarningCode::ClickLost.says(format!("{came} to {what}{by}; what acts at the press has acted")))
    }
}

// === impl Button ===

impl Button {
    fn of_protocol(self) -> MouseButton {
        match self {
            Button::Left => MouseButton::Left,
            Button::Middle => MouseButton::Middle,
            Button::Right => MouseButton::Right,
        }
    }

    /// As in `MouseEvent.button`.
    fn number(self) -> u8 {
        match self {
            Button::Left => 0,
            Button::Middle => 1,
            Button::Right => 2,
        }
    }

    /// As in `MouseEvent.buttons`.
    fn mask(self) -> i64 {
        match self {
            Button::Left => 1,
            Button::Right => 2,
            Button::Middle => 4,
        }
    }
}
