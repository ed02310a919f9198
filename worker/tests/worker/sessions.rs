//! Calls to sessions: their routes, bodies, rate and failures.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use porthole_contract::routes::session;
use porthole_worker::server::Limits;
use serde_json::json;
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;

use crate::harness::{Running, SCREENSHOT, Service, bound, failure, fetch};

const HANDLE: &str = "ses_AAAAAAAAbbbbbbbbccccccccccccccccccccccccccccccccccccccccccc";

fn public(route: &str) -> String {
    format!("/api/sandbox{route}")
}

/// A body of exactly this many bytes.
fn body_of(bytes: usize) -> String {
    let around = r#"{"pad":""}"#;
    format!(r#"{{"pad":"{}"}}"#, "a".repeat(bytes - around.len()))
}

#[tokio::test]
async fn every_route_is_forwarded_with_the_operators_credentials() {
    let service = Service::answering(r#"{"ok":true}"#).await;
    let credentials = [("BROWSERBASE_API_KEY", "the-operators-key"), ("BROWSERBASE_PROJECT_ID", "the-project")];
    let worker = Running::with(service.addr, &credentials, Limits::default()).await;
    for route in session::ALL {
        let body = json!({"session": HANDLE, "browserbase_api_key": "theirs"});
        let answer = fetch(worker.post(&public(route), body.to_string())).await;
        assert_eq!((answer.status, answer.json()), (200, json!({"ok": true})), "{route}");
        let seen = service.last();
        assert_eq!(seen.path, *route);
        assert_eq!(
            seen.json(),
            json!({"session": HANDLE, "browserbase_api_key": "the-operators-key", "browserbase_project_id": "the-project"})
        );
        assert_eq!(seen.header("x-request-id"), answer.header("x-request-id"), "{route}");
    }
}

#[tokio::test]
async fn foreign_pages_and_callers_without_a_key_are_refused() {
    let service = Service::answering("{}").await;
    let keys = [("PORTHOLE_CLIENT_KEYS", "a-client-key-that-is-long-enough-0")];
    let worker = Running::with(service.addr, &keys, Limits::default()).await;
    let click = public(session::CLICK);
    assert_eq!(fetch(worker.post(&click, "{}")).await.failure(), failure(401, "UNAUTHORIZED"));
    let foreign = worker.post(&click, "{}").header("origin", "https://evil.example");
    assert_eq!(fetch(foreign).await.failure(), failure(403, "ORIGIN_NOT_ALLOWED"));
    assert!(service.seen().is_empty());
}

#[tokio::test]
async fn bodies_are_bounded_by_route() {
    let service = Service::answering("{}").await;
    let worker = Running::before(&service).await;
    for (route, bytes) in [(session::CLICK, 64 * 1024), (session::OPEN, 1_000_000), (session::UPLOAD, 14_000_000)] {
        assert_eq!(fetch(worker.post(&public(route), body_of(bytes))).await.status, 200, "{route}");
        let answer = fetch(worker.post(&public(route), body_of(bytes + 1))).await;
        assert_eq!(answer.failure(), failure(413, "REQUEST_TOO_LARGE"), "{route}");
    }
    assert_eq!(service.seen().len(), 3);
}

#[tokio::test]
async fn ten_calls_count_as_one_request() {
    let service = Service::answering("{}").await;
    let worker = Running::with(service.addr, &[("PORTHOLE_RATE_LIMIT", "2")], Limits::default()).await;
    let mut admitted = 0;
    for _ in 0..10 {
        admitted += usize::from(fetch(worker.post(&public(session::CLICK), "{}")).await.status == 200);
    }
    assert_eq!(admitted, 10);
    assert_eq!(fetch(worker.post(SCREENSHOT, "{}")).await.status, 200);
    assert_eq!(fetch(worker.post(SCREENSHOT, "{}")).await.failure(), failure(429, "RATE_LIMITED"));
}

#[tokio::test]
async fn a_text_that_is_no_handle_is_not_forwarded() {
    let service = Service::answering("{}").await;
    let worker = Running::before(&service).await;
    for handle in ["", "ses_", "ses_short", "t1", "ses_AAAAAAAA@10.0.0.1:80", "ses_AAAA/../AAAA", &"a".repeat(65)] {
        let answer = fetch(worker.post(&public(session::CLICK), json!({"session": handle}).to_string())).await;
        assert_eq!(answer.failure(), failure(404, "SESSION_NOT_FOUND"), "{handle}");
    }
    assert!(service.seen().is_empty());
    // The service says what is wrong with other types.
    for body in [r#"{"session":null}"#, r#"{"session":7}"#, "{}"] {
        assert_eq!(fetch(worker.post(&public(session::CLICK), body)).await.status, 200, "{body}");
    }
}

#[tokio::test]
async fn without_its_service_a_session_is_lost_and_a_new_one_unavailable() {
    let worker = Running::with(bound().await.addr(), &[], Limits::default()).await;
    let with_handle = json!({"session": HANDLE}).to_string();
    let answer = fetch(worker.post(&public(session::CLICK), with_handle)).await;
    assert_eq!(answer.failure(), failure(410, "SESSION_LOST"));
    assert_eq!(answer.json()["retryable"], false);
    let answer = fetch(worker.post(&public(session::NAVIGATE), "{}")).await;
    assert_eq!(answer.failure(), failure(502, "SERVICE_UNAVAILABLE"));
    assert_eq!(answer.json()["retryable"], true, "nothing was sent");
}

#[tokio::test]
async fn a_call_that_was_sent_is_sent_once_and_its_caller_told_whether_to_repeat_it() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let received = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&received);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.read(&mut [0; 4096]).await;
            count.fetch_add(1, Ordering::SeqCst);
        }
    });
    let worker = Running::with(addr, &[], Limits::default()).await;
    let body = json!({"session": HANDLE}).to_string();
    for (route, retryable) in [(session::CLICK, false), (session::NAVIGATE, false), (session::SNAPSHOT, true)] {
        let before = received.load(Ordering::SeqCst);
        let answer = fetch(worker.post(&public(route), body.clone())).await;
        assert_eq!(answer.failure(), failure(502, "SERVICE_UNAVAILABLE"), "{route}");
        assert_eq!(answer.json()["retryable"], retryable, "{route}");
        assert_eq!(received.load(Ordering::SeqCst), before + 1, "{route}");
    }
}

#[tokio::test]
async fn a_silent_service_is_a_timeout_that_is_not_to_be_repeated_for_a_click() {
    let service = Service::start(Router::new().fallback(std::future::pending::<()>)).await;
    let limits = Limits { answer: std::time::Duration::from_millis(200), ..Limits::default() };
    let worker = Running::with(service.addr, &[], limits).await;
    let body = json!({"session": HANDLE}).to_string();
    let answer = fetch(worker.post(&public(session::CLICK), body)).await;
    assert_eq!(answer.failure(), failure(504, "SERVICE_TIMEOUT"));
    assert_eq!(answer.json()["retryable"], false);
    assert_eq!(service.seen().len(), 1);
}
