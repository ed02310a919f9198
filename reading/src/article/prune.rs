//! Finds the nodes inside the content that are not part of it.

use super::About;
use super::choose::Choice;
use super::measure::PARAGRAPH_CHARS;
use super::names::{self, Part};
use super::phrases;
use crate::dom::NodeId;
use crate::view::View;

/// Blocks with a larger share of links than this are lists of links.
const LINKS_SHARE_MAX: f64 = 0.65;
/// Longest list of tags, in characters.
const TAGS_CHARS_MAX: f64 = 600.0;
/// Comments with a larger share of a page than this are its subject.
const COMMENTS_SHARE_MAX: f64 = 0.6;
/// A line with fewer characters may be only a label.
const LABEL_CHARS: f64 = 60.0;

/// Returns for each node whether it is left out of the chosen part.
pub(super) fn prune(view: View<'_>, choice: &Choice, about: &About) -> Vec<bool> {
    let dom = view.dom;
    let first_h1 = view.subtree(choice.root).find(|id| dom.name(*id) == "h1");
    let mut pruning = Pruning { view, choice, about, dropped: choice.dropped.clone(), first_h1 };
    for child in dom.children(choice.root) {
        pruning.visit(*child);
    }
    if !choice.is_listing {
        pruning.comments();
        pruning.last_heading();
        pruning.ends();
    }
    pruning.dropped
}

struct Pruning<'a> {
    view: View<'a>,
    choice: &'a Choice,
    about: &'a About,
    dropped: Vec<bool>,
    first_h1: Option<NodeId>,
}

impl Pruning<'_> {
    fn visit(&mut self, id: NodeId) {
        if self.dropped[id] || self.view.drops(id) || self.view.dom.element(id).is_none() {
            return;
        }
        if self.is_unwanted(id) {
            self.dropped[id] = true;
            return;
        }
        for child in self.view.dom.children(id) {
            self.visit(*child);
        }
    }

    /// Whether an element is left out: a picture, the article's title, or what belongs to the page rather than to the article.
    fn is_unwanted(&self, id: NodeId) -> bool {
        let dom = self.view.dom;
        let measure = self.choice.measures[id];
        let name = dom.name(id);
        if matches!(name, "img" | "video" | "iframe") {
            return true;
        }
        if measure.chars == 0.0 {
            return false;
        }
        if !self.view.is_block(id) {
            return name == "button" || self.is_label(id);
        }
        if self.says_title(id) {
            return true;
        }
        match names::part(dom, id) {
            Part::About if self.share(id) < 0.3 && measure.paragraphs < 3 => return true,
            Part::Furniture if self.share(id) < 0.3 => return true,
            _ => {}
        }
        if self.choice.is_listing {
            return false;
        }
        if matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6") {
            return measure.chars < 200.0 && phrases::leads_away(&self.view.folded_text(id));
        }
        !self.is_quoted_or_tabular(id) && self.is_navigation(id)
    }

    /// The part of the article's text that is in an element.
    fn share(&self, id: NodeId) -> f64 {
        let whole = self.choice.measures[self.choice.root];
        self.choice.measures[id].chars / whole.chars.max(1.0)
    }

    /// Whether an inline element is a caption or label on a line of its own.
    fn is_label(&self, id: NodeId) -> bool {
        let dom = self.view.dom;
        let chars = self.choice.measures[id].chars;
        let around = dom.node(id).parent.map_or(0.0, |parent| self.choice.measures[parent].chars);
        matches!(names::part(dom, id), Part::About | Part::Furniture) && around <= chars * 1.3 && chars < 300.0
    }

    /// Whether an element is a heading with the article's title.
    fn says_title(&self, id: NodeId) -> bool {
        let name = self.view.dom.name(id);
        name == "h1" && self.first_h1 == Some(id)
            || level(name).is_some()
                && self.choice.measures[id].chars < 600.0
                && is_title(&self.view.folded_text(id), &self.about.title, name)
    }

    /// Whether an element is a part of a table, code or a quotation, or in a quotation or a table's cell. These may have many
    /// links.
    fn is_quoted_or_tabular(&self, id: NodeId) -> bool {
        let dom = self.view.dom;
        let mut ancestors = dom.ancestors(id).take_while(|above| *above != self.choice.root);
        matches!(
            dom.name(id),
            "table" | "tbody" | "tr" | "td" | "th" | "thead" | "pre" | "code" | "blockquote" | "dd" | "dt"
        ) || ancestors.any(|above| matches!(dom.name(above), "blockquote" | "td"))
    }

    /// Whether an element consists of links to other pages, or of phrases and tags that lead there.
    fn is_navigation(&self, id: NodeId) -> bool {
        let measure = self.choice.measures[id];
        let (name, density, share) = (self.view.dom.name(id), measure.link_density(), self.share(id));
        if matches!(name, "ul" | "ol" | "dl") && density > LINKS_SHARE_MAX && share < 0.5 {
            return true;
        }
        if density > 0.8 && share < 0.3 && measure.paragraphs == 0 {
            return true;
        }
        if density > LINKS_SHARE_MAX && !matches!(name, "li" | "p") && share < 0.3 {
            return true;
        }
        if measure.chars < 160.0 && phrases::leads_away(&self.view.folded_text(id)) {
            return true;
        }
        measure.chars < TAGS_CHARS_MAX && share < 0.3 && phrases::lists_tags(&self.view.folded_text(id))
    }

    /// Drops the heading of comments and all its following siblings.
    fn comments(&mut self) {
        let dom = self.view.dom;
        let whole = self.choice.measures[self.choice.root].chars;
        let heads = |id: &NodeId| {
            level(dom.name(*id)).is_some()
                && self.choice.measures[*id].chars < LABEL_CHARS
                && phrases::heads_comments(&self.view.folded_text(*id))
        };
        let Some(heading) = self.view.subtree(self.choice.root).filter(|id| !self.dropped[*id]).find(heads) else {
            return;
        };
        let Some(siblings) = dom.node(heading).parent.map(|parent| dom.children(parent)) else { return };
        let from = siblings.iter().position(|sibling| *sibling == heading).unwrap_or(siblings.len());
        let below: f64 = siblings[from..].iter().map(|id| self.choice.measures[*id].chars).sum();
        // If that is most of the page, the comments are its subject.
        if below < whole * COMMENTS_SHARE_MAX {
            for sibling in &siblings[from..] {
                self.dropped[*sibling] = true;
            }
        }
    }

    /// Drops a last heading with nothing below it.
    fn last_heading(&mut self) {
        if let Some(last) = self.lines().last()
            && level(self.view.dom.name(*last)).is_some()
        {
            self.dropped[*last] = true;
        }
    }

    /// Returns the lines of the content: blocks that directly hold text.
    fn lines(&self) -> Vec<NodeId> {
        let view = View { dropped: &self.dropped, ..self.view };
        let mut lines: Vec<NodeId> = Vec::new();
        for id in view.subtree(self.choice.root) {
            if view.text(id).is_some_and(|text| !text.trim().is_empty())
                && let Some(block) = view.dom.ancestors(id).find(|above| view.is_block(*above))
                && lines.last() != Some(&block)
            {
                lines.push(block);
            }
        }
        lines
    }

    /// Drops labels before the first paragraph and after the last one.
    fn ends(&mut self) {
        let dom = self.view.dom;
        let lines = self.lines();
        let is_text = |id: &NodeId| {
            let measure = self.choice.measures[*id];
            let name = dom.name(*id);
            measure.chars >= LABEL_CHARS && measure.link_density() < 0.4
                || matches!(name, "pre" | "td" | "th" | "li" | "dd" | "dt" | "blockquote")
                || level(name).is_some()
        };
        let Some(first) = lines.iter().position(is_text) else { return };
        let Some(last) = lines.iter().rposition(is_text) else { return };
        if lines[first..=last].iter().map(|id| self.choice.measures[*id].chars).sum::<f64>() < PARAGRAPH_CHARS * 3.0 {
            return;
        }
        let ends: Vec<NodeId> = lines[..first].iter().chain(&lines[last + 1..]).copied().collect();
        for id in ends {
            let measure = self.choice.measures[id];
            let text = self.view.folded_text(id);
            let is_sentence = text.ends_with(['.', '!', '?', '…', '"', '”', '。', ':']) && measure.chars > 20.0;
            if id != self.choice.root && !is_sentence && self.choice.measures[id].chars < LABEL_CHARS {
                self.dropped[id] = true;
            }
        }
    }
}

fn level(name: &str) -> Option<u8> {
    match name.as_bytes() {
        [b'h', digit @ b'1'..=b'6'] => Some(digit - b'0'),
        _ => None,
    }
}

/// Returns whether a heading repeats the title.
fn is_title(text: &str, title: &str, name: &str) -> bool {
    let plain =
        |text: &str| text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    let title = plain(title);
    title.chars().count() > 8 && level(name).is_some() && plain(text) == title
}
