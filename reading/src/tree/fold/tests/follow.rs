//! A client that follows every hint reaches every line of a page.

use std::collections::{BTreeSet, HashSet};

use super::*;
use crate::tree::Rest;

/// Refs are handles and this.
const REFS_FROM: u64 = 1_000;

/// A page whose lines all have a number: elements have it as handle, texts begin with it.
#[derive(Debug)]
struct Page {
    roots: Vec<Node>,
    /// The same after `flatten`, which is how offsets count.
    flat: Vec<Node>,
    lines: u64,
}

/// What is asked for: the handle of an element, or the document, and an offset.
type Request = (Option<u64>, usize);

/// What a client has seen and asked.
#[derive(Default)]
struct Client {
    shown: BTreeSet<u64>,
    asked: HashSet<Request>,
    to_ask: Vec<Request>,
}

// === impl Page ===

impl Page {
    fn of(mut roots: Vec<Node>) -> Self {
        let mut lines = 0;
        number(&mut roots, &mut lines);
        let mut flat = roots.clone();
        flatten(&mut flat);
        Self { roots, flat, lines }
    }

    fn children(&self, element: Option<u64>) -> &[Node] {
        element.map_or(&self.flat, |handle| &find(&self.flat, handle).unwrap().children)
    }

    /// As the service answers: refs are numbers that stay.
    fn answer(&self, (element, offset): Request, max_chars: usize) -> Vec<Node> {
        let options = Options { offset, of_element: element.is_some(), max_chars, ..ALL };
        let roots = match element {
            Some(handle) => vec![find(&self.roots, handle).unwrap().clone()],
            None => self.roots.clone(),
        };
        let (answer, is_cut) = fold(roots, &options, &mut reference_of);
        let tree = write(&answer);
        assert!(tree.chars <= max_chars, "{} of {max_chars}:\n{}", tree.chars, tree.text);
        assert!(is_cut || !tree.text.contains("… "), "{}", tree.text);
        answer
    }

    /// The requests of a client that follows all hints. Panics where one leads back, or a line is never shown.
    fn follow(&self, max_chars: usize) -> HashSet<Request> {
        let mut client = Client { to_ask: vec![(None, 0)], ..Client::default() };
        while let Some(request) = client.to_ask.pop() {
            if client.asked.insert(request) {
                let answer = self.answer(request, max_chars);
                client.read(self, request, &answer);
            }
        }
        let missed: Vec<u64> = (0..self.lines).filter(|line| !client.shown.contains(line)).collect();
        assert!(missed.is_empty(), "{max_chars}: of {} lines not shown: {missed:?}", self.lines);
        client.asked
    }
}

/// Names all lines, from the top down.
fn number(nodes: &mut [Node], lines: &mut u64) {
    for node in nodes {
        if node.role == "text" {
            node.text = Some(format!("{lines}.{}", node.text.as_deref().unwrap_or_default()));
        } else {
            node.handle = Some(*lines);
        }
        *lines += 1;
        number(&mut node.children, lines);
    }
}

fn reference_of(handle: u64) -> u64 {
    handle + REFS_FROM
}

fn find(nodes: &[Node], handle: u64) -> Option<&Node> {
    nodes.iter().find_map(|node| if node.handle == Some(handle) { Some(node) } else { find(&node.children, handle) })
}

// === impl Client ===

impl Client {
    fn read(&mut self, page: &Page, request: Request, nodes: &[Node]) {
        for node in nodes {
            if let Some(rest) = &node.rest {
                self.to_ask.push(hinted(page, request, rest));
                continue;
            }
            let number = node.handle.or_else(|| node.text.as_deref()?.split_once('.')?.0.parse().ok());
            self.shown.extend(number);
            if let (Some(reference), Some(text)) = (node.reference, &node.text)
                && text.ends_with('…')
            {
                assert_eq!(node.handle.map(reference_of), Some(reference));
                // The element that was asked for is not cut again, but for its own text.
                assert!(node.handle != request.0 || page.children(node.handle).is_empty(), "{node:?}");
                self.to_ask.push((node.handle, 0));
            }
            self.read(page, request, &node.children);
        }
    }
}

/// The request that a hint names: a later part of the same list, or an element deeper inside.
fn hinted(page: &Page, (element, after): Request, rest: &Rest) -> Request {
    let root = rest.root.map(|root| root - REFS_FROM);
    let offset = rest.offset.unwrap_or(0);
    if root == element {
        assert!(offset > after, "{rest:?} leads back");
    } else {
        let root = root.expect("a hint to an element leads into it");
        assert!(find(page.children(element), root).is_some(), "{rest:?} leads out");
    }
    let coming = page.children(root).get(offset..).unwrap_or_default();
    if rest.what.starts_with("lines") {
        assert_eq!(rest.count, lines_of(coming), "{rest:?}");
    } else {
        assert!(rest.count <= coming.len(), "{rest:?} of {}", coming.len());
    }
    (root, offset)
}

fn named(role: &str, name: &str, children: Vec<Node>) -> Node {
    let wants_ref = matches!(role, "button" | "link");
    Node { role: role.to_owned(), name: name.to_owned(), wants_ref, children, ..Node::default() }
}

fn text(words: &str) -> Node {
    Node { role: "text".to_owned(), text: Some(words.to_owned()), ..Node::default() }
}

/// Regions of regions, `width` each, with a button in each of the innermost.
fn regions(width: usize, depth: usize) -> Vec<Node> {
    let inside = |at| {
        if depth == 1 { vec![named("button", &format!("Go {at}"), Vec::new())] } else { regions(width, depth - 1) }
    };
    (0..width).map(|at| named("region", &format!("Region {at}"), inside(at))).collect()
}

fn footer() -> Node {
    named("contentinfo", "", vec![named("button", "FOOT", Vec::new())])
}

#[test]
fn siblings_after_the_subtree_that_is_cut_have_a_hint() {
    let cell = |at| named("cell", "", vec![named("link", &format!("Link number {at}"), Vec::new())]);
    let row = || named("row", "", (0..6).map(cell).collect());
    let table = |at| named("table", &format!("Table {at}"), (0..9).map(|_| row()).collect());
    let mut inside: Vec<Node> = (0..9).map(table).collect();
    inside.push(named("button", "Save", Vec::new()));
    let page = Page::of(vec![named("main", "", inside), footer()]);
    let text = write(&page.answer((None, 0), 20_000)).text;
    assert!(text.ends_with("\n… 2 more lines: offset=1"), "{text}");
    for max_chars in [500, 1_000, 5_000, 20_000] {
        page.follow(max_chars);
    }
}

#[test]
fn nested_regions_are_reached_at_each_bound() {
    let requests = Page::of(regions(9, 4)).follow(20_000);
    assert!(requests.len() < 500, "{}", requests.len());
    let mut roots = regions(8, 3);
    roots.push(footer());
    let page = Page::of(roots);
    for max_chars in [500, 1_000, 5_000, 20_000] {
        page.follow(max_chars);
    }
}

#[test]
fn later_siblings_on_each_of_many_levels_are_reached() {
    let words = "words ".repeat(150);
    let go = |at: usize| named("button", &format!("Go {at}"), Vec::new());
    let around = |inside, at| named("region", &format!("Region {at}"), vec![text(&words), inside, go(at)]);
    let page = Page::of(vec![(0..120).fold(go(999), around)]);
    for max_chars in [500, 1_000, 5_000, 20_000] {
        page.follow(max_chars);
    }
}

#[test]
fn each_of_two_lists_has_a_hint() {
    let list = || named("list", "", (0..120).map(|at| named("link", &format!("Item {at}"), Vec::new())).collect());
    let page = Page::of(vec![list(), list()]);
    for max_chars in [500, 600, 1_000, 20_000] {
        page.follow(max_chars);
    }
}

#[test]
fn the_lines_of_what_is_folded_count() {
    let item = |at| named("listitem", "", vec![named("link", &format!("Item {at}"), Vec::new())]);
    let mut roots: Vec<Node> = (0..7).map(|at| named("button", &"b".repeat(60 + at), Vec::new())).collect();
    roots.push(named("list", "", (0..400).map(item).collect()));
    let text = write(&Page::of(roots).answer((None, 0), 500)).text;
    assert!(text.ends_with("\n    - link \"Item 1\" [ref=@e1011]\n  … 796 more lines: root=@e1007 offset=2"), "{text}");
}

#[test]
fn a_line_that_is_longer_than_the_bound_neither_exceeds_it_nor_leads_back() {
    let long = |role: &str| Node {
        placeholder: Some("\u{1}".repeat(900)),
        url: Some("\u{2028}".repeat(900)),
        hint: Some("h".repeat(900)),
        text: Some("t".repeat(900)),
        bounds: Some([-1_000_000_000; 4]),
        states: vec![State::Clickable; 20],
        ..named(role, &"\u{7}".repeat(900), Vec::new())
    };
    let holds = |children| Node { children, text: None, ..long("region") };
    let items = || (0..12).map(|_| long("listitem")).collect();
    let texts = || (0..12).map(|_| text(&"\u{1}".repeat(900))).collect();
    let page = Page::of(vec![long("link"), holds(items()), holds(vec![holds(texts()), long("link")]), text("end")]);
    for max_chars in [500, 600, 1_000, 20_000] {
        page.follow(max_chars);
    }
}

#[test]
fn children_of_a_node_without_a_ref_are_reached() {
    let run = |children| Node { children, ..text("words") };
    let buttons = |count| (0..count).map(|at| named("button", &format!("Button {at}"), Vec::new())).collect();
    let page = Page::of(vec![run(buttons(70)), named("main", "", vec![run(vec![run(buttons(9))]), run(buttons(40))])]);
    for max_chars in [500, 1_000, 20_000] {
        page.follow(max_chars);
    }
}

fn pages() -> impl Strategy<Value = Page> {
    let role = prop::sample::select(vec!["button", "row", "text", "link", "listitem"]);
    let name = prop_oneof![4 => "[a-z ]{0,12}", 2 => ".{0,60}", 1 => "[a-z\"\u{1}]{200,900}"];
    let leaf = (role, name, any::<bool>()).prop_map(|(role, name, is_chosen)| match role {
        "text" => text(&name),
        role => {
            Node { states: if is_chosen { vec![State::Checked] } else { Vec::new() }, ..named(role, &name, vec![]) }
        }
    });
    let tree = leaf.prop_recursive(8, 500, 12, |inner| {
        let children = prop_oneof![
            3 => prop::collection::vec(inner.clone(), 1..4),
            2 => prop::collection::vec(inner.clone(), 0..25),
            2 => (inner, 2..90_usize).prop_map(|(one, count)| if lines_of(std::slice::from_ref(&one)) * count > 900 {
                vec![one; 2]
            } else {
                vec![one; count]
            }),
        ];
        let role = prop::sample::select(vec!["list", "region", "row", "listitem"]);
        (role, "[a-z ]{0,30}", any::<bool>(), children)
            .prop_map(|(role, name, wants_ref, children)| Node { wants_ref, ..named(role, &name, children) })
    });
    prop::collection::vec(tree, 0..8).prop_map(Page::of)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn a_client_that_follows_every_hint_sees_every_line(page in pages(), max_chars in prop_oneof![500_usize..900, 900_usize..6_000]) {
        let requests = page.follow(max_chars);
        prop_assert!(requests.len() as u64 <= page.lines + 1, "{} for {} lines", requests.len(), page.lines);
    }
}
