//! How a session looks to sites, and how its pages look to the caller.

use porthole_tests::Stack;
use serde_json::{Value, json};

use super::Agent;

/// A page whose title says what the browser tells it.
const TELLS: &str = "<script>document.title = JSON.stringify([navigator.language, navigator.userAgent, \
    Intl.DateTimeFormat().resolvedOptions().timeZone, (1234.5).toLocaleString()])</script><button \
    onclick=\"window.open('POPUP')\">popup</button>";

#[tokio::test]
async fn every_tab_of_a_session_has_its_locale_time_zone_and_user_agent() {
    let stack = Stack::shared().await;
    let inner = stack.site.under_name(&stack.site.html(TELLS), porthole_tests::site::SHOP);
    let url = stack.site.html(&TELLS.replace("POPUP", &inner));
    let options = json!({"locale": "de-DE", "time_zone": "Asia/Tokyo", "user_agent": "Agent/1.0"});
    let agent = Agent::open(stack.service_caller(), options).await;
    let told: Value = json!(["de-DE", "Agent/1.0", "Asia/Tokyo", "1.234,5"]);
    let first = agent.call("navigate", json!({"url": url})).await;
    assert_eq!(first["title"], told.to_string(), "{first}");
    let headers = &stack.site.seen(&url)[0].headers;
    assert_eq!(headers["user-agent"], "Agent/1.0");
    assert!(headers["accept-language"].to_str().unwrap().starts_with("de-DE"), "{headers:?}");

    let clicked = agent.call("click", json!({"target": {"by": "text", "value": "popup"}})).await;
    let opened = agent.event("tab_opened", &clicked).await;
    let tab = &opened["tab"];
    agent.call("wait", json!({"tab": tab, "text": "popup"})).await;
    let popup = agent.call("status", json!({"tab": tab})).await;
    assert_eq!(popup["title"], told.to_string(), "{popup}");
    assert_eq!(stack.site.seen(&inner)[0].headers["user-agent"], "Agent/1.0");
}

#[tokio::test]
async fn a_locale_leaves_the_browsers_own_name() {
    let stack = Stack::shared().await;
    let url = stack.site.html(TELLS);
    let agent = Agent::open(stack.service_caller(), json!({"locale": "fr"})).await;
    let title = agent.call("navigate", json!({"url": url})).await["title"].as_str().unwrap().to_owned();
    let told: Value = serde_json::from_str(&title).unwrap();
    assert_eq!(told[0], "fr", "{told}");
    assert!(told[1].as_str().unwrap().contains("Chrome"), "{told}");
}

#[tokio::test]
async fn an_identity_that_the_browser_refuses_is_told_by_its_field() {
    let stack = Stack::shared().await;
    let answer = stack.service_caller().post("/session/open", json!({"time_zone": "Nowhere/At-all"})).await;
    answer.expect_code_about("INVALID_REQUEST", "time_zone");
}
