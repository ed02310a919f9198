//! Blocks as text, line by line: what is around a line (quotes, entries of lists) is written before it, so that nothing is
//! copied from level to level, and what is written is bounded as a whole.

use super::{Block, Markdown, code, escape};
use crate::table::PLACES_MAX;

/// The blocks' texts, as long as they all together have this room, in bytes.
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

/// Blocks in a table's cell, on one line. What is written is taken from `room`.
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

/// Two lists one after the other are told apart by their marks.
#[derive(Default)]
struct Marks {
    /// Whether the last block was a list, and if so whether it was numbered.
    last: Option<bool>,
    other: bool,
}

impl Marks {
    /// Whether a block that comes next has the other mark.
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

/// What is around a line.
enum Around {
    Quote,
    /// An entry of a list; its mark stands on its first line, other lines are indented as far.
    Entry {
        mark: String,
        is_begun: bool,
    },
}

/// Text in the making.
struct Out {
    text: String,
    around: Vec<Around>,
    /// What is written before a line where all entries have begun, and how much of it before an empty line.
    prefix: String,
    empty_prefix: usize,
    /// Entries whose mark is yet to be written.
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

    /// Writes what `write` writes with this around each line.
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
        // Whatever is inside something has plain line ends.
        let line = if self.around.is_empty() { line } else { line.strip_suffix('\r').unwrap_or(line) };
        // An indentation is white space: marks that are yet to be written are as long.
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

    /// Writes what is before a line on which entries begin. Behind the last mark an empty line has nothing.
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

    /// Blocks one after the other, with an empty line between them or none.
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
        // Readers fill up rows that are shorter than the header; in most tables it is done here.
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
    // A run of `#` at the end would be taken for the heading's own.
    let bare = text.trim_end_matches('#');
    let text = if bare.len() < text.len() && (bare.is_empty() || bare.ends_with(' ')) {
        format!("{bare}\\{}", &text[bare.len()..])
    } else {
        text.to_owned()
    };
    format!("{marks} {}", text.replace('\n', " "))
}
