//! What is told of sessions as a whole: titles, statuses, metrics; and their drain.

use std::time::Duration;

use nix::sys::signal::Signal;
use porthole_tests::eventually::{eventually, so};
use porthole_tests::site::Reply;
use porthole_tests::stack::Home;
use porthole_tests::{Answer, Stack};
use serde_json::json;

use super::Agent;

/// How long a service that drains without sessions may take to end.
const ENDED_WITHIN: Duration = Duration::from_secs(15);

#[tokio::test]
async fn a_navigation_tells_its_status_and_tabs_tell_their_titles() {
    let stack = Stack::shared().await;
    let missing = stack.site.page(Reply::html("<title>missing</title>gone").status(404));
    let found = stack.site.html("<title>found</title><button onclick='window.open()'>blank</button>");
    let agent = Agent::open(stack.service_caller(), json!({})).await;
    assert_eq!(agent.call("navigate", json!({"url": missing})).await["status_code"], 404);
    let opened = agent.call("tabs", json!({"action": "new", "url": found})).await;
    let titles: Vec<_> = opened["tabs"].as_array().unwrap().iter().map(|tab| tab["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["missing", "found"]);
    let clicked = agent.call("click", json!({"target": {"by": "text", "value": "blank"}})).await;
    assert_eq!(agent.event("tab_opened", &clicked).await["url"], "about:blank");
}

#[tokio::test]
async fn metrics_count_sessions_that_are_open_and_how_others_ended() {
    let stack = Stack::start().await;
    let closed = Agent::open(stack.service_caller(), json!({})).await;
    let _open = Agent::open(stack.service_caller(), json!({})).await;
    closed.call("close", json!({})).await;
    let wanted = [
        r#"porthole_agent_sessions{state="open"} 1"#,
        r#"porthole_agent_sessions_ended_total{end="closed"} 1"#,
        r#"porthole_agent_sessions_ended_total{end="lost"} 0"#,
    ];
    eventually(Duration::from_secs(5), async || {
        let metrics = String::from_utf8(stack.admin(&stack.service, "/metrics").await.body.to_vec()).unwrap();
        so(wanted.iter().all(|line| metrics.lines().any(|seen| seen == *line)), metrics)
    })
    .await;
}

#[tokio::test]
async fn a_service_that_drains_serves_its_sessions_until_the_last_has_ended() {
    let mut stack = Stack::with().setting("PORTHOLE_SESSION_DRAIN_SECONDS", "25").start().await;
    let page = stack.site.html("<title>goes on</title>here");
    let agent = Agent::open(stack.service_caller(), json!({})).await;
    stack.service.process.signal(Signal::SIGTERM);
    let refused = async |answer: Answer| answer.expect_code("SHUTTING_DOWN");
    eventually(Duration::from_secs(5), async || {
        let ready = stack.admin(&stack.service, "/readyz").await;
        so(ready.code().as_deref() == Some("SHUTTING_DOWN"), format!("{ready:?}"))
    })
    .await;
    assert_eq!(agent.call("navigate", json!({"url": page})).await["title"], "goes on");
    let caller = stack.service_caller();
    refused(caller.post("/session/open", json!({})).await).await;
    refused(caller.post("/session/navigate", json!({"url": page})).await).await;
    refused(caller.extract(json!({"url": page})).await).await;
    agent.call("close", json!({})).await;
    stack.service.process.ended(ENDED_WITHIN).await;
    assert_eq!(Home::left_in_temp(&stack.home).len(), 0);
}
