//! Each fault, as a client observes it.

use std::time::{Duration, Instant};

use http::Method;
use porthole_tests::Emulator;
use porthole_tests::emulator::EmulatorOptions;
use serde_json::{Value, json};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Error;

use super::client::{PATIENCE, connect, create, path, release, try_connect, try_create};

/// How long the tests watch a call that must hang: it must not end within this time.
const HANGS_FOR: Duration = Duration::from_millis(500);

/// Sends a create and returns its status and body, or `None` if there was no answer.
async fn ask(emulator: &Emulator) -> Option<(u16, Value)> {
    let request = emulator.http.post(format!("{}/v1/sessions", emulator.url()));
    let request = request.header("x-bb-api-key", emulator.api_key()).json(&json!({"keepAlive": true}));
    let response = request.send().await.ok()?;
    let status = response.status().as_u16();
    Some((status, response.json().await.unwrap_or_default()))
}

async fn created(emulator: &Emulator) -> u64 {
    emulator.ledger().await["totals"]["created"].as_u64().unwrap()
}

#[tokio::test]
async fn creates_fail_as_often_as_their_fault_says() {
    let emulator = Emulator::start(EmulatorOptions::new()).await;
    for code in [400, 401, 403, 429, 500, 502] {
        let fault = json!({"create": {"status": {"code": code, "message": "as you wish"}}, "times": 1});
        emulator.faults(fault).await;
        let (status, refusal) = ask(&emulator).await.unwrap();
        assert_eq!((status, &refusal["statusCode"], &refusal["message"]), (code, &json!(code), &json!("as you wish")));
    }
    emulator.faults(json!({"create": {"status": {"code": 429, "retry_after_s": 7}}, "times": 1})).await;
    let request = emulator.http.post(format!("{}/v1/sessions", emulator.url()));
    let response = request.header("x-bb-api-key", emulator.api_key()).send().await.unwrap();
    assert_eq!(response.headers()["retry-after"], "7");

    emulator.faults(json!({"create": "refuse", "times": 1})).await;
    assert_eq!(ask(&emulator).await, None);
    emulator.faults(json!({"create": "hang"})).await;
    for _ in 0..2 {
        assert!(timeout(HANGS_FOR, ask(&emulator)).await.is_err());
    }
    assert_eq!(created(&emulator).await, 0, "a create with a fault made a session");
    emulator.clear_faults().await;

    let slow = Duration::from_millis(700);
    emulator.faults(json!({"create": {"slow": {"ms": 700}}, "times": 1})).await;
    let began = Instant::now();
    let session = create(&emulator, json!({})).await;
    assert!(began.elapsed() >= slow);
    release(&emulator, &session).await;
    emulator.expect_all_given_back(PATIENCE).await;
}

#[tokio::test]
async fn creates_succeed_though_their_answers_are_lost() {
    let emulator = Emulator::start(EmulatorOptions::new()).await;
    emulator.faults(json!([{"create": "lose_answer", "times": 1}, {"create": "withhold_answer", "times": 1}])).await;
    assert_eq!(ask(&emulator).await, None);
    assert_eq!(created(&emulator).await, 1);
    let withheld = ask(&emulator);
    assert!(timeout(Duration::from_secs(5), withheld).await.is_err());
    assert_eq!(created(&emulator).await, 2);
    emulator.faults(json!({"create": "garbage", "times": 1})).await;
    assert_eq!(ask(&emulator).await, Some((201, Value::Null)));

    let (_, sessions) = emulator.call(Method::GET, "/v1/sessions?status=RUNNING", None).await;
    assert_eq!(sessions.as_array().unwrap().len(), 3);
    for session in sessions.as_array().unwrap() {
        release(&emulator, session).await;
    }
    emulator.expect_all_given_back(PATIENCE).await;
}

#[tokio::test]
async fn releases_and_reads_fail_as_often_as_their_fault_says() {
    let emulator = Emulator::start(EmulatorOptions::new()).await;
    let session = create(&emulator, json!({})).await;
    emulator.faults(json!({"release": {"status": {"code": 500}}, "times": 3})).await;
    for _ in 0..3 {
        assert_eq!(release(&emulator, &session).await.0, 500);
    }
    emulator.faults(json!({"release": "hang", "times": 1})).await;
    assert!(timeout(HANGS_FOR, release(&emulator, &session)).await.is_err());
    for place in ["list", "get"] {
        emulator.faults(json!({place: {"status": {"code": 503}}, "times": 1})).await;
    }
    assert_eq!(emulator.call(Method::GET, "/v1/sessions", None).await.0, 503);
    assert_eq!(emulator.call(Method::GET, &path(&session), None).await.0, 503);
    assert_eq!(emulator.call(Method::GET, &path(&session), None).await.1["status"], "RUNNING");
    assert_eq!(release(&emulator, &session).await.0, 200);
    let ledger = emulator.expect_all_given_back(PATIENCE).await;
    assert_eq!(ledger["sessions"][0]["release_requests"], 5);
}

#[tokio::test]
async fn connect_urls_that_lead_nowhere() {
    let emulator = Emulator::start(EmulatorOptions::new()).await;
    emulator.faults(json!({"create": "unreachable_connect_url", "times": 1})).await;
    let nowhere = create(&emulator, json!({})).await;
    let refused = try_connect(nowhere["connectUrl"].as_str().unwrap(), None).await.err().unwrap();
    assert!(matches!(&refused, Error::Io(error) if error.kind() == std::io::ErrorKind::ConnectionRefused), "{refused}");

    let session = create(&emulator, json!({})).await;
    let url = session["connectUrl"].as_str().unwrap();
    emulator
        .faults(json!([{"connect": {"status": {"code": 403}}, "times": 1}, {"connect": "refuse", "times": 1}]))
        .await;
    let refused = try_connect(url, None).await.err().unwrap();
    assert!(matches!(&refused, Error::Http(answer) if answer.status() == 403), "{refused}");
    assert!(!matches!(try_connect(url, None).await, Ok(_) | Err(Error::Http(_))));
    emulator.faults(json!({"connect": "hang", "times": 1})).await;
    assert!(timeout(HANGS_FOR, try_connect(url, None)).await.is_err());
    connect(&session).await.call("Browser.getVersion", json!({})).await;
    release(&emulator, &nowhere).await;
    emulator.expect_all_given_back(PATIENCE).await;
}

#[tokio::test]
async fn sockets_close_or_break_off_where_their_fault_says() {
    let emulator = Emulator::start(EmulatorOptions::new()).await;
    let keep = json!({"keepAlive": true});
    let session = create(&emulator, keep).await;

    emulator.faults(json!({"connect": {"close": {}}, "times": 1})).await;
    assert_eq!(connect(&session).await.ended().await, Some(1008));
    emulator.faults(json!({"connect": {"close": {"code": 4001, "after_messages": 2}}, "times": 1})).await;
    let mut socket = connect(&session).await;
    for _ in 0..2 {
        socket.call("Browser.getVersion", json!({})).await;
    }
    assert!(socket.try_call("Browser.getVersion", json!({})).await.is_err(), "a third message came");

    emulator.faults(json!({"connect": {"close": {"code": 4001, "after_messages": 1}}, "times": 1})).await;
    let mut socket = connect(&session).await;
    socket.call("Browser.getVersion", json!({})).await;
    socket.send("Browser.getVersion", json!({})).await.unwrap();
    assert_eq!(socket.ended().await, Some(4001));

    for (fault, whole_messages) in [(json!({"messages": 0}), 0), (json!({"messages": 3}), 3), (json!({"bytes": 0}), 0)]
    {
        emulator.faults(json!({"connect": {"drop_after": fault}, "times": 1})).await;
        let mut socket = connect(&session).await;
        let (mut answered, mut error) = (0, None);
        while error.is_none() && answered <= whole_messages {
            match socket.try_call("Browser.getVersion", json!({})).await {
                Ok(_) => answered += 1,
                Err(ended) => error = Some(ended),
            }
        }
        assert_eq!(answered, whole_messages, "{fault}");
        assert!(!matches!(error, Some(Error::ConnectionClosed)), "{fault}: the socket ended with a close handshake");
    }
    // Drops the connection in the middle of the first answer.
    emulator.faults(json!({"connect": {"drop_after": {"bytes": 40}}, "times": 1})).await;
    assert!(connect(&session).await.try_call("Browser.getVersion", json!({})).await.is_err());

    release(&emulator, &session).await;
    let ledger = emulator.expect_all_given_back(PATIENCE).await;
    assert_eq!(ledger["sessions"][0]["connections"], 7);
}

#[tokio::test]
async fn messages_after_garbage_still_arrive() {
    let emulator = Emulator::start(EmulatorOptions::new()).await;
    let session = create(&emulator, json!({"keepAlive": true})).await;
    for (kind, is_json) in [("text", false), ("json", true)] {
        emulator.faults(json!({"connect": {"garbage": {"kind": kind, "after_messages": 1}}, "times": 1})).await;
        let mut socket = connect(&session).await;
        socket.call("Browser.getVersion", json!({})).await;
        socket.send("Browser.getVersion", json!({})).await.unwrap();
        let garbage: Result<Value, _> = serde_json::from_str(&socket.next().await.unwrap());
        assert_eq!(garbage.as_ref().is_ok_and(Value::is_array), is_json, "{garbage:?}");
        let answer: Value = serde_json::from_str(&socket.next().await.unwrap()).unwrap();
        assert_eq!(answer["id"], 2, "the message after the garbage is not the answer");
        socket.close().await;
    }
    emulator.faults(json!({"connect": {"garbage": {"kind": "frame"}}, "times": 1})).await;
    let error = connect(&session).await.try_call("Browser.getVersion", json!({})).await.unwrap_err();
    assert!(matches!(error, Error::Protocol(_)), "{error}");
    release(&emulator, &session).await;
    emulator.expect_all_given_back(PATIENCE).await;
}

#[tokio::test]
async fn a_line_falls_silent_and_a_browser_dies() {
    let emulator = Emulator::start(EmulatorOptions::new()).await;
    let session = create(&emulator, json!({})).await;
    emulator.faults(json!({"connect": {"mute": {"after_messages": 1}}, "times": 1})).await;
    let mut socket = connect(&session).await;
    socket.call("Browser.getVersion", json!({})).await;
    socket.send("Browser.getVersion", json!({})).await.unwrap();
    assert!(socket.is_silent_for(HANGS_FOR).await);
    // The muted socket is still open in the other direction: a call sent over it reaches the browser.
    let mut other = connect(&session).await;
    let made = "data:text/html,made over the silent line";
    socket.send("Target.createTarget", json!({"url": made})).await.unwrap();
    porthole_tests::eventually(PATIENCE, async || {
        let targets = other.call("Target.getTargets", json!({})).await;
        porthole_tests::eventually::so(targets.to_string().contains(made), "there is no such page")
    })
    .await;
    drop((socket, other));

    for after_messages in [0, 1] {
        let session = create(&emulator, json!({})).await;
        emulator.faults(json!({"connect": {"kill_browser": {"after_messages": after_messages}}, "times": 1})).await;
        let mut socket = connect(&session).await;
        for _ in 0..after_messages {
            socket.call("Browser.getVersion", json!({})).await;
        }
        let _ = socket.send("Browser.getVersion", json!({})).await;
        assert_eq!(socket.ended().await, None);
    }
    let ledger = emulator.expect_all_given_back(PATIENCE).await;
    assert_eq!(ledger["totals"]["ended_by"], json!({"socket_closed": 1, "browser_died": 2}));
}

#[tokio::test]
async fn a_frozen_line_answers_no_ping_and_ends_with_its_client() {
    let emulator = Emulator::start(EmulatorOptions::new()).await;
    for (fault, after_messages, is_answered) in
        [("mute", 0, true), ("freeze", 0, false), ("mute", 1, true), ("freeze", 1, false)]
    {
        let session = create(&emulator, json!({})).await;
        emulator.faults(json!({"connect": {fault: {"after_messages": after_messages}}, "times": 1})).await;
        let mut socket = connect(&session).await;
        for _ in 0..after_messages {
            socket.call("Browser.getVersion", json!({})).await;
        }
        socket.send("Browser.getVersion", json!({})).await.unwrap();
        // A line freezes when the message after `after_messages` is due; until then it answers pings.
        assert!(socket.is_silent_for(HANGS_FOR).await, "{fault} after {after_messages}");
        socket.ping().await;
        if is_answered {
            socket.expect_pong().await;
        } else {
            assert!(socket.is_silent_for(HANGS_FOR).await, "{fault} after {after_messages}");
        }
    }
    let ledger = emulator.expect_all_given_back(PATIENCE).await;
    assert_eq!(ledger["totals"]["ended_by"], json!({"socket_closed": 4}));
}

#[tokio::test]
async fn a_delay_costs_each_round_trip_and_only_that() {
    let emulator = Emulator::start(EmulatorOptions::new()).await;
    let (each_way, calls) = (Duration::from_millis(250), 40);
    emulator.faults(json!({"connect": {"delay": {"each_way_ms": 250}}})).await;
    let session = create(&emulator, json!({})).await;
    let mut socket = connect(&session).await;
    let began = Instant::now();
    for _ in 0..calls {
        socket.send("Browser.getVersion", json!({})).await.unwrap();
    }
    for id in 1..=calls {
        let answer: Value = serde_json::from_str(&socket.next().await.unwrap()).unwrap();
        assert_eq!(answer["id"], id, "answers came out of order");
    }
    let took = began.elapsed();
    assert!(took >= 2 * each_way, "{took:?}");
    assert!(took < 2 * each_way * calls / 2, "calls wait for one another: {took:?}");
    // A delay and a failure at the same time: both apply.
    emulator.faults(json!({"connect": {"close": {"after_messages": 1}}, "times": 1})).await;
    let mut doomed = connect(&session).await;
    let began = Instant::now();
    doomed.call("Browser.getVersion", json!({})).await;
    assert!(began.elapsed() >= 2 * each_way);
    drop((socket, doomed));
    emulator.expect_all_given_back(PATIENCE).await;
}

#[tokio::test]
async fn a_create_beyond_its_faults_is_an_ordinary_one() {
    let emulator = Emulator::start(EmulatorOptions::new()).await;
    emulator.faults(json!([{"create": {"status": {"code": 500}}, "times": 1}, {"create": {"status": {"code": 429}}, "times": 1}])).await;
    let (_, wanted) = emulator.call(Method::GET, "/__emulator/faults", None).await;
    assert_eq!(wanted.as_array().unwrap().len(), 2);
    let mut codes = Vec::new();
    for _ in 0..3 {
        codes.push(try_create(&emulator, json!({})).await.0);
    }
    assert_eq!(codes, [500, 429, 201]);
    let (_, wanted) = emulator.call(Method::GET, "/__emulator/faults", None).await;
    assert_eq!(wanted, json!([]));
    let ledger = emulator.ledger().await;
    assert_eq!(json!([ledger["requests"]["create"], ledger["totals"]["created"]]), json!([3, 1]));
    let (_, sessions) = emulator.call(Method::GET, "/v1/sessions", None).await;
    release(&emulator, &sessions[0]).await;
    emulator.expect_all_given_back(PATIENCE).await;
}
