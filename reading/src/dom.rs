//! The page's tree, which all other modules read. It is never deeper than [`DEPTH_MAX`], so recursion over it can't
//! overflow the stack.

use std::collections::HashMap;
use std::sync::Arc;

use crate::snapshot::Columns;

/// Greatest depth of the tree; nodes that a page nests deeper are kept at this depth.
pub const DEPTH_MAX: usize = 200;

/// A node's index.
pub type NodeId = usize;

/// Why a node is hidden from a reader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hidden {
    /// It is visible.
    #[default]
    No,
    /// It is not rendered.
    NotRendered,
    /// Its opacity is almost zero.
    Transparent,
    /// It is too small to be read.
    ZeroSize,
    /// It is outside the area that can be scrolled to.
    OffScreen,
    /// It has the colour of its background.
    SameColour,
    /// It is clipped completely.
    Clipped,
}

impl Hidden {
    fn of_flags(flags: u32) -> Self {
        match flags & 7 {
            0 => Self::No,
            2 => Self::Transparent,
            3 => Self::ZeroSize,
            4 => Self::OffScreen,
            5 => Self::SameColour,
            6 => Self::Clipped,
            _ => Self::NotRendered,
        }
    }
}

/// How an element is laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Display {
    /// Inline.
    #[default]
    Inline,
    /// On lines of its own.
    Block,
    /// A block within a line.
    InlineBlock,
    /// A list item.
    ListItem,
    /// Flex or grid.
    Flex,
    /// A table or a group of its rows.
    Table,
    /// A table's row.
    TableRow,
    /// A table's cell.
    TableCell,
    /// No box of its own.
    Contents,
}

impl Display {
    fn of_flags(flags: u32) -> Self {
        match flags >> 3 & 15 {
            1 => Self::Block,
            2 => Self::InlineBlock,
            3 => Self::ListItem,
            4 => Self::Flex,
            5 => Self::Table,
            6 => Self::TableRow,
            7 => Self::TableCell,
            8 => Self::Contents,
            _ => Self::Inline,
        }
    }

    /// Returns whether it starts a line of its own.
    #[must_use]
    pub const fn breaks_line(self) -> bool {
        matches!(self, Self::Block | Self::ListItem | Self::Flex | Self::Table | Self::TableRow | Self::TableCell)
    }
}

/// A box on the page, in CSS pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Area {
    /// From the page's left edge.
    pub left: i64,
    /// From the page's top edge.
    pub top: i64,
    /// Its width.
    pub width: i64,
    /// Its height.
    pub height: i64,
}

/// An element.
#[derive(Clone, Debug, Default)]
pub struct Element {
    /// Its name, in lower case.
    pub name: Arc<str>,
    /// The attributes that were kept; URLs are absolute.
    pub attributes: Vec<(Arc<str>, String)>,
    /// How it is laid out.
    pub display: Display,
    /// Whether its white space is preserved.
    pub keeps_space: bool,
    /// Whether it stays in place when the page scrolls.
    pub fixed: bool,
    /// Its box on the page.
    pub area: Area,
    /// Its font's size, in pixels.
    pub font_px: u32,
    /// Its font's weight.
    pub weight: u32,
}

/// Text or an element.
#[derive(Clone, Debug)]
pub enum Data {
    /// Text.
    Text(String),
    /// An element.
    Element(Element),
}

/// A node.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its parent; `None` for a root.
    pub parent: Option<NodeId>,
    /// Its children.
    pub children: Vec<NodeId>,
    /// Its text or element.
    pub data: Data,
    /// Why it is hidden, if it is.
    pub hidden: Hidden,
    /// Its index among its parent's children.
    pub place: usize,
    /// Number of its ancestors.
    pub depth: usize,
}

/// A page, or parts of one.
#[derive(Clone, Debug, Default)]
pub struct Dom {
    nodes: Vec<Node>,
}

impl Dom {
    /// Builds the tree from a snapshot's columns. Inconsistent values are ignored: a hostile page may have made them.
    #[must_use]
    pub fn of_columns(names: &[String], columns: Columns) -> Self {
        let names: Vec<Arc<str>> = names.iter().map(|name| Arc::from(name.as_str())).collect();
        let mut attributes: HashMap<usize, _> = columns.attributes.0.into_iter().collect();
        let mut texts = columns.texts.into_iter();
        let mut boxes = columns.boxes.chunks_exact(4);
        let mut sizes = columns.sizes.iter();
        let mut dom = Self::default();
        for (at, (parent, (name, flags))) in
            columns.parent.iter().zip(columns.name.iter().zip(&columns.flags)).enumerate()
        {
            let data = if *name == 0 {
                Data::Text(texts.next().unwrap_or_default())
            } else {
                let area = boxes.next().unwrap_or(&[0; 4]);
                let size = sizes.next().copied().unwrap_or_default();
                Data::Element(Element {
                    name: names.get(*name).cloned().unwrap_or_default(),
                    attributes: attributes.remove(&at).unwrap_or_default(),
                    display: Display::of_flags(*flags),
                    keeps_space: flags >> 7 & 3 == 1,
                    fixed: flags >> 9 & 1 == 1,
                    area: Area { left: area[0], top: area[1], width: area[2], height: area[3] },
                    font_px: size / 1000,
                    weight: size % 1000,
                })
            };
            let parent = usize::try_from(*parent).ok().filter(|parent| *parent < at);
            dom.push(parent, data, Hidden::of_flags(*flags));
        }
        dom
    }

    /// Adds a node below `parent`, or as a root.
    pub fn push(&mut self, parent: Option<NodeId>, data: Data, hidden: Hidden) -> NodeId {
        let id = self.nodes.len();
        // A node beyond the limit becomes a child of its nearest ancestor above the limit.
        let parent = parent.map(|mut parent| {
            while self.nodes[parent].depth >= DEPTH_MAX {
                match self.nodes[parent].parent {
                    Some(above) => parent = above,
                    None => break,
                }
            }
            parent
        });
        let depth = parent.map_or(0, |parent| self.nodes[parent].depth + 1);
        let place = parent.map_or(0, |parent| {
            self.nodes[parent].children.push(id);
            self.nodes[parent].children.len() - 1
        });
        self.nodes.push(Node { parent, children: Vec::new(), data, hidden, place, depth });
        id
    }

    /// Returns a node; `id` must come from this tree.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }

    /// Returns the number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns whether the tree has no nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns a node's children.
    #[must_use]
    pub fn children(&self, id: NodeId) -> &[NodeId] {
        &self.nodes[id].children
    }

    /// Returns the node's element; `None` for text.
    #[must_use]
    pub fn element(&self, id: NodeId) -> Option<&Element> {
        match &self.nodes[id].data {
            Data::Element(element) => Some(element),
            Data::Text(_) => None,
        }
    }

    /// Returns an element's name; empty for text.
    #[must_use]
    pub fn name(&self, id: NodeId) -> &str {
        self.element(id).map_or("", |element| &element.name)
    }

    /// Returns a text node's text; `None` for an element.
    #[must_use]
    pub fn text(&self, id: NodeId) -> Option<&str> {
        match &self.nodes[id].data {
            Data::Text(text) => Some(text),
            Data::Element(_) => None,
        }
    }

    /// Returns an attribute of an element.
    #[must_use]
    pub fn attribute(&self, id: NodeId, name: &str) -> Option<&str> {
        self.element(id)?.attribute(name)
    }

    /// Iterates over a node's ancestors, nearest first.
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.nodes[id].parent, |above| self.nodes[*above].parent)
    }

    /// Iterates over a node and its descendants, in document order.
    pub fn subtree(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let mut open = vec![id];
        std::iter::from_fn(move || {
            let next = open.pop()?;
            open.extend(self.nodes[next].children.iter().rev());
            Some(next)
        })
    }

    /// Iterates over the nodes without a parent.
    pub fn roots(&self) -> impl Iterator<Item = NodeId> + '_ {
        (0..self.nodes.len()).filter(|id| self.nodes[*id].parent.is_none())
    }
}

impl Element {
    /// Returns an attribute's value.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find_map(|(key, value)| (**key == *name).then_some(value.as_str()))
    }
}
