//! What is new, other or gone since an earlier tree, beneath the lines that say where.

use std::collections::{HashMap, HashSet, VecDeque};

use super::text::{Mark, Tree, own};
use super::{Node, Rest};

/// Writes the lines that differ: `*` before what is new or other, `--` for what is gone, with the unchanged lines that they
/// are inside of, and with those beside them where some have moved. Empty where nothing differs.
#[must_use]
pub fn changes(before: &[Node], after: &[Node]) -> Tree {
    let mut still = HashSet::new();
    note_refs(after, &mut still);
    let mut lines = Vec::new();
    compare(before, after, 0, &still, &mut lines);
    let mut tree = Tree::default();
    for (node, level, mark) in lines {
        tree.push(node, level, mark);
    }
    tree
}

type Line<'a> = (&'a Node, usize, Mark);

fn note_refs(nodes: &[Node], refs: &mut HashSet<u64>) {
    for node in nodes {
        refs.extend(node.reference);
        note_refs(&node.children, refs);
    }
}

/// What two nodes of the same parents are told to be one by.
#[derive(PartialEq, Eq, Hash)]
enum Key<'a> {
    Ref(u64),
    /// By the first ref inside: a row is that of its button.
    Holds(&'a str, u64),
    Line(&'a str, &'a str, Option<&'a str>),
    Role(&'a str),
    Rest,
}

fn by_ref(node: &Node) -> Option<Key<'_>> {
    match (node.reference, &node.rest) {
        (_, Some(_)) => Some(Key::Rest),
        (Some(reference), _) => Some(Key::Ref(reference)),
        (None, None) => first_ref(&node.children).map(|first| Key::Holds(&node.role, first)),
    }
}

fn first_ref(nodes: &[Node]) -> Option<u64> {
    nodes.iter().find_map(|node| node.reference.or_else(|| first_ref(&node.children)))
}

fn by_line(node: &Node) -> Option<Key<'_>> {
    node.reference.is_none().then(|| Key::Line(&node.role, &node.name, node.text.as_deref()))
}

fn by_name(node: &Node) -> Option<Key<'_>> {
    (node.reference.is_none() && node.role != "text").then(|| Key::Line(&node.role, &node.name, None))
}

/// What has no ref and another name may be the next of its role that has none.
fn by_role(node: &Node) -> Option<Key<'_>> {
    node.reference.is_none().then(|| Key::Role(&node.role))
}

fn compare<'a>(before: &'a [Node], after: &'a [Node], level: usize, still: &HashSet<u64>, lines: &mut Vec<Line<'a>>) {
    let (matched, moved) = pair(before, after);
    let mut taken = vec![false; before.len()];
    // What has moved is told between what it is beside now.
    let is_beside =
        |at: usize| moved.get(at + 1) == Some(&true) || at.checked_sub(1).is_some_and(|before| moved[before]);
    for (nth, (node, earlier)) in after.iter().zip(matched).enumerate() {
        let Some(earlier) = earlier else {
            all(node, level, Mark::New, lines);
            continue;
        };
        taken[earlier] = true;
        if moved[nth] {
            all(node, level, Mark::New, lines);
            lost(&before[earlier].children, level + 1, still, lines);
            continue;
        }
        let is_same = same(&before[earlier], node);
        let at = lines.len();
        lines.push((node, level, if is_same { Mark::None } else { Mark::New }));
        compare(&before[earlier].children, &node.children, level + 1, still, lines);
        if is_same && lines.len() == at + 1 && !is_beside(nth) {
            lines.pop();
        }
    }
    for (node, _) in before.iter().zip(taken).filter(|(_, taken)| !taken) {
        gone(node, level, still, lines);
    }
}

/// For each node the earlier one that it is, if there is one; and whether it has moved among those beside it.
fn pair(before: &[Node], after: &[Node]) -> (Vec<Option<usize>>, Vec<bool>) {
    let mut matched = vec![None; after.len()];
    let mut taken = vec![false; before.len()];
    for key in [by_ref, by_line, by_name] {
        match_by(key, before, after, &mut matched, &mut taken);
    }
    let moved = moved(&matched);
    match_by(by_role, before, after, &mut matched, &mut taken);
    (matched, moved)
}

/// Matches what has none yet by a key, in order.
fn match_by<'a>(
    key: fn(&'a Node) -> Option<Key<'a>>,
    before: &'a [Node],
    after: &'a [Node],
    matched: &mut [Option<usize>],
    taken: &mut [bool],
) {
    let mut by_key: HashMap<Key<'_>, VecDeque<usize>> = HashMap::new();
    for (at, node) in before.iter().enumerate().filter(|(at, _)| !taken[*at]) {
        if let Some(key) = key(node) {
            by_key.entry(key).or_default().push_back(at);
        }
    }
    for (node, matched) in after.iter().zip(matched).filter(|(_, matched)| matched.is_none()) {
        if let Some(earlier) = key(node).and_then(|key| by_key.get_mut(&key)?.pop_front()) {
            taken[earlier] = true;
            *matched = Some(earlier);
        }
    }
}

/// Which of these are out of order: those outside of a longest ascending run.
fn moved(order: &[Option<usize>]) -> Vec<bool> {
    // The last elements of the best runs by their length, and what each element follows in its run.
    let mut ends: Vec<usize> = Vec::new();
    let mut follows: Vec<Option<usize>> = vec![None; order.len()];
    for (at, earlier) in order.iter().enumerate().filter(|(_, earlier)| earlier.is_some()) {
        let length = ends.partition_point(|end| order[*end] < *earlier);
        follows[at] = length.checked_sub(1).map(|before| ends[before]);
        if length == ends.len() {
            ends.push(at);
        } else {
            ends[length] = at;
        }
    }
    let mut moved: Vec<bool> = order.iter().map(Option::is_some).collect();
    let mut at = ends.last().copied();
    while let Some(stays) = at {
        moved[stays] = false;
        at = follows[stays];
    }
    moved
}

fn same(before: &Node, after: &Node) -> bool {
    let said = |node: &Node| {
        let mut said = String::new();
        own(node, &mut said);
        said
    };
    let rest = |rest: &Option<Rest>| rest.as_ref().map(|rest| rest.count);
    // A control of another row is for something else, though its line be the same.
    let is_same_row = before.row == after.row || !after.is_control();
    is_same_row && before.text == after.text && rest(&before.rest) == rest(&after.rest) && said(before) == said(after)
}

fn all<'a>(node: &'a Node, level: usize, mark: Mark, lines: &mut Vec<Line<'a>>) {
    lines.push((node, level, mark));
    for child in &node.children {
        all(child, level + 1, mark, lines);
    }
}

fn gone<'a>(node: &'a Node, level: usize, still: &HashSet<u64>, lines: &mut Vec<Line<'a>>) {
    if node.rest.is_some() {
        return;
    }
    // What has moved is shown where it is now.
    let inside = if node.reference.is_none_or(|reference| !still.contains(&reference)) {
        lines.push((node, level, Mark::Gone));
        level + 1
    } else {
        level
    };
    for child in &node.children {
        gone(child, inside, still, lines);
    }
}

/// The elements in what has moved that are gone.
fn lost<'a>(nodes: &'a [Node], level: usize, still: &HashSet<u64>, lines: &mut Vec<Line<'a>>) {
    for node in nodes {
        match node.reference {
            Some(reference) if !still.contains(&reference) => gone(node, level, still, lines),
            _ => lost(&node.children, level, still, lines),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn button(name: &str, reference: u64) -> Node {
        Node {
            role: "button".to_owned(),
            name: name.to_owned(),
            reference: Some(reference),
            handle: Some(reference + 100),
            ..Node::default()
        }
    }

    fn text(words: &str) -> Node {
        Node { role: "text".to_owned(), text: Some(words.to_owned()), ..Node::default() }
    }

    fn holder(role: &str, name: &str, children: Vec<Node>) -> Node {
        Node { role: role.to_owned(), name: name.to_owned(), children, ..Node::default() }
    }

    #[test]
    fn changes_stand_under_their_nearest_unchanged_parents() {
        let before = [
            holder("banner", "", vec![button("Menu", 1)]),
            holder("main", "", vec![text("3 items"), button("Old", 2), button("Stays", 3)]),
        ];
        let after = [
            holder("banner", "", vec![button("Menu", 1)]),
            holder("main", "", vec![text("4 items"), button("Stays", 3), button("Fresh", 4)]),
        ];
        let tree = changes(&before, &after);
        assert_eq!(
            tree.text,
            "- main:\n  - * text: 4 items\n  - * button \"Fresh\" [ref=@e4]\n  -- button \"Old\" [ref=@e2]"
        );
        assert_eq!(tree.refs, [(4, 104)]);
        assert_eq!(tree.element_count, 2);
    }

    #[test]
    fn nothing_is_said_of_what_stays() {
        let tree = [holder("main", "", vec![button("Menu", 1), text("words"), text("words")])];
        assert_eq!(changes(&tree, &tree), Tree::default());
    }

    #[test]
    fn a_changed_name_is_a_changed_line_and_what_moved_is_not_gone() {
        let before = [holder("form", "A", vec![button("Save", 1), button("Undo", 2)]), holder("form", "B", vec![])];
        let after = [holder("form", "A", vec![button("Saved", 1)]), holder("form", "B", vec![button("Undo", 2)])];
        assert_eq!(
            changes(&before, &after).text,
            "- form \"A\":\n  - * button \"Saved\" [ref=@e1]\n- form \"B\":\n  - * button \"Undo\" [ref=@e2]"
        );
    }

    #[test]
    fn what_is_in_the_row_of_another_entry_has_changed() {
        let list = |name: &str, row: u32| {
            [holder(
                "main",
                "",
                vec![text(name), Node { row, ..button("Delete", 1) }, Node { row: 9, ..button("Delete", 2) }],
            )]
        };
        let changed = "- main:\n  - * text: Bob\n  - * button \"Delete\" [ref=@e1]";
        assert_eq!(changes(&list("Ann", 1), &list("Bob", 2)).text, changed);
    }

    #[test]
    fn what_has_moved_is_told_between_what_has_stayed() {
        let list = |names: [(&str, u64); 4]| {
            [holder("list", "", names.iter().map(|(name, reference)| button(name, *reference)).collect())]
        };
        let before = list([("A", 1), ("B", 2), ("C", 3), ("D", 4)]);
        let after = list([("B", 2), ("C", 3), ("A", 1), ("D", 4)]);
        assert_eq!(
            changes(&before, &after).text,
            "- list:\n  - button \"C\" [ref=@e3]\n  - * button \"A\" [ref=@e1]\n  - button \"D\" [ref=@e4]"
        );
        assert_eq!(changes(&after, &after), Tree::default());
        // What it has lost on its way is gone.
        let card = |reference: u64, inside: Vec<Node>| Node { children: inside, ..button("Card", reference) };
        let cards = [card(1, vec![button("Start", 5)]), card(2, vec![]), card(3, vec![])];
        let moved = [card(2, vec![]), card(3, vec![]), card(1, vec![])];
        assert_eq!(
            changes(&cards, &moved).text,
            "- button \"Card\" [ref=@e3]\n- * button \"Card\" [ref=@e1]\n  -- button \"Start\" [ref=@e5]"
        );
        // What is new or gone moves nothing.
        let fewer = [holder("list", "", vec![button("C", 3), button("New", 9), button("D", 4)])];
        assert_eq!(
            changes(&before, &fewer).text,
            "- list:\n  - * button \"New\" [ref=@e9]\n  -- button \"A\" [ref=@e1]\n  -- button \"B\" [ref=@e2]"
        );
    }

    #[test]
    fn a_row_is_that_of_its_button() {
        let row = |words: &str, reference: u64| holder("row", "", vec![text(words), button("Edit", reference)]);
        let rows = [row("Ann", 1), row("Bob", 2), row("Cid", 3)];
        let told = |after: &[Node]| changes(&rows, after).text;
        let [ann, bob, cid] = rows.clone();
        assert_eq!(
            told(&[row("New", 9), ann.clone(), bob.clone(), cid.clone()]),
            "- * row:\n  - * text: New\n  - * button \"Edit\" [ref=@e9]"
        );
        assert_eq!(told(&[bob, cid.clone()]), "-- row\n  -- text: Ann\n  -- button \"Edit\" [ref=@e1]");
        assert_eq!(told(&[ann, row("Bo", 2), cid]), "- row:\n  - * text: Bo");
    }

    #[test]
    fn a_line_without_a_ref_is_that_with_the_same_words() {
        let items = |words: &[&str]| {
            let item = |words: &&str| Node { text: Some((*words).to_owned()), ..holder("listitem", "", vec![]) };
            [holder("list", "", words.iter().map(item).collect())]
        };
        let told = |after: &[&str]| changes(&items(&["one", "two", "three"]), &items(after)).text;
        assert_eq!(told(&["new", "one", "two", "three"]), "- list:\n  - * listitem: new");
        assert_eq!(told(&["two", "three"]), "- list:\n  -- listitem: one");
        assert_eq!(told(&["one", "2", "three"]), "- list:\n  - * listitem: 2");
    }

    #[test]
    fn all_of_what_is_gone_is_named() {
        let before = [holder("dialog", "Sign in", vec![text("words"), button("Close", 9)])];
        assert_eq!(
            changes(&before, &[]).text,
            "-- dialog \"Sign in\"\n  -- text: words\n  -- button \"Close\" [ref=@e9]"
        );
    }
}
