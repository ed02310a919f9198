//! Alerts about browsers: they crash in a loop, or their provider refuses to create or to release sessions.

use std::time::Duration;

use futures_util::future::join;
use porthole_tests::family::Relative;
use porthole_tests::{Remote, Reply, Stack};
use serde_json::json;

use crate::prometheus::Prometheus;

#[tokio::test]
async fn a_browser_that_crashes_in_a_loop_fires_its_alerts() {
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
async fn a_provider_that_refuses_creates_or_releases_fires_its_alerts() {
    let remote = Box::pin(Remote::start()).await;
    let stack = &remote.stack;
    let prometheus = Prometheus::watching(stack).await;
    let page = stack.site.html("<body>text");
    // The release of this session is never confirmed: it counts as leaked when its timeout has passed, a minute after
    // it was created.
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
