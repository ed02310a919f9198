//! What is left out of a tree that is long: alike siblings beyond the first. Where that is not enough, `fit` goes on.
//!
//! A line says how to get what is left out.

use std::collections::HashMap;

use super::alike::{ALIKE_MAX, ALIKE_SHOWN, kind};
use super::fit::{fit, fits, leave_out};
use super::node::{Node, State};
use super::options::Options;

#[cfg(test)]
mod tests;

/// Chosen ones that are shown beyond the first, each time.
const CHOSEN_SHOWN_MAX: usize = 10;

/// Leaves out what there is no room for, and has refs given to what is shown: `give` turns handles into the numbers of
/// refs. Returns what is left, and whether something was left out for want of room.
pub fn fold(mut roots: Vec<Node>, options: &Options, give: &mut dyn FnMut(u64) -> u64) -> (Vec<Node>, bool) {
    flatten(&mut roots);
    skip(&mut roots, options);
    let mut is_cut = options.max_depth.is_some_and(|depth| prune(&mut roots, depth, give));
    is_cut |= fold_all(&mut roots, options, ALIKE_MAX, give);
    give_refs(&mut roots, give);
    if !fits(&roots, options.max_chars) {
        is_cut = true;
        fold_all(&mut roots, options, ALIKE_SHOWN, give);
        fit(&mut roots, options, give);
    }
    (roots, is_cut)
}

/// Moves the children of a node that can have no ref behind it: no hint could lead to those that are left out. The page's
/// functions make such nodes of text alone, without children.
fn flatten(nodes: &mut Vec<Node>) {
    for node in nodes.iter_mut() {
        flatten(&mut node.children);
    }
    if nodes.iter().any(|node| !node.can_have_ref() && !node.children.is_empty()) {
        let apart = |mut node: Node| {
            let inside = if node.can_have_ref() { Vec::new() } else { std::mem::take(&mut node.children) };
            std::iter::once(node).chain(inside)
        };
        *nodes = std::mem::take(nodes).into_iter().flat_map(apart).collect();
    }
}

/// Applies the offset.
fn skip(roots: &mut Vec<Node>, options: &Options) {
    let list = match roots.as_mut_slice() {
        [root] if options.of_element => &mut root.children,
        _ => roots,
    };
    list.drain(..options.offset.min(list.len()));
}

/// Leaves out what is deeper. Whether anything was.
fn prune(nodes: &mut [Node], depth: usize, give: &mut dyn FnMut(u64) -> u64) -> bool {
    let mut is_cut = false;
    for node in nodes {
        match depth.checked_sub(1) {
            None if node.children.is_empty() => {}
            None => {
                leave_out(node, give);
                is_cut = true;
            }
            Some(depth) => is_cut |= prune(&mut node.children, depth, give),
        }
    }
    is_cut
}

fn give_refs(nodes: &mut [Node], give: &mut dyn FnMut(u64) -> u64) {
    for node in nodes {
        if node.wants_ref {
            node.give_ref(give);
        }
        give_refs(&mut node.children, give);
    }
}

/// Folds alike siblings on all levels.
fn fold_all(roots: &mut Vec<Node>, options: &Options, max: usize, give: &mut dyn FnMut(u64) -> u64) -> bool {
    match roots.as_mut_slice() {
        [root] if options.of_element => {
            // Refs are given from the top down.
            if root.wants_ref {
                root.give_ref(give);
            }
            fold_inside(&mut root.children, max, give)
        }
        _ => {
            let is_folded = fold_siblings(roots, options.offset, max);
            fold_inside(roots, max, give) || is_folded
        }
    }
}

fn fold_inside(nodes: &mut [Node], max: usize, give: &mut dyn FnMut(u64) -> u64) -> bool {
    let mut is_cut = false;
    for node in nodes {
        if node.wants_ref {
            node.give_ref(give);
        }
        if fold_siblings(&mut node.children, 0, max) {
            is_cut = true;
            let root = node.give_ref(give);
            for rest in node.children.iter_mut().filter_map(|child| child.rest.as_mut()) {
                rest.root = root;
            }
        }
        is_cut |= fold_inside(&mut node.children, max, give);
    }
    is_cut
}

fn is_chosen(node: &Node) -> bool {
    node.states.iter().any(|state| matches!(state, State::Selected | State::Focused | State::Checked))
}

/// Folds siblings; the first of them is child number `base`. Whether any were folded.
fn fold_siblings(nodes: &mut Vec<Node>, base: usize, max: usize) -> bool {
    if nodes.len() <= max {
        return false;
    }
    let kinds: Vec<Option<u64>> = nodes.iter().map(|node| node.rest.is_none().then(|| kind(node))).collect();
    let mut counts: HashMap<u64, (usize, usize, usize)> = HashMap::new();
    for kind in kinds.iter().flatten() {
        counts.entry(*kind).or_default().0 += 1;
    }
    if counts.values().all(|(count, ..)| *count <= max) {
        return false;
    }
    let mut kept: Vec<Node> = Vec::new();
    let mut number = base;
    for (node, kind) in std::mem::take(nodes).into_iter().zip(kinds) {
        let at = number;
        number += node.siblings();
        let shows = kind.and_then(|kind| counts.get_mut(&kind)).is_none_or(|(count, seen, chosen)| {
            *seen += 1;
            if *count <= max || *seen <= ALIKE_SHOWN {
                return true;
            }
            let is_shown = is_chosen(&node) && *chosen < CHOSEN_SHOWN_MAX;
            *chosen += usize::from(is_shown);
            is_shown
        });
        if shows {
            kept.push(node);
            continue;
        }
        let what = plural(&node.role);
        match kept.last_mut().and_then(|last| last.rest.as_mut()) {
            Some(rest) => {
                rest.count += 1;
                rest.lines += node.lines();
                if rest.what != what {
                    rest.what = "elements".to_owned();
                }
            }
            None => kept.push(Node::standing_for_sibling(node.lines(), what, at)),
        }
    }
    *nodes = kept;
    true
}

fn plural(role: &str) -> String {
    match role {
        "generic" => "elements".to_owned(),
        "listitem" => "items".to_owned(),
        "switch" => "switches".to_owned(),
        role if role.ends_with('x') => format!("{role}es"),
        role if role.ends_with('y') => format!("{}ies", &role[..role.len() - 1]),
        role => format!("{role}s"),
    }
}
