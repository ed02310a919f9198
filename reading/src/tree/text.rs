//! The tree's grammar: one line for each node, `- role "name" [states] [ref=@eN] placeholder "…" url "…": text`.
//!
//! Names and texts are written as the insides of JSON strings, so that none ends its line or its quotes.

use std::fmt::Write;

use super::{Node, Rest};

/// Levels that are indented; what is deeper stands as deep as these.
pub(super) const INDENT_MAX: usize = 100;
/// What most lines have room in.
const LINE_BYTES: usize = 256;
/// Characters of a role that are written.
const ROLE_MAX: usize = 40;

/// A written tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// One element a line.
    pub text: String,
    /// Lines with an element.
    pub element_count: usize,
    /// Unicode scalar values of `text`.
    pub chars: usize,
    /// The refs in its lines, each with the handle that it was asked for by.
    pub refs: Vec<(u64, u64)>,
}

/// What stands before a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// `- `.
    None,
    /// `- * `: new, or other than before.
    New,
    /// `-- `: gone.
    Gone,
}

/// Writes nodes as they are.
#[must_use]
pub fn write(roots: &[Node]) -> Tree {
    let mut tree = Tree::default();
    // Children of each open node that are still to be written.
    let mut open = vec![roots.iter()];
    while let Some(nodes) = open.last_mut() {
        let Some(node) = nodes.next() else {
            open.pop();
            continue;
        };
        tree.push(node, open.len() - 1, Mark::None);
        if !node.children.is_empty() {
            open.push(node.children.iter());
        }
    }
    tree
}

// === impl Tree ===

impl Tree {
    pub(super) fn push(&mut self, node: &Node, level: usize, mark: Mark) {
        let line = line(node, level, mark);
        if !self.text.is_empty() {
            self.text.push('\n');
            self.chars += 1;
        }
        self.chars += line.chars().count();
        self.text.push_str(&line);
        self.element_count += usize::from(is_element(node) && mark != Mark::Gone);
        if mark != Mark::Gone
            && let (Some(reference), Some(handle)) = (node.reference, node.handle)
        {
            self.refs.push((reference, handle));
        }
    }
}

fn is_element(node: &Node) -> bool {
    node.rest.is_none() && node.role != "text"
}

/// The line of a node, without its end.
pub(super) fn line(node: &Node, level: usize, mark: Mark) -> String {
    let mut line = String::with_capacity(LINE_BYTES);
    for _ in 0..level.min(INDENT_MAX) {
        line.push_str("  ");
    }
    if let Some(rest) = &node.rest {
        if mark == Mark::New {
            line.push_str("* ");
        }
        rest.write(&mut line);
        return line;
    }
    line.push_str(match mark {
        Mark::None => "- ",
        Mark::New => "- * ",
        Mark::Gone => "-- ",
    });
    if mark == Mark::Gone {
        gone(node, &mut line);
        return line;
    }
    own(node, &mut line);
    match &node.text {
        Some(text) => {
            line.push_str(": ");
            escape(text, &mut line);
        }
        None if !node.children.is_empty() => line.push(':'),
        None => {}
    }
    line
}

fn gone(node: &Node, line: &mut String) {
    word(&node.role, line);
    quoted(&node.name, line);
    if let Some(reference) = node.reference {
        let _ = write!(line, " [ref=@e{reference}]");
    }
    // What nothing else tells from others of its role.
    if let Some(text) = node.text.as_deref().filter(|_| node.name.is_empty() && node.reference.is_none()) {
        line.push_str(": ");
        escape(text, line);
    }
}

/// What a line says of its node before the colon.
pub(super) fn own(node: &Node, line: &mut String) {
    word(&node.role, line);
    quoted(&node.name, line);
    for state in &node.states {
        let _ = write!(line, " {state}");
    }
    if let Some(reference) = node.reference {
        let _ = write!(line, " [ref=@e{reference}]");
    }
    if let Some([x, y, width, height]) = node.bounds {
        let _ = write!(line, " [box={x},{y},{width},{height}]");
    }
    for (what, value) in [("placeholder", &node.placeholder), ("url", &node.url), ("hint", &node.hint)] {
        if let Some(value) = value.as_deref() {
            line.push(' ');
            line.push_str(what);
            line.push_str(" \"");
            escape(value, line);
            line.push('"');
        }
    }
}

fn quoted(name: &str, line: &mut String) {
    if !name.is_empty() {
        line.push_str(" \"");
        escape(name, line);
        line.push('"');
    }
}

/// Roles are words of our own; a page could still have had one of its making.
fn word(role: &str, line: &mut String) {
    if role.len() <= ROLE_MAX && role.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        line.push_str(role);
    } else {
        line.extend(role.chars().filter(char::is_ascii_alphanumeric).take(ROLE_MAX));
    }
}

/// The inside of a JSON string. Beyond JSON's own, whatever some reader takes for a line's end, or that turns the
/// direction of the text after it, is escaped.
fn escape(text: &str, line: &mut String) {
    // What is written as it is is written at once.
    let mut plain = 0;
    for (at, char) in text.char_indices() {
        let short = match char {
            '"' => "\\\"",
            '\\' => "\\\\",
            '\n' => "\\n",
            '\r' => "\\r",
            '\t' => "\\t",
            '\u{0}'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' => "",
            _ => continue,
        };
        line.push_str(&text[plain..at]);
        plain = at + char.len_utf8();
        if short.is_empty() {
            let _ = write!(line, "\\u{:04x}", u32::from(char));
        } else {
            line.push_str(short);
        }
    }
    line.push_str(&text[plain..]);
}

// === impl Rest ===

impl Rest {
    fn write(&self, line: &mut String) {
        let _ = write!(line, "… {} more {}", self.count, self.what);
        if self.root.is_some() || self.offset.is_some() {
            line.push(':');
        }
        if let Some(root) = self.root {
            let _ = write!(line, " root=@e{root}");
        }
        if let Some(offset) = self.offset {
            let _ = write!(line, " offset={offset}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::State;

    fn named(role: &str, name: &str) -> Node {
        Node { role: role.to_owned(), name: name.to_owned(), ..Node::default() }
    }

    #[test]
    fn a_line_says_all_in_its_order() {
        let email = Node {
            states: vec![State::Required, State::Focused],
            handle: Some(0),
            reference: Some(1),
            bounds: Some([1, -2, 30, 40]),
            placeholder: Some("you@example.com".to_owned()),
            text: Some("ada@example.com".to_owned()),
            ..named("textbox", "Email")
        };
        let link =
            Node { url: Some("/reset".to_owned()), reference: Some(5), handle: Some(1), ..named("link", "Forgot?") };
        let table = Node { children: vec![named("row", "")], ..named("table", "Prices") };
        let words = Node { text: Some("some words".to_owned()), ..named("text", "") };
        let icon = Node { states: vec![State::Clickable], hint: Some("trash".to_owned()), ..named("generic", "") };
        let tree = write(&[email, link, table, words, icon]);
        assert_eq!(
            tree.text,
            "- textbox \"Email\" [required] [focused] [ref=@e1] [box=1,-2,30,40] placeholder \"you@example.com\": \
             ada@example.com\n\
             - link \"Forgot?\" [ref=@e5] url \"/reset\"\n\
             - table \"Prices\":\n  - row\n\
             - text: some words\n\
             - generic [clickable] hint \"trash\""
        );
        assert_eq!(tree.refs, [(1, 0), (5, 1)]);
        assert_eq!(tree.element_count, 5);
        assert_eq!(tree.chars, tree.text.chars().count());
    }

    #[test]
    fn names_end_neither_their_line_nor_their_quotes() {
        let name = "a\" [ref=@e9]\n- button \"b\\\u{2028}\u{85}\u{202e}\u{0}é";
        let tree = write(&[named("button", name)]);
        assert_eq!(tree.text, "- button \"a\\\" [ref=@e9]\\n- button \\\"b\\\\\\u2028\\u0085\\u202e\\u0000é\"");
        let inside = tree.text.strip_prefix("- button ").unwrap();
        assert_eq!(serde_json::from_str::<String>(inside).unwrap(), name);
    }

    #[test]
    fn what_is_left_out_says_how_to_get_it() {
        let rest = |root, offset| Node {
            rest: Some(Rest { count: 290, lines: 580, what: "rows".to_owned(), root, offset }),
            ..Node::default()
        };
        let tree = write(&[rest(Some(12), Some(10)), rest(None, Some(3)), rest(None, None)]);
        assert_eq!(tree.text, "… 290 more rows: root=@e12 offset=10\n… 290 more rows: offset=3\n… 290 more rows");
        assert_eq!(tree.element_count, 0);
    }

    #[test]
    fn depth_does_not_grow_the_indentation_without_end() {
        let mut node = named("button", "in");
        for _ in 0..500 {
            node = Node { children: vec![node], ..named("group", "") };
        }
        assert!(write(&[node]).text.lines().all(|line| line.len() < 300));
    }
}
