//! Calls, events and endings over the pipe.

use chromiumoxide_cdp::cdp::browser_protocol::browser::GetVersionParams;
use chromiumoxide_cdp::cdp::browser_protocol::page::NavigateParams;
use chromiumoxide_cdp::cdp::js_protocol::runtime::EvaluateParams;
use serde::Deserialize;
use serde_json::json;
use tokio::time::timeout;

use super::scripted::{Browser, PATIENCE};
use crate::cdp::{CdpError, MESSAGE_MAX_BYTES};

fn version() -> serde_json::Value {
    json!({"protocolVersion": "1.3", "product": "Scripted/1", "revision": "r", "userAgent": "u", "jsVersion": "j"})
}

#[tokio::test]
async fn calls_leave_at_once_and_are_answered_in_any_order() {
    let (connection, mut browser) = Browser::connect(MESSAGE_MAX_BYTES);
    let page = connection.session("S1");
    let first = page.call(&NavigateParams::new("https://example.com/1"));
    let second = connection.browser().call(&GetVersionParams::default());
    // Both were heard although nobody has awaited either.
    let (navigate, get_version) = (browser.hears().await, browser.hears().await);
    assert_eq!((&navigate["method"], &navigate["sessionId"]), (&json!("Page.navigate"), &json!("S1")));
    assert_eq!((&get_version["method"], get_version.get("sessionId")), (&json!("Browser.getVersion"), None));
    browser.answers(&get_version, version()).await;
    browser.answers(&navigate, json!({"frameId": "F", "loaderId": "L", "aFieldOfTomorrow": 1})).await;
    assert_eq!(timeout(PATIENCE, second).await.unwrap().unwrap().product, "Scripted/1");
    assert_eq!(timeout(PATIENCE, first).await.unwrap().unwrap().frame_id.inner(), "F");
}

#[tokio::test]
async fn a_refused_call_tells_its_method_and_the_browsers_words() {
    let (connection, mut browser) = Browser::connect(MESSAGE_MAX_BYTES);
    let call = connection.browser().call(&EvaluateParams::new("1"));
    let heard = browser.hears().await;
    browser.says(json!({"id": heard["id"], "error": {"code": -32000, "message": "No target"}})).await;
    let error = timeout(PATIENCE, call).await.unwrap().unwrap_err();
    assert_eq!(
        error,
        CdpError::Remote { method: "Runtime.evaluate".into(), code: -32000, message: "No target".into() }
    );
}

#[tokio::test]
async fn a_dropped_call_is_forgotten_and_its_late_answer_harms_nobody() {
    let (connection, mut browser) = Browser::connect(MESSAGE_MAX_BYTES);
    drop(connection.browser().call(&GetVersionParams::default()));
    let forgotten = browser.hears().await;
    browser.answers(&forgotten, json!("not even an object")).await;
    let call = connection.browser().call(&GetVersionParams::default());
    let heard = browser.hears().await;
    browser.answers(&heard, version()).await;
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
    let (connection, mut browser) = Browser::connect(MESSAGE_MAX_BYTES);
    let page = connection.session("S1");
    let mut events = page.events(&["Fetch.requestPaused", "Page.loadEventFired"]);
    for message in [
        json!({"method": "Fetch.requestPaused", "sessionId": "S2", "params": {"requestId": "another session's"}}),
        json!({"method": "Network.dataReceived", "sessionId": "S1", "params": {"nobody": "asked"}}),
        json!({"method": "Page.loadEventFired", "sessionId": "S1", "params": {"timestamp": 1}}),
        json!({"method": "Fetch.requestPaused", "sessionId": "S1",
               "params": {"requestId": "r1", "resourceType": "InventedTomorrow"}}),
    ] {
        browser.says(message).await;
    }
    assert_eq!(timeout(PATIENCE, events.next()).await.unwrap().unwrap().method, "Page.loadEventFired");
    let event = timeout(PATIENCE, events.next()).await.unwrap().unwrap();
    let paused: Paused = event.read().unwrap();
    assert_eq!((paused.request_id.as_str(), paused.resource_type.as_str()), ("r1", "InventedTomorrow"));
}

#[tokio::test]
async fn an_event_is_known_by_its_method_wherever_that_stands() {
    let (connection, mut browser) = Browser::connect(MESSAGE_MAX_BYTES);
    let page = connection.session("S1");
    let mut events = page.events(&["Page.frameNavigated", "Page.loadEventFired"]);
    for message in [
        // Nobody asked for it, and what is in it is never looked at.
        r#"{"method":"Page.frameNavigatedWithinDocument","params":{},"sessionId":"S1"}"#,
        r#"{"method":"Network.dataReceived","params":not even JSON"#,
        r#"{"params":{},"sessionId":"S1","method":"Page.frameNavigated"}"#,
        r#" { "method" : "Page.loadEventFired" , "params" : {} , "sessionId" : "S1" } "#,
        r#"{"method":"Page\u002eframeNavigated","params":{},"sessionId":"S1"}"#,
        r#"{"method":"Page.frameNavigated","params":{},"sessionId":"S1"}"#,
    ] {
        browser.sends(&[message.as_bytes(), b"\0"].concat()).await;
    }
    for expected in ["Page.frameNavigated", "Page.loadEventFired", "Page.frameNavigated", "Page.frameNavigated"] {
        assert_eq!(timeout(PATIENCE, events.next()).await.unwrap().unwrap().method, expected);
    }
}

#[tokio::test]
async fn every_pending_call_and_stream_ends_when_the_browser_closes() {
    let (connection, mut browser) = Browser::connect(MESSAGE_MAX_BYTES);
    let call = connection.browser().call(&GetVersionParams::default());
    let mut events = connection.browser().events(&["Target.targetCrashed"]);
    browser.hears().await;
    drop(browser);
    assert!(matches!(timeout(PATIENCE, call).await.unwrap(), Err(CdpError::Closed(_))));
    assert!(timeout(PATIENCE, events.next()).await.unwrap().is_none());
    timeout(PATIENCE, connection.closed()).await.unwrap();
    // A call made after the end fails at once, too, and a stream asked for then is over.
    let late = connection.browser().call(&GetVersionParams::default());
    assert!(matches!(timeout(PATIENCE, late).await.unwrap(), Err(CdpError::Closed(_))));
    assert!(timeout(PATIENCE, connection.browser().events(&["A.b"]).next()).await.unwrap().is_none());
}

#[tokio::test]
async fn a_detached_session_fails_its_own_calls_and_no_others() {
    let (connection, mut browser) = Browser::connect(MESSAGE_MAX_BYTES);
    let gone = connection.session("S1").call(&EvaluateParams::new("1"));
    let alive = connection.session("S2").call(&NavigateParams::new("https://example.com/"));
    let (_, heard) = (browser.hears().await, browser.hears().await);
    browser.says(json!({"method": "Target.detachedFromTarget", "params": {"sessionId": "S1"}})).await;
    assert_eq!(timeout(PATIENCE, gone).await.unwrap().unwrap_err(), CdpError::Detached);
    browser.answers(&heard, json!({"frameId": "F"})).await;
    assert!(timeout(PATIENCE, alive).await.unwrap().is_ok());
}

#[tokio::test]
async fn a_message_over_the_cap_ends_the_connection() {
    let (connection, mut browser) = Browser::connect(100_000);
    browser.sends(&vec![b'x'; 200_000]).await;
    assert!(timeout(PATIENCE, connection.closed()).await.unwrap().contains("size cap"));
}

#[tokio::test]
async fn garbage_between_messages_is_passed_over() {
    let (connection, mut browser) = Browser::connect(MESSAGE_MAX_BYTES);
    let call = connection.browser().call(&GetVersionParams::default());
    let heard = browser.hears().await;
    browser.sends(b"\xff\xfe garbage\0[]\0{}\0{\"id\":\"seven\"}\0").await;
    browser.answers(&heard, version()).await;
    assert!(timeout(PATIENCE, call).await.unwrap().is_ok());
}

#[tokio::test]
async fn the_pipe_closes_when_nobody_holds_the_connection() {
    let (connection, mut browser) = Browser::connect(MESSAGE_MAX_BYTES);
    let session = connection.session("S1");
    drop(connection);
    session.call(&EvaluateParams::new("1")).forget();
    browser.hears().await;
    drop(session);
    let mut end = [0];
    let read = tokio::io::AsyncReadExt::read(browser.reader(), &mut end);
    assert_eq!(timeout(PATIENCE, read).await.unwrap().unwrap(), 0, "the pipe is closed");
}

#[tokio::test]
async fn attached_targets_stand_still_until_they_are_resumed() {
    let (connection, mut browser) = Browser::connect(MESSAGE_MAX_BYTES);
    let mut attachments = connection.session("S1").auto_attach();
    let heard = browser.hears().await;
    assert_eq!(heard["method"], "Target.setAutoAttach");
    assert_eq!(heard["params"], json!({"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true}));
    browser
        .says(json!({"method": "Target.attachedToTarget", "sessionId": "S1", "params": {"sessionId": "S9",
            "waitingForDebugger": true, "targetInfo": {"targetId": "T9", "type": "a kind of tomorrow", "url": "about:blank"}}}))
        .await;
    browser.answers(&heard, json!({})).await;
    timeout(PATIENCE, attachments.confirmed()).await.unwrap().unwrap();
    let attached = timeout(PATIENCE, attachments.next()).await.unwrap().unwrap();
    assert_eq!((attached.target_id.as_str(), attached.kind.as_str()), ("T9", "a kind of tomorrow"));
    attached.resume();
    let resumed = browser.hears().await;
    assert_eq!((&resumed["method"], &resumed["sessionId"]), (&json!("Runtime.runIfWaitingForDebugger"), &json!("S9")));
}
