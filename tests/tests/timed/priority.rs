//! Which renderers give way to others. Beside other tests a busy one would not get the share that is too much.

use std::collections::BTreeSet;
use std::time::Duration;

use porthole_tests::eventually::so;
use porthole_tests::family::Relative;
use porthole_tests::neighbours::BUSY;
use porthole_tests::{Stack, eventually};
use serde_json::json;

use super::alone;

/// How long the service may take to find a busy renderer, and the browser to end one.
const SOON: Duration = Duration::from_secs(30);

#[tokio::test]
async fn a_renderer_that_keeps_a_processor_busy_gives_way() {
    let _alone = alone().await;
    let stack = Stack::start().await;
    stack.expect_alive().await;
    let renderers = || stack.chromium().into_iter().filter(Relative::is_renderer);
    let nice: BTreeSet<i32> = renderers().filter_map(|one| one.nice()).collect();
    assert_eq!(nice.len(), 1, "all begin alike");
    let (hostile, url) = (stack.caller(), stack.site.html(&BUSY.html()));
    let wait = json!({"until": "load", "delay_ms": 10_000});
    let visit = tokio::spawn(async move { hostile.extract(json!({"url": url, "wait": wait})).await });
    let lowered = || renderers().filter(|one| one.nice().is_some_and(|now| !nice.contains(&now))).count();
    eventually(SOON, async || so(lowered() == 1, "no renderer has a lower priority")).await;
    // The others, the one that serves this request among them, keep theirs.
    stack.expect_alive().await;
    assert_eq!(lowered(), 1);
    visit.abort();
    eventually(SOON, async || so(lowered() == 0, "its renderer is still there")).await;
}
