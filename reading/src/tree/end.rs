//! Leaves out the end of a tree, between lines. Each list of siblings that is cut ends with a hint, the line that says
//! where it goes on: a client that follows all hints sees every line.

use super::cuts::{CUTS, cut_names, cut_text};
use super::node::Node;
use super::options::Options;
use super::text::{INDENT_MAX, Mark, line};

/// Room for a hint, in characters: its words, and 24 digits of its numbers.
const HINT_CHARS: usize = 60;
/// Room for a ref in the line that a hint names, in characters.
const REF_CHARS: usize = 20;
/// A sibling that does not fit as a whole is shown in part where it is the first, and where more than this part of the
/// bound would stay empty without it.
const EMPTY_PART: usize = 4;
/// The line of the element that was asked for takes no more than this part of the bound.
const ROOT_PART: usize = 3;
/// Of a line that is too long with the shortest names, these stay: characters of its name, and states.
const BARE_NAME_CHARS: usize = 4;
const BARE_STATES: usize = 4;

/// Where siblings stand.
#[derive(Clone, Copy)]
struct Place {
    level: usize,
    /// The number of the first of them in what holds them.
    base: usize,
    /// Whether they are what was asked for: then the first is always shown, or a client would ask the same again.
    is_asked_for: bool,
}

struct End<'a> {
    max_chars: usize,
    give: &'a mut dyn FnMut(u64) -> u64,
}

/// Leaves out lines from the end until the tree fits.
pub(super) fn cut_end(roots: &mut Vec<Node>, options: &Options, give: &mut dyn FnMut(u64) -> u64) {
    let mut end = End { max_chars: options.max_chars, give };
    // Each line counts with its end, which the last one lacks.
    let room = options.max_chars + 1;
    match roots.as_mut_slice() {
        [root] if options.of_element && !root.children.is_empty() => {
            cut_line(root, 0, options.max_chars / ROOT_PART);
            let place = Place { level: 1, base: options.offset, is_asked_for: true };
            end.cut_inside(root, place, room.saturating_sub(holder_chars(root, 0)));
        }
        _ => {
            end.cut_list(roots, Place { level: 0, base: options.offset, is_asked_for: true }, room);
        }
    }
}

/// Room for a hint on a level, with its end.
pub(super) fn hint_chars(level: usize) -> usize {
    2 * level.min(INDENT_MAX) + HINT_CHARS
}

fn line_chars(node: &Node, level: usize) -> usize {
    line(node, level, Mark::None).chars().count() + 1
}

/// Of a line that a hint may name.
fn holder_chars(node: &Node, level: usize) -> usize {
    let may_get_ref = node.reference.is_none() && !node.children.is_empty();
    line_chars(node, level) + if may_get_ref { REF_CHARS } else { 0 }
}

/// The room that is left beside a node with all inside; `None` where it does not fit.
fn left_beside(node: &Node, level: usize, room: usize) -> Option<usize> {
    let left = room.checked_sub(line_chars(node, level))?;
    node.children.iter().try_fold(left, |left, child| left_beside(child, level + 1, left))
}

/// Cuts what the line of a node says, as far as it must.
fn cut_line(node: &mut Node, level: usize, max: usize) {
    for cut in CUTS {
        if holder_chars(node, level) <= max {
            return;
        }
        cut_names(node, cut);
    }
    if holder_chars(node, level) > max {
        cut_text(&mut node.name, BARE_NAME_CHARS);
        node.states.truncate(BARE_STATES);
        (node.placeholder, node.url, node.hint, node.bounds) = (None, None, None, None);
        if let Some(text) = &mut node.text {
            cut_text(text, 0);
        }
    }
}

/// Leaves out the siblings from one on, and puts a hint in their place. Whether there were any.
fn leave_out_from(nodes: &mut Vec<Node>, at: usize, place: Place) -> bool {
    if at == nodes.len() {
        return false;
    }
    let lines = nodes[at..].iter().map(Node::lines).sum();
    let before: usize = nodes[..at].iter().map(Node::siblings).sum();
    nodes.truncate(at);
    nodes.push(match place.base + before {
        0 => Node::standing_for_lines(lines, "lines inside", None),
        offset => Node::standing_for_lines(lines, "lines", Some(offset)),
    });
    true
}

// === impl End ===

impl End<'_> {
    /// Shows siblings as far as there is room. Whether some are left out, so that a hint ends the list.
    ///
    /// There is always room for that hint: it is set aside until the last sibling is reached.
    fn cut_list(&mut self, nodes: &mut Vec<Node>, place: Place, mut room: usize) -> bool {
        let Place { level, is_asked_for, .. } = place;
        for at in 0..nodes.len() {
            let aside = if at + 1 == nodes.len() { 0 } else { hint_chars(level) };
            let here = room.saturating_sub(aside);
            if at == 0 && is_asked_for {
                cut_line(&mut nodes[at], level, here.saturating_sub(hint_chars(level + 1)));
            }
            if let Some(left) = left_beside(&nodes[at], level, here) {
                room = left + aside;
                continue;
            }
            let is_wanted = at == 0 || here > self.max_chars / EMPTY_PART;
            let is_shown = is_wanted && self.show_part(&mut nodes[at], level, here);
            return leave_out_from(nodes, at + usize::from(is_shown), place);
        }
        false
    }

    /// Shows the line of a node and what there is room for inside. False where there is no room for a hint inside.
    fn show_part(&mut self, node: &mut Node, level: usize, room: usize) -> bool {
        let inside = Place { level: level + 1, base: 0, is_asked_for: false };
        let left = room.checked_sub(holder_chars(node, level)).filter(|left| *left >= hint_chars(inside.level));
        match left {
            Some(left) if !node.children.is_empty() => self.cut_inside(node, inside, left),
            _ => return false,
        }
        true
    }

    fn cut_inside(&mut self, node: &mut Node, place: Place, room: usize) {
        if self.cut_list(&mut node.children, place, room) {
            let root = node.give_ref(self.give);
            if let Some(hint) = node.children.last_mut().and_then(|last| last.rest.as_mut()) {
                hint.root = root;
            }
        }
    }
}
