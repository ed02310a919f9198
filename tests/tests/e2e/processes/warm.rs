//! Warm pages: the pool keeps as many blank pages ready as configured, and uses each once.

use std::collections::BTreeSet;
use std::time::Duration;

use porthole_tests::eventually::so;
use porthole_tests::family::Relative;
use porthole_tests::{Stack, eventually};
use serde_json::json;

const READY_WITHIN: Duration = Duration::from_secs(30);

async fn expect_warm(stack: &Stack, pages: u64) {
    eventually(READY_WITHIN, async || {
        let now = stack.metrics().await["pages"].clone();
        so(now["warm"] == pages && now["busy"] == 0, format!("pages are {now}"))
    })
    .await;
}

fn renderers(stack: &Stack) -> BTreeSet<i32> {
    stack.chromium().into_iter().filter(Relative::is_renderer).map(|renderer| renderer.pid).collect()
}

#[tokio::test]
async fn pages_are_kept_ready_used_once_and_made_anew() {
    let stack = Stack::with().setting("PORTHOLE_WARM_PAGES", "2").start().await;
    expect_warm(&stack, 2).await;
    let at_first = renderers(&stack);
    for _ in 0..3 {
        stack.expect_alive().await;
    }
    expect_warm(&stack, 2).await;
    // The renderer of a used page ends with it.
    eventually(READY_WITHIN, async || {
        let kept: Vec<i32> = renderers(&stack).intersection(&at_first).copied().collect();
        so(kept.len() < at_first.len(), format!("still there: {kept:?}"))
    })
    .await;
    let sessions = stack.metrics().await["sessions"].clone();
    assert_eq!(
        (&sessions["created"], &sessions["released"]),
        (&json!(3), &json!(3)),
        "warm pages must not count as sessions"
    );
}

#[tokio::test]
async fn no_pages_are_kept_with_zero_and_more_are_made_than_are_kept() {
    let none = Stack::with().setting("PORTHOLE_WARM_PAGES", "0").start().await;
    none.expect_alive().await;
    expect_warm(&none, 0).await;
    let one = Stack::with().setting("PORTHOLE_WARM_PAGES", "1").setting("PORTHOLE_MAX_CONCURRENT", "4").start().await;
    let url = one.site.html("<p>each gets a page");
    let answers = futures_util::future::join_all((0..8).map(|_| one.extract(json!({"url": url})))).await;
    for answer in answers {
        assert_eq!(answer.content().trim(), "each gets a page");
    }
    expect_warm(&one, 1).await;
}

#[tokio::test]
async fn warm_pages_of_a_dead_browser_are_not_leased() {
    let stack = Stack::with().setting("PORTHOLE_WARM_PAGES", "2").start().await;
    for _ in 0..2 {
        expect_warm(&stack, 2).await;
        stack.chromium().iter().filter(|one| one.is_browser()).for_each(Relative::kill);
        stack.expect_alive().await;
    }
    expect_warm(&stack, 2).await;
}
