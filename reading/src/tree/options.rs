//! How a tree is shown.

/// How a tree is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Levels below the top; `None` for all.
    pub max_depth: Option<usize>,
    /// The first child that is shown: of the one root where `of_element`, else of the document.
    pub offset: usize,
    /// Whether the tree is what one element holds. Its own children are then never folded by their number.
    pub of_element: bool,
    /// The most characters of the written tree.
    pub max_chars: usize,
}
