//! Which renderers give way to others. Beside other tests a busy one would not get the share that is too much.

use std::collections::BTreeSet;
use std::time::Duration;

use porthole_tests::agent::Agent;
use porthole_tests::eventually::so;
use porthole_tests::family::Relative;
use porthole_tests::neighbours::{BUSY, NEIGHBOURS};
use porthole_tests::{Stack, eventually, owner};
use serde_json::json;

use super::alone;

/// How long the service may take to find a busy renderer, and the browser to end one.
const SOON: Duration = Duration::from_secs(30);

#[tokio::test]
async fn a_browser_that_a_sandboxs_sessions_keep_busy_gives_way_with_all_its_processes() {
    let _alone = alone().await;
    let stack = Stack::start().await;
    let url = stack.site.html("<title>quiet</title>");
    let (quiet, _) = Agent::at(stack.caller(), &url).await;
    let known = stack.chromium();
    let colours = NEIGHBOURS.into_iter().find(|kind| kind.name == "theme colours").unwrap();
    let hostile = stack.caller().owning("sb-hostile", &owner::FIRST);
    let (hostile, _) = Agent::with(hostile, json!({"url": stack.site.html(&colours.html())})).await;
    let nice = || known.iter().map(Relative::nice).collect::<Vec<_>>();
    let (before, normal) = (nice(), known.iter().find(|one| one.is_browser()).and_then(Relative::nice));
    let browser = || stack.chromium().into_iter().find(|one| one.is_browser() && !known.contains(one));
    let lowered = async || {
        let now = browser().as_ref().and_then(Relative::nice);
        so(now.is_some() && now > normal, format!("{now:?} and {normal:?}"))
    };
    eventually(SOON, lowered).await;
    let group = browser().unwrap().group;
    assert_eq!(nice(), before, "the others keep their priority");
    quiet.does("snapshot", json!({})).await;
    // Nobody else gets it: it ends with its last session.
    hostile.does("close", json!({})).await;
    eventually(SOON, async || so(!stack.chromium().iter().any(|one| one.group == group), "it is still there")).await;
    quiet.does("close", json!({})).await;
}

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
