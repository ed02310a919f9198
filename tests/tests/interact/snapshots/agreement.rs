//! Roles and names agree with those that Chromium computes.

use std::collections::HashMap;

use chromiumoxide_cdp::cdp::browser_protocol::accessibility::GetFullAxTreeParams;
use chromiumoxide_cdp::cdp::browser_protocol::dom::{GetDocumentParams, Node};
use porthole_contract::session::TargetBy;
use porthole_service::page::interact::Wanted;
use serde_json::Value;
use tokio::time::{Instant, timeout};

use crate::held_page::{HeldPage, PATIENCE};

/// What is compared: a page of our own with the elements and attributes that pages are made of.
const PAGE: &str = include_str!("names.html");
/// Roles that are another name for ours, or that only Chromium has.
const SAME: [(&str, &str); 12] = [
    ("image", "img"),
    ("RootWebArea", "document"),
    ("DisclosureTriangle", "button"),
    ("LabelText", "generic"),
    ("Legend", "generic"),
    ("Figcaption", "generic"),
    ("DescriptionList", "generic"),
    ("DescriptionListDetail", "definition"),
    ("SvgRoot", "img"),
    ("Section", "generic"),
    ("none", "generic"),
    ("Details", "group"),
];

/// The number of an element, as its attribute has it, by the id that the browser knows it by.
fn numbers(node: &Node, found: &mut HashMap<i64, String>) {
    let attributes = node.attributes.as_deref().unwrap_or_default();
    if let Some([_, number]) = attributes.chunks(2).find(|pair| pair[0] == "data-n") {
        found.insert(*node.backend_node_id.inner(), number.clone());
    }
    for child in node.children.iter().flatten() {
        numbers(child, found);
    }
}

fn text(value: Option<&Value>) -> String {
    let text = value.and_then(Value::as_str).unwrap_or_default().to_owned();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn same(role: &str) -> &str {
    SAME.iter().find(|(theirs, _)| *theirs == role).map_or(role, |(_, ours)| ours)
}

#[tokio::test(flavor = "multi_thread")]
async fn roles_and_names_agree_with_chromiums() {
    let held = HeldPage::open((1280, 720)).await;
    held.goes(&held.site.html(PAGE)).await;
    held.evaluate("document.body.querySelectorAll('*').forEach((element, n) => element.setAttribute('data-n', n))")
        .await;
    let session = held.session();
    let document = GetDocumentParams { depth: Some(-1), pierce: Some(true) };
    let mut found = HashMap::new();
    numbers(&timeout(PATIENCE, session.call(&document)).await.unwrap().unwrap().root, &mut found);
    let tree = timeout(PATIENCE, session.call(&GetFullAxTreeParams::default())).await.unwrap().unwrap();
    let (mut compared, mut others) = (0, Vec::new());
    for node in tree.nodes.into_iter().filter(|node| !node.ignored) {
        let Some(number) = node.backend_dom_node_id.and_then(|id| found.get(id.inner())) else { continue };
        let (role, name) = (
            text(node.role.as_ref().and_then(|role| role.value.as_ref())),
            text(node.name.as_ref().and_then(|name| name.value.as_ref())),
        );
        let wanted = Wanted { by: Some(TargetBy::Css), value: format!("[data-n=\"{number}\"]"), ..Wanted::default() };
        let ours = held.page.locate(&wanted, Instant::now() + PATIENCE).await.unwrap();
        compared += 1;
        // A row is named by its cells, which Chromium does in grids alone, and a figure by its caption, as HTML-AAM says.
        let is_named = !matches!(same(&role), "generic" | "row" | "definition" | "figure");
        if same(&role) != same(&ours.role) || (is_named && name != ours.name) {
            others.push(format!("{number}: {} {:?}, and Chromium has {role} {name:?}", ours.role, ours.name));
        }
    }
    assert!(compared > 90, "{compared}");
    assert!(others.is_empty(), "{} of {compared}:\n{}", others.len(), others.join("\n"));
    held.ends().await;
}
