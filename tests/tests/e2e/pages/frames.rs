//! Frames of other origins, in the page's process and in their own: their content is read when the request asks for it.

use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use porthole_tests::site::SHOP;
use porthole_tests::{Reply, Stack};
use serde_json::{Value, json};

/// Returns a page with nested frames of another site, which site isolation puts into their own processes, a sandboxed
/// frame with an opaque origin, a hidden frame and a frame of the page's own origin.
fn page_with_frames(stack: &Stack) -> String {
    let innermost = stack.site.html("<title>innermost</title><p class=deep>deepest words</p><ul><li>four</ul>");
    let inner = stack
        .site
        .html(&format!("<p class=inner>inner words</p><ul><li>two<li>three</ul><iframe src='{innermost}'></iframe>"));
    let unseen = stack.site.under_name(&stack.site.html("<p class=unseen>unseen words</p>"), SHOP);
    let elsewhere = stack.site.under_name(&inner, SHOP);
    stack.site.html(&format!(
        "<title>outer</title><h1>Outer</h1><p>before</p><ul><li>one</ul><div id=box><iframe src='{elsewhere}'></iframe></div>\
        <iframe sandbox srcdoc='<p class=sealed>sealed words</p>'></iframe>\
        <iframe style='display:none' src='{unseen}'></iframe><iframe srcdoc='<p class=own>own words</p>'></iframe>"
    ))
}

/// Starts a browser with site isolation, which desktop Chromium has by default and the headless shell does not.
const ISOLATING: &str = r#"#!/bin/sh
for browser in /usr/lib/chromium/chromium-headless-shell "$(command -v chrome-headless-shell)" /usr/lib/chromium/chromium "$(command -v google-chrome)"
do [ -x "$browser" ] && exec "$browser" --site-per-process "$@"
done"#;

/// Starts a stack with site isolation; the folder holds the script that starts its browser.
async fn isolating() -> (Stack, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a temp folder");
    let script = folder.path().join("chromium-headless-shell");
    std::fs::write(&script, ISOLATING).expect("a script");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).expect("its mode");
    let stack = Stack::with().setting("PORTHOLE_CHROMIUM", script.to_str().expect("a readable name")).start().await;
    (stack, folder)
}

async fn read(stack: &Stack, url: &str, instruction: &str) -> porthole_tests::Answer {
    stack.extract(json!({"url": url, "instruction": instruction})).await
}

async fn the_text_includes_frames_in_their_place(stack: &Stack) {
    let url = page_with_frames(stack);
    let own = "Outer\n\nbefore\n\none";
    assert_eq!(read(stack, &url, "text").await.content(), own);
    let whole = format!("{own}\n\ninner words\n\ntwo\nthree\n\ndeepest words\n\nfour\n\nsealed words\n\nown words");
    let answer = stack.extract(json!({"url": url, "extract": {"kind": "text", "frames": true}})).await;
    assert_eq!(answer.content(), whole);
    assert!(answer.warnings().is_empty(), "{answer:?}");
    let mut pieces = String::new();
    while pieces.len() < whole.len() {
        let extract = json!({"kind": "text", "frames": true, "offset": pieces.len(), "max_chars": 30});
        let fields = stack.extract(json!({"url": url, "extract": extract})).await.expect_ok();
        assert_eq!(fields["total_chars"], json!(whole.len()));
        pieces += fields["content"].as_str().expect("a string");
        assert_eq!(fields.get("next_offset").is_some(), pieces.len() < whole.len());
    }
    assert_eq!(pieces, whole);
}

async fn selectors_find_what_is_in_frames(stack: &Stack) {
    let url = page_with_frames(stack);
    for (instruction, expected) in [
        ("selector: p", "before"),
        ("selector: .inner", "inner words"),
        ("selector: .deep", "deepest words"),
        ("selector: .sealed", "sealed words"),
        ("selector: .unseen", "unseen words"),
        ("selector: #box >> iframe >> .inner", "inner words"),
        ("selector: iframe >> iframe >> p", "deepest words"),
        ("text: DEEPEST", "deepest words"),
        ("xpath: //p[@class='sealed']", "sealed words"),
        ("all: li", "one\ntwo\nthree\nfour"),
        ("all: #box >> li", "two\nthree\nfour"),
        ("markdown: #box >> ul", "- two\n- three"),
    ] {
        assert_eq!(read(stack, &url, instruction).await.content(), expected, "{instruction}");
    }
    read(stack, &url, "selector: #box > .inner").await.expect_code("SELECTOR_NOT_FOUND");
    let map = json!({"kind": "json", "map": {"head": "h1", "inner": ".inner", "entries[]": "li", "none": "#none",
        "lists": ["ul", {"first": "li"}]}});
    let answer = stack.extract(json!({"url": url, "extract": map})).await.expect_ok();
    let lists: Vec<Value> = ["one", "two", "four"].iter().map(|first| json!({"first": first})).collect();
    assert_eq!(
        answer["data"],
        json!({"head": "Outer", "inner": "inner words", "entries": ["one", "two", "three", "four"], "none": null, "lists": lists})
    );
}

async fn several_matches_in_frames_are_cut_and_go_on(stack: &Stack) {
    let url = page_with_frames(stack);
    let mut seen = Vec::new();
    loop {
        let extract = json!({"kind": "text", "selector": "li", "all": true, "max_chars": 7, "offset": seen.len()});
        let fields = stack.extract(json!({"url": url, "extract": extract})).await.expect_ok();
        assert_eq!(fields["matched"], 4);
        seen.extend(
            fields["data"].as_array().expect("a list").iter().filter_map(|item| item.as_str().map(str::to_owned)),
        );
        if fields.get("next_offset").is_none() {
            break;
        }
        assert!(seen.len() < 4, "{fields:?}");
    }
    assert_eq!(seen, ["one", "two", "three", "four"]);
}

#[tokio::test]
async fn frames_of_other_origins_are_read_in_the_pages_own_process() {
    let stack = Stack::shared().await;
    the_text_includes_frames_in_their_place(&stack).await;
    selectors_find_what_is_in_frames(&stack).await;
    several_matches_in_frames_are_cut_and_go_on(&stack).await;
}

#[tokio::test]
async fn frames_of_other_origins_are_read_in_processes_of_their_own() {
    let (stack, _folder) = isolating().await;
    the_text_includes_frames_in_their_place(&stack).await;
    selectors_find_what_is_in_frames(&stack).await;
    several_matches_in_frames_are_cut_and_go_on(&stack).await;
}

#[tokio::test]
async fn a_frame_that_can_not_be_read_causes_a_warning_and_no_delay() {
    let (stack, _folder) = isolating().await;
    let busy =
        stack.site.html("<p>busy<script>addEventListener('load', () => setTimeout(() => { for (;;); }, 20))</script>");
    let refused = stack.site.under_name(&stack.site.html("never"), porthole_tests::site::REBOUND);
    let missing = stack.site.page(Reply::html("<p>not found").status(404));
    let url = stack.site.html(&format!(
        "<p>page</p><iframe src='{}'></iframe><iframe src='{refused}'></iframe><iframe src='{}'></iframe>",
        stack.site.under_name(&busy, SHOP),
        stack.site.under_name(&missing, SHOP),
    ));
    let extract = json!({"kind": "text", "frames": true});
    let answer = stack.extract(json!({"url": url, "extract": extract, "wait": {"until": "load"}})).await;
    let answer = answer.within(Duration::from_secs(30));
    assert!(answer.content().starts_with("page"), "{answer:?}");
    assert!(!answer.content().contains("rebound"), "{answer:?}");
    assert!(answer.warnings().iter().any(|warning| warning.starts_with("frames_unread: ")), "{answer:?}");
    stack.expect_alive().await;
}
