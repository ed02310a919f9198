//! Snapshots: their route, and how one is answered.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::handle::ElementRef;
use super::request::session_request;
use super::snapshot_options::{SnapshotMode, SnapshotOptions, SnapshotWithMode};
use crate::json::Invalid;

session_request! {
    /// `POST session/snapshot`: what is on the page, with refs.
    SnapshotRequest [] {
        /// Only what can be acted upon, and what tells it apart; default true.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(default = true)]
        pub interactive_only: Option<bool>,
        /// Levels below the top.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(minimum = 0, maximum = 1000)]
        pub max_depth: Option<u32>,
        /// The element whose part of the page is wanted, by its ref.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(value_type = Option<String>)]
        pub root: Option<ElementRef>,
        /// Children of `root` left out before; default 0.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(minimum = 0, maximum = 100_000_000, default = 0)]
        pub offset: Option<u32>,
        /// The tree's length, in Unicode scalar values; default 20000.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(minimum = 500, maximum = 100_000, default = 20_000)]
        pub max_chars: Option<u32>,
        /// What is new, other or gone since the last snapshot, instead of everything.
        #[serde(default)]
        pub changes: bool,
        /// `[box=x,y,width,height]` on each line.
        #[serde(default)]
        pub boxes: bool,
    }
}

impl SnapshotRequest {
    /// What it asks for, with the defaults filled in.
    #[must_use]
    pub fn options(&self) -> SnapshotOptions {
        let mode = if self.changes { SnapshotMode::Changes } else { SnapshotMode::Full };
        let Self { interactive_only, max_depth, root, offset, max_chars, boxes, .. } = *self;
        SnapshotWithMode { mode, interactive_only, max_depth, root, offset, max_chars, boxes }.options()
    }

    fn check(&self) -> Result<(), Invalid> {
        self.options().check("")
    }
}

/// What is on a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SnapshotAnswer {
    /// Its name within the session, as `s3`.
    pub snapshot_id: String,
    /// One element a line, two spaces for each level.
    pub tree: String,
    /// The refs of all lines that are shown.
    #[serde(default)]
    #[schema(value_type = BTreeMap<String, SnapshotRef>)]
    pub refs: BTreeMap<ElementRef, SnapshotRef>,
    /// Lines with an element.
    pub element_count: u64,
    /// Whether something was folded, cut or left out.
    pub truncated: bool,
    /// The length of `tree`, in Unicode scalar values.
    pub chars: u64,
    /// Where changes were asked for: whether `tree` is the changes, and not the full tree because that is shorter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<bool>,
}

/// What a ref was last shown as.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SnapshotRef {
    /// Its role.
    pub role: String,
    /// Its accessible name.
    #[serde(default)]
    pub name: String,
}
