//! Writes a page as Markdown: CommonMark, with GitHub's tables and strike-through.
//!
//! There are two steps: the tree becomes blocks ([`blocks`], their lines by [`inline`]), and the blocks become text
//! ([`write`]), so that a cut can fall between two of them.

mod blocks;
mod code;
mod escape;
mod inline;
mod write;

use crate::dom::NodeId;
use crate::view::View;

/// A block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Block {
    /// Lines of text; `own` marks a paragraph in its own right, as in a loose list, as opposed to plain text.
    Paragraph { text: String, own: bool },
    /// A heading from 1 to 6.
    Heading { level: usize, text: String },
    /// Preformatted text.
    Code { language: String, text: String },
    /// A quote.
    Quote(Vec<Block>),
    /// Items, numbered from `start` if it is given.
    List { start: Option<u64>, items: Vec<Vec<Block>> },
    /// Rows of cells; the first row is the header.
    Table(Vec<Vec<String>>),
    /// A thematic break.
    Rule,
}

/// The content of some nodes as Markdown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Markdown {
    /// One text for each block, to be joined by blank lines.
    pub parts: Vec<String>,
    /// Whether the end is missing because the whole exceeds [`WRITTEN_MAX_BYTES`].
    pub is_cut: bool,
}

/// Most Markdown that is written for one page, in bytes: nested lists and quotes repeat their indentation on every
/// line. A page's own text with its escapes is shorter.
pub const WRITTEN_MAX_BYTES: usize = 24 * 1024 * 1024;

/// Writes the content of these nodes as Markdown.
#[must_use]
pub fn read(view: View<'_>, roots: &[NodeId]) -> Markdown {
    let mut room = WRITTEN_MAX_BYTES;
    let blocks = blocks::of(view, roots, &mut room);
    write::top_level(blocks, room)
}

/// Writes a part of a page as Markdown, without thematic breaks at its start and end.
#[must_use]
pub fn of_section(view: View<'_>, roots: &[NodeId]) -> Markdown {
    let mut room = WRITTEN_MAX_BYTES;
    let mut blocks = blocks::of(view, roots, &mut room);
    let kept = blocks.iter().rposition(|block| *block != Block::Rule).map_or(0, |last| last + 1);
    blocks.truncate(kept);
    let lines = blocks.iter().take_while(|block| **block == Block::Rule).count();
    blocks.drain(..lines);
    write::top_level(blocks, room)
}

/// Writes the content of these nodes as one Markdown text.
#[must_use]
pub fn of(view: View<'_>, roots: &[NodeId]) -> String {
    read(view, roots).parts.join("\n\n")
}
