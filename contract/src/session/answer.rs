//! What every answer of a session has, and what those have that acted or failed.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::event::Event;
use super::handle::ElementRef;
use super::snapshot::SnapshotAnswer;

/// An answer: the fields of every answer, and those of its route.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SessionAnswer<T> {
    /// Always true.
    pub ok: bool,
    /// The session's handle.
    pub session: String,
    /// The tab; empty once the session has ended.
    #[serde(default)]
    pub tab: String,
    /// Where the tab is.
    #[serde(default)]
    pub url: String,
    /// The page's title, cut at 1000 characters.
    #[serde(default)]
    pub title: String,
    /// This call's id.
    pub request_id: String,
    /// Where the time went.
    pub timings_ms: SessionTimings,
    /// What else happened since the last call.
    #[serde(default)]
    pub events: Vec<Event>,
    /// What did not go quite as asked, each `code: sentence`.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// The snapshot, where one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<SnapshotAnswer>,
    /// The route's own fields.
    #[serde(flatten)]
    pub result: T,
}

/// The result of a route that has no fields of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Plain {}

/// Where a call's time went, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionTimings {
    /// Waiting for a permit, and for the session's calls before.
    #[serde(default)]
    pub queue: u64,
    /// Doing what was asked, the wait for its target included.
    #[serde(default)]
    pub act: u64,
    /// The wait for what that began.
    #[serde(default)]
    pub settle: u64,
    /// All of it.
    #[serde(default)]
    pub total: u64,
}

/// The result of a call that acted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Acted {
    /// Whether the tab went to another document.
    pub navigated: bool,
    /// Whether all that the action began has ended.
    pub settled: bool,
    /// What was acted on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<TargetAnswer>,
    /// How.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<Method>,
    /// What the document's server answered, of a navigation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_code: Option<u16>,
}

/// What was acted on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TargetAnswer {
    /// Its ref, if it has one.
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub reference: Option<ElementRef>,
    /// Its role.
    #[serde(default)]
    pub role: String,
    /// Its accessible name.
    #[serde(default)]
    pub name: String,
    /// The selector that found it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector_used: Option<String>,
    /// How many matched, hidden ones included.
    #[serde(default)]
    pub matched_count: u64,
    /// Where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounding_box: Option<BoundingBox>,
}

/// A rectangle, in CSS pixels of the viewport.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BoundingBox {
    /// Its left edge.
    pub x: f64,
    /// Its upper edge.
    pub y: f64,
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
}

/// How an action was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// In the page, as its framework expects.
    Dom,
    /// By the browser's own input.
    Cdp,
}

/// A selector that was tried.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Tried {
    /// The selector, its kind before it.
    pub selector: String,
    /// How many it matched.
    pub matched: u64,
}

/// Where in a session a call failed: what its error answer has beside the code.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ErrorContext {
    /// The session's handle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The tab.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tab: Option<String>,
    /// What else happened since the last call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<Vec<Event>>,
    /// The selectors that were tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tried: Option<Vec<Tried>>,
    /// How many elements matched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched_count: Option<u64>,
    /// Where the element is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounding_box: Option<BoundingBox>,
    /// The snapshot, where one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<SnapshotAnswer>,
}
