//! Writes inline content: text, emphasis, links, images, code.

use super::{code, escape};
use crate::dom::{Dom, NodeId};
use crate::view::{View, is_space};

/// Images smaller than this in either direction are spacers and counters, and left out.
const IMAGE_MIN_PX: i64 = 3;

/// A line that is being written.
pub(super) struct Inline<'a> {
    view: View<'a>,
    out: String,
    /// Pending white space, written once something follows it.
    space: bool,
    /// Whether line breaks may be written.
    breaks: bool,
    /// Number of open emphases.
    emphases: usize,
    in_link: bool,
}

impl<'a> Inline<'a> {
    pub(super) fn new(view: View<'a>, breaks: bool) -> Self {
        Self { view, out: String::new(), space: false, breaks, emphases: 0, in_link: false }
    }

    /// Writes the nodes as a line, trimmed.
    pub(super) fn nodes(mut self, nodes: &[NodeId]) -> String {
        for node in nodes {
            self.node(*node);
        }
        let mut out = self.out;
        while out.ends_with("\\\n") {
            out.truncate(out.len() - 2);
        }
        out.truncate(out.trim_end_matches(is_space).len());
        escape::line_starts(&out)
    }

    fn inner(&self) -> Self {
        Self {
            view: self.view,
            out: String::new(),
            space: false,
            breaks: self.breaks,
            emphases: self.emphases,
            in_link: self.in_link,
        }
    }

    fn children(&mut self, id: NodeId) {
        for child in self.view.dom.children(id) {
            self.node(*child);
        }
    }

    fn node(&mut self, id: NodeId) {
        if self.view.drops(id) {
            return;
        }
        if let Some(text) = self.view.dom.text(id) {
            if self.view.shows(id) {
                self.text(text);
            } else if text.contains(is_space) {
                self.space = true;
            }
            return;
        }
        match self.view.dom.name(id) {
            "br" => self.line_break(),
            "wbr" => {}
            "em" | "i" | "dfn" | "cite" | "var" => self.emphasis(id, 1),
            "strong" | "b" => self.emphasis(id, 2),
            "del" | "s" | "strike" => self.struck(id),
            "code" | "kbd" | "samp" | "tt" => self.code(id),
            "a" => self.link(id),
            "img" => self.image(id),
            "q" => {
                self.word("“");
                self.children(id);
                self.out.push('”');
            }
            "math" => self.math(id),
            "rt" => {
                self.out.push('(');
                self.children(id);
                self.out.push(')');
            }
            "rp" | "video" => {}
            _ if self.view.is_block(id) => {
                self.space = true;
                self.children(id);
                self.space = true;
            }
            _ => {
                // Inline blocks, as in a row of buttons, are separated by white space.
                let apart = self.view.dom.element(id).is_some_and(|element| {
                    element.display == crate::dom::Display::InlineBlock && element.area.width > 0
                }) && self.view.dom.name(id) != "span";
                self.space |= apart;
                self.children(id);
                self.space |= apart;
            }
        }
    }

    fn take_space(&mut self) {
        if std::mem::take(&mut self.space) && !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push(' ');
        }
    }

    fn text(&mut self, text: &str) {
        // White space at the text's ends stays pending; inside the text it is folded.
        let mut words = text.split(is_space).filter(|word| !word.is_empty()).peekable();
        if words.peek().is_none() {
            self.space |= !text.is_empty();
            return;
        }
        self.space |= text.starts_with(is_space);
        let folded = words.collect::<Vec<_>>().join(" ");
        self.take_space();
        let escaped = escape::text_after(&folded, self.out.chars().next_back(), self.in_link);
        self.out.push_str(&escaped);
        self.space = text.ends_with(is_space);
    }

    /// Writes markup without escaping it.
    fn word(&mut self, word: &str) {
        self.take_space();
        self.out.push_str(word);
    }

    fn line_break(&mut self) {
        self.space = false;
        if !self.breaks {
            self.space = true;
        } else if !self.out.is_empty() && !self.in_link {
            if self.out.ends_with("\\\n") {
                return;
            }
            self.out.push_str("\\\n");
        } else {
            self.space = true;
        }
    }

    /// Writes the content of an element; returns it with whether white space precedes and follows it.
    fn within(&mut self, id: NodeId, change: impl FnOnce(&mut Self)) -> (bool, String, bool) {
        let mut inner = self.inner();
        change(&mut inner);
        inner.children(id);
        let leading = {
            let first = self.view.subtree(id).find_map(|below| self.view.text(below).filter(|text| !text.is_empty()));
            first.is_some_and(|text| text.starts_with(is_space))
        };
        (leading, inner.out, inner.space)
    }

    fn emphasis(&mut self, id: NodeId, strength: usize) {
        let (leading, text, trailing) = self.within(id, |inner| inner.emphases += 1);
        self.space |= leading;
        if text.is_empty() {
            self.space |= trailing;
            return;
        }
        self.take_space();
        // Emphasis can't end with a line break.
        let (text, broken) = match text.strip_suffix("\\\n") {
            Some(text) => (text.to_owned(), true),
            None => (text, false),
        };
        let before = self.out.chars().next_back();
        let marks = if self.emphases.is_multiple_of(2) { ['*', '_'] } else { ['_', '*'] };
        let after = self.next_char(id, trailing || broken);
        let mark = marks.into_iter().find(|mark| escape::can_emphasise(*mark, before, &text, after));
        match mark {
            Some(mark) => {
                let marks = mark.to_string().repeat(strength);
                self.out.push_str(&format!("{marks}{text}{marks}"));
            }
            // No mark would be parsed as emphasis here, since letters touch it.
            None => {
                let name = if strength == 1 { "em" } else { "strong" };
                self.out.push_str(&format!("<{name}>{text}</{name}>"));
            }
        }
        self.space = trailing;
        if broken {
            self.out.push_str("\\\n");
        }
    }

    /// Returns the character that will follow an element, as far as it can be predicted.
    fn next_char(&self, id: NodeId, space: bool) -> Option<char> {
        if space {
            return Some(' ');
        }
        let dom = self.view.dom;
        let mut at = id;
        loop {
            let parent = dom.node(at).parent?;
            let siblings = dom.children(parent);
            for sibling in &siblings[dom.node(at).place + 1..] {
                if self.view.is_block(*sibling) || dom.name(*sibling) == "br" {
                    return None;
                }
                for below in self.view.subtree(*sibling) {
                    match dom.name(below) {
                        "img" => return Some('!'),
                        "a" if link_target(dom, below).is_some() => return Some('['),
                        "code" => return Some('`'),
                        "em" | "i" | "strong" | "b" => return Some('*'),
                        _ => {}
                    }
                    if let Some(text) = self.view.text(below)
                        && let Some(c) = text.chars().next()
                    {
                        return Some(c);
                    }
                }
            }
            if self.view.is_block(parent) {
                return None;
            }
            // At the end of the surrounding element, its closing mark follows.
            match dom.name(parent) {
                "a" => return Some(']'),
                "em" | "i" | "strong" | "b" => return Some('*'),
                _ => at = parent,
            }
        }
    }

    fn struck(&mut self, id: NodeId) {
        let (leading, text, trailing) = self.within(id, |_| {});
        self.space |= leading;
        if !text.is_empty() {
            self.take_space();
            self.out.push_str(&format!("~~{text}~~"));
        }
        self.space |= trailing;
    }

    fn code(&mut self, id: NodeId) {
        if self.view.subtree(id).any(|below| self.view.dom.name(below) == "img") {
            return self.children(id);
        }
        let text = code::text(self.view, id).replace('\n', " ");
        if text.is_empty() {
            return;
        }
        if text.trim().is_empty() && text.len() < 2 {
            self.space = true;
            return;
        }
        self.take_space();
        self.out.push_str(&code::span(&text));
    }

    fn math(&mut self, id: NodeId) {
        let dom = self.view.dom;
        if !self.view.shows(id) && dom.attribute(id, "tex").is_none() {
            return;
        }
        if let Some(tex) = dom.attribute(id, "tex") {
            self.word(&format!("${}$", tex.replace('\n', " ")));
        } else if let Some(text) = dom.attribute(id, "reads") {
            self.text(text);
        }
    }

    fn link(&mut self, id: NodeId) {
        let Some(target) = link_target(self.view.dom, id).filter(|_| !self.in_link) else {
            return self.children(id);
        };
        let (leading, text, trailing) = self.within(id, |inner| inner.in_link = true);
        self.space |= leading;
        let text = if text.is_empty() && !self.view.subtree(id).any(|below| self.view.dom.name(below) == "img") {
            let label = ["aria-label", "title"].into_iter().find_map(|name| self.view.dom.attribute(id, name));
            label.filter(|_| self.view.shows(id)).map(|label| escape::text(label.trim(), true)).unwrap_or_default()
        } else {
            text
        };
        if text.is_empty() {
            self.space |= trailing;
            return;
        }
        self.take_space();
        if self.out.ends_with('!') {
            self.out.insert(self.out.len() - 1, '\\');
        }
        let plain = self.view.folded_text(id);
        if plain == target && escape::is_autolink(&target) {
            self.out.push_str(&format!("<{target}>"));
        } else {
            let title = self.view.dom.attribute(id, "title").filter(|title| *title != plain);
            self.out.push_str(&format!("[{text}]({}{})", escape::destination(&target), escape::title(title)));
        }
        self.space = trailing;
    }

    fn image(&mut self, id: NodeId) {
        if !self.view.shows(id) {
            return;
        }
        let Some(image) = crate::images::image(self.view.dom, id) else { return };
        let area = self.view.dom.element(id).map(|element| element.area).unwrap_or_default();
        let is_small = |px: i64| px > 0 && px < IMAGE_MIN_PX;
        if is_small(area.width) || is_small(area.height) {
            return;
        }
        self.take_space();
        let alt = escape::text(&image.alt.split_whitespace().collect::<Vec<_>>().join(" "), true);
        let title = self.view.dom.attribute(id, "title").filter(|title| *title != image.alt);
        self.out.push_str(&format!("![{alt}]({}{})", escape::destination(&image.src), escape::title(title)));
    }
}

/// Returns a link's target, if it leads to another page.
pub(super) fn link_target(dom: &Dom, id: NodeId) -> Option<String> {
    let href = dom.attribute(id, "href")?.trim();
    let scheme = href.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    (!matches!(scheme.as_deref(), Some("javascript" | "data" | "blob"))).then(|| href.to_owned())
}
