//! Code: its unchanged text, and its language.

use std::collections::HashSet;

use crate::dom::{Dom, NodeId};
use crate::view::View;

/// Returns the text below a node with its white space, and with a line break at the end of each block.
pub(super) fn text(view: View<'_>, id: NodeId) -> String {
    let mut text = String::new();
    gather(view, id, &mut text);
    text
}

fn gather(view: View<'_>, id: NodeId, text: &mut String) {
    for child in view.dom.children(id) {
        if view.drops(*child) {
            continue;
        }
        if let Some(own) = view.text(*child) {
            text.push_str(&own.replace("\r\n", "\n"));
        } else if view.dom.name(*child) == "br" {
            text.push('\n');
        } else {
            let is_line = view.is_block(*child) && view.dom.name(*child) != "code";
            if is_line && !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            gather(view, *child, text);
            if is_line && !text.ends_with('\n') {
                text.push('\n');
            }
        }
    }
}

/// Returns whether a preformatted block is code.
pub(super) fn is_code(dom: &Dom, id: NodeId) -> bool {
    dom.name(id) == "pre"
        || dom.name(id) == "code"
        || dom.children(id).iter().any(|child| dom.name(*child) == "code")
        || !language(dom, id).is_empty()
}

/// Returns the declared language of a code block; empty if there is none.
pub(super) fn language(dom: &Dom, id: NodeId) -> String {
    let inside = dom.children(id).iter().copied().filter(|child| dom.name(*child) == "code");
    let around = dom.ancestors(id).take(2);
    let candidates: Vec<NodeId> = std::iter::once(id).chain(inside).chain(around).collect();
    for candidate in candidates {
        for name in ["data-lang", "data-language"] {
            if let Some(language) = dom.attribute(candidate, name).map(str::trim).filter(|language| is_name(language)) {
                return language.to_owned();
            }
        }
        let classes = dom.attribute(candidate, "class").unwrap_or_default();
        let named = classes.split_ascii_whitespace().find_map(|class| {
            // The last prefix is Sphinx's; its `default` may be any language.
            ["language-", "lang-", "highlight-source-", "brush:", "highlight-"]
                .into_iter()
                .find_map(|prefix| class.strip_prefix(prefix))
                .filter(|name| !matches!(*name, "default" | "none" | "text" | "guess"))
        });
        if let Some(language) = named.filter(|language| is_name(language)) {
            return language.to_owned();
        }
    }
    String::new()
}

fn is_name(language: &str) -> bool {
    !language.is_empty()
        && language.chars().count() <= 40
        && !language.contains(|c: char| c.is_whitespace() || c == '`')
}

/// Writes a code span.
pub(super) fn span(text: &str) -> String {
    let fence = "`".repeat(free_run(text, 1));
    let all_spaces = text.chars().all(|c| c == ' ');
    let padded =
        text.starts_with('`') || text.ends_with('`') || (text.starts_with(' ') && text.ends_with(' ') && !all_spaces);
    let pad = if padded { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Returns the least length, from `min` on, of a run of backticks that does not occur in the text.
fn free_run(text: &str, min: usize) -> usize {
    let runs: HashSet<usize> = text.split(|c| c != '`').map(str::len).collect();
    (min..).find(|length| !runs.contains(length)).unwrap_or(min)
}

/// Writes a code block.
pub(super) fn block(language: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let body = text.strip_suffix('\n').unwrap_or(text);
    let end = if text.is_empty() { "" } else { "\n" };
    let language = super::escape::info(language);
    format!("{fence}{language}\n{body}{end}{fence}")
}
