//! Which siblings are alike, and how many of them are shown.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::node::Node;

/// More siblings of one kind than these are folded.
pub const ALIKE_MAX: usize = 50;
/// How many of them are shown then.
pub const ALIKE_SHOWN: usize = 10;
/// Children that count for what kind a node is of.
const KIND_CHILDREN_MAX: usize = 30;

/// Two siblings of one kind have one role, and children of the same roles.
pub(super) fn kind(node: &Node) -> u64 {
    let mut hasher = DefaultHasher::new();
    node.role.hash(&mut hasher);
    for child in node.children.iter().take(KIND_CHILDREN_MAX) {
        child.role.hash(&mut hasher);
    }
    hasher.finish()
}

/// Whether more than `max` of these siblings are alike.
pub(super) fn has_alike(nodes: &[Node], max: usize) -> bool {
    let mut counts: HashMap<u64, usize> = HashMap::new();
    nodes.iter().filter(|node| node.rest.is_none()).any(|node| {
        let count = counts.entry(kind(node)).or_default();
        *count += 1;
        *count > max
    })
}
