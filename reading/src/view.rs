//! Selects the nodes of a page that are written: all or only visible ones, without those that an article leaves out.

use crate::dom::{Data, Dom, Hidden, NodeId};

/// A page and the selection of its nodes.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The page.
    pub dom: &'a Dom,
    /// Whether hidden nodes are included.
    pub include_hidden: bool,
    /// Whether each node is left out, by index; if empty, no node is.
    pub dropped: &'a [bool],
}

/// Elements that never contribute text.
const SILENT: [&str; 22] = [
    "head", "title", "script", "style", "noscript", "template", "meta", "link", "base", "select", "datalist",
    "textarea", "input", "canvas", "svg", "object", "embed", "audio", "param", "source", "track", "area",
];
/// Elements that count as blocks in any style.
const BLOCKS: [&str; 44] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "caption",
    "center",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hgroup",
    "hr",
    "html",
    "legend",
    "li",
    "main",
    "menu",
    "nav",
    "ol",
    "p",
    "pre",
    "search",
    "section",
    "summary",
    "table",
    "tbody",
    "ul",
    "tr",
];

impl<'a> View<'a> {
    /// Returns a view of the whole page.
    #[must_use]
    pub fn whole(dom: &'a Dom, include_hidden: bool) -> Self {
        Self { dom, include_hidden, dropped: &[] }
    }

    /// Returns whether a node is left out with its subtree.
    #[must_use]
    pub fn drops(&self, id: NodeId) -> bool {
        self.dropped.get(id).copied().unwrap_or(false) || SILENT.contains(&self.dom.name(id))
    }

    /// Returns whether a node itself is included; its descendants are judged separately.
    #[must_use]
    pub fn shows(&self, id: NodeId) -> bool {
        self.include_hidden || self.dom.node(id).hidden == Hidden::No
    }

    /// Returns a text node's text, if the node is included.
    #[must_use]
    pub fn text(&self, id: NodeId) -> Option<&'a str> {
        match &self.dom.node(id).data {
            Data::Text(text) if self.shows(id) => Some(text),
            _ => None,
        }
    }

    /// Iterates over a node and its descendants, in document order, without subtrees that are left out.
    pub fn subtree(&self, id: NodeId) -> impl Iterator<Item = NodeId> + use<'a> {
        (*self).subtree_but(id, |_| false)
    }

    /// Iterates like [`View::subtree`], also without the subtrees of nodes that `skips` selects.
    fn subtree_but(self, id: NodeId, skips: impl Fn(NodeId) -> bool) -> impl Iterator<Item = NodeId> {
        let view = self;
        let mut open = vec![id];
        std::iter::from_fn(move || {
            loop {
                let next = open.pop()?;
                if view.drops(next) || skips(next) {
                    continue;
                }
                open.extend(view.dom.node(next).children.iter().rev());
                return Some(next);
            }
        })
    }

    /// Returns all text below a node, with white space folded.
    #[must_use]
    pub fn folded_text(&self, id: NodeId) -> String {
        self.folded(self.subtree(id), usize::MAX)
    }

    /// Returns the start of the folded text below a node; it ends soon after `bytes` bytes.
    #[must_use]
    pub fn folded_start(&self, id: NodeId, bytes: usize) -> String {
        self.folded(self.subtree(id), bytes)
    }

    /// Returns the folded text below a node without the subtrees of nodes that `skips` selects.
    #[must_use]
    pub fn folded_text_but(&self, id: NodeId, skips: impl Fn(NodeId) -> bool) -> String {
        self.folded((*self).subtree_but(id, skips), usize::MAX)
    }

    /// Returns the folded text of these nodes, which are a subtree in document order.
    fn folded(&self, nodes: impl Iterator<Item = NodeId>, max_bytes: usize) -> String {
        let mut folded = String::new();
        let mut space = false;
        // Blocks are separated even without white space in the source. A block ends before the first node that is not
        // deeper than the block.
        let mut open_blocks: Vec<usize> = Vec::new();
        for at in nodes {
            let depth = self.dom.node(at).depth;
            while open_blocks.pop_if(|block| *block >= depth).is_some() {
                space = true;
            }
            if let Some(text) = self.text(at) {
                for c in text.chars() {
                    if is_space(c) {
                        space = true;
                    } else {
                        if std::mem::take(&mut space) && !folded.is_empty() {
                            folded.push(' ');
                        }
                        folded.push(c);
                        if folded.len() >= max_bytes {
                            return folded;
                        }
                    }
                }
            } else if self.is_block(at) {
                space = true;
                open_blocks.push(depth);
            } else if matches!(self.dom.name(at), "br" | "td" | "th" | "img") {
                space = true;
            }
        }
        folded
    }

    /// Returns whether an element is laid out on lines of its own.
    #[must_use]
    pub fn is_block(&self, id: NodeId) -> bool {
        self.dom.element(id).is_some_and(|element| element.display.breaks_line() || BLOCKS.contains(&&*element.name))
    }
}

/// Returns whether HTML folds this character as white space; it does not fold a no-break space.
#[must_use]
pub const fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}')
}
