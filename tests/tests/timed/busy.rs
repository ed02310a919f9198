//! What happens to a browser that a page keeps busy. Beside other tests such a page would not get the time to do so.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use porthole_tests::eventually::so;
use porthole_tests::exposition::prometheus;
use porthole_tests::family::Relative;
use porthole_tests::neighbours::{BUSY, NEIGHBOURS, Neighbour};
use porthole_tests::{Caller, Stack, eventually, owner};
use serde_json::json;

use super::alone;

/// How long the service may take to find a noisy page and to start another browser.
const SOON: Duration = Duration::from_secs(40);
/// How long it may take to end a browser whose page was noisy: beyond the time for which it is kept.
const LATER: Duration = Duration::from_secs(100);
/// How long a browser is kept for the sandbox whose page was noisy, at least: the service's own constant.
const KEPT: Duration = Duration::from_secs(30);
/// How many noisy pages one sandbox opens in a row, at least and at most. Beside other tests such a page may not get the
/// processor time from which it is found.
const NOISY_PAGES: RangeInclusive<usize> = 4..=20;

fn browsers(stack: &Stack) -> Vec<Relative> {
    stack.chromium().into_iter().filter(Relative::is_browser).collect()
}

async fn starts(stack: &Stack, reason: &str) -> f64 {
    let answer = stack.admin(&stack.service, "/metrics").await;
    let families = prometheus(std::str::from_utf8(&answer.body).expect("metrics are text"));
    let series = format!(r#"porthole_browser_starts_total{{reason="{reason}"}}"#);
    families["porthole_browser_starts_total"].samples.get(&series).copied().unwrap_or_default()
}

/// Starts a service with one browser for all visits.
async fn one_browser() -> Stack {
    let stack = Stack::with().setting("PORTHOLE_MAX_CONCURRENT", "4").start().await;
    stack.expect_alive().await;
    assert_eq!(browsers(&stack).len(), 1);
    stack
}

fn kind(name: &str) -> Neighbour {
    NEIGHBOURS.into_iter().find(|kind| kind.name == name).expect("a kind of that name")
}

/// Returns the URL of a page that floods the browser's main thread.
fn noisy(stack: &Stack) -> String {
    stack.site.html(&kind("theme colours").html())
}

/// Begins a visit that holds its page for some seconds; returns it once the page has been requested.
async fn seen(stack: &Stack, caller: Caller) -> tokio::task::JoinHandle<Option<String>> {
    let url = stack.site.html(&format!("<title>quiet</title><p>{}", caller.sandbox_id));
    let visit = tokio::spawn(held(caller, url.clone(), 4_000));
    eventually(SOON, async || so(!stack.site.seen(&url).is_empty(), "the page is not visited")).await;
    visit
}

async fn held(caller: Caller, url: String, delay_ms: u64) -> Option<String> {
    caller.extract(json!({"url": url, "wait": {"until": "load", "delay_ms": delay_ms}})).await.code()
}

fn second(stack: &Stack) -> Caller {
    stack.caller().owning("sb-of-the-other-owner", &owner::SECOND)
}

#[tokio::test]
async fn a_noisy_pages_browser_is_left_to_its_sandbox_and_gives_way() {
    let _alone = alone().await;
    let stack = one_browser().await;
    let first = browsers(&stack)[0].clone();
    // As root Chromium raises the priority of some of its processes; none begins lower than its renderers.
    let nice = stack.chromium().iter().filter_map(Relative::nice).max();
    let visit = tokio::spawn(held(stack.caller(), noisy(&stack), 10_000));
    eventually(SOON, async || {
        assert_eq!(held(second(&stack), stack.site.html("<p>quiet"), 0).await, None);
        so(browsers(&stack).len() == 2, "no other browser takes its place")
    })
    .await;
    // All of the first one's processes give way, and none of the other's.
    eventually(SOON, async || {
        let is_lowered = |one: &Relative| one.nice() > nice;
        let (of_first, others): (Vec<_>, Vec<_>) = stack.chromium().into_iter().partition(|one| one.group == first.pid);
        let kept = of_first.iter().filter(|one| !is_lowered(one)).count();
        let lowered = others.iter().filter(|one| is_lowered(one)).count();
        so((kept, lowered) == (0, 0), format!("{kept} of the first browser's processes don't, {lowered} others do"))
    })
    .await;
    // Another sandbox's page is in the other browser: it outlives the noisy one's.
    let other = seen(&stack, second(&stack)).await;
    first.kill();
    assert_eq!(other.await.expect("a visit does not panic"), None);
    assert!(visit.await.expect("a visit does not panic").is_some(), "the noisy page was not in the first browser");
    let started = starts(&stack, "noisy").await + starts(&stack, "spare").await;
    assert!((1.0..=2.0).contains(&started), "{started} browsers were started");
    assert_eq!(starts(&stack, "died").await, 0.0);
}

#[tokio::test]
async fn a_page_that_is_ended_for_what_it_sends_leaves_its_browser_to_its_sandbox() {
    let _alone = alone().await;
    let stack = one_browser().await;
    let first = browsers(&stack)[0].clone();
    let nice = stack.chromium().iter().filter_map(Relative::nice).max();
    let url = stack.site.html(&kind("windows: names of 30 MB").html());
    assert_eq!(held(stack.caller(), url, 10_000).await.as_deref(), Some("NAVIGATION_FAILED"));
    eventually(SOON, async || {
        let of_first = stack.chromium().into_iter().filter(|one| one.group == first.pid);
        let kept = of_first.filter(|one| one.nice() <= nice).count();
        so(kept == 0, format!("{kept} of its browser's processes don't give way"))
    })
    .await;
    // Its next page is in the same browser, which is no other sandbox's any more.
    let next = seen(&stack, stack.caller()).await;
    let other = seen(&stack, second(&stack)).await;
    first.kill();
    assert!(next.await.expect("a visit does not panic").is_some(), "the page was in another browser");
    assert_eq!(other.await.expect("a visit does not panic"), None);
}

#[tokio::test]
async fn noisy_pages_in_a_row_cost_two_browsers_of_which_one_ends_after_them() {
    let alone = alone().await;
    let stack = one_browser().await;
    let (mut most, mut seen, began) = (0, BTreeSet::new(), Instant::now());
    for page in 1..=*NOISY_PAGES.end() {
        // The browser in use, the noisy one and the next spare.
        if page > *NOISY_PAGES.start() && seen.len() > 2 {
            break;
        }
        let visit = tokio::spawn(held(stack.caller(), noisy(&stack), 4_000));
        // The other sandbox goes on meanwhile.
        while !visit.is_finished() {
            assert_eq!(held(second(&stack), stack.site.html("<p>quiet"), 0).await, None);
            let now = browsers(&stack);
            most = most.max(now.len());
            seen.extend(now.iter().map(|one| one.pid));
        }
    }
    let started = starts(&stack, "noisy").await + starts(&stack, "spare").await;
    let elapsed = began.elapsed();
    assert!((2..=3).contains(&most), "{most} browsers at once");
    let started_max = 2.0 + (elapsed.as_secs_f64() / KEPT.as_secs_f64()).floor();
    assert!((1.0..=started_max).contains(&started), "{started} browsers were started in {elapsed:?}");
    // The browser is kept for half a minute more, in which nothing happens here: the other tests go on.
    drop(alone);
    eventually(LATER, async || {
        let now: BTreeSet<i32> = browsers(&stack).iter().map(|one| one.pid).collect();
        let files = stack.home.left_in_temp();
        // The one in use and its spare. Where the first page was not found noisy, the next one was in the spare.
        let is_gone = now.len() == 2 && files.len() == 2 && !seen.is_subset(&now);
        so(is_gone, format!("{now:?} run, with {files:?}; {seen:?} ran beside the noisy pages"))
    })
    .await;
    stack.expect_alive().await;
}

#[tokio::test]
async fn a_page_that_only_keeps_its_own_renderer_busy_costs_no_browser() {
    let _alone = alone().await;
    let stack = one_browser().await;
    let running = browsers(&stack)[0].pid;
    let nice: BTreeSet<Option<i32>> = stack.chromium().iter().map(Relative::nice).collect();
    let visit = tokio::spawn(held(stack.caller(), stack.site.html(&BUSY.html()), 10_000));
    let lowered = || stack.chromium().iter().filter(|one| one.is_renderer() && !nice.contains(&one.nice())).count();
    eventually(SOON, async || so(lowered() == 1, "its renderer is not found")).await;
    // Requests enough for many looks at what the browser does.
    for _ in 0..40 {
        assert_eq!(held(second(&stack), stack.site.html("<p>quiet"), 0).await, None);
    }
    visit.abort();
    assert!(browsers(&stack).iter().any(|one| one.pid == running), "the browser was replaced");
    assert_eq!((starts(&stack, "noisy").await, starts(&stack, "spare").await), (0.0, 1.0));
}
