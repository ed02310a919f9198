//! What befalls browsers: they crash in a loop, their provider refuses them or does not take them back.

use std::time::Duration;

use futures_util::future::join;
use porthole_tests::family::Relative;
use porthole_tests::{Remote, Reply, Stack};
use serde_json::json;

use crate::prometheus::Prometheus;

#[tokio::test]
async fn a_browser_that_crashes_in_a_loop_is_told() {
    let stack = Stack::start().await;
    let prometheus = Prometheus::watching(&stack).await;
    let page = stack.site.page(Reply::html("<body>text").late(Duration::from_millis(500)));
    let caller = stack.caller();
    let asking = async {
        loop {
            caller.extract(json!({"url": page})).await.expect_ok_or(&["BROWSER_CRASHED", "SESSION_CREATE_FAILED"]);
        }
    };
    let crashing = async {
        let mut pause = tokio::time::interval(Duration::from_millis(250));
        loop {
            pause.tick().await;
            stack.chromium().iter().for_each(Relative::kill);
        }
    };
    tokio::select! {
        _ = join::<_, _>(asking, crashing) => {}
        () = prometheus.expect_firing(&["PortholeBrowserFailing", "PortholeErrors"], &[]) => {}
    }
}

#[tokio::test]
async fn a_provider_that_refuses_sessions_or_does_not_take_them_back_is_told() {
    let remote = Box::pin(Remote::start()).await;
    let stack = &remote.stack;
    let prometheus = Prometheus::watching(stack).await;
    let page = stack.site.html("<body>text");
    // Of this session nobody ever hears that it was released: it counts as leaked when its own time is over, a minute
    // after it began.
    remote.emulator.faults(json!({"release": {"status": {"code": 500}}})).await;
    stack.extract(json!({"url": page})).await.expect_ok();
    remote.emulator.faults(json!({"create": {"status": {"code": 429}}})).await;
    let caller = stack.caller();
    let asking = async {
        loop {
            caller.extract(json!({"url": page})).await.expect_code("PROVIDER_RATE_LIMITED");
        }
    };
    tokio::select! {
        () = asking => {}
        () = prometheus.expect_firing(&["PortholeProviderRefuses", "PortholeSessionsLeaked"], &[]) => {}
    }
    remote.emulator.clear_faults().await;
}
