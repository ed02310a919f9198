//! Acting on the page by pointer and keys.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::request::session_request;
use super::target::{Target, TargetObject, Targeted};
use crate::json::Invalid;
use crate::limits::{CLICK_COUNT_MAX, KEY_MAX_CHARS, SCROLL_AMOUNT_MAX_PX};
use crate::request::in_range;

session_request! {
    /// `POST session/click`: clicks an element or a point.
    ClickRequest [target snapshot] {
        /// The mouse button.
        #[serde(default)]
        pub button: MouseButton,
        /// 2 for a double click, 3 for a triple one; default 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(minimum = 1, maximum = 3, default = 1)]
        pub click_count: Option<u8>,
        /// Keys held meanwhile.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub modifiers: Vec<Modifier>,
    }
}

session_request! {
    /// `POST session/type`: types into a field.
    TypeRequest [target snapshot] {
        /// What is typed.
        pub text: String,
        /// Whether the field is emptied before; default true.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(default = true)]
        pub clear: Option<bool>,
        /// Whether Enter follows.
        #[serde(default)]
        pub submit: bool,
        /// Key by key.
        #[serde(default)]
        pub slowly: bool,
    }
}

session_request! {
    /// `POST session/press`: presses a key or a combination, on a target or on what has the focus.
    PressRequest [maybe_target snapshot] {
        /// DOM key names with `+` between them: `Enter`, `Control+A`.
        #[schema(min_length = 1, max_length = 100)]
        pub key: String,
    }
}

session_request! {
    /// `POST session/hover`: moves the pointer over an element or to a point.
    HoverRequest [target snapshot] {}
}

session_request! {
    /// `POST session/select`: chooses in a select.
    SelectRequest [target snapshot] {
        /// The options, each by its value or its label; none deselects all.
        pub values: Vec<String>,
    }
}

session_request! {
    /// `POST session/check`: sets a checkbox, a radio button or a switch.
    CheckRequest [target snapshot] {
        /// Whether it is to be checked; default true.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(default = true)]
        pub checked: Option<bool>,
    }
}

session_request! {
    /// `POST session/drag`: drags one element to another.
    DragRequest [target snapshot] {
        /// Where it is dropped.
        pub to: TargetObject,
    }
}

session_request! {
    /// `POST session/scroll`: scrolls the page or a part of it, or an element into view.
    ScrollRequest [maybe_target snapshot] {
        /// In which direction.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub direction: Option<ScrollDirection>,
        /// To an end, instead of in a direction.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub to: Option<ScrollEnd>,
        /// How far in that direction, in CSS pixels; default most of a viewport.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(minimum = 1, maximum = 100_000)]
        pub amount: Option<u32>,
    }
}

/// A mouse button.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MouseButton {
    /// The first.
    #[default]
    Left,
    /// The wheel's.
    Middle,
    /// The second: opens a menu.
    Right,
}

/// A key held during a click.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum Modifier {
    /// Alt.
    Alt,
    /// Ctrl.
    Control,
    /// Command or the Windows key.
    Meta,
    /// Shift.
    Shift,
}

/// Where a scroll goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScrollDirection {
    /// Towards the beginning.
    Up,
    /// Towards the end.
    Down,
    /// To the left.
    Left,
    /// To the right.
    Right,
}

/// An end to which a scroll goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScrollEnd {
    /// The upper end.
    Top,
    /// The lower end.
    Bottom,
}

// === impl each request ===

impl ClickRequest {
    fn check(&self) -> Result<(), Invalid> {
        in_range("click_count", self.click_count.map(u64::from), 1, CLICK_COUNT_MAX.into())
    }
}

impl TypeRequest {
    /// Whether the field is emptied before.
    #[must_use]
    pub fn clears(&self) -> bool {
        self.clear.unwrap_or(true)
    }

    // The text is as long as the body may be.
    fn check(&self) -> Result<(), Invalid> {
        Ok(())
    }
}

impl PressRequest {
    fn check(&self) -> Result<(), Invalid> {
        check_key("key", &self.key)
    }
}

/// Bounds a key; which keys there are is for the service to say. A space is one.
pub(super) fn check_key(path: &str, key: &str) -> Result<(), Invalid> {
    in_range_of_chars(path, key, 1, KEY_MAX_CHARS)
}

fn in_range_of_chars(path: &str, text: &str, min: usize, max: usize) -> Result<(), Invalid> {
    match (min..=max).contains(&text.chars().count()) {
        true => Ok(()),
        false => Err(Invalid::new(path, format!("must have from {min} to {max} characters"))),
    }
}

impl HoverRequest {
    fn check(&self) -> Result<(), Invalid> {
        Ok(())
    }
}

impl SelectRequest {
    fn check(&self) -> Result<(), Invalid> {
        Ok(())
    }
}

impl CheckRequest {
    /// Whether it is to be checked.
    #[must_use]
    pub fn is_checked(&self) -> bool {
        self.checked.unwrap_or(true)
    }

    fn check(&self) -> Result<(), Invalid> {
        Ok(())
    }
}

impl DragRequest {
    fn check(&self) -> Result<(), Invalid> {
        self.to.check_one("to.")
    }
}

impl ScrollRequest {
    fn check(&self) -> Result<(), Invalid> {
        if self.direction.is_some() && self.to.is_some() {
            return Err(Invalid::new("to", "goes without direction: send one of them"));
        }
        if self.amount.is_some() && self.direction.is_none() {
            return Err(Invalid::new("amount", "goes with direction only"));
        }
        in_range("amount", self.amount.map(u64::from), 1, SCROLL_AMOUNT_MAX_PX.into())?;
        match (self.direction.is_some() || self.to.is_some(), self.target()) {
            (false, None) => Err(Invalid::new("direction", "is missing: send direction, to, or an element")),
            (false, Some(Target::At(_))) => Err(Invalid::new("at", "goes with direction or to: a point is in view")),
            _ => Ok(()),
        }
    }
}
