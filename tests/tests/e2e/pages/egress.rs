//! What a page loads besides its document: what it is refused is counted, and the page goes on without it. That nothing
//! of it reaches a private network is shown in `hostile/`.

use std::time::Duration;

use porthole_tests::{Reply, Stack};
use serde_json::json;

const ENDED_WITHIN: Duration = Duration::from_secs(20);

#[tokio::test]
async fn what_a_page_was_refused_is_counted_and_the_page_renders() {
    let stack = Stack::start().await;
    let forbidden = stack.site.forbidden();
    let url = stack.site.html(&format!("<p>the public part<img src='{forbidden}'><img src='http://10.0.0.1/'>"));
    let fields = stack.screenshot(json!({"url": url})).await.within(ENDED_WITHIN).expect_ok();
    assert_eq!(fields["blocked_requests"], 2);
    let text = serde_json::to_string(&fields).unwrap();
    assert!(!text.contains("10.0.0.1"), "no address in the answer: {text}");
}

#[tokio::test]
async fn a_page_over_its_budget_is_told_from_one_that_only_lacks_a_part() {
    let stack = Stack::with().setting("PORTHOLE_EGRESS_MAX_BYTES", "200000").start().await;
    let big = stack.site.page(Reply::of("text/html", vec![b'x'; 1_000_000]));
    let answer = stack.screenshot(json!({"url": big})).await.within(ENDED_WITHIN);
    let fields = answer.expect_code_about("NAVIGATION_FAILED", "limit");
    assert_eq!(fields["retryable"], false);

    let picture = stack.site.page(Reply::of("image/png", vec![0; 1_000_000]));
    let url = stack.site.html(&format!("<p>the rest<img src='{picture}'>"));
    let answer = stack.extract(json!({"url": url})).await.within(ENDED_WITHIN);
    assert_eq!(answer.content().trim(), "the rest");
    let warnings = answer.warnings();
    assert!(warnings.iter().any(|warning| warning.starts_with("over_budget: ")), "{warnings:?}");
}

#[tokio::test]
async fn a_sites_own_502_is_a_page_and_ours_is_none() {
    let stack = Stack::shared().await;
    let own = stack.site.page(Reply::of("text/html", b"the site's own words".to_vec()).status(502));
    let answer = stack.extract(json!({"url": own})).await.within(ENDED_WITHIN);
    assert_eq!(answer.content(), "the site's own words");
    assert_eq!(answer.expect_ok()["status_code"], 502);
    let refusing = stack.site.refusing();
    let answer = stack.extract(json!({"url": refusing})).await.within(ENDED_WITHIN);
    answer.expect_code_about("NAVIGATION_FAILED", "net::ERR_CONNECTION_REFUSED");
}
