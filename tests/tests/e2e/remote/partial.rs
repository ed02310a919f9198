//! `on_timeout: partial` in remote browsers.

use std::time::Duration;

use porthole_tests::{Remote, Stack};
use serde_json::json;

use super::endpoint;

/// Limit for a partial answer: 15 s for the navigation, 12 s for those without the missing resources, and a margin.
const TAKEN_WITHIN: Duration = Duration::from_secs(45);

/// Captures and reads a page whose scripts never arrive: one host never answers, the other never accepts.
async fn takes_a_page_in_part(stack: &Stack) {
    let silent = stack.site.page(porthole_tests::Reply::never());
    let unaccepting = stack.site.unaccepting();
    let url = stack.site.html(&format!(
        "<head><script src='{silent}'></script><script src='{unaccepting}'></script></head>
        <body style='margin: 0; background: rgb(0, 170, 102)'>the rest"
    ));
    let fields = json!({"url": url, "on_timeout": "partial"});
    let (picture, text) = tokio::join!(stack.screenshot(fields.clone()), stack.extract(fields));
    let (picture, text) = (picture.within(TAKEN_WITHIN), text.within(TAKEN_WITHIN));
    assert_eq!(picture.picture().at(200, 400), [0, 170, 102], "{picture:?}");
    assert_eq!(text.content().trim(), "the rest");
    for answer in [picture, text] {
        let warnings = answer.warnings();
        let told = warnings.iter().any(|warning| {
            warning.starts_with("partial: the page did not load within 15 s")
                && warning.contains("never came from 127.0.0.1:")
        });
        assert!(told, "{answer:?}");
    }
}

#[tokio::test]
async fn a_page_at_browserbase_is_taken_in_part() {
    let remote = Remote::start().await;
    takes_a_page_in_part(&remote.stack).await;
    remote.expect_all_given_back().await;
}

#[tokio::test]
async fn a_guest_is_taken_in_part() {
    let (stack, _browser) = endpoint::stack(&[]).await;
    takes_a_page_in_part(&stack).await;
    stack.expect_idle(Duration::from_secs(20)).await;
}

/// Events whose loss leaves the service without news of the page's first document, for longer than it takes to ask.
const UNREPORTED_MS: u64 = 2_000;

#[tokio::test]
async fn a_document_that_its_renderer_reports_too_late_is_found() {
    let remote = Remote::start().await;
    let names = ["Page.frameNavigated", "Page.lifecycleEvent", "Page.frameStoppedLoading"];
    remote.emulator.faults(json!({"connect": {"lose_events": {"names": names, "for_ms": UNREPORTED_MS}}})).await;
    takes_a_page_in_part(&remote.stack).await;
    let url = remote.stack.site.html("<p>all of it");
    assert_eq!(remote.stack.extract(json!({"url": url})).await.within(TAKEN_WITHIN).content().trim(), "all of it");
    remote.expect_all_given_back().await;
}
