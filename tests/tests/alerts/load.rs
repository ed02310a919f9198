//! More requests than places, and pages that take their time.

use std::time::Duration;

use futures_util::future::join_all;
use porthole_tests::{Reply, Stack};
use serde_json::json;

use crate::prometheus::Prometheus;

#[tokio::test]
async fn a_queue_that_is_long_and_full_is_told() {
    let stack = Stack::with().setting("PORTHOLE_MAX_CONCURRENT", "1").setting("PORTHOLE_MAX_QUEUE", "2").start().await;
    let prometheus = Prometheus::watching(&stack).await;
    let page = stack.site.page(Reply::html("<body>at last").late(Duration::from_secs(2)));
    let caller = stack.caller();
    // Three of the four are in at any time, and whoever comes then is turned away.
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
async fn pages_that_take_long_are_told() {
    const LOOKERS: u64 = 6;
    let stack = Stack::with().setting("PORTHOLE_MAX_CONCURRENT", &LOOKERS.to_string()).start().await;
    let prometheus = Prometheus::watching(&stack).await;
    // Its document is there at once; its load ends with the time that a caller gives it.
    let page = stack.site.html(&format!("<body>text<img src='{}'>", stack.site.page(Reply::never())));
    let caller = stack.caller();
    let looking = join_all((0..LOOKERS).map(async |looker| {
        // They don't end all at once, so that at any time one has ended lately.
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
