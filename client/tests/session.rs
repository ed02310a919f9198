//! Sessions through the library: the handle, the retries, and what a failure tells.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod scripted;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use porthole_client::session::{ClickRequest, NavigateRequest, OpenRequest, SnapshotRequest, TypeRequest};
use porthole_client::{Client, Error, ErrorCode, Operation, SecretString, Session};
use scripted::{Reply, Worker, answer, failure};
use serde_json::{Value, json};

fn page(handle: &str) -> Reply {
    answer(
        200,
        &json!({"ok": true, "session": handle, "tab": "t1", "url": "https://example.com/", "title": "T",
            "request_id": "r-1", "timings_ms": {"total": 5}, "events": [], "warnings": [], "navigated": true,
            "settled": true, "newer_field": 1,
            "snapshot": {"snapshot_id": "s1", "tree": "- button \"Go\" [ref=@e1]", "refs": {"@e1": {"role": "button"}},
                "element_count": 1, "truncated": false, "chars": 24}}),
    )
}

fn refused(code: &str, session: Option<&str>) -> Reply {
    answer(
        503,
        &json!({"ok": false, "error": code, "message": "m", "details": "d", "retryable": true, "request_id": "r-2",
            "session": session, "events": [{"type": "blocked", "count": 2}]}),
    )
}

/// A session whose waits between attempts take no time, and how many there were.
fn session(worker: &Worker) -> (Session, Arc<Mutex<usize>>) {
    let waits = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&waits);
    let client = Client::builder()
        .url(worker.url())
        .timeout(Duration::from_secs(5))
        .sleeper(move |_| {
            *counted.lock().unwrap() += 1;
            std::future::ready(())
        })
        .build()
        .unwrap();
    (client.session("sb-1", Some(SecretString::from("token-1"))), waits)
}

fn click() -> ClickRequest {
    ClickRequest { reference: Some("@e1".parse().unwrap()), ..ClickRequest::default() }
}

fn sessions_of(worker: &Worker) -> Vec<Value> {
    worker.seen().iter().map(|seen| seen.json()["session"].clone()).collect()
}

#[tokio::test]
async fn the_handle_of_the_first_answer_is_sent_with_every_later_call() {
    let worker = Worker::start(|_| page("ses_1"));
    let (session, _) = session(&worker);
    assert_eq!(session.handle(), None);
    // On another task: the calls' futures must be `Send`.
    let elsewhere = session.clone();
    tokio::spawn(async move { elsewhere.go_to("https://example.com").await.map(drop) }).await.unwrap().unwrap();
    assert_eq!(session.handle().as_deref(), Some("ses_1"));
    let looked = session.snapshot(SnapshotRequest::default()).await.unwrap();
    assert_eq!(looked.snapshot.unwrap().refs.len(), 1);
    session.click(click()).await.unwrap();
    session.type_text(TypeRequest { text: "ada".to_owned(), at: None, ..TypeRequest::default() }).await.unwrap();

    assert_eq!(worker.asked(), ["navigate", "snapshot", "click", "type"]);
    assert_eq!(sessions_of(&worker), [Value::Null, json!("ses_1"), json!("ses_1"), json!("ses_1")]);
    for seen in worker.seen() {
        assert!(seen.line.starts_with("POST /api/sandbox/session/"), "{seen:?}");
        assert_eq!((&seen.json()["sandbox_id"], &seen.json()["owner_token"]), (&json!("sb-1"), &json!("token-1")));
    }
    assert_eq!(worker.seen()[2].json()["ref"], "@e1");
    assert!(!format!("{session:?}").contains("token-1"));
}

#[tokio::test]
async fn open_replaces_the_session_and_close_forgets_it() {
    let worker = Worker::with_replies([
        page("ses_1"),
        page("ses_2"),
        answer(200, &json!({"ok": true, "session": "ses_2", "request_id": "r", "timings_ms": {}, "closed": true})),
        page("ses_3"),
        failure(410, "SESSION_LOST", false),
    ]);
    let (session, _) = session(&worker);
    session.go_to("https://example.com").await.unwrap();
    session.open(OpenRequest::default()).await.unwrap();
    assert!(session.close().await.unwrap().result.closed);
    session.go_to("https://example.com").await.unwrap();
    assert!(!session.close().await.unwrap().result.closed, "its replica was gone");
    assert_eq!(sessions_of(&worker), [Value::Null, Value::Null, json!("ses_2"), Value::Null, json!("ses_3")]);
    assert_eq!(session.handle(), None);
}

#[tokio::test]
async fn a_refusal_before_acting_is_retried_and_a_failure_that_may_have_acted_is_not() {
    let worker = Worker::with_replies([refused("OVERLOADED", None), refused("CONTROL_HELD", None), page("ses_1")]);
    let (called, waits) = session(&worker);
    called.click(click()).await.unwrap();
    assert_eq!((worker.seen().len(), *waits.lock().unwrap()), (3, 2));

    for code in ["DEADLINE_EXCEEDED", "INTERNAL", "BROWSER_CRASHED", "SERVICE_TIMEOUT", "NEWER_CODE"] {
        let worker = Worker::start(move |_| refused(code, None));
        let error = session(&worker).0.click(click()).await.unwrap_err();
        assert_eq!((error.code().name(), worker.seen().len()), (code, 1));
    }
    let worker = Worker::with_replies([refused("DEADLINE_EXCEEDED", None), page("ses_1")]);
    session(&worker).0.snapshot(SnapshotRequest::default()).await.unwrap();
    assert_eq!(worker.seen().len(), 2, "a snapshot changes nothing, so it is retried");
}

#[tokio::test]
async fn a_click_whose_answer_is_lost_is_not_sent_again() {
    for lost in [|| Reply::Reset, || Reply::Torn] {
        let worker = Worker::with_replies([lost(), page("ses_1")]);
        let error = session(&worker).0.click(click()).await.unwrap_err();
        assert!(matches!(error, Error::Unanswered { .. }) && !error.retryable(), "{error:?}");
        assert_eq!(worker.seen().len(), 1);
        let worker = Worker::with_replies([lost(), page("ses_1")]);
        session(&worker).0.snapshot(SnapshotRequest::default()).await.unwrap();
        assert_eq!(worker.seen().len(), 2);
    }
}

#[tokio::test]
async fn a_click_without_an_answer_in_time_is_not_sent_again() {
    let worker = Worker::start(|_| Reply::Silence);
    let client = Client::builder().url(worker.url()).timeout(Duration::from_millis(200)).build().unwrap();
    let error = client.session("sb-1", None).click(click()).await.unwrap_err();
    assert!(matches!(error, Error::Unanswered { .. }), "{error:?}");
    assert_eq!(worker.seen().len(), 1);
}

#[tokio::test]
async fn a_call_that_was_never_sent_is_retried() {
    let unused = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let client = Client::builder().url(format!("http://{unused}")).sleeper(|_| std::future::ready(())).build().unwrap();
    let error = client.session("sb-1", None).click(click()).await.unwrap_err();
    assert!(matches!(error, Error::Connection { .. }) && error.retryable(), "{error:?}");
    assert_eq!(client.metrics()["session_click"].retries, 4);
}

#[tokio::test]
async fn a_retry_of_the_first_call_is_about_the_session_that_it_made() {
    let worker = Worker::with_replies([refused("OVERLOADED", Some("ses_1")), page("ses_1")]);
    let (called, _) = session(&worker);
    let allow_hosts = Some(vec!["example.com".to_owned()]);
    let url = Some("https://example.com".to_owned());
    called.navigate(NavigateRequest { url, allow_hosts, ..NavigateRequest::default() }).await.unwrap();
    assert_eq!(sessions_of(&worker), [Value::Null, json!("ses_1")]);
    let bodies: Vec<Value> = worker.seen().iter().map(scripted::Seen::json).collect();
    assert_eq!((&bodies[0]["allow_hosts"], &bodies[1]["allow_hosts"]), (&json!(["example.com"]), &Value::Null));

    let worker = Worker::start(|_| refused("OVERLOADED", Some("ses_1")));
    let (called, _) = session(&worker);
    let error = called.open(OpenRequest::default()).await.unwrap_err();
    assert_eq!((worker.seen().len(), called.handle().as_deref()), (1, Some("ses_1")));
    assert_eq!((error.code(), error.events().len()), (porthole_client::Code::Known(ErrorCode::Overloaded), 1));
}

#[tokio::test]
async fn how_a_session_is_to_be_is_never_dropped_in_silence() {
    let worker = Worker::start(|_| page("ses_1"));
    let called = session(&worker).0.with_handle("ses_1");
    let allow_hosts = Some(vec!["example.com".to_owned()]);
    called.navigate(NavigateRequest { allow_hosts, ..NavigateRequest::default() }).await.unwrap();
    assert_eq!(worker.seen()[0].json()["allow_hosts"], json!(["example.com"]), "the service refuses it");
}

#[tokio::test]
async fn a_body_is_sent_to_any_route_as_it_is_and_retried_as_its_operation() {
    let worker = Worker::start(|seen| match seen.json()["ref"].as_str() {
        Some("@e1") => refused("DEADLINE_EXCEEDED", Some("ses_1")),
        _ => page("ses_1"),
    });
    let client = Client::builder().url(worker.url()).sleeper(|_| std::future::ready(())).build().unwrap();
    let body = |reference: &str| {
        json!({"sandbox_id": "sb-1", "owner_token": "t", "session": "ses_1", "ref": reference})
            .as_object()
            .unwrap()
            .clone()
    };
    let answer = client.send(Operation::SessionClick, &body("@e2")).await.unwrap();
    assert_eq!((&answer["session"], &answer["newer_field"]), (&json!("ses_1"), &json!(1)));
    assert_eq!(worker.seen()[0].json(), Value::Object(body("@e2")));
    let error = client.send(Operation::SessionClick, &body("@e1")).await.unwrap_err();
    assert_eq!(worker.seen().len(), 2, "it may have clicked");
    assert_eq!(error.error_answer().context.session.as_deref(), Some("ses_1"));
    client.send(Operation::SessionSnapshot, &body("@e1")).await.unwrap_err();
    assert_eq!(worker.seen().len(), 7, "a look is repeated four times");
}
