//! Makes a folded tree fit: deep levels are left out, long names cut, then the end (`end`).

use super::alike::{ALIKE_SHOWN, has_alike};
use super::cuts::{CUTS, cut_names};
use super::end::{cut_end, hint_chars};
use super::node::Node;
use super::options::Options;
use super::text::{Mark, line};

/// Room for the mark and the ref of a line whose inside is left out, in characters.
const MARK_CHARS: usize = 20;
/// What stands in place of an element's inside.
const LEFT_OUT: &str = "…";

/// Whether the lines fit.
pub(super) fn fits(roots: &[Node], max_chars: usize) -> bool {
    // A line's end is counted too, but for the last one.
    let mut left = max_chars.saturating_add(1);
    fit_in(roots, 0, &mut left)
}

/// Takes the lines off what is left; false once there is not enough.
fn fit_in(nodes: &[Node], level: usize, left: &mut usize) -> bool {
    nodes.iter().all(|node| {
        let chars = line(node, level, Mark::None).chars().count() + 1;
        *left >= chars && {
            *left -= chars;
            fit_in(&node.children, level + 1, left)
        }
    })
}

/// Leaves out what is deep, cuts names, and leaves out the end, each only where what came before was not enough.
pub(super) fn fit(roots: &mut Vec<Node>, options: &Options, give: &mut dyn FnMut(u64) -> u64) {
    // Of a list that is asked for as many items are shown as there is room for, each with what is in it.
    if !is_list(roots, options) {
        // Without its children an element would only lead to itself.
        let first = usize::from(options.of_element);
        if let Some(level) = Levels::of(roots).last_that_fits(options.max_chars).filter(|level| *level >= first) {
            cut_levels(roots, level, give);
        }
        let mut cuts = CUTS.into_iter();
        while !fits(roots, options.max_chars)
            && let Some(max) = cuts.next()
        {
            shorten(roots, max);
        }
    }
    if !fits(roots, options.max_chars) {
        cut_end(roots, options, give);
    }
}

/// Whether an element was asked for that has many alike children.
fn is_list(roots: &[Node], options: &Options) -> bool {
    matches!(roots, [root] if options.of_element && has_alike(&root.children, ALIKE_SHOWN))
}

/// How many characters the lines of each level take, and how many more the marks of those that hold others.
struct Levels(Vec<(usize, usize)>);

impl Levels {
    fn of(roots: &[Node]) -> Self {
        let mut levels = Self(Vec::new());
        levels.add(roots, 0);
        levels
    }

    fn add(&mut self, nodes: &[Node], level: usize) {
        if nodes.is_empty() {
            return;
        }
        if self.0.len() <= level {
            self.0.push((0, 0));
        }
        for node in nodes {
            self.0[level].0 += line(node, level, Mark::None).chars().count() + 1;
            self.0[level].1 += if node.children.is_empty() { 0 } else { MARK_CHARS };
            self.add(&node.children, level + 1);
        }
    }

    /// The deepest level with which all above it take no more than `max`. `None` where that would leave less than half of
    /// it used: then the end is cut rather than what is deep.
    fn last_that_fits(&self, max: usize) -> Option<usize> {
        let (mut chars, mut last) = (0, None);
        for (level, (more, marks)) in self.0.iter().enumerate() {
            chars += more;
            if chars > max {
                break;
            }
            if chars + marks + hint_chars(level + 1) <= max {
                last = Some((level, chars));
            }
        }
        last.filter(|(_, chars)| *chars > max / 2).map(|(level, _)| level)
    }
}

/// Leaves out what is below a level. Each line that holds more has a mark; the first says how to see it.
fn cut_levels(nodes: &mut [Node], level: usize, give: &mut dyn FnMut(u64) -> u64) {
    let mut told = false;
    cut_below(nodes, level, &mut told, give);
}

fn cut_below(nodes: &mut [Node], level: usize, told: &mut bool, give: &mut dyn FnMut(u64) -> u64) {
    for node in nodes {
        if level > 0 {
            cut_below(&mut node.children, level - 1, told, give);
        } else if !node.children.is_empty() {
            if *told {
                leave_out(node, give);
                continue;
            }
            *told = true;
            let lines = node.children.iter().map(Node::lines).sum();
            let mut rest = Node::standing_for_lines(lines, "lines inside", None);
            if let Some(rest) = rest.rest.as_mut() {
                rest.root = node.give_ref(give);
            }
            node.children = vec![rest];
        }
    }
}

/// Leaves out what is inside a node; its line has a ref to ask for it.
pub(super) fn leave_out(node: &mut Node, give: &mut dyn FnMut(u64) -> u64) {
    node.children.clear();
    node.give_ref(give);
    node.text = Some(match node.text.take() {
        Some(text) => format!("{text} {LEFT_OUT}"),
        None => LEFT_OUT.to_owned(),
    });
}

fn shorten(nodes: &mut [Node], max: usize) {
    for node in nodes {
        cut_names(node, max);
        shorten(&mut node.children, max);
    }
}
