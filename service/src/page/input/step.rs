//! A step: one input to a page, as the browser takes it.

use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::input::{
    DispatchKeyEventParams, DispatchKeyEventType, DispatchMouseEventParams, DispatchMouseEventType,
    DispatchTouchEventParams, DispatchTouchEventReturns, DispatchTouchEventType, TouchPoint as Finger,
};
use porthole_contract::session::UploadFile;
use serde::Serialize;

use super::key::Key;
use crate::cdp::command;
use crate::page::interact::ClipboardUse;

/// How long the page may take to paste, to copy or to take a choice.
pub(super) const ASKING_TIMEOUT: Duration = Duration::from_secs(5);
/// How long it may take to get files.
pub(super) const FILES_TIMEOUT: Duration = Duration::from_secs(15);

/// A text that waits counts once more for each of these.
pub(super) const EVENT_BYTES: usize = 1_024;
/// Deltas of turns that were joined, in CSS pixels.
const WHEEL_SUM_MAX_PX: f64 = 5_000.0;

/// One thing that is done to the page.
#[derive(Debug)]
pub(super) enum Step {
    Move(Box<DispatchMouseEventParams>),
    Wheel(Wheel),
    Press(Box<DispatchMouseEventParams>),
    TouchMove(DispatchTouchEvent),
    Touch(DispatchTouchEvent),
    Key(Box<DispatchKeyEventParams>),
    /// Types or commits a text.
    Text(String),
    /// Composes a text, with the selection in it in UTF-16 code units.
    Compose {
        text: String,
        from: Option<u32>,
        to: Option<u32>,
    },
    Clipboard(ClipboardUse, Key),
    Paste(String),
    Copy,
    Choose(Option<Vec<String>>),
    Files(Vec<UploadFile>),
}

/// A turn of the wheel.
#[derive(Debug)]
pub(super) struct Wheel(pub Box<DispatchMouseEventParams>);

impl Wheel {
    /// Whether another turn can be added.
    pub(super) fn is_alike(&self, other: &Self) -> bool {
        self.0.modifiers == other.0.modifiers && self.0.buttons == other.0.buttons
    }

    /// Adds a turn that came later, where the pointer was then.
    pub(super) fn add(&mut self, other: &Self) {
        let sum = |one: Option<f64>, other: Option<f64>| {
            let sum = one.unwrap_or_default() + other.unwrap_or_default();
            Some(sum.clamp(-WHEEL_SUM_MAX_PX, WHEEL_SUM_MAX_PX))
        };
        (self.0.x, self.0.y) = (other.0.x, other.0.y);
        self.0.delta_x = sum(self.0.delta_x, other.0.delta_x);
        self.0.delta_y = sum(self.0.delta_y, other.0.delta_y);
    }
}

/// `Input.dispatchTouchEvent`. The generated type leaves out an empty list, and the browser refuses an event without one.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DispatchTouchEvent {
    #[serde(rename = "type")]
    pub kind: DispatchTouchEventType,
    pub touch_points: Vec<Finger>,
}

command!(DispatchTouchEvent, DispatchTouchEventParams::IDENTIFIER => DispatchTouchEventReturns);

impl Step {
    /// Ends a composition without its text.
    pub(super) fn cancel() -> Self {
        Self::Compose { text: String::new(), from: None, to: None }
    }

    /// Takes `next` into this step, or gives it back where they are not of a kind.
    pub(super) fn join(&mut self, next: Self) -> Option<Self> {
        match (&mut *self, &next) {
            (Self::Move(one), Self::Move(other)) if one.buttons == other.buttons => {}
            (Self::Wheel(one), Self::Wheel(other)) if one.is_alike(other) => {
                one.add(other);
                return None;
            }
            (Self::TouchMove(_), Self::TouchMove(_)) => {}
            _ => return Some(next),
        }
        *self = next;
        None
    }

    /// Weight against the limit on waiting input.
    pub(super) fn weight(&self) -> usize {
        let bytes = match self {
            Self::Text(text) | Self::Paste(text) | Self::Compose { text, .. } => text.len(),
            // An empty value costs memory, too.
            Self::Choose(values) => values.iter().flatten().map(|value| value.len() + size_of::<String>()).sum(),
            // The files of a chooser wait once.
            _ => 0,
        };
        1 + bytes / EVENT_BYTES
    }

    /// Whether it lets go of something that an earlier step holds.
    pub(super) fn releases(&self) -> bool {
        match self {
            Self::Press(event) => event.r#type == DispatchMouseEventType::MouseReleased,
            Self::Touch(event) => event.kind != DispatchTouchEventType::TouchStart,
            Self::Key(event) => event.r#type == DispatchKeyEventType::KeyUp,
            Self::Compose { text, .. } => text.is_empty(),
            _ => false,
        }
    }

    /// The button or the key that it presses or releases, by its name.
    pub(super) fn pressed(&self) -> Option<&str> {
        match self {
            Self::Press(event) => event.button.as_ref().map(AsRef::as_ref),
            Self::Key(event) if event.r#type == DispatchKeyEventType::Char => None,
            Self::Key(event) => event.code.as_deref().or(event.key.as_deref()),
            _ => None,
        }
    }

    pub(super) fn is_joined(&self) -> bool {
        matches!(self, Self::Move(_) | Self::Wheel(_) | Self::TouchMove(_))
    }
}
