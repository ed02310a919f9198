//! Folding and fitting, and that neither can be forged.

use super::*;
use crate::tree::write;
use proptest::prelude::*;

mod follow;

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

fn lines_of(nodes: &[Node]) -> usize {
    nodes.iter().map(|node| 1 + lines_of(&node.children)).sum()
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
    assert!(!is_cut && !text.contains("\"c9\"") && text.contains("\"c10\"") && text.ends_with("\"c299\""), "{text}");
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
    assert_eq!(shown(tree(), &Options { max_depth: Some(0), ..ALL }), ("- main [ref=@e1]: …".to_owned(), true));
    assert_eq!(
        shown(tree(), &Options { max_depth: Some(1), ..ALL }),
        ("- main:\n  - form [ref=@e1]: …".to_owned(), true)
    );
    let (text, is_cut) = shown(tree(), &Options { max_depth: Some(2), ..ALL });
    assert!(text.lines().count() == 3 && !is_cut, "{text}");
}

#[test]
fn who_follows_each_line_that_says_more_sees_every_button() {
    let rows = |count: u64| -> Vec<Node> {
        let cells = |row| {
            vec![
                leaf("cell", &format!("r{row}"), 1000 + row),
                holder("cell", 2000 + row, vec![leaf("button", &format!("del {row}."), 3000 + row)]),
            ]
        };
        (0..count).map(|row| holder("row", 100 + row, cells(row))).collect()
    };
    for max_chars in [500, 1000, 20_000] {
        let mut seen = 0;
        let mut offset = 0;
        loop {
            let options = Options { offset, of_element: true, max_chars, ..ALL };
            let (text, is_cut) = shown(vec![holder("table", 1, rows(300))], &options);
            assert!(text.chars().count() <= max_chars, "{max_chars}: {text}");
            assert!(text.contains(&format!("del {seen}.")), "{max_chars}: {text}");
            let Some((_, next)) = text.rsplit_once(" offset=") else {
                assert!(!is_cut && text.contains("del 299."), "{max_chars}: {text}");
                break;
            };
            assert!(is_cut && next.parse::<usize>().unwrap() > offset, "{max_chars}: {text}");
            offset = next.parse().unwrap();
            seen = offset;
        }
    }
}

#[test]
fn the_bound_holds_of_what_is_nested_deeply_and_each_line_that_is_cut_has_a_mark() {
    let nested = || {
        (0..60).fold(leaf("button", "Go", 999), |inside, at| {
            let region = holder("region", at, vec![inside]);
            Node { name: format!("reg {at}"), wants_ref: at % 2 == 0, ..region }
        })
    };
    for max_chars in [500, 700, 1000, 2000, 4000] {
        let (text, is_cut) = shown(vec![nested()], &Options { max_chars, ..ALL });
        assert!(is_cut && text.chars().count() <= max_chars, "{max_chars}: {} {text}", text.chars().count());
        let left: usize = text.rsplit_once("… ").unwrap().1.split(' ').next().unwrap().parse().unwrap();
        assert_eq!(left + text.lines().count() - 1, 61, "{text}");
    }
    let sections = (0..9).map(|at| holder("region", at, vec![leaf("link", &"x".repeat(90), 50 + at)]));
    let sections = sections.map(|node| Node { name: "n".repeat(30), ..node }).collect();
    let (text, _) = shown(sections, &Options { max_chars: 700, ..ALL });
    assert_eq!(text.matches("]: …").count(), 8, "{text}");
    assert!(text.contains("… 1 more lines inside: root=@e1"), "{text}");
}

#[test]
fn over_the_bound_ten_alike_then_deep_levels_then_names_then_the_end() {
    let many = |count| (0..count).map(|at| leaf("button", &format!("b{at}"), at)).collect::<Vec<_>>();
    let (text, is_cut) = shown(vec![holder("form", 99, many(40))], &Options { max_chars: 500, ..ALL });
    assert!(is_cut && text.contains("… 30 more buttons: root=@e41 offset=10"), "{text}");
    let deep = (0..9).map(|at| holder("region", at, vec![leaf("link", &"x".repeat(60), 50 + at)])).collect::<Vec<_>>();
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
