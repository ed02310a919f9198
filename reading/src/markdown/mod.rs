//! A page as Markdown: CommonMark, with GitHub's tables and strike-through.
//!
//! In two steps: the tree becomes blocks ([`blocks`], their lines by [`inline`]), and the blocks become text
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
    /// Lines of text; whether it is a paragraph by itself, as in a loose list, or just text.
    Paragraph { text: String, own: bool },
    /// A heading from 1 to 6.
    Heading { level: usize, text: String },
    /// Text whose white space counts.
    Code { language: String, text: String },
    /// What somebody else says.
    Quote(Vec<Block>),
    /// Entries; numbered from a number.
    List { start: Option<u64>, items: Vec<Vec<Block>> },
    /// Rows of cells; the first row is the header.
    Table(Vec<Vec<String>>),
    /// A line between parts.
    Rule,
}

/// What is below some nodes as Markdown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Markdown {
    /// One text for each block, to be joined by blank lines.
    pub parts: Vec<String>,
    /// Whether the last of it is missing: it came to more than [`WRITTEN_MAX_BYTES`].
    pub is_cut: bool,
}

/// Markdown that is written of one page, in bytes: nested lists and quotes repeat their indentation on every line. A
/// page's own text with its escapes is less.
pub const WRITTEN_MAX_BYTES: usize = 24 * 1024 * 1024;

/// What is below these nodes as Markdown.
#[must_use]
pub fn read(view: View<'_>, roots: &[NodeId]) -> Markdown {
    let mut room = WRITTEN_MAX_BYTES;
    let blocks = blocks::of(view, roots, &mut room);
    write::top_level(blocks, room)
}

/// The same for a part of a page: without the lines that only set it apart from what is around it.
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

/// What is below these nodes as one text of Markdown.
#[must_use]
pub fn of(view: View<'_>, roots: &[NodeId]) -> String {
    read(view, roots).parts.join("\n\n")
}
