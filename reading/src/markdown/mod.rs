//! Writes a page as Markdown: CommonMark, with GitHub's tables and strike-through.
//!
//! There are two steps: the tree becomes blocks ([`blocks`], their lines by [`inline`]), and the blocks become text
//! ([`write`]), so that a cut can fall between two of them.

mod block;
mod blocks;
mod code;
mod escape;
mod inline;
mod write;

use self::block::Block;
pub use self::block::Markdown;
use crate::dom::NodeId;
use crate::view::View;

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
