//! What a page's text is written from and to: blocks, and Markdown.

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
    /// Whether the end is missing because the whole exceeds [`WRITTEN_MAX_BYTES`](super::WRITTEN_MAX_BYTES).
    pub is_cut: bool,
}
