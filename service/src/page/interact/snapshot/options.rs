//! The options of a snapshot.

use porthole_contract::limits::SNAPSHOT_CHARS_DEFAULT;

use crate::page::interact::Ref;

/// What is asked of a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnapshotOptions {
    /// Only what can be acted upon, with what tells it apart.
    pub interactive_only: bool,
    /// Levels below the top; `None` for all.
    pub max_depth: Option<usize>,
    /// Only what this element holds.
    pub root: Option<Ref>,
    /// Children of `root` (of the document, without one) that are left out before.
    pub offset: usize,
    /// The most characters of the tree.
    pub max_chars: usize,
    /// Only what differs from the snapshot before, where that is shorter.
    pub changes: bool,
    /// With the boxes of elements.
    pub boxes: bool,
}

impl Default for SnapshotOptions {
    fn default() -> Self {
        Self {
            interactive_only: true,
            max_depth: None,
            root: None,
            offset: 0,
            max_chars: SNAPSHOT_CHARS_DEFAULT as usize,
            changes: false,
            boxes: false,
        }
    }
}
