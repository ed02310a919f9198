//! How sessions end, and how the ledger records each end.

use std::time::Duration;

use http::Method;
use porthole_tests::emulator::EmulatorOptions;
use porthole_tests::eventually::so;
use porthole_tests::{Emulator, eventually};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Error;

use super::client::{PATIENCE, Socket, connect, create, release, status, try_connect};

/// Waits until a session is over and returns its fields in the ledger: `status`, `ended_by`, `connected`, `leaked`.
async fn end_of(emulator: &Emulator, session: &Value) -> Value {
    eventually(PATIENCE, async || {
        let ledger = emulator.ledger().await;
        let entry = entry(&ledger, session);
        so(!entry["ended_by"].is_null(), format!("the session has not ended: {entry:#}"))?;
        Ok(json!([entry["status"], entry["ended_by"], entry["connected"], entry["leaked"]]))
    })
    .await
}

fn entry(ledger: &Value, session: &Value) -> Value {
    let sessions = ledger["sessions"].as_array().unwrap();
    sessions.iter().find(|entry| entry["id"] == session["id"]).unwrap().clone()
}

/// Returns the HTTP status that refuses the upgrade.
async fn refused_with(session: &Value) -> u16 {
    match try_connect(session["connectUrl"].as_str().unwrap(), None).await {
        Err(Error::Http(answer)) => answer.status().as_u16(),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("the upgrade was granted"),
    }
}

#[tokio::test]
async fn a_session_ends_with_its_last_socket() {
    let emulator = Emulator::start(EmulatorOptions::new()).await;
    let session = create(&emulator, json!({})).await;
    let (one, mut other) = (connect(&session).await, connect(&session).await);
    one.close().await;
    other.call("Browser.getVersion", json!({})).await;
    assert_eq!(status(&emulator, &session).await, "RUNNING");
    // Dropped without a close frame, as when a process dies.
    drop(other);
    assert_eq!(end_of(&emulator, &session).await, json!(["COMPLETED", "socket_closed", true, false]));
    assert_eq!(refused_with(&session).await, 410);
    let (code, _) = release(&emulator, &session).await;
    let late = entry(&emulator.ledger().await, &session);
    assert_eq!((code, &late["released"], &late["ended_by"]), (200, &json!(true), &json!("socket_closed")));
    eventually(PATIENCE, async || so(emulator.process.family().is_empty(), "a browser is left")).await;
}

#[tokio::test]
async fn a_session_that_is_kept_alive_outlives_its_socket_and_keeps_its_pages() {
    let emulator = Emulator::start(EmulatorOptions::new()).await;
    let session = create(&emulator, json!({"keepAlive": true})).await;
    assert_eq!(session["keepAlive"], true);
    let mut first = connect(&session).await;
    let made = first.call("Target.createTarget", json!({"url": "data:text/html,<title>kept"})).await;
    first.close().await;
    let mut second = connect(&session).await;
    let targets = second.call("Target.getTargets", json!({})).await;
    let kept = targets["targetInfos"].as_array().unwrap().iter().any(|target| target["targetId"] == made["targetId"]);
    assert!(kept, "{targets:#}");
    assert_eq!(status(&emulator, &session).await, "RUNNING");
    release(&emulator, &session).await;
    assert_eq!(second.ended().await, Some(1000));
    assert_eq!(end_of(&emulator, &session).await, json!(["COMPLETED", "released", true, false]));
}

#[tokio::test]
async fn an_unreleased_session_times_out_and_is_leaked() {
    let emulator = Emulator::start(EmulatorOptions::new().setting("PORTHOLE_EMULATOR_TIMEOUT_MIN", "1")).await;
    let (held, mut socket) = connected_until_its_timeout(&emulator).await;
    let expired = create(&emulator, json!({"keepAlive": true, "timeout": 600})).await;
    connect(&expired).await.close().await;
    let (code, _) = emulator
        .call(Method::POST, &format!("/__emulator/sessions/{}/expire", expired["id"].as_str().unwrap()), None)
        .await;
    assert_eq!(code, 204);
    assert_eq!(end_of(&emulator, &expired).await, json!(["TIMED_OUT", "timed_out", true, true]));
    assert_eq!(end_of(&emulator, &held).await, json!(["TIMED_OUT", "timed_out", true, true]));
    assert_eq!(socket.ended().await, Some(1000));
    let ledger = emulator.ledger().await;
    let [created, expired, leaked, connected] =
        ["created", "expired", "leaked", "connected"].map(|total| ledger["totals"][total].as_u64().unwrap());
    assert_eq!((expired, leaked, connected), (created, created, 2), "{ledger:#}");
    eventually(PATIENCE, async || so(emulator.process.family().is_empty(), "a browser is left")).await;
}

/// Creates a session with a timeout and connects to it. The timeout includes the browser's start, which takes long on
/// a busy machine: if it passes before the socket is open, the next session gets a longer one.
async fn connected_until_its_timeout(emulator: &Emulator) -> (Value, Socket) {
    for seconds in [3, 6, 12, 24] {
        let session = create(emulator, json!({"timeout": seconds})).await;
        let Some(url) = session["connectUrl"].as_str() else { continue };
        match try_connect(url, None).await {
            Ok(socket) => return (session, socket),
            Err(Error::Http(answer)) if answer.status() == 410 => {}
            Err(error) => panic!("{error}"),
        }
    }
    panic!("no browser started within 24 s");
}

#[tokio::test]
async fn an_unconnected_session_times_out_and_is_leaked() {
    let options = EmulatorOptions::new().setting("PORTHOLE_EMULATOR_CONNECT_WITHIN", "1");
    let emulator = Emulator::start(options).await;
    let unconnected = create(&emulator, json!({"timeout": 600})).await;
    assert_eq!(end_of(&emulator, &unconnected).await, json!(["TIMED_OUT", "timed_out", false, true]));
}

#[tokio::test]
async fn a_browser_that_its_client_closes_and_one_that_dies_are_told_apart() {
    let emulator = Emulator::start(EmulatorOptions::new()).await;
    let closed = create(&emulator, json!({})).await;
    let mut socket = connect(&closed).await;
    socket.send("Browser.close", json!({})).await.unwrap();
    assert_eq!(socket.ended().await, None);
    assert_eq!(end_of(&emulator, &closed).await, json!(["COMPLETED", "browser_closed", true, false]));

    let killed = create(&emulator, json!({})).await;
    let mut socket = connect(&killed).await;
    let path = format!("/__emulator/sessions/{}/kill", killed["id"].as_str().unwrap());
    assert_eq!(emulator.call(Method::POST, &path, None).await.0, 204);
    assert_eq!(socket.ended().await, None, "a dead browser's socket ended with a close code");
    assert_eq!(end_of(&emulator, &killed).await, json!(["ERROR", "browser_died", true, false]));

    let crashed = create(&emulator, json!({})).await;
    let mut socket = connect(&crashed).await;
    let _ = socket.send("Browser.crash", json!({})).await;
    assert_eq!(socket.ended().await, None);
    assert_eq!(end_of(&emulator, &crashed).await, json!(["ERROR", "browser_died", true, false]));
}

#[tokio::test]
async fn a_session_is_created_even_if_its_caller_leaves_meanwhile() {
    let emulator = Emulator::start(EmulatorOptions::new()).await;
    let body = json!({"userMetadata": {"of": "who left"}});
    let asking = emulator.call(Method::POST, "/v1/sessions", Some(&body));
    let left = tokio::select! {
        _ = asking => false,
        () = eventually(PATIENCE, async || {
            so(emulator.ledger().await["totals"]["created"] == 1, "the create has not begun")
        }) => true,
    };
    assert!(left, "the create was answered before the caller could leave");
    let session = eventually(PATIENCE, async || {
        let query = "/v1/sessions?status=RUNNING&q=user_metadata%5B'of'%5D:'who%20left'";
        let (_, sessions) = emulator.call(Method::GET, query, None).await;
        so(sessions[0].is_object(), "no such session is running")?;
        Ok(sessions[0].clone())
    })
    .await;
    release(&emulator, &session).await;
    assert_eq!(end_of(&emulator, &session).await, json!(["COMPLETED", "released", false, false]));
}

#[tokio::test]
async fn a_signing_key_opens_its_own_session_only() {
    let emulator = Emulator::start(EmulatorOptions::new()).await;
    let session = create(&emulator, json!({})).await;
    let url = session["connectUrl"].as_str().unwrap();
    let (base, key) = url.split_once("?signingKey=").unwrap();
    for wrong in [base.to_owned(), format!("{base}?signingKey="), format!("{base}?signingKey={}", &key[1..])] {
        assert_eq!(refused_with(&json!({"connectUrl": wrong})).await, 401);
    }
    let debug = format!("{base}debug/{}/{}/devtools/browser", session["id"].as_str().unwrap(), &key[1..]);
    assert_eq!(refused_with(&json!({"connectUrl": debug})).await, 401);
    let plain = emulator.http.get(format!("{}/?signingKey={key}", emulator.url())).send().await.unwrap();
    assert_eq!(plain.status(), 426);
    assert_eq!(emulator.ledger().await["totals"]["connected"], 0);
    release(&emulator, &session).await;
    emulator.expect_all_given_back(Duration::from_secs(20)).await;
}
