//! Calls, events and endings over the pipe.

use chromiumoxide_cdp::cdp::browser_protocol::browser::GetVersionParams;
use chromiumoxide_cdp::cdp::browser_protocol::page::NavigateParams;
use chromiumoxide_cdp::cdp::js_protocol::runtime::EvaluateParams;
use serde::Deserialize;
use serde_json::json;
use tokio::time::timeout;

use super::scripted::{Browser, PATIENCE};
use crate::cdp::{Bounds, CdpError, FLOODED, Flooded};

fn version() -> serde_json::Value {
    json!({"protocolVersion": "1.3", "product": "Scripted/1", "revision": "r", "userAgent": "u", "jsVersion": "j"})
}

#[tokio::test]
async fn calls_leave_at_once_and_are_answered_in_any_order() {
    let (connection, mut browser) = Browser::connect(Bounds::default());
    let page = connection.session("S1");
    let first = page.call(&NavigateParams::new("https://example.com/1"));
    let second = connection.browser().call(&GetVersionParams::default());
    // Both arrived although neither has been awaited.
    let (navigate, get_version) = (browser.receives().await, browser.receives().await);
    assert_eq!((&navigate["method"], &navigate["sessionId"]), (&json!("Page.navigate"), &json!("S1")));
    assert_eq!((&get_version["method"], get_version.get("sessionId")), (&json!("Browser.getVersion"), None));
    browser.answers(&get_version, version()).await;
    browser.answers(&navigate, json!({"frameId": "F", "loaderId": "L", "aFieldOfTomorrow": 1})).await;
    assert_eq!(timeout(PATIENCE, second).await.unwrap().unwrap().product, "Scripted/1");
    assert_eq!(timeout(PATIENCE, first).await.unwrap().unwrap().frame_id.inner(), "F");
}

#[tokio::test]
async fn a_refused_call_reports_its_method_and_the_browsers_message() {
    let (connection, mut browser) = Browser::connect(Bounds::default());
    let call = connection.browser().call(&EvaluateParams::new("1"));
    let received = browser.receives().await;
    browser.sends_message(json!({"id": received["id"], "error": {"code": -32000, "message": "No target"}})).await;
    let error = timeout(PATIENCE, call).await.unwrap().unwrap_err();
    assert_eq!(
        error,
        CdpError::Remote { method: "Runtime.evaluate".into(), code: -32000, message: "No target".into() }
    );
}

#[tokio::test]
async fn a_dropped_call_is_forgotten_and_its_late_answer_ignored() {
    let (connection, mut browser) = Browser::connect(Bounds::default());
    drop(connection.browser().call(&GetVersionParams::default()));
    let forgotten = browser.receives().await;
    browser.answers(&forgotten, json!("not even an object")).await;
    let call = connection.browser().call(&GetVersionParams::default());
    let received = browser.receives().await;
    browser.answers(&received, version()).await;
    assert!(timeout(PATIENCE, call).await.unwrap().is_ok());
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Paused {
    request_id: String,
    resource_type: String,
}

#[tokio::test]
async fn events_keep_their_order_and_an_unknown_enum_value_is_no_obstacle() {
    let (connection, mut browser) = Browser::connect(Bounds::default());
    let page = connection.session("S1");
    let mut events = page.events(&["Fetch.requestPaused", "Page.loadEventFired"]);
    for message in [
        json!({"method": "Fetch.requestPaused", "sessionId": "S2", "params": {"requestId": "another session's"}}),
        json!({"method": "Network.dataReceived", "sessionId": "S1", "params": {"nobody": "asked"}}),
        json!({"method": "Page.loadEventFired", "sessionId": "S1", "params": {"timestamp": 1}}),
        json!({"method": "Fetch.requestPaused", "sessionId": "S1",
               "params": {"requestId": "r1", "resourceType": "InventedTomorrow"}}),
    ] {
        browser.sends_message(message).await;
    }
    assert_eq!(timeout(PATIENCE, events.next()).await.unwrap().unwrap().method, "Page.loadEventFired");
    let event = timeout(PATIENCE, events.next()).await.unwrap().unwrap();
    let paused: Paused = event.read().unwrap();
    assert_eq!((paused.request_id.as_str(), paused.resource_type.as_str()), ("r1", "InventedTomorrow"));
}

#[tokio::test]
async fn an_event_is_routed_by_its_method_wherever_that_field_stands() {
    let (connection, mut browser) = Browser::connect(Bounds::default());
    let page = connection.session("S1");
    let mut events = page.events(&["Page.frameNavigated", "Page.loadEventFired"]);
    for message in [
        // Without a subscriber: their contents are never parsed.
        r#"{"method":"Page.frameNavigatedWithinDocument","params":{},"sessionId":"S1"}"#,
        r#"{"method":"Network.dataReceived","params":not even JSON"#,
        r#"{"params":{},"sessionId":"S1","method":"Page.frameNavigated"}"#,
        r#" { "method" : "Page.loadEventFired" , "params" : {} , "sessionId" : "S1" } "#,
        r#"{"method":"Page\u002eframeNavigated","params":{},"sessionId":"S1"}"#,
        r#"{"method":"Page.frameNavigated","params":{},"sessionId":"S1"}"#,
    ] {
        browser.sends_bytes(&[message.as_bytes(), b"\0"].concat()).await;
    }
    for expected in ["Page.frameNavigated", "Page.loadEventFired", "Page.frameNavigated", "Page.frameNavigated"] {
        assert_eq!(timeout(PATIENCE, events.next()).await.unwrap().unwrap().method, expected);
    }
}

#[tokio::test]
async fn every_pending_call_and_stream_ends_when_the_browser_closes() {
    let (connection, mut browser) = Browser::connect(Bounds::default());
    let call = connection.browser().call(&GetVersionParams::default());
    let mut events = connection.browser().events(&["Target.targetCrashed"]);
    browser.receives().await;
    drop(browser);
    assert!(matches!(timeout(PATIENCE, call).await.unwrap(), Err(CdpError::Closed(_))));
    assert!(timeout(PATIENCE, events.next()).await.unwrap().is_none());
    timeout(PATIENCE, connection.closed()).await.unwrap();
    // A call made after the end fails at once, and a subscription made then has ended.
    let late = connection.browser().call(&GetVersionParams::default());
    assert!(matches!(timeout(PATIENCE, late).await.unwrap(), Err(CdpError::Closed(_))));
    assert!(timeout(PATIENCE, connection.browser().events(&["A.b"]).next()).await.unwrap().is_none());
}

#[tokio::test]
async fn a_detached_session_fails_its_own_calls_and_no_others() {
    let (connection, mut browser) = Browser::connect(Bounds::default());
    let gone = connection.session("S1").call(&EvaluateParams::new("1"));
    let alive = connection.session("S2").call(&NavigateParams::new("https://example.com/"));
    let (_, received) = (browser.receives().await, browser.receives().await);
    browser.sends_message(json!({"method": "Target.detachedFromTarget", "params": {"sessionId": "S1"}})).await;
    assert_eq!(timeout(PATIENCE, gone).await.unwrap().unwrap_err(), CdpError::Detached);
    browser.answers(&received, json!({"frameId": "F"})).await;
    assert!(timeout(PATIENCE, alive).await.unwrap().is_ok());
}

/// Small enough that a test exceeds them at once.
const TIGHT: Bounds =
    Bounds { answer_max_bytes: 100_000, event_max_bytes: 10_000, burst_bytes: 30_000, refill_bytes_a_second: 0 };

#[tokio::test]
async fn an_event_over_the_cap_fails_its_page_and_no_other() {
    let (connection, mut browser) = Browser::connect(TIGHT);
    let mut hostile = connection.session("S1").events(&["Page.windowOpen", FLOODED]);
    let mut neighbour = connection.session("S2").events(&["Page.windowOpen", FLOODED]);
    let mut floods = connection.browser().events(&[FLOODED]);
    for length in [9_000, 3_000_000, 10] {
        let name = "x".repeat(length);
        browser.sends_event("Page.windowOpen", &json!({"windowName": name}), "S1").await;
    }
    browser.sends_event("Page.windowOpen", &json!({}), "S2").await;
    assert_eq!(timeout(PATIENCE, neighbour.next()).await.unwrap().unwrap().method, "Page.windowOpen");
    assert_eq!(timeout(PATIENCE, hostile.next()).await.unwrap().unwrap().method, "Page.windowOpen");
    assert_eq!(timeout(PATIENCE, hostile.next()).await.unwrap().unwrap().method, FLOODED);
    assert!(hostile.try_next().is_none(), "its further events are dropped");
    let flooded: Flooded = floods.try_next().expect("the browser's own session hears of it").read().unwrap();
    assert_eq!((&*flooded.session, floods.try_next().is_none()), ("S1", true));
    assert!(!connection.is_closed());
}

#[tokio::test]
async fn a_network_event_over_the_cap_is_passed_over_and_paid_for() {
    let (connection, mut browser) = Browser::connect(TIGHT);
    let mut page = connection.session("S1").events(&["Network.requestWillBeSent", FLOODED]);
    for length in [12_000, 10, 12_000, 12_000] {
        let url = format!("data:,{}", "x".repeat(length));
        browser.sends_event("Network.requestWillBeSent", &json!({"request": {"url": url}}), "S1").await;
    }
    assert_eq!(timeout(PATIENCE, page.next()).await.unwrap().unwrap().method, "Network.requestWillBeSent");
    assert_eq!(timeout(PATIENCE, page.next()).await.unwrap().unwrap().method, FLOODED, "the third is too much");
}

#[tokio::test]
async fn an_answer_over_the_cap_fails_its_call_and_no_other() {
    let (connection, mut browser) = Browser::connect(TIGHT);
    let large = connection.session("S1").call(&EvaluateParams::new("1"));
    let small = connection.session("S1").call(&NavigateParams::new("https://example.com/"));
    let (first, second) = (browser.receives().await, browser.receives().await);
    let value = "x".repeat(2_000_000);
    browser
        .sends_bytes(format!(r#"{{"id":{},"result":{{"value":"{value}"}},"sessionId":"S1"}}"#, first["id"]).as_bytes())
        .await;
    browser.sends_bytes(b"\0").await;
    browser.answers(&second, json!({"frameId": "F"})).await;
    assert!(
        matches!(timeout(PATIENCE, large).await.unwrap(), Err(CdpError::TooLarge { bytes, .. }) if bytes > 2_000_000)
    );
    assert!(timeout(PATIENCE, small).await.unwrap().is_ok());
}

#[tokio::test]
async fn too_many_events_end_their_page_even_from_a_child_session() {
    let (connection, mut browser) = Browser::connect(TIGHT);
    let mut page = connection.session("S1").events(&[FLOODED]);
    let mut neighbour = connection.session("S2").events(&["Page.lifecycleEvent"]);
    browser.sends_event("Target.attachedToTarget", &json!({"sessionId": "S9"}), "S1").await;
    for _ in 0..60 {
        // Events without a subscriber count too.
        browser.sends_event("Page.lifecycleEvent", &json!({}), "S9").await;
    }
    browser.sends_event("Page.lifecycleEvent", &json!({}), "S2").await;
    assert_eq!(timeout(PATIENCE, page.next()).await.unwrap().unwrap().method, FLOODED);
    assert!(timeout(PATIENCE, neighbour.next()).await.unwrap().is_some());
    // Its target's detachment is still routed.
    let call = connection.session("S1").call(&EvaluateParams::new("1"));
    browser.sends_message(json!({"method": "Target.detachedFromTarget", "params": {"sessionId": "S1"}})).await;
    assert_eq!(timeout(PATIENCE, call).await.unwrap().unwrap_err(), CdpError::Detached);
}

#[tokio::test]
async fn garbage_between_messages_is_skipped() {
    let (connection, mut browser) = Browser::connect(Bounds::default());
    let call = connection.browser().call(&GetVersionParams::default());
    let received = browser.receives().await;
    browser.sends_bytes(b"\xff\xfe garbage\0[]\0{}\0{\"id\":\"seven\"}\0").await;
    browser.answers(&received, version()).await;
    assert!(timeout(PATIENCE, call).await.unwrap().is_ok());
}

#[tokio::test]
async fn the_pipe_closes_with_the_last_handle_to_the_connection() {
    let (connection, mut browser) = Browser::connect(Bounds::default());
    let session = connection.session("S1");
    drop(connection);
    session.call(&EvaluateParams::new("1")).forget();
    browser.receives().await;
    drop(session);
    let mut end = [0];
    let read = tokio::io::AsyncReadExt::read(browser.reader(), &mut end);
    assert_eq!(timeout(PATIENCE, read).await.unwrap().unwrap(), 0, "the pipe is closed");
}

#[tokio::test]
async fn attached_targets_are_halted_until_they_are_resumed() {
    let (connection, mut browser) = Browser::connect(Bounds::default());
    let mut attachments = connection.session("S1").auto_attach();
    let received = browser.receives().await;
    assert_eq!(received["method"], "Target.setAutoAttach");
    assert_eq!(received["params"], json!({"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true}));
    browser
        .sends_message(json!({"method": "Target.attachedToTarget", "sessionId": "S1", "params": {"sessionId": "S9",
            "waitingForDebugger": true, "targetInfo": {"targetId": "T9", "type": "a kind of tomorrow", "url": "about:blank"}}}))
        .await;
    browser.answers(&received, json!({})).await;
    timeout(PATIENCE, attachments.confirmed()).await.unwrap().unwrap();
    let attached = timeout(PATIENCE, attachments.next()).await.unwrap().unwrap();
    assert_eq!((attached.target_id.as_str(), attached.kind.as_str()), ("T9", "a kind of tomorrow"));
    attached.resume();
    let resumed = browser.receives().await;
    assert_eq!((&resumed["method"], &resumed["sessionId"]), (&json!("Runtime.runIfWaitingForDebugger"), &json!("S9")));
}

#[tokio::test]
async fn workers_of_other_contexts_are_resumed_where_that_is_wanted_alone() {
    let (connection, mut browser) = Browser::connect(Bounds::default());
    let workers = connection.browser().attach_to_shared_workers().within("OURS".to_owned());
    let mut workers = workers.resuming_only(Some("USERS".to_owned()));
    let enabled = browser.receives().await;
    assert_eq!(enabled["params"]["waitForDebuggerOnStart"], true);
    for (session, context) in [("S1", "ANOTHER"), ("S2", "USERS"), ("S3", "OURS")] {
        let target = json!({"targetId": session, "type": "shared_worker", "browserContextId": context});
        let attached = json!({"sessionId": session, "targetInfo": target, "waitingForDebugger": true});
        browser.sends_message(json!({"method": "Target.attachedToTarget", "params": attached})).await;
    }
    let ours = timeout(PATIENCE, workers.next()).await.unwrap().unwrap();
    assert_eq!(ours.context_id, "OURS");
    drop(ours);
    let resumed = browser.receives().await;
    let resumed = (resumed["method"].as_str().unwrap(), resumed["sessionId"].as_str().unwrap());
    assert_eq!(resumed, ("Runtime.runIfWaitingForDebugger", "S2"), "another lease's worker must stay halted");
}
