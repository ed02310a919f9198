//! Subresources: the egress counts the requests that it refuses, and the page goes on without them. `hostile/` shows
//! that none of them reaches a private network.

use std::time::Duration;

use porthole_tests::agent::Agent;
use porthole_tests::{Reply, Stack};
use serde_json::json;

const ENDED_WITHIN: Duration = Duration::from_secs(20);

#[tokio::test]
async fn refused_requests_of_a_page_are_counted_and_the_page_renders() {
    let stack = Stack::start().await;
    let forbidden = stack.site.forbidden();
    let url = stack.site.html(&format!("<p>the public part<img src='{forbidden}'><img src='http://10.0.0.1/'>"));
    let fields = stack.screenshot(json!({"url": url})).await.within(ENDED_WITHIN).expect_ok();
    assert_eq!(fields["blocked_requests"], 2);
    let text = serde_json::to_string(&fields).unwrap();
    assert!(!text.contains("10.0.0.1"), "the answer contains a private address: {text}");
}

#[tokio::test]
async fn a_document_over_budget_fails_and_a_subresource_over_budget_is_left_out() {
    let stack = Stack::with().setting("PORTHOLE_EGRESS_MAX_BYTES", "200000").start().await;
    let big = stack.site.page(Reply::of("text/html", vec![b'x'; 1_000_000]));
    let answer = stack.screenshot(json!({"url": big})).await.within(ENDED_WITHIN);
    let fields = answer.expect_code_about("NAVIGATION_FAILED", "limit");
    assert_eq!(fields["retryable"], false);
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html("<p>whole")).await;
    agent.call("navigate", json!({"url": big})).await.expect_code_about("NAVIGATION_FAILED", "limit");
    agent.does("navigate", json!({"action": "back"})).await;

    // The browser gives up a picture that is none after its first bytes, but reads a script to its end.
    let script = stack.site.page(Reply::of("text/javascript", vec![b' '; 1_000_000]));
    let url = stack.site.html(&format!("<p>the rest<script src='{script}' async></script>"));
    let answer = stack.extract(json!({"url": url, "wait": {"until": "load"}})).await.within(ENDED_WITHIN);
    assert_eq!(answer.content().trim(), "the rest");
    let warnings = answer.warnings();
    assert!(warnings.iter().any(|warning| warning.starts_with("over_budget: ")), "{warnings:?}");
}

#[tokio::test]
async fn a_sites_own_502_is_a_page_and_the_egresss_is_a_failure() {
    let stack = Stack::shared().await;
    let own = stack.site.page(Reply::of("text/html", b"the site's own words".to_vec()).status(502));
    let answer = stack.extract(json!({"url": own})).await.within(ENDED_WITHIN);
    assert_eq!(answer.content(), "the site's own words");
    assert_eq!(answer.expect_ok()["status_code"], 502);
    let refusing = stack.site.refusing();
    let answer = stack.extract(json!({"url": refusing})).await.within(ENDED_WITHIN);
    answer.expect_code_about("NAVIGATION_FAILED", "net::ERR_CONNECTION_REFUSED");
}
