//! How often a screenshot goes to the browser and back: counted by two delays on the line, not by the clock.

use std::time::Duration;

use porthole_tests::emulator::EmulatorOptions;
use porthole_tests::site::{REBOUND, SHOP};
use porthole_tests::{Emulator, Remote, Reply, Stack};
use serde_json::{Value, json};

/// Each way, in milliseconds. So far apart that a busy machine's own time is small beside one round trip.
const NEAR_MS: u64 = 50;
const FAR_MS: u64 = 250;
/// The least time of so many: what a busy machine adds is left out.
const TRIES: usize = 3;

async fn least_ms(stack: &Stack, emulator: &Emulator, fields: &Value, each_way_ms: u64) -> f64 {
    emulator.faults(json!({"connect": {"delay": {"each_way_ms": each_way_ms}}})).await;
    let mut least = Duration::MAX;
    for _ in 0..TRIES {
        let answer = stack.screenshot(fields.clone()).await;
        assert_eq!(answer.warnings(), Vec::<String>::new());
        assert!(!answer.picture().is_blank());
        least = least.min(answer.took);
    }
    emulator.clear_faults().await;
    least.as_secs_f64() * 1_000.0
}

/// Round trips from the socket's upgrade to the picture.
async fn count(stack: &Stack, emulator: &Emulator, fields: Value) -> f64 {
    let near = least_ms(stack, emulator, &fields, NEAR_MS).await;
    let far = least_ms(stack, emulator, &fields, FAR_MS).await;
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let trips = (far - near) / (2 * (FAR_MS - NEAR_MS)) as f64;
    println!("{trips:.2} round trips: {fields}");
    trips
}

fn expect_at_most(most: u32, counted: f64) {
    assert!(counted < f64::from(most) + 0.5, "{counted:.2} round trips, not {most}");
    assert!(counted > 1.0, "{counted:.2}: the delay is not on this line");
}

const PAGE: &str = "<!doctype html><title>t</title><style>body{background:#0a6}</style><p>words<img width=50 height=50 \
    src='data:image/svg+xml,<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1 1\"><circle r=\"1\"/></svg>'>";

fn until_load(url: &str) -> Value {
    json!({"url": url, "wait": {"until": "load"}})
}

#[tokio::test]
async fn browserbase_costs_at_most_five_and_one_for_each_thing_more() {
    let remote = Remote::start().await;
    let (stack, emulator) = (&remote.stack, &remote.emulator);
    let url = stack.site.html(PAGE);
    expect_at_most(5, count(stack, emulator, until_load(&url)).await);
    expect_at_most(6, count(stack, emulator, json!({"url": url})).await);
    let redirect = stack.site.page(Reply::redirect(302, &url));
    expect_at_most(6, count(stack, emulator, until_load(&redirect)).await);
    let framed = stack.site.html(&format!("{PAGE}<iframe src='{url}'></iframe>"));
    expect_at_most(6, count(stack, emulator, until_load(&framed)).await);
    let inner = stack.site.html("in another process");
    let elsewhere = stack.site.under_name(&inner, SHOP);
    let framed = stack.site.html(&format!("{PAGE}<iframe src='{elsewhere}'></iframe>"));
    expect_at_most(6, count(stack, emulator, until_load(&framed)).await);
    assert_eq!(stack.site.seen(&inner).len(), 2 * TRIES, "the frame was not loaded");
}

#[tokio::test]
async fn a_guest_in_somebodys_browser_costs_at_most_five() {
    let names = format!("{SHOP}=127.0.0.1,{REBOUND}=127.0.0.1,*=none");
    let emulator = Emulator::start(EmulatorOptions::new().setting("PORTHOLE_EMULATOR_RESOLVE", &names)).await;
    let body = json!({"projectId": emulator.project_id(), "keepAlive": true});
    let (_, session) = emulator.call(http::Method::POST, "/v1/sessions", Some(&body)).await;
    let stack = Stack::with()
        .setting("PORTHOLE_PROVIDER", "cdp")
        .setting("PORTHOLE_CDP_URL", session["connectUrl"].as_str().unwrap())
        .start();
    let stack = Box::pin(stack).await;
    let url = stack.site.html(PAGE);
    expect_at_most(5, count(&stack, &emulator, until_load(&url)).await);
    expect_at_most(6, count(&stack, &emulator, json!({"url": url})).await);
}
