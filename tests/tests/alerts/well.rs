//! A stack that is well fires none, whatever ordinary callers and pages do.

use porthole_tests::Stack;
use serde_json::json;

use crate::prometheus::Prometheus;

/// How often Prometheus has looked at the service by then: twelve seconds, which stand for twelve minutes.
const LOOKS: f64 = 12.0;

#[tokio::test]
async fn a_stack_that_is_well_fires_none() {
    let stack = Stack::with().setting("PORTHOLE_MAX_CONCURRENT", "2").start().await;
    let prometheus = Prometheus::watching(&stack).await;
    let page = stack.site.html("<title>t</title><body>text");
    while prometheus.query("sum(count_over_time(up{job=\"porthole-service\"}[5m]))").await < Some(LOOKS) {
        stack.screenshot(json!({"url": page})).await.expect_ok();
        stack.extract(json!({"url": page})).await.expect_ok();
        // Not everything that fails is a reason to wake somebody: here are a caller's mistake, a page's and an attempt.
        stack
            .extract(json!({"url": page, "instruction": "selector: .not-there"}))
            .await
            .expect_code("SELECTOR_NOT_FOUND");
        stack.extract(json!({"url": stack.site.refusing()})).await.expect_code("NAVIGATION_FAILED");
        stack.extract(json!({"url": "http://10.0.0.1/"})).await.expect_code("BLOCKED_TARGET");
        stack.extract(json!({"url": "no URL"})).await.expect_code("INVALID_URL");
    }
    prometheus.expect_sound_rules().await;
    prometheus.expect_firing(&[], &[]).await;
}

#[tokio::test]
async fn a_service_that_was_killed_is_down_and_its_callers_get_errors() {
    let mut stack = Stack::start().await;
    let prometheus = Prometheus::watching(&stack).await;
    stack.service.process.signal(nix::sys::signal::Signal::SIGKILL);
    stack.service.process.ended(std::time::Duration::from_secs(10)).await;
    let caller = stack.caller();
    let asking = async {
        loop {
            caller.extract(json!({"url": "https://example.com/"})).await.expect_code("SERVICE_UNAVAILABLE");
        }
    };
    tokio::select! {
        () = asking => {}
        () = prometheus.expect_firing(&["PortholeDown", "PortholeErrors"], &[]) => {}
    }
}
