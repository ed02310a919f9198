//! The example of a plain page with a card, `docs/examples/cards.html`, at a site of its own.

use std::path::Path;

use porthole_tests::{Reply, Stack};
use serde_json::json;

use crate::chat::PAGE;
use crate::person::Person;

/// A file of the examples.
fn file(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/examples").join(name)).unwrap()
}

#[tokio::test]
async fn a_plain_page_shows_what_was_read_and_tries_again() {
    let stack = Stack::start().await;
    let site = format!("http://{}", stack.site.addr());
    stack.site.put(&format!("{site}/cards.html"), Reply::html(&file("cards.html")));
    stack.site.put(&format!("{site}/cards.js"), Reply::of("text/javascript", file("cards.js")));
    let person = Person::at(&format!("{site}/cards.html?porthole={}", stack.worker.url(""))).await;
    person.sees("document.querySelector('porthole-card').shadowRoot !== null").await;

    person.fills("input", &stack.site.html(PAGE)).await;
    person.clicks("button", Some("Look")).await;
    person.reads(".content", "A brass lamp for the long nights at sea").await;
    person.browser.shot("example-cards").await;

    // A worker that can't be reached, and can again.
    person.browser.does(&json!({"do": "line", "lost": true})).await;
    person.clicks("button", Some("Look")).await;
    person.reads(".error", "The sandbox service can't be reached").await;
    person.browser.does(&json!({"do": "line"})).await;
    person.sees("navigator.onLine").await;
    person.clicks("button", Some("Try again")).await;
    person.reads(".content", "A brass lamp for the long nights at sea").await;

    person.fills("input", &stack.site.forbidden()).await;
    person.clicks("button", Some("Look")).await;
    person.reads(".error", "This URL points to a private or local network").await;
    assert_eq!(stack.site.forbidden_visits(), 0);
}
