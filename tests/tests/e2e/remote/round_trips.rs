//! The number of round trips between service and browser that a screenshot takes.

use std::time::Duration;

use porthole_tests::emulator::EmulatorOptions;
use porthole_tests::site::{REBOUND, SHOP};
use porthole_tests::{Emulator, Remote, Reply, Stack};
use serde_json::{Value, json};

use super::line::{APART_MS, calls, latest_call_ms, lengthen, round_trips};

/// Maximum number of screenshots; the least count decides, as a page navigated again on a busy machine costs more.
const TRIES_MAX: usize = 6;
/// Fewer round trips than this are a mistake of the count.
const LEAST: usize = 3;
const IDLE_WITHIN: Duration = Duration::from_secs(60);

const PAGE: &str = "<!doctype html><title>t</title><style>body{background:#0a6}</style><p>words<img width=50 height=50 \
    src='data:image/svg+xml,<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1 1\"><circle r=\"1\"/></svg>'>";

/// Asserts that a screenshot takes at most `most` round trips from the socket's upgrade to the picture. `shared` is the
/// remote session that all screenshots use, if they share one.
async fn expect_at_most(most: usize, stack: &Stack, emulator: &Emulator, shared: Option<&str>, fields: Value) {
    let mut counts = Vec::new();
    while counts.len() < TRIES_MAX && counts.iter().all(|count| *count > most) {
        stack.expect_idle(IDLE_WITHIN).await;
        let after_ms = match shared {
            Some(session) => latest_call_ms(emulator, session).await,
            None => 0,
        };
        let answer = stack.screenshot(fields.clone()).await;
        assert_eq!(answer.warnings(), Vec::<String>::new());
        assert!(!answer.picture().is_blank());
        let ledger = emulator.ledger().await;
        let latest = ledger["sessions"].as_array().unwrap().last().unwrap()["id"].as_str().unwrap();
        counts.push(round_trips(emulator, shared.unwrap_or(latest), after_ms).await);
    }
    println!("{counts:?} round trips: {fields}");
    let least = *counts.iter().min().unwrap();
    assert!((LEAST..=most).contains(&least), "{counts:?} round trips, not {most}: {fields}");
}

fn until_load(url: &str) -> Value {
    json!({"url": url, "wait": {"until": "load"}})
}

#[tokio::test]
async fn browserbase_costs_at_most_five_and_one_for_each_extra() {
    let remote = Remote::with(EmulatorOptions::new(), &[("PORTHOLE_BROWSERBASE_LOG", "true")]).await;
    let (stack, emulator) = (&remote.stack, &remote.emulator);
    lengthen(emulator).await;
    let url = stack.site.html(PAGE);
    expect_at_most(5, stack, emulator, None, until_load(&url)).await;
    expect_at_most(6, stack, emulator, None, json!({"url": url})).await;
    let redirect = stack.site.page(Reply::redirect(302, &url));
    expect_at_most(6, stack, emulator, None, until_load(&redirect)).await;
    let framed = stack.site.html(&format!("{PAGE}<iframe src='{url}'></iframe>"));
    expect_at_most(6, stack, emulator, None, until_load(&framed)).await;
    let inner = stack.site.html("in another process");
    let elsewhere = stack.site.under_name(&inner, SHOP);
    let framed = stack.site.html(&format!("{PAGE}<iframe src='{elsewhere}'></iframe>"));
    expect_at_most(6, stack, emulator, None, until_load(&framed)).await;
    assert!(!stack.site.seen(&inner).is_empty(), "the frame was not loaded");
}

#[tokio::test]
async fn a_guest_in_a_shared_browser_costs_at_most_six() {
    let names = format!("{SHOP}=127.0.0.1,{REBOUND}=127.0.0.1,*=none");
    let emulator = Emulator::start(EmulatorOptions::new().setting("PORTHOLE_EMULATOR_RESOLVE", &names)).await;
    let body = json!({"projectId": emulator.project_id(), "keepAlive": true});
    let (_, session) = emulator.call(http::Method::POST, "/v1/sessions", Some(&body)).await;
    let stack = Stack::with()
        .setting("PORTHOLE_PROVIDER", "cdp")
        .setting("PORTHOLE_CDP_URL", session["connectUrl"].as_str().unwrap())
        .start();
    lengthen(&emulator).await;
    let stack = Box::pin(stack).await;
    let (url, id) = (stack.site.html(PAGE), session["id"].as_str());
    expect_at_most(6, &stack, &emulator, id, until_load(&url)).await;
    expect_at_most(7, &stack, &emulator, id, json!({"url": url})).await;
    // One of them is for the script that takes the constructor of shared workers, which a page must not be navigated without.
    let calls = calls(&emulator, id.unwrap()).await;
    let first = |wanted: &str| calls.iter().find(|(method, _)| method == wanted).unwrap().1;
    let waited = first("Page.navigate") - first("Page.addScriptToEvaluateOnNewDocument");
    assert!(waited >= APART_MS, "{waited} ms: {calls:?}");
}
