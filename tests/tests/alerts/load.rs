//! Alerts about load: more requests than permits, and slow pages.

use std::time::Duration;

use futures_util::future::join_all;
use porthole_tests::{Reply, Stack};
use serde_json::json;

use crate::prometheus::Prometheus;

#[tokio::test]
async fn a_long_and_full_queue_fires_its_alerts() {
    let stack = Stack::with().setting("PORTHOLE_MAX_CONCURRENT", "1").setting("PORTHOLE_MAX_QUEUE", "2").start().await;
    let prometheus = Prometheus::watching(&stack).await;
    let page = stack.site.page(Reply::html("<body>at last").late(Duration::from_secs(2)));
    let caller = stack.caller();
    // One permit and two places in the queue: of four callers, one is refused at any time.
    let asking = join_all((0..4).map(async |_| {
        loop {
            caller.extract(json!({"url": page})).await.expect_ok_or(&["OVERLOADED"]);
        }
    }));
    tokio::select! {
        _ = asking => {}
        () = prometheus.expect_firing(&["PortholeOverloaded", "PortholeQueueing"], &[]) => {}
    }
}

#[tokio::test]
async fn slow_pages_fire_their_alert() {
    const LOOKERS: u64 = 6;
    let stack = Stack::with().setting("PORTHOLE_MAX_CONCURRENT", &LOOKERS.to_string()).start().await;
    let prometheus = Prometheus::watching(&stack).await;
    // The document arrives at once, but an image never does: the wait for `load` ends with the caller's `timeout_ms`.
    let page = stack.site.html(&format!("<body>text<img src='{}'>", stack.site.page(Reply::never())));
    let caller = stack.caller();
    let looking = join_all((0..LOOKERS).map(async |looker| {
        // Staggered first timeouts, so that one request has ended recently at any time.
        let mut timeout_ms = 2000 * (looker + 1);
        loop {
            caller.extract(json!({"url": page, "wait": {"until": "load", "timeout_ms": timeout_ms}})).await.expect_ok();
            timeout_ms = 12_000;
        }
    }));
    tokio::select! {
        _ = looking => {}
        () = prometheus.expect_firing(&["PortholeSlow"], &[]) => {}
    }
}
