//! The Model Context Protocol: official clients and raw messages, over stdio and HTTP, in both revisions.

#![expect(clippy::unwrap_used, reason = "a test's panic is its failure")]

mod client;
mod http;
mod raw;
mod stdio;

use std::time::Duration;

use porthole_tests::Site;
use serde_json::json;

use self::client::Client;

const SOON: Duration = Duration::from_secs(20);

/// A form that says what it was sent.
const FORM: &str = "<title>Form</title><h1>Order</h1><label>Your name <input id=name></label>\
    <button onclick=\"said.textContent = 'Thank you, ' + document.getElementById('name').value\">Order</button><p id=said>";

/// Opens a page, looks, types, clicks, takes a picture, makes mistakes, closes. `implied` tells whether the session goes
/// without saying.
async fn work(client: &Client, site: &Site, implied: bool) {
    let opened = client.call("browser_navigate", json!({"url": site.html(FORM)})).await;
    let handle = opened.handle();
    assert!(!opened.is_error && opened.text.contains("textbox \"Your name\""), "{}", opened.text);
    let (begins, ends) = (opened.text.find("--- page content begins ("), opened.text.find("--- page content ends ("));
    assert!(begins.is_some() && begins < ends, "{}", opened.text);
    let with = |mut arguments: serde_json::Value| {
        if !implied {
            arguments["session"] = json!(handle);
        }
        arguments
    };
    let snapshot = client.call("browser_snapshot", with(json!({}))).await;
    assert!(!snapshot.is_error && snapshot.text.contains("heading \"Order\""), "{}", snapshot.text);
    let typed = client.call("browser_type", with(json!({"ref": snapshot.reference("textbox"), "text": "Ada"}))).await;
    assert!(!typed.is_error, "{}", typed.text);
    let clicked = client
        .call(
            "browser_click",
            with(json!({"ref": snapshot.reference("button"), "snapshot": {"mode": "full", "interactiveOnly": false}})),
        )
        .await;
    assert!(clicked.text.contains("Thank you, Ada"), "the result shows what the click did: {}", clicked.text);
    assert_eq!(clicked.handle(), handle);

    let picture = client.call("browser_screenshot", with(json!({"fullPage": true}))).await;
    let (width, height) = picture.picture();
    assert!(width.max(height) <= 1568 && width.min(height) > 100, "{width}x{height}");
    let read = client.call("browser_extract", with(json!({}))).await;
    assert!(read.text.contains("Thank you, Ada"), "{}", read.text);

    let wrong = client.call("browser_click", with(json!({"ref": "@e999"}))).await;
    assert!(
        wrong.is_error && wrong.text.contains("STALE_REF") && wrong.text.contains("What to do next: "),
        "{}",
        wrong.text
    );
    let bad = client.call("browser_click", with(json!({"selector": "button"}))).await;
    assert!(bad.is_error && bad.text.contains("has no argument \"selector\""), "{}", bad.text);
    assert_eq!(client.refused("browser_fly", json!({})).await, -32602);

    let once = client.call("sandbox_browser_extract", json!({"url": site.html("<p>only once")})).await;
    assert!(!once.is_error && once.text.contains("only once"), "{}", once.text);
    let closed = client.call("browser_close", with(json!({}))).await;
    assert!(!closed.is_error, "{}", closed.text);
    let gone = client.call("browser_snapshot", with(json!({}))).await;
    let code = if implied { "NO_PAGE" } else { "SESSION_NOT_FOUND" };
    assert!(gone.is_error && gone.text.contains(code) && gone.text.contains("browser_navigate"), "{}", gone.text);
}
