//! The spare browser: sandboxes that use the service at the same time don't share a browser.

use std::time::Duration;

use porthole_tests::eventually::so;
use porthole_tests::family::Relative;
use porthole_tests::{Caller, Stack, eventually, owner};
use serde_json::json;
use tokio::task::JoinHandle;

const SOON: Duration = Duration::from_secs(40);
/// How long a page is held: longer than two pages take to be requested on a busy machine.
const HELD_MS: u32 = 10_000;

fn browsers(stack: &Stack) -> Vec<Relative> {
    stack.chromium().into_iter().filter(Relative::is_browser).collect()
}

fn second(stack: &Stack) -> Caller {
    stack.caller().owning("sb-of-the-other-owner", &owner::SECOND)
}

/// Begins a visit that holds its page; returns it once the page has been requested.
async fn held(stack: &Stack, caller: Caller) -> JoinHandle<Option<String>> {
    let url = stack.site.html(&format!("<title>held</title><p>{}", caller.sandbox_id));
    let (asked, wait) = (url.clone(), json!({"until": "load", "delay_ms": HELD_MS}));
    let visit = tokio::spawn(async move { caller.extract(json!({"url": asked, "wait": wait})).await.code() });
    eventually(SOON, async || so(!stack.site.seen(&url).is_empty(), "the page is not visited")).await;
    visit
}

#[tokio::test]
async fn a_second_sandboxs_page_is_in_another_browser_than_the_firsts() {
    let stack = Stack::with().setting("PORTHOLE_MAX_CONCURRENT", "4").start().await;
    for _ in 0..2 {
        stack.expect_alive().await;
    }
    let running = browsers(&stack);
    assert_eq!(running.len(), 1, "one sandbox needs no spare");
    let url = stack.site.html("<title>quiet</title><p>quiet");
    assert_eq!(second(&stack).extract(json!({"url": url})).await.code(), None);
    // One that is only being started takes no page.
    eventually(SOON, async || {
        let warm = stack.metric(&stack.service, r#"porthole_pages{state="warm"}"#).await;
        so(warm == 2, "there is no spare with a warm page")
    })
    .await;
    assert_eq!(browsers(&stack).len(), 2);

    let first = held(&stack, stack.caller()).await;
    let other = held(&stack, second(&stack)).await;
    running[0].kill();
    assert!(first.await.expect("a visit does not panic").is_some(), "the first page was not in the first browser");
    assert_eq!(other.await.expect("a visit does not panic"), None);
    stack.expect_alive().await;
}
