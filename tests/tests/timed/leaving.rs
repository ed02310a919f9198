//! Callers that disconnect, and callers whose deadline passes: their permit and page are free soon after.

use std::time::Duration;

use porthole_tests::eventually::so;
use porthole_tests::raw::{Connection, post};
use porthole_tests::{Reply, Stack, eventually};
use serde_json::json;

use super::alone;

#[tokio::test]
async fn a_caller_that_leaves_frees_its_page_within_a_second() {
    let _alone = alone().await;
    let stack = Stack::start().await;
    let caller = stack.caller();
    for (who, addr, path) in [
        ("worker", stack.worker.main, "/api/sandbox/browser-screenshot"),
        ("service", stack.service.main, "/browser-screenshot"),
    ] {
        let hanging = stack.site.page(Reply::never());
        let body = caller.body("/browser-screenshot", json!({"url": hanging}));
        let connection = Connection::send(addr, post("HTTP/1.1", path, addr, &body).as_bytes()).await;
        eventually(Duration::from_secs(10), async || {
            let pages = stack.metrics().await["pages"].clone();
            so(pages["busy"] == 1 && !stack.site.seen(&hanging).is_empty(), format!("{who}: pages are {pages}"))
        })
        .await;
        drop(connection);
        stack.expect_idle(Duration::from_secs(1)).await;
    }
    stack.expect_alive().await;
}

#[tokio::test]
async fn a_caller_that_leaves_while_it_waits_leaves_the_queue() {
    let _alone = alone().await;
    let stack = Stack::with().setting("PORTHOLE_MAX_CONCURRENT", "1").setting("PORTHOLE_MAX_QUEUE", "4").start().await;
    let caller = stack.caller();
    let (addr, path) = (stack.worker.main, "/api/sandbox/browser-extract");
    let hanging = stack.site.page(Reply::never());
    let never_visited = stack.site.html("never visited");
    let send = async |url: &str| {
        let body = caller.body("/browser-extract", json!({"url": url}));
        Connection::send(addr, post("HTTP/1.1", path, addr, &body).as_bytes()).await
    };
    let pages_are = async |busy: u64, queued: u64, within: Duration| {
        eventually(within, async || {
            let pages = stack.metrics().await["pages"].clone();
            so(
                pages["busy"] == busy && pages["queued"] == queued,
                format!("pages are {pages}, not {busy} and {queued}"),
            )
        })
        .await;
    };
    let working = send(&hanging).await;
    pages_are(1, 0, Duration::from_secs(10)).await;
    let waiting = [send(&never_visited).await, send(&never_visited).await];
    pages_are(1, 2, Duration::from_secs(5)).await;
    drop(waiting);
    pages_are(1, 0, Duration::from_secs(1)).await;
    drop(working);
    pages_are(0, 0, Duration::from_secs(1)).await;
    assert!(stack.site.seen(&never_visited).is_empty());
}

#[tokio::test]
async fn a_callers_timeout_is_kept_in_queue_and_work() {
    let _alone = alone().await;
    let stack = Stack::with().setting("PORTHOLE_MAX_CONCURRENT", "1").start().await;
    let hanging = stack.site.page(Reply::never());
    let answer = stack.screenshot(json!({"url": hanging, "timeout_ms": 1000})).await.within(Duration::from_secs(4));
    answer.expect_code("DEADLINE_EXCEEDED");
    assert!(answer.took >= Duration::from_millis(950), "{answer:?}");
    // Time in the queue counts: the second request waits for the first one's permit until its own deadline passes.
    let caller = stack.caller();
    let first = caller.screenshot(json!({"url": hanging, "timeout_ms": 6000}));
    let second = async {
        eventually(Duration::from_secs(5), async || so(stack.metrics().await["pages"]["busy"] == 1, "no page is busy"))
            .await;
        caller.screenshot(json!({"url": hanging, "timeout_ms": 1000})).await
    };
    let (first, second) = tokio::join!(first, second);
    first.within(Duration::from_secs(10)).expect_code("DEADLINE_EXCEEDED");
    second.within(Duration::from_secs(4)).expect_one_of(&["DEADLINE_EXCEEDED", "OVERLOADED"]);
    stack.expect_idle(Duration::from_secs(2)).await;
}
