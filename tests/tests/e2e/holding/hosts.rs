//! `allow_hosts`: the only hosts that a session may reach.

use porthole_tests::site::SHOP;
use porthole_tests::{Remote, Stack};
use serde_json::json;

use super::{Agent, remote_options};

#[tokio::test]
async fn a_session_reaches_the_hosts_that_were_named_and_no_others() {
    let stack = Stack::shared().await;
    let picture = stack.site.html("no picture");
    let elsewhere = stack.site.html("elsewhere");
    let redirect =
        stack.site.under_name(&stack.site.page(porthole_tests::site::Reply::redirect(302, &elsewhere)), SHOP);
    let page = stack.site.under_name(&stack.site.html(&format!("<title>shop</title><img src='{picture}'>here")), SHOP);
    let agent = Agent::open(stack.service_caller(), json!({"allow_hosts": [SHOP, "*.other.example"]})).await;
    let there = agent.call("navigate", json!({"url": page, "wait_until": "networkidle"})).await;
    assert_eq!(there["title"], "shop");
    assert_eq!(agent.event("blocked", &there).await["count"], 1);
    for refused in [&elsewhere, &redirect] {
        let failed = agent.refused("navigate", json!({"url": refused}), "BLOCKED_TARGET").await;
        assert!(failed["details"].as_str().unwrap().contains("allow_hosts"), "{failed}");
    }
    assert!(stack.site.seen(&elsewhere).is_empty() && stack.site.seen(&picture).is_empty());
    let again = agent.call("navigate", json!({"url": page})).await;
    assert_eq!(again["title"], "shop");
}

#[tokio::test]
async fn a_list_of_hosts_opens_nothing() {
    let stack = Stack::shared().await;
    let agent = Agent::open(stack.service_caller(), json!({"allow_hosts": ["169.254.169.254"]})).await;
    agent.refused("navigate", json!({"url": "http://169.254.169.254/"}), "BLOCKED_TARGET").await;
}

#[tokio::test]
async fn a_remote_browser_asks_about_every_request_of_a_session_with_a_list() {
    let remote = Remote::start().await;
    let stack = &remote.stack;
    let picture = stack.site.html("no picture");
    let page = stack.site.under_name(&stack.site.html(&format!("<title>shop</title><img src='{picture}'>here")), SHOP);
    let agent = Agent::open(stack.service_caller(), remote_options(&remote, json!({"allow_hosts": [SHOP]}))).await;
    let there = agent.call("navigate", json!({"url": page, "wait_until": "networkidle"})).await;
    assert_eq!(there["title"], "shop");
    assert_eq!(agent.event("blocked", &there).await["count"], 1);
    agent.refused("navigate", json!({"url": picture}), "BLOCKED_TARGET").await;
    // Each tab's own are counted, however many another one had.
    let second = agent.call("tabs", json!({"action": "new", "url": page})).await;
    agent.event("blocked", &second).await;
    assert!(stack.site.seen(&picture).is_empty());
    agent.call("close", json!({})).await;
    remote.expect_all_given_back().await;
}
