//! Writes blocks as text, line by line. The containers of a line (quotes, list items) become its prefix, so that
//! nothing is copied from level to level and the whole output is bounded.

use super::block::{Block, Markdown};
use super::{code, escape};
use crate::table::PLACES_MAX;

/// Writes the blocks' texts, at most `room` bytes in total.
pub(super) fn top_level(blocks: Vec<Block>, mut room: usize) -> Markdown {
    let mut markdown = Markdown::default();
    let mut marks = Marks::default();
    for block in blocks {
        let mut out = Out::within(room);
        let other_mark = marks.next(&block);
        out.block(&block, other_mark);
        drop(block);
        room = out.room.saturating_sub(out.text.len());
        markdown.parts.push(out.text);
        if out.is_full {
            markdown.is_cut = true;
            break;
        }
    }
    markdown
}

/// Writes the blocks in a table cell on one line, and subtracts the bytes written from `room`.
pub(super) fn cell(blocks: &[Block], room: &mut usize) -> String {
    let mut marks = Marks::default();
    let texts: Vec<String> = blocks
        .iter()
        .map(|block| {
            let mut out = Out::within(*room);
            out.block(block, marks.next(block));
            *room = out.room.saturating_sub(out.text.len());
            escape::cell(&out.text)
        })
        .collect();
    texts.join("<br>")
}

/// Alternates the marks of adjacent lists, so that they stay separate lists.
#[derive(Default)]
struct Marks {
    /// Whether the last block's list was numbered; `None` if that block was no list.
    last: Option<bool>,
    other: bool,
}

impl Marks {
    /// Returns whether the next block uses the other mark.
    fn next(&mut self, block: &Block) -> bool {
        let kind = match block {
            Block::List { start, .. } => Some(start.is_some()),
            _ => None,
        };
        self.other = kind.is_some() && self.last == kind && !self.other;
        self.last = kind;
        self.other
    }
}

/// A container of a line.
enum Around {
    Quote,
    /// A list item; its mark is on its first line, and other lines are indented by its width.
    Entry {
        mark: String,
        is_begun: bool,
    },
}

/// Text that is being written.
struct Out {
    text: String,
    around: Vec<Around>,
    /// The prefix of a line once all items have begun, and how much of it an empty line has.
    prefix: String,
    empty_prefix: usize,
    /// Number of items whose mark has not been written yet.
    unbegun: usize,
    is_first: bool,
    room: usize,
    is_full: bool,
}

impl Out {
    fn within(room: usize) -> Self {
        Self {
            text: String::new(),
            around: Vec::new(),
            prefix: String::new(),
            empty_prefix: 0,
            unbegun: 0,
            is_first: true,
            room,
            is_full: false,
        }
    }

    /// Runs `write` with this container around each line.
    fn inside(&mut self, around: Around, write: impl FnOnce(&mut Self)) {
        let before = (self.prefix.len(), self.empty_prefix);
        match &around {
            Around::Quote => {
                self.prefix.push_str("> ");
                self.empty_prefix = self.prefix.len() - 1;
            }
            Around::Entry { mark, .. } => {
                self.prefix.extend(std::iter::repeat_n(' ', mark.len() + 1));
                self.unbegun += 1;
            }
        }
        self.around.push(around);
        write(self);
        if let Some(Around::Entry { is_begun: false, .. }) = self.around.pop() {
            self.unbegun -= 1;
        }
        self.prefix.truncate(before.0);
        self.empty_prefix = before.1;
    }

    fn line(&mut self, line: &str) {
        if self.is_full {
            return;
        }
        // Lines inside a container have plain line ends.
        let line = if self.around.is_empty() { line } else { line.strip_suffix('\r').unwrap_or(line) };
        // The prefix is also as long as marks that have not been written yet.
        if self.text.len() + self.prefix.len() + line.len() + 1 > self.room {
            self.is_full = true;
            return;
        }
        if !std::mem::take(&mut self.is_first) {
            self.text.push('\n');
        }
        if self.unbegun > 0 {
            self.begin(line.is_empty());
        } else {
            let prefix = if line.is_empty() { &self.prefix[..self.empty_prefix] } else { &self.prefix };
            self.text.push_str(prefix);
        }
        self.text.push_str(line);
    }

    /// Writes the prefix of a line on which items begin. On an empty line nothing follows the last mark.
    fn begin(&mut self, is_empty: bool) {
        let last = self.around.iter().rposition(|one| match one {
            Around::Quote => is_empty,
            Around::Entry { is_begun, .. } => is_empty && !is_begun,
        });
        let end = last.map_or(self.around.len(), |last| last + 1);
        for (at, one) in self.around.iter_mut().take(end).enumerate() {
            match one {
                Around::Quote if is_empty && Some(at) == last => self.text.push('>'),
                Around::Quote => self.text.push_str("> "),
                Around::Entry { mark, is_begun: true } => {
                    self.text.extend(std::iter::repeat_n(' ', mark.len() + 1));
                }
                Around::Entry { mark, is_begun } => {
                    self.text.push_str(mark);
                    self.text.push(' ');
                    *is_begun = true;
                    self.unbegun -= 1;
                }
            }
        }
    }

    fn lines(&mut self, text: &str) {
        for line in text.split('\n') {
            if self.is_full {
                return;
            }
            self.line(line);
        }
    }

    fn block(&mut self, block: &Block, other_mark: bool) {
        match block {
            Block::Paragraph { text, .. } => self.lines(text),
            Block::Heading { level, text } => self.lines(&heading(*level, text)),
            Block::Code { language, text } => self.lines(&code::block(language, text)),
            Block::Quote(blocks) => self.inside(Around::Quote, |out| out.blocks(blocks, true)),
            Block::List { start, items } => self.list(*start, items, other_mark),
            Block::Table(rows) => self.table(rows),
            Block::Rule => self.line("___"),
        }
    }

    /// Writes blocks one after the other, with an empty line between them if `apart`.
    fn blocks(&mut self, blocks: &[Block], apart: bool) {
        let mut marks = Marks::default();
        for (at, block) in blocks.iter().enumerate() {
            if self.is_full {
                return;
            }
            if at > 0 && apart {
                self.line("");
            }
            self.block(block, marks.next(block));
        }
    }

    fn list(&mut self, start: Option<u64>, items: &[Vec<Block>], other_mark: bool) {
        let is_loose = items.iter().any(|item| {
            item.iter().any(|block| matches!(block, Block::Paragraph { own: true, .. } | Block::Table(_)))
                || item.windows(2).any(|pair| matches!(pair, [Block::Paragraph { .. }, Block::Paragraph { .. }]))
        });
        for (at, (number, item)) in (start.unwrap_or(1)..).zip(items).enumerate() {
            if self.is_full {
                return;
            }
            if at > 0 && is_loose {
                self.line("");
            }
            let mark = match (start, other_mark) {
                (None, false) => "-".to_owned(),
                (None, true) => "*".to_owned(),
                (Some(_), false) => format!("{number}."),
                (Some(_), true) => format!("{number})"),
            };
            if item.is_empty() {
                self.line(&mark);
            } else {
                self.inside(Around::Entry { mark, is_begun: false }, |out| out.blocks(item, is_loose));
            }
        }
    }

    fn table(&mut self, rows: &[Vec<String>]) {
        let width = rows.iter().map(Vec::len).max().unwrap_or_default().max(1);
        // Markdown parsers fill up rows that are shorter than the header; for all but very large tables we do it here.
        let fills = width.saturating_mul(rows.len()) <= PLACES_MAX;
        for (at, row) in rows.iter().enumerate() {
            if self.is_full {
                return;
            }
            let cells = if fills || at == 0 { width } else { row.len() };
            let mut line = String::from("|");
            for cell in (0..cells).map(|at| row.get(at).map_or("", String::as_str)) {
                line.push(' ');
                line.push_str(cell);
                line.push_str(" |");
            }
            self.lines(&line);
            if at == 0 {
                self.line(&format!("|{}", " --- |".repeat(width)));
            }
        }
    }
}

fn heading(level: usize, text: &str) -> String {
    let marks = "#".repeat(level);
    if text.is_empty() {
        return marks;
    }
    // A run of `#` at the end would be parsed as the heading's closing sequence.
    let bare = text.trim_end_matches('#');
    let text = if bare.len() < text.len() && (bare.is_empty() || bare.ends_with(' ')) {
        format!("{bare}\\{}", &text[bare.len()..])
    } else {
        text.to_owned()
    };
    format!("{marks} {}", text.replace('\n', " "))
}
