//! An action of the agent, as viewers are shown it.

use porthole_contract::session::{BoundingBox, ElementRef};

/// An action whose target is known, before it happens.
#[derive(Clone, Debug, Default)]
pub(super) struct Action {
    pub(super) tool: String,
    pub(super) reference: Option<ElementRef>,
    pub(super) bounding_box: Option<BoundingBox>,
    pub(super) key: Option<String>,
}
