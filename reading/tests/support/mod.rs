//! Builds a page from its source, without a browser: nothing is hidden, and layout follows from the elements' names.

use std::sync::Arc;

use porthole_reading::dom::{Data, Display, Dom, Element, Hidden, NodeId};
use scraper::{ElementRef, Html, Node};

/// Parses a document into a tree.
pub(crate) fn dom(html: &str) -> Dom {
    let parsed = Html::parse_document(html);
    let mut dom = Dom::default();
    push(&mut dom, None, parsed.root_element());
    dom
}

fn push(dom: &mut Dom, parent: Option<NodeId>, element: ElementRef<'_>) {
    let value = element.value();
    let attributes = value.attrs().map(|(name, value)| (Arc::from(name), value.to_owned())).collect();
    let data = Data::Element(Element {
        name: Arc::from(value.name()),
        attributes,
        display: Display::Inline,
        keeps_space: value.name() == "pre",
        ..Element::default()
    });
    let id = dom.push(parent, data, Hidden::No);
    for child in element.children() {
        match child.value() {
            Node::Text(text) => drop(dom.push(Some(id), Data::Text(text.to_string()), Hidden::No)),
            Node::Element(_) => push(dom, Some(id), ElementRef::wrap(child).expect("the node is an element")),
            _ => {}
        }
    }
}
