//! What is left out of a tree that is long: alike siblings beyond the first, then deep levels, long names, the end.
//!
//! Whatever is left out, a line says how to get it.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::text::{Mark, line};
use super::{Node, Rest, State};

/// More siblings of one kind than these are folded.
pub const ALIKE_MAX: usize = 50;
/// How many of them are shown then.
pub const ALIKE_SHOWN: usize = 10;
/// Children that count for what kind a node is of.
const KIND_CHILDREN_MAX: usize = 30;
/// Chosen ones that are shown beyond the first, each time.
const CHOSEN_SHOWN_MAX: usize = 10;
/// Names and texts are cut to these, in characters, until the tree fits.
const CUTS: [usize; 5] = [300, 150, 80, 40, 20];
/// Room for the line that says what is missing at the end, in characters.
const END_CHARS: usize = 80;

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

/// Leaves out what there is no room for, and has refs given to what is shown: `give` turns handles into the numbers of
/// refs. Returns what is left, and whether something was left out for want of room.
pub fn fold(mut roots: Vec<Node>, options: &Options, give: &mut dyn FnMut(u64) -> u64) -> (Vec<Node>, bool) {
    skip(&mut roots, options);
    if let Some(depth) = options.max_depth {
        prune(&mut roots, depth);
    }
    let mut is_cut = fold_all(&mut roots, options, ALIKE_MAX, give);
    give_refs(&mut roots, give);
    let mut levels = Levels::of(&roots);
    if levels.chars() > options.max_chars {
        is_cut = true;
        fold_all(&mut roots, options, ALIKE_SHOWN, give);
        levels = Levels::of(&roots);
        if let Some(level) = levels.last_that_fits(options.max_chars) {
            cut_levels(&mut roots, level, give);
        }
        let mut cuts = CUTS.into_iter();
        while Levels::of(&roots).chars() > options.max_chars
            && let Some(max) = cuts.next()
        {
            shorten(&mut roots, max);
        }
        if Levels::of(&roots).chars() > options.max_chars {
            cut_end(&mut roots, options, give);
        }
    }
    (roots, is_cut)
}

/// Applies the offset.
fn skip(roots: &mut Vec<Node>, options: &Options) {
    let list = match roots.as_mut_slice() {
        [root] if options.of_element => &mut root.children,
        _ => roots,
    };
    list.drain(..options.offset.min(list.len()));
}

fn prune(nodes: &mut [Node], depth: usize) {
    for node in nodes {
        match depth.checked_sub(1) {
            None => node.children.clear(),
            Some(depth) => prune(&mut node.children, depth),
        }
    }
}

fn give_refs(nodes: &mut [Node], give: &mut dyn FnMut(u64) -> u64) {
    for node in nodes {
        if node.wants_ref {
            reference(node, give);
        }
        give_refs(&mut node.children, give);
    }
}

/// The ref of a node: the one it has, or a new one.
fn reference(node: &mut Node, give: &mut dyn FnMut(u64) -> u64) -> Option<u64> {
    if node.reference.is_none() {
        node.reference = node.handle.map(give);
    }
    node.reference
}

/// Folds alike siblings on all levels.
fn fold_all(roots: &mut Vec<Node>, options: &Options, max: usize, give: &mut dyn FnMut(u64) -> u64) -> bool {
    match roots.as_mut_slice() {
        [root] if options.of_element => {
            // Refs are given from the top down.
            if root.wants_ref {
                reference(root, give);
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
            reference(node, give);
        }
        if fold_siblings(&mut node.children, 0, max) {
            is_cut = true;
            let root = reference(node, give);
            for rest in node.children.iter_mut().filter_map(|child| child.rest.as_mut()) {
                rest.root = root;
            }
        }
        is_cut |= fold_inside(&mut node.children, max, give);
    }
    is_cut
}

/// Two siblings of one kind have one role, and children of the same roles.
fn kind(node: &Node) -> u64 {
    let mut hasher = DefaultHasher::new();
    node.role.hash(&mut hasher);
    for child in node.children.iter().take(KIND_CHILDREN_MAX) {
        child.role.hash(&mut hasher);
    }
    hasher.finish()
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
        number += node.rest.as_ref().map_or(1, |rest| rest.count);
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
                if rest.what != what {
                    rest.what = "elements".to_owned();
                }
            }
            None => kept.push(rest(1, what, Some(at))),
        }
    }
    *nodes = kept;
    true
}

fn rest(count: usize, what: String, offset: Option<usize>) -> Node {
    Node { rest: Some(Rest { count, what, root: None, offset }), ..Node::default() }
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

/// How many characters the lines of each level take.
struct Levels(Vec<usize>);

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
            self.0.push(0);
        }
        for node in nodes {
            self.0[level] += line(node, level, Mark::None).chars().count() + 1;
            self.add(&node.children, level + 1);
        }
    }

    /// Of all lines, with their ends.
    fn chars(&self) -> usize {
        self.0.iter().sum::<usize>().saturating_sub(1)
    }

    /// The deepest level with which all above it take no more than `max`. `None` where that would leave less than half of
    /// it used: then the end is cut rather than what is deep.
    fn last_that_fits(&self, max: usize) -> Option<usize> {
        let mut chars = 0;
        let mut last = None;
        for (level, more) in self.0.iter().enumerate() {
            if chars + more > max {
                break;
            }
            chars += more;
            last = Some(level);
        }
        last.filter(|_| chars > max / 2)
    }
}

/// Leaves out what is below a level. The first line that holds more says how to see it.
fn cut_levels(nodes: &mut [Node], level: usize, give: &mut dyn FnMut(u64) -> u64) {
    let mut told = false;
    cut_below(nodes, level, &mut told, give);
}

fn cut_below(nodes: &mut [Node], level: usize, told: &mut bool, give: &mut dyn FnMut(u64) -> u64) {
    for node in nodes {
        if level > 0 {
            cut_below(&mut node.children, level - 1, told, give);
        } else if !node.children.is_empty() {
            let count = lines_of(&node.children);
            node.children.clear();
            if !*told && let Some(root) = reference(node, give) {
                *told = true;
                let mut rest = rest(count, "lines inside".to_owned(), None);
                if let Some(rest) = rest.rest.as_mut() {
                    rest.root = Some(root);
                }
                node.children.push(rest);
            }
        }
    }
}

fn lines_of(nodes: &[Node]) -> usize {
    nodes.iter().map(|node| 1 + lines_of(&node.children)).sum()
}

fn shorten(nodes: &mut [Node], max: usize) {
    for node in nodes {
        cut_text(&mut node.name, max);
        for text in [&mut node.text, &mut node.placeholder, &mut node.url, &mut node.hint].into_iter().flatten() {
            cut_text(text, max);
        }
        shorten(&mut node.children, max);
    }
}

fn cut_text(text: &mut String, max: usize) {
    if let Some((at, _)) = text.char_indices().nth(max) {
        text.truncate(at);
        text.push('…');
    }
}

/// Leaves out lines from the end until there is room, and says where the rest begins.
fn cut_end(roots: &mut Vec<Node>, options: &Options, give: &mut dyn FnMut(u64) -> u64) {
    let mut room = options.max_chars.saturating_sub(END_CHARS);
    let mut path = Vec::new();
    let all = lines_of(roots);
    keep(roots, 0, &mut room, &mut path);
    let count = all - lines_of(roots);
    let mut rest = rest(count, "lines".to_owned(), None);
    if let Some(rest) = rest.rest.as_mut() {
        (rest.root, rest.offset) = goes_on(roots, &path, options, give);
    }
    roots.push(rest);
}

/// Keeps the lines that there is room for; `path` becomes the way to the first for which there is none.
fn keep(nodes: &mut Vec<Node>, level: usize, room: &mut usize, path: &mut Vec<usize>) -> bool {
    for at in 0..nodes.len() {
        path.push(at);
        let chars = line(&nodes[at], level, Mark::None).chars().count() + 1;
        let Some(left) = room.checked_sub(chars) else {
            nodes.truncate(at);
            return false;
        };
        *room = left;
        if !keep(&mut nodes[at].children, level + 1, room, path) {
            nodes.truncate(at + 1);
            return false;
        }
        path.pop();
    }
    true
}

/// The root and offset that show what follows a path: the outermost list of which something was shown.
fn goes_on(
    roots: &mut [Node],
    path: &[usize],
    options: &Options,
    give: &mut dyn FnMut(u64) -> u64,
) -> (Option<u64>, Option<usize>) {
    let mut nodes = roots;
    let mut root = None;
    for (level, at) in path.iter().enumerate() {
        let is_top = level == usize::from(options.of_element);
        let base = if is_top { options.offset } else { 0 };
        let before: usize = nodes.iter().take(*at).map(|node| node.rest.as_ref().map_or(1, |rest| rest.count)).sum();
        if before > 0 && (level > 0 || !options.of_element) {
            return (root, Some(base + before));
        }
        let Some(node) = nodes.get_mut(*at) else { return (root, Some(base + before)) };
        let Some(inner) = reference(node, give) else { return (root, Some(base + before)) };
        root = Some(inner);
        nodes = &mut node.children;
    }
    (root, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::write;
    use proptest::prelude::*;

    fn leaf(role: &str, name: &str, handle: u64) -> Node {
        Node {
            role: role.to_owned(),
            name: name.to_owned(),
            handle: Some(handle),
            wants_ref: role == "button",
            ..Node::default()
        }
    }

    fn holder(role: &str, handle: u64, children: Vec<Node>) -> Node {
        Node { role: role.to_owned(), handle: Some(handle), children, ..Node::default() }
    }

    const ALL: Options = Options { max_depth: None, offset: 0, of_element: false, max_chars: 20_000 };

    fn shown(roots: Vec<Node>, options: &Options) -> (String, bool) {
        let mut given = Vec::new();
        let mut give = |handle| {
            given.push(handle);
            given.len() as u64
        };
        let (roots, is_cut) = fold(roots, options, &mut give);
        (write(&roots).text, is_cut)
    }

    fn rows(count: u64) -> Vec<Node> {
        (0..count).map(|row| holder("row", 100 + row, vec![leaf("cell", &format!("c{row}"), 1000 + row)])).collect()
    }

    #[test]
    fn of_more_than_fifty_alike_ten_are_shown() {
        let (text, is_cut) = shown(vec![holder("table", 1, rows(300)), leaf("button", "Next", 2)], &ALL);
        assert!(is_cut);
        assert!(text.starts_with("- table [ref=@e1]:\n  - row:\n    - cell \"c0\""), "{text}");
        assert!(text.ends_with("c9\"\n  … 290 more rows: root=@e1 offset=10\n- button \"Next\" [ref=@e2]"), "{text}");
        let (text, is_cut) = shown(vec![holder("table", 1, rows(50))], &ALL);
        assert!(!is_cut && text.ends_with("c49\""), "{text}");
    }

    #[test]
    fn by_root_all_children_are_shown_from_the_offset_on() {
        let options = Options { offset: 10, of_element: true, ..ALL };
        let (text, is_cut) = shown(vec![holder("table", 1, rows(300))], &options);
        assert!(
            !is_cut && !text.contains("\"c9\"") && text.contains("\"c10\"") && text.ends_with("\"c299\""),
            "{text}"
        );
        let (text, is_cut) = shown(vec![holder("table", 1, rows(300))], &Options { max_chars: 1000, ..options });
        assert!(is_cut && text.contains("\"c10\"") && text.chars().count() <= 1000, "{text}");
        let offset = text.rsplit_once("root=@e1 offset=").unwrap().1.parse::<usize>().unwrap();
        let (text, _) = shown(vec![holder("table", 1, rows(300))], &Options { offset, max_chars: 1000, ..options });
        assert!(text.contains(&format!("\"c{offset}\"")), "{text}");
    }

    #[test]
    fn siblings_of_another_kind_stay_and_so_does_what_is_chosen() {
        let mut options: Vec<Node> = (0..60).map(|at| leaf("option", &format!("o{at}"), at)).collect();
        options[40].states.push(State::Selected);
        let (text, _) = shown(vec![holder("combobox", 99, options)], &ALL);
        assert!(text.contains("  … 30 more options: root=@e1 offset=10\n  - option \"o40\" [selected]\n"), "{text}");
        assert!(text.ends_with("  … 19 more options: root=@e1 offset=41"), "{text}");
    }

    #[test]
    fn the_documents_own_children_are_got_by_offset_alone() {
        let buttons = |from: usize| (0..60).skip(from).map(|at| leaf("button", &format!("b{at}"), at)).collect();
        let (text, _) = shown(buttons(0), &ALL);
        assert!(text.ends_with("\n… 50 more buttons: offset=10"), "{text}");
        let (text, _) = shown(buttons(0), &Options { offset: 10, ..ALL });
        assert!(text.starts_with("- button \"b10\"") && text.contains("\"b59\""), "{text}");
    }

    #[test]
    fn depth_is_counted_below_the_top() {
        let tree = || vec![holder("main", 1, vec![holder("form", 2, vec![leaf("button", "Go", 3)])])];
        assert_eq!(shown(tree(), &Options { max_depth: Some(0), ..ALL }).0, "- main");
        assert_eq!(shown(tree(), &Options { max_depth: Some(1), ..ALL }).0, "- main:\n  - form");
        assert_eq!(shown(tree(), &Options { max_depth: Some(2), ..ALL }).0.lines().count(), 3);
    }

    #[test]
    fn over_the_bound_ten_alike_then_deep_levels_then_names_then_the_end() {
        let many = |count| (0..count).map(|at| leaf("button", &format!("b{at}"), at)).collect::<Vec<_>>();
        let (text, is_cut) = shown(vec![holder("form", 99, many(40))], &Options { max_chars: 500, ..ALL });
        assert!(is_cut && text.contains("… 30 more buttons: root=@e41 offset=10"), "{text}");
        let deep =
            (0..9).map(|at| holder("region", at, vec![leaf("link", &"x".repeat(60), 50 + at)])).collect::<Vec<_>>();
        let wide = deep.into_iter().map(|node| Node { name: "n".repeat(40), ..node }).collect();
        let (text, _) = shown(wide, &Options { max_chars: 800, ..ALL });
        assert!(text.contains("… 1 more lines inside: root=@e1") && !text.contains("- link"), "{text}");
        let long = (0..5).map(|at| leaf("button", &"n".repeat(900), at)).collect();
        let (text, _) = shown(long, &Options { max_chars: 1000, ..ALL });
        assert!(text.contains("n…\" [ref=@e5]"), "{text}");
    }

    fn nodes() -> impl Strategy<Value = Vec<Node>> {
        let role = prop::sample::select(vec!["button", "row", "text", "link", "generic", "listitem"]);
        let leaf = (role, ".{0,40}", any::<bool>()).prop_map(|(role, name, wants_ref)| Node {
            role: role.to_owned(),
            text: (role == "text").then(|| name.clone()),
            name: if role == "text" { String::new() } else { name },
            handle: (role != "text").then_some(7),
            wants_ref: wants_ref && role != "text",
            ..Node::default()
        });
        let tree = leaf.prop_recursive(6, 400, 70, |inner| {
            (prop::collection::vec(inner, 0..70), any::<bool>()).prop_map(|(children, wants_ref)| Node {
                role: "list".to_owned(),
                handle: Some(3),
                wants_ref,
                children,
                ..Node::default()
            })
        });
        prop::collection::vec(tree, 0..30)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

        #[test]
        fn the_bound_holds_and_no_name_makes_a_line(roots in nodes(), max_chars in 500_usize..3000, offset in 0_usize..4) {
            let mut given = 0;
            let mut give = |_| { given += 1; given };
            let (folded, is_cut) = fold(roots.clone(), &Options { max_chars, offset, ..ALL }, &mut give);
            let tree = write(&folded);
            prop_assert!(tree.chars <= max_chars, "{} of {max_chars}\n{}", tree.chars, tree.text);
            prop_assert_eq!(tree.chars, tree.text.chars().count());
            let lines = if tree.text.is_empty() { 0 } else { tree.text.split('\n').count() };
            prop_assert_eq!(lines, lines_of(&folded));
            prop_assert!(is_cut || lines_of(&roots[offset.min(roots.len())..]) == lines);
            prop_assert!(tree.text.lines().all(|line| line.trim_start().starts_with("- ") || line.trim_start().starts_with("… ")));
            // All refs of the text stand outside of quotes and before the colon, and are listed.
            let mut refs = 0;
            for line in tree.text.lines().filter(|line| line.trim_start().starts_with("- ")) {
                refs += usize::from(outside_quotes(line.trim_start()).contains("[ref=@e"));
            }
            prop_assert_eq!(refs, tree.refs.len());
        }
    }

    /// A line without its names and without what follows its colon, as a reader who knows the grammar sees it.
    fn outside_quotes(line: &str) -> String {
        let (mut outside, mut quoted, mut escaped) = (String::new(), false, false);
        for char in line.chars() {
            match char {
                _ if escaped => escaped = false,
                '\\' if quoted => escaped = true,
                '"' => quoted = !quoted,
                ':' if !quoted => break,
                char if !quoted => outside.push(char),
                _ => {}
            }
        }
        outside
    }
}
