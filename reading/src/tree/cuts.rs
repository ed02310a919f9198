//! Cuts long names and texts.

use super::node::Node;

/// Names and texts are cut to these, in characters, until the tree fits.
pub(super) const CUTS: [usize; 5] = [300, 150, 80, 40, 20];

/// Cuts a node's name and texts.
pub(super) fn cut_names(node: &mut Node, max: usize) {
    cut_text(&mut node.name, max);
    for text in [&mut node.text, &mut node.placeholder, &mut node.url, &mut node.hint].into_iter().flatten() {
        cut_text(text, max);
    }
}

pub(super) fn cut_text(text: &mut String, max: usize) {
    if let Some((at, _)) = text.char_indices().nth(max) {
        text.truncate(at);
        text.push('…');
    }
}
