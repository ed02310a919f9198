//! What of a page is written: all of it or only what a reader sees, and without what an article leaves out.

use crate::dom::{Data, Dom, Hidden, NodeId};

/// A page and what of it counts.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The page.
    pub dom: &'a Dom,
    /// What a reader can't see counts too.
    pub include_hidden: bool,
    /// Nodes that are left out, by index; none where it is empty.
    pub dropped: &'a [bool],
}

/// Elements that are no part of any text.
const SILENT: [&str; 22] = [
    "head", "title", "script", "style", "noscript", "template", "meta", "link", "base", "select", "datalist",
    "textarea", "input", "canvas", "svg", "object", "embed", "audio", "param", "source", "track", "area",
];
/// Elements that are blocks by themselves, whatever their style.
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
    /// All of a page.
    #[must_use]
    pub fn whole(dom: &'a Dom, include_hidden: bool) -> Self {
        Self { dom, include_hidden, dropped: &[] }
    }

    /// Whether a node is left out with all below it.
    #[must_use]
    pub fn drops(&self, id: NodeId) -> bool {
        self.dropped.get(id).copied().unwrap_or(false) || SILENT.contains(&self.dom.name(id))
    }

    /// Whether a node itself counts; what is below an element is judged by itself.
    #[must_use]
    pub fn shows(&self, id: NodeId) -> bool {
        self.include_hidden || self.dom.node(id).hidden == Hidden::No
    }

    /// A text node's text, where it counts.
    #[must_use]
    pub fn text(&self, id: NodeId) -> Option<&'a str> {
        match &self.dom.node(id).data {
            Data::Text(text) if self.shows(id) => Some(text),
            _ => None,
        }
    }

    /// What is below a node and counts, in the order of the page, text nodes and elements.
    pub fn subtree(&self, id: NodeId) -> impl Iterator<Item = NodeId> + use<'a> {
        (*self).subtree_but(id, |_| false)
    }

    /// The same without the nodes that `skips` names and all below them.
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

    /// All text below a node, white space folded.
    #[must_use]
    pub fn folded_text(&self, id: NodeId) -> String {
        self.folded(self.subtree(id), usize::MAX)
    }

    /// The same, ended soon after so many bytes.
    #[must_use]
    pub fn folded_start(&self, id: NodeId, bytes: usize) -> String {
        self.folded(self.subtree(id), bytes)
    }

    /// The same without what the nodes hold that `skips` names.
    #[must_use]
    pub fn folded_text_but(&self, id: NodeId, skips: impl Fn(NodeId) -> bool) -> String {
        self.folded((*self).subtree_but(id, skips), usize::MAX)
    }

    /// The text of these nodes, which are a subtree in the order of the page.
    fn folded(&self, nodes: impl Iterator<Item = NodeId>, max_bytes: usize) -> String {
        let mut folded = String::new();
        let mut space = false;
        // Blocks stand apart although no space is between them in the source. A block ends before the first node that is
        // no deeper than it.
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

    /// Whether an element stands on lines of its own.
    #[must_use]
    pub fn is_block(&self, id: NodeId) -> bool {
        self.dom.element(id).is_some_and(|element| element.display.breaks_line() || BLOCKS.contains(&&*element.name))
    }
}

/// White space that HTML folds; a no-break space is none.
#[must_use]
pub const fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}')
}
