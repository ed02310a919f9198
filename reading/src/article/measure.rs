//! Measures each node's text: its length, the share in links, and its worth, the evidence for main content.

use crate::dom::NodeId;
use crate::view::View;

/// The measure of a node's subtree.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Measure {
    /// Visible characters; those of dense scripts count for more.
    pub chars: f64,
    /// The characters in links.
    pub link_chars: f64,
    /// Evidence for main content, less evidence against it.
    pub worth: f64,
    /// Number of paragraphs longer than a line.
    pub paragraphs: u32,
}

impl Measure {
    /// Returns the share of the text that is in links.
    pub(super) fn link_density(&self) -> f64 {
        if self.chars > 0.0 { self.link_chars / self.chars } else { 0.0 }
    }
}

/// Weight of a character in scripts that write a word with one or two: about that of a short word.
const DENSE_SCRIPT_WEIGHT: f64 = 2.5;
/// A line with less weight is a crumb: a label, a date, a button.
const CRUMB_CHARS: f64 = 25.0;
/// A line with at least this weight is a paragraph.
pub(super) const PARAGRAPH_CHARS: f64 = 80.0;

/// Returns the weight of a text: its characters, those of dense scripts weighted.
pub(super) fn weight(text: &str) -> f64 {
    let mut weight = 0.0;
    let mut space = true;
    for c in text.chars() {
        if c.is_whitespace() {
            weight += if space { 0.0 } else { 1.0 };
            space = true;
        } else {
            weight += if is_dense(c) { DENSE_SCRIPT_WEIGHT } else { 1.0 };
            space = false;
        }
    }
    weight
}

fn is_dense(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{20000}'..='\u{3ffff}')
}

/// Measures every node below `root`.
pub(super) fn all(view: View<'_>, root: NodeId) -> Vec<Measure> {
    let dom = view.dom;
    let mut measures = vec![Measure::default(); dom.len()];
    let order: Vec<NodeId> = view.subtree(root).collect();
    let mut in_link = vec![false; dom.len()];
    for id in &order {
        let above = dom.node(*id).parent.is_some_and(|parent| in_link[parent]);
        in_link[*id] = above || dom.name(*id) == "a" || dom.name(*id) == "button";
    }
    // Inline text belongs to the nearest block; blocks are judged as a whole.
    let mut lines: Vec<(f64, f64)> = vec![(0.0, 0.0); dom.len()];
    for id in order.iter().rev().copied() {
        if let Some(text) = view.text(id) {
            let chars = weight(text.trim());
            measures[id].chars = chars;
            measures[id].link_chars = if in_link[id] { chars } else { 0.0 };
            lines[id] = (chars, measures[id].link_chars);
        } else {
            for child in dom.children(id) {
                let below = measures[*child];
                let measure = &mut measures[id];
                measure.chars += below.chars;
                measure.link_chars += below.link_chars;
                measure.worth += below.worth;
                measure.paragraphs += below.paragraphs;
                let line = lines[*child];
                lines[id].0 += line.0;
                lines[id].1 += line.1;
            }
            if view.is_block(id) {
                let (chars, links) = std::mem::take(&mut lines[id]);
                let name = dom.name(id);
                measures[id].worth += worth(name, chars, links);
                if chars >= PARAGRAPH_CHARS && links < chars * 0.5 {
                    measures[id].paragraphs += 1;
                }
            }
        }
    }
    measures
}

fn worth(name: &str, chars: f64, links: f64) -> f64 {
    if chars == 0.0 {
        return 0.0;
    }
    let density = links / chars;
    if matches!(name, "td" | "th") && chars < PARAGRAPH_CHARS {
        // Cells of a data table are short by nature.
        return if density > 0.5 { -2.0 } else { chars * 0.3 };
    }
    if density > 0.5 {
        return -(chars.min(200.0) * 0.4) - 8.0;
    }
    if matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6") {
        return 0.0;
    }
    if chars < CRUMB_CHARS {
        return -4.0;
    }
    let factor = match name {
        "p" | "pre" | "blockquote" => 1.2,
        _ => 1.0,
    };
    if chars < PARAGRAPH_CHARS { chars * 0.4 * factor } else { chars * (1.0 - density) * factor }
}
