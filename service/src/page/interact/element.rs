//! An element of a frame, by the number that the frame's kit gave it.

use std::sync::Arc;

use serde::Serialize;

use super::{Frame, Ref};

/// An element. It stays the same node when the page changes it; whether it is still in its document is asked anew
/// with each call.
#[derive(Clone, Debug)]
pub struct Element {
    /// Its frame's document.
    pub frame: Frame,
    /// Its number there.
    pub number: u32,
    /// What it must still be when it is acted on.
    pub(super) meant: Meant,
}

/// What an element must still be when it is acted on. Lists that recycle their rows, and pages that rename what the pointer
/// is over, make something else of the same node.
#[derive(Clone, Debug)]
pub(super) enum Meant {
    /// The same node. Its role, name and row may have changed.
    Node,
    /// What a ref was shown for.
    Shown(Arc<ShownFor>),
    /// What it was when it was located.
    Found,
    /// What its target matches: an attribute, a selector or a path, which say nothing of what a person sees.
    Matched,
}

/// What a ref was shown for.
#[derive(Debug, Serialize)]
pub(super) struct ShownFor {
    #[serde(skip)]
    pub reference: Ref,
    #[serde(skip)]
    pub snapshot: u64,
    pub role: String,
    pub name: String,
    pub row: u32,
}

impl Element {
    /// The node of this number.
    pub(super) fn node(frame: Frame, number: u32) -> Self {
        Self { frame, number, meant: Meant::Node }
    }

    /// The control around this element, or its document's root, of that number, which must stay what it is now if `is_named`.
    pub(super) fn acted_on(&self, number: u32, is_named: bool) -> Self {
        let meant = if is_named { Meant::Found } else { Meant::Node };
        Self { meant, ..Self::node(self.frame.clone(), number) }
    }

    /// The box of this label, which must stay what it is now if the label must.
    pub(super) fn box_of(&self, number: u32) -> Self {
        let meant = if matches!(self.meant, Meant::Node | Meant::Matched) { Meant::Node } else { Meant::Found };
        Self { meant, ..Self::node(self.frame.clone(), number) }
    }
}
