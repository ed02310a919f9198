//! The options and the outcome of an action.

use std::time::Duration;

use porthole_contract::{Warning, WarningCode};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

/// How an element is acted on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum How {
    /// By the browser's input, as from a device.
    #[default]
    Input,
    /// By events in the document; by the browser's input where that did not take.
    DocumentFirst,
    /// By events in the document alone.
    DocumentOnly,
}

/// What an action waits for, until when, and how it is done.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// Until when the element may become ready.
    pub deadline: Instant,
    /// How it is acted on.
    pub how: How,
    /// Whether it must be visible. Only the document's own events reach one that is not.
    pub visible: bool,
    /// Whether it must be enabled.
    pub enabled: bool,
}

/// What an element was acted on by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Events in its document.
    Dom,
    /// The browser's input.
    Cdp,
}

/// What an action did.
#[derive(Clone, Debug, PartialEq)]
pub struct Acted {
    /// What came of it, and whether that has come to rest.
    pub settled: Settled,
    /// What the element was acted on by.
    pub method: Method,
    /// Where the element was.
    pub bounding_box: Option<BoundingBox>,
    /// What did not go quite as asked.
    pub warnings: Vec<Warning>,
    /// What was typed, where something was.
    pub typed: Option<Typed>,
}

/// What came of an action.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settled {
    /// Whether the main frame has another document or URL.
    pub navigated: bool,
    /// Whether all that the action began has ended.
    pub settled: bool,
    /// Whether nothing changed, no request began and nothing was opened.
    pub no_change: bool,
    /// Whether the page went to a target that is refused.
    pub blocked: bool,
    /// Whether a download began.
    pub download: bool,
    /// How long that was waited for.
    pub took: Duration,
}

/// What is in a field after typing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Typed {
    /// Its value, cut at 100 000 characters; `None` for a password.
    pub value: Option<String>,
    /// Whether that is something else than was typed.
    pub differs: bool,
}

/// A rectangle in CSS pixels of the page's viewport.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct BoundingBox {
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

/// A point in CSS pixels of the page's viewport.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct Point {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
}

// === impl Terms ===

impl Terms {
    /// An element that must be visible and enabled by `deadline`, by the browser's input.
    #[must_use]
    pub fn until(deadline: Instant) -> Self {
        Self { deadline, how: How::Input, visible: true, enabled: true }
    }

    /// Whether the document's own events come first.
    pub(super) fn document_first(&self) -> bool {
        self.how != How::Input || !self.visible
    }

    /// Whether the browser's input may be used.
    pub(super) fn by_input(&self) -> bool {
        self.how != How::DocumentOnly && self.visible
    }
}

// === impl Acted ===

impl Acted {
    pub(super) fn new(settled: Settled, method: Method, bounding_box: Option<BoundingBox>) -> Self {
        let mut warnings = Vec::new();
        if settled.blocked {
            warnings.push(WarningCode::BlockedTarget.says("the page tried to open a blocked address"));
        }
        Self { settled, method, bounding_box, warnings, typed: None }
    }

    /// Whether a click was asked for and none came to the element.
    #[must_use]
    pub fn is_click_lost(&self) -> bool {
        self.warnings.iter().any(|warning| warning.code == WarningCode::ClickLost)
    }

    /// The same with a warning where nothing changed.
    pub(super) fn warns_of_no_change(mut self) -> Self {
        if self.settled.no_change {
            self.warnings.push(WarningCode::NoChange.says("nothing on the page changed"));
        }
        self
    }
}
