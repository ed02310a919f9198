//! Converts the tree to blocks.

use super::block::Block;
use super::inline::Inline;
use super::{code, inline};
use crate::dom::NodeId;
use crate::table;
use crate::view::View;

/// Largest number of a list item (CommonMark 0.31, 5.2: nine digits).
const NUMBER_MAX: u64 = 999_999_999;

/// Returns the blocks below these nodes. Table cells are written at once; their bytes are subtracted from `room`.
pub(super) fn of(view: View<'_>, roots: &[NodeId], room: &mut usize) -> Vec<Block> {
    let mut writer = Writer {
        view,
        holds_block: holds_block(view),
        out: Vec::new(),
        line: Vec::new(),
        link: None,
        in_cell: false,
        room: *room,
    };
    for root in roots {
        writer.node(*root);
        writer.flush();
    }
    *room = writer.room;
    writer.out
}

/// Returns for each node whether it contains a block.
fn holds_block(view: View<'_>) -> Vec<bool> {
    let mut holds = vec![false; view.dom.len()];
    // Parents come before children.
    for id in (0..view.dom.len()).rev() {
        if let Some(parent) = view.dom.node(id).parent
            && (holds[id] || view.is_block(id))
            && !view.drops(id)
        {
            holds[parent] = true;
        }
    }
    holds
}

struct Writer<'a> {
    view: View<'a>,
    holds_block: Vec<bool>,
    out: Vec<Block>,
    /// Nodes of the current line.
    line: Vec<NodeId>,
    /// The link around the next blocks, until one of them takes it.
    link: Option<String>,
    /// Whether this is inside a table cell. Markdown has no nested tables: a nested one is written cell by cell.
    in_cell: bool,
    /// Bytes left for table cells.
    room: usize,
}

impl Writer<'_> {
    /// Returns the blocks inside a node; one of them may take the link around it.
    fn inside(&mut self, id: NodeId) -> Vec<Block> {
        let mut inner = Writer {
            view: self.view,
            holds_block: std::mem::take(&mut self.holds_block),
            out: Vec::new(),
            line: Vec::new(),
            link: self.link.take(),
            in_cell: self.in_cell,
            room: self.room,
        };
        inner.children(id);
        inner.flush();
        self.holds_block = inner.holds_block;
        self.link = inner.link;
        self.room = inner.room;
        inner.out
    }

    /// Writes a cell as one line.
    fn cell(&mut self, id: NodeId) -> String {
        let outer = (self.link.take(), std::mem::replace(&mut self.in_cell, true));
        let blocks = self.inside(id);
        (self.link, self.in_cell) = outer;
        super::write::cell(&blocks, &mut self.room)
    }

    fn children(&mut self, id: NodeId) {
        for child in self.view.dom.children(id) {
            self.node(*child);
        }
    }

    fn node(&mut self, id: NodeId) {
        if self.view.drops(id) {
            return;
        }
        if self.view.dom.text(id).is_some() {
            self.line.push(id);
        } else if self.view.is_block(id) || self.view.dom.name(id) == "iframe" {
            self.flush();
            self.block(id);
            self.flush();
        } else if self.holds_block[id] {
            // An inline element around blocks is replaced by its blocks.
            let outer = self.link.clone();
            if self.view.dom.name(id) == "a"
                && let Some(href) = inline::link_target(self.view.dom, id)
            {
                self.flush();
                self.link = Some(href);
            }
            self.children(id);
            if self.view.dom.name(id) == "a" {
                self.flush();
                self.link = outer;
            }
        } else {
            self.line.push(id);
        }
    }

    /// Ends the current line.
    fn flush(&mut self) {
        if self.line.is_empty() {
            return;
        }
        let text = self.lines();
        if !text.is_empty() {
            self.out.push(Block::Paragraph { text, own: false });
        }
    }

    fn lines(&mut self) -> String {
        let line = std::mem::take(&mut self.line);
        let text = Inline::new(self.view, true).nodes(&line);
        self.linked(text)
    }

    fn text_of(&mut self, id: NodeId, breaks: bool) -> String {
        let text = Inline::new(self.view, breaks).nodes(self.view.dom.children(id));
        self.linked(text)
    }

    fn linked(&mut self, text: String) -> String {
        if text.is_empty() || text.contains("](") {
            return text;
        }
        match self.link.take() {
            Some(href) => format!("[{text}]({})", super::escape::destination(&href)),
            None => text,
        }
    }

    fn block(&mut self, id: NodeId) {
        match self.view.dom.name(id) {
            "h1" => self.heading(id, 1),
            "h2" => self.heading(id, 2),
            "h3" => self.heading(id, 3),
            "h4" => self.heading(id, 4),
            "h5" => self.heading(id, 5),
            "h6" => self.heading(id, 6),
            "p" if !self.holds_block[id] => {
                let text = self.text_of(id, true);
                if !text.is_empty() {
                    self.out.push(Block::Paragraph { text, own: true });
                }
            }
            "hr" => {
                if self.view.shows(id) {
                    self.out.push(Block::Rule);
                }
            }
            "pre" | "listing" | "xmp" => self.code(id),
            "blockquote" => {
                let quoted = self.inside(id);
                if !quoted.is_empty() {
                    self.out.push(Block::Quote(quoted));
                }
            }
            "ul" | "menu" | "dir" => self.list(id, None),
            "ol" => {
                let start = self.view.dom.attribute(id, "start").and_then(|start| start.trim().parse().ok());
                let last = NUMBER_MAX - self.view.dom.children(id).len() as u64;
                self.list(id, Some(start.filter(|start| *start <= last).unwrap_or(1)));
            }
            // A list item outside a list.
            "li" => {
                let item = self.inside(id);
                if !item.is_empty() {
                    self.push_items(None, vec![item]);
                }
            }
            "table" => self.table(id),
            "dt" | "summary" | "legend" | "caption" if !self.holds_block[id] => {
                let text = self.text_of(id, false);
                let bold = if text.contains("**") || text.is_empty() { text } else { format!("**{text}**") };
                if !bold.is_empty() {
                    self.out.push(Block::Paragraph { text: bold, own: true });
                }
            }
            _ if self.is_heading(id) => {
                let level = self.view.dom.attribute(id, "aria-level").and_then(|level| level.parse().ok()).unwrap_or(2);
                self.heading(id, usize::clamp(level, 1, 6));
            }
            _ if self.view.dom.element(id).is_some_and(|element| element.keeps_space)
                && code::is_code(self.view.dom, id) =>
            {
                self.code(id);
            }
            _ => self.children(id),
        }
    }

    fn is_heading(&self, id: NodeId) -> bool {
        self.view.dom.attribute(id, "role") == Some("heading") && !self.holds_block[id]
    }

    fn heading(&mut self, id: NodeId, level: usize) {
        if self.holds_block[id]
            && self
                .view
                .dom
                .subtree(id)
                .any(|below| matches!(self.view.dom.name(below), "table" | "ul" | "ol" | "pre" | "img"))
        {
            self.children(id);
            return;
        }
        let text = self.text_of(id, false);
        let is_bare = self.view.dom.children(id).is_empty();
        if !text.is_empty() || is_bare {
            self.out.push(Block::Heading { level, text });
        }
    }

    fn code(&mut self, id: NodeId) {
        let text = code::text(self.view, id);
        if text.trim().is_empty() && !self.view.dom.subtree(id).any(|below| self.view.dom.name(below) == "code") {
            return;
        }
        // Preformatted images and tables are not code.
        if self.view.subtree(id).any(|below| matches!(self.view.dom.name(below), "table" | "img"))
            && !code::is_code(self.view.dom, id)
        {
            self.children(id);
            return;
        }
        self.out.push(Block::Code { language: code::language(self.view.dom, id), text });
    }

    fn list(&mut self, id: NodeId, start: Option<u64>) {
        let mut items: Vec<Vec<Block>> = Vec::new();
        for child in self.view.dom.children(id).to_vec() {
            if self.view.drops(child) {
                continue;
            }
            match self.view.dom.name(child) {
                "li" => {
                    let item = self.inside(child);
                    let is_empty_by_itself = self.view.dom.children(child).is_empty() && self.view.shows(child);
                    if !item.is_empty() || is_empty_by_itself {
                        items.push(item);
                    }
                }
                "" => {
                    if let Some(text) = self.view.text(child).filter(|text| !text.trim().is_empty()) {
                        let text = super::escape::text(text.trim(), true);
                        items.push(vec![Block::Paragraph { text, own: false }]);
                    }
                }
                // A list directly inside a list belongs to the item before it.
                _ => {
                    let blocks = {
                        let mut outer = std::mem::take(&mut self.out);
                        self.node(child);
                        self.flush();
                        std::mem::swap(&mut self.out, &mut outer);
                        outer
                    };
                    match items.last_mut() {
                        Some(last) => last.extend(blocks),
                        None if blocks.is_empty() => {}
                        None => items.push(blocks),
                    }
                }
            }
        }
        if !items.is_empty() {
            self.push_items(start, items);
        }
    }

    fn push_items(&mut self, start: Option<u64>, items: Vec<Vec<Block>>) {
        self.out.push(Block::List { start, items });
    }

    fn table(&mut self, id: NodeId) {
        if self.in_cell || !table::is_data(self.view, id) {
            // A layout table is written cell by cell.
            self.children(id);
            return;
        }
        let table = table::read(self.view, id);
        if let Some(caption) = table.caption.filter(|caption| !caption.is_empty()) {
            self.out.push(Block::Paragraph { text: format!("**{}**", super::escape::text(&caption, true)), own: true });
        }
        let mut rows: Vec<Vec<String>> = Vec::with_capacity(table.cells.len() + 1);
        if table.header_rows == 0 {
            rows.push(Vec::new());
        }
        let header_rows = table.header_rows;
        let texts: Vec<String> = table.sources.iter().map(|cell| self.cell(*cell)).collect();
        for row in &table.cells {
            // A cell that spans several places is written at its first one.
            let line = row.iter().map(|slot| match slot {
                Some(slot) if slot.first => texts[slot.source].clone(),
                _ => String::new(),
            });
            rows.push(line.collect());
        }
        if header_rows > 1 {
            // Markdown has one header row: the names are joined as in `data`.
            let joined =
                table.headers.iter().map(|name| super::escape::cell(&super::escape::text(name, true))).collect();
            rows.splice(0..header_rows, [joined]);
        }
        self.out.push(Block::Table(rows));
    }
}
