//! The lines of snapshots: the table of states has each that is written, and no other; the page and the tree agree on what
//! controls are.

use std::collections::BTreeSet;

use porthole_tests::markdown::{tables, text};

#[test]
fn the_table_of_states_has_every_state() {
    let source = text("reading/src/tree/node.rs");
    let display = source.split("impl fmt::Display for State").nth(1).expect("how states are written");
    let written: BTreeSet<String> = in_brackets(display, '"').map(|state| state.replace("{level}", "N")).collect();
    let tables = tables("docs/reference/sessions.md");
    let table = tables.iter().find(|table| table.header[0] == "state").expect("a table of states");
    let documented: BTreeSet<String> = table.rows.iter().flat_map(|row| in_brackets(&row[0], '`')).collect();
    assert!(written.len() > 10, "{written:?}");
    assert_eq!(documented, written);
}

/// The quoted words that are in brackets.
fn in_brackets(text: &str, quote: char) -> impl Iterator<Item = String> {
    text.split(quote).filter(|part| part.starts_with('[') && part.ends_with(']')).map(str::to_owned)
}

#[test]
fn the_page_and_the_tree_agree_on_the_roles_of_controls() {
    let tree = text("reading/src/tree/node.rs");
    let tree = tree.split("const CONTROLS").nth(1).and_then(|rest| rest.split("];").next()).expect("the tree's list");
    let page = text("service/src/page/script/interact/snapshot/shape.js");
    let page = page.split("const ACTED_ON").nth(1).and_then(|rest| rest.split("]);").next()).expect("the page's list");
    let roles = |list: &'_ str, quote| list.split(quote).skip(1).step_by(2).map(str::to_owned).collect::<BTreeSet<_>>();
    let (tree, page) = (roles(tree, '"'), roles(page, '\''));
    assert!(tree.len() > 10, "{tree:?}");
    assert_eq!(tree, page);
}
