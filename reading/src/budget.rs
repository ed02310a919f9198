//! The read budget of one directive. Matches, links and headings may be nested, so the same text may be read many
//! times: each read of a node is charged for the node's whole subtree, before anything is copied.

use std::cell::Cell;

use crate::dom::{Data, Dom, NodeId};
use crate::snapshot::NODES_MAX;

/// Most nodes that one directive reads; a node that is read again counts again.
pub const NODES_READ_MAX: usize = 4 * NODES_MAX;
/// Most bytes of text and attributes that one directive reads beyond the page's own size.
pub const BYTES_READ_AGAIN_MAX: usize = 8 * 1024 * 1024;

/// The size of each node's subtree, the node included.
#[derive(Clone, Debug)]
pub struct Sizes {
    nodes: Vec<usize>,
    bytes: Vec<usize>,
    /// Bytes of the whole page.
    all_bytes: usize,
}

impl Sizes {
    /// Measures a page.
    #[must_use]
    pub fn of(dom: &Dom) -> Self {
        let mut nodes = vec![1_usize; dom.len()];
        let mut bytes: Vec<usize> = (0..dom.len())
            .map(|id| match &dom.node(id).data {
                Data::Text(text) => text.len(),
                Data::Element(element) => element.attributes.iter().map(|(_, value)| value.len()).sum(),
            })
            .collect();
        let all_bytes = bytes.iter().sum();
        // Parents come before children.
        for id in (0..dom.len()).rev() {
            if let Some(parent) = dom.node(id).parent {
                nodes[parent] += nodes[id];
                bytes[parent] += bytes[id];
            }
        }
        Self { nodes, bytes, all_bytes }
    }

    /// Returns a fresh budget for reading this page.
    #[must_use]
    pub fn budget(&self) -> Budget<'_> {
        Budget {
            sizes: Some(self),
            nodes: Cell::new(NODES_READ_MAX),
            bytes: Cell::new(self.all_bytes.saturating_add(BYTES_READ_AGAIN_MAX)),
            is_spent: Cell::new(false),
        }
    }
}

/// What a directive may still read.
#[derive(Debug)]
pub struct Budget<'a> {
    /// `None` if there is no limit.
    sizes: Option<&'a Sizes>,
    nodes: Cell<usize>,
    bytes: Cell<usize>,
    is_spent: Cell<bool>,
}

impl Budget<'_> {
    /// Returns a budget that is never spent, for reads that were already charged.
    #[must_use]
    pub fn unlimited() -> Self {
        Self { sizes: None, nodes: Cell::new(0), bytes: Cell::new(0), is_spent: Cell::new(false) }
    }

    /// Charges a node's subtree; returns whether the budget sufficed. After one refusal all charges are refused.
    #[must_use]
    pub fn take(&self, id: NodeId) -> bool {
        let Some(sizes) = self.sizes else { return true };
        let left = (self.nodes.get().checked_sub(sizes.nodes[id]), self.bytes.get().checked_sub(sizes.bytes[id]));
        match left {
            (Some(nodes), Some(bytes)) if !self.is_spent.get() => {
                self.nodes.set(nodes);
                self.bytes.set(bytes);
                true
            }
            _ => {
                self.is_spent.set(true);
                false
            }
        }
    }

    /// Charges copied bytes that belong to no node; returns whether the budget sufficed.
    #[must_use]
    pub fn take_bytes(&self, bytes: usize) -> bool {
        if self.sizes.is_none() {
            return true;
        }
        match self.bytes.get().checked_sub(bytes) {
            Some(left) if !self.is_spent.get() => {
                self.bytes.set(left);
                true
            }
            _ => {
                self.is_spent.set(true);
                false
            }
        }
    }

    /// Returns whether a charge was refused.
    #[must_use]
    pub fn is_spent(&self) -> bool {
        self.is_spent.get()
    }
}
