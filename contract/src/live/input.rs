//! A viewer's mouse, keyboard, touch and input method. Coordinates are CSS pixels of the viewport.

use serde::{Deserialize, Serialize};

use crate::limits::{KEY_MAX_CHARS, LIVE_COORDINATE_MAX_PX, LIVE_TOUCH_POINTS_MAX, LIVE_WHEEL_MAX_PX};

/// The pointer moved, or one of its buttons or its wheel did.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MouseEvent {
    /// What happened.
    #[serde(rename = "type")]
    pub kind: MouseEventType,
    /// Distance from the left edge.
    pub x: f64,
    /// Distance from the upper edge.
    pub y: f64,
    /// The button that went down or up.
    #[serde(default)]
    pub button: PointerButton,
    /// The click's number in a row of quick clicks; 1 where none is said for a button.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub click_count: Option<u32>,
    /// How far the wheel scrolls to the right; clamped to ±500.
    #[serde(default)]
    pub delta_x: f64,
    /// How far the wheel scrolls down; clamped to ±500.
    #[serde(default)]
    pub delta_y: f64,
    /// Alt 1, Ctrl 2, Meta 4, Shift 8.
    #[serde(default)]
    pub modifiers: u8,
}

/// What happened to the pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum MouseEventType {
    /// A button went down.
    MousePressed,
    /// A button went up.
    MouseReleased,
    /// The pointer moved.
    MouseMoved,
    /// The wheel turned.
    MouseWheel,
}

/// A button of the pointer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PointerButton {
    /// The first.
    Left,
    /// The second.
    Right,
    /// The wheel's.
    Middle,
    /// None.
    #[default]
    None,
}

/// A key went down or up, or text was typed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyEvent {
    /// What happened.
    #[serde(rename = "type")]
    pub kind: KeyEventType,
    /// The DOM's `key`.
    #[serde(default)]
    pub key: String,
    /// The DOM's `code`.
    #[serde(default)]
    pub code: String,
    /// Typed text, in `char`, or in `keyDown` if no `char` follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Alt 1, Ctrl 2, Meta 4, Shift 8.
    #[serde(default)]
    pub modifiers: u8,
}

/// What happened to a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum KeyEventType {
    /// It went down.
    KeyDown,
    /// It went up.
    KeyUp,
    /// Text was typed.
    Char,
}

/// Fingers touched, moved or left.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TouchEvent {
    /// What happened.
    #[serde(rename = "type")]
    pub kind: TouchEventType,
    /// The points that still touch.
    #[serde(default)]
    pub points: Vec<TouchPoint>,
}

/// What happened to the fingers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TouchEventType {
    /// One more touches.
    TouchStart,
    /// Some moved.
    TouchMove,
    /// One left.
    TouchEnd,
    /// The gesture is over without its effect.
    TouchCancel,
}

/// A finger.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TouchPoint {
    /// Distance from the left edge.
    pub x: f64,
    /// Distance from the upper edge.
    pub y: f64,
    /// Which finger.
    pub id: i64,
}

/// An input method composes, or is done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImeEvent {
    /// What happened.
    #[serde(rename = "type")]
    pub kind: ImeEventType,
    /// What is composed or committed.
    #[serde(default)]
    pub text: String,
    /// Where the selection within it begins, in UTF-16 code units; at its end where none is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection_start: Option<u32>,
    /// Where the selection within it ends, in UTF-16 code units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection_end: Option<u32>,
}

/// What an input method did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ImeEventType {
    /// The composition has this text now.
    Compose,
    /// The composition ended with this text.
    Commit,
    /// The composition ended without a text.
    Cancel,
}

/// All bits of `modifiers`.
const MODIFIERS_MAX: u8 = 15;

impl MouseEvent {
    /// The click's number: as said, else 1 for a button and 0 without one.
    #[must_use]
    pub fn click_count_or_default(&self) -> u32 {
        let pressed = matches!(self.kind, MouseEventType::MousePressed | MouseEventType::MouseReleased);
        self.click_count.unwrap_or(u32::from(pressed))
    }

    /// Clamps the wheel's deltas; whether the rest is in range.
    pub(super) fn settle(&mut self) -> bool {
        self.delta_x = self.delta_x.clamp(-LIVE_WHEEL_MAX_PX, LIVE_WHEEL_MAX_PX);
        self.delta_y = self.delta_y.clamp(-LIVE_WHEEL_MAX_PX, LIVE_WHEEL_MAX_PX);
        let presses = matches!(self.kind, MouseEventType::MousePressed | MouseEventType::MouseReleased);
        is_coordinate(self.x)
            && is_coordinate(self.y)
            && self.modifiers <= MODIFIERS_MAX
            && !(presses && self.button == PointerButton::None)
    }
}

impl KeyEvent {
    /// Whether all is in range, and says which key or text.
    pub(super) fn is_valid(&self) -> bool {
        let names = [&self.key, &self.code];
        let says = match self.kind {
            KeyEventType::Char => self.text.as_deref().is_some_and(|text| !text.is_empty()),
            KeyEventType::KeyDown | KeyEventType::KeyUp => names.iter().any(|name| !name.is_empty()),
        };
        says && self.modifiers <= MODIFIERS_MAX && names.iter().all(|name| name.chars().count() <= KEY_MAX_CHARS)
    }
}

impl TouchEvent {
    /// Whether all is in range.
    pub(super) fn is_valid(&self) -> bool {
        let starts = matches!(self.kind, TouchEventType::TouchStart | TouchEventType::TouchMove);
        (!starts || !self.points.is_empty())
            && self.points.len() <= LIVE_TOUCH_POINTS_MAX
            && self.points.iter().all(|point| is_coordinate(point.x) && is_coordinate(point.y))
    }
}

fn is_coordinate(px: f64) -> bool {
    px.abs() <= LIVE_COORDINATE_MAX_PX
}
