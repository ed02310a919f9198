//! The request body on its way to the service: credentials, limits, refusals.

use porthole_worker::server::Limits;
use serde_json::json;

use crate::harness::{CREATE, EXTRACT, Running, SCREENSHOT, Service, failure, fetch};

const CREDENTIALS: &[(&str, &str)] =
    &[("BROWSERBASE_API_KEY", "the-operators-key"), ("BROWSERBASE_PROJECT_ID", "the-project")];
const THEIRS: &str = r#"{"url":"https://example.com","browserbase_api_key":"theirs","browserbase_project_id":7}"#;

#[tokio::test]
async fn browser_routes_get_the_operators_credentials_whatever_the_caller_sent() {
    let service = Service::answering("{}").await;
    let worker = Running::with(service.addr, CREDENTIALS, Limits::default()).await;
    for (public, path) in [(SCREENSHOT, "/browser-screenshot"), (EXTRACT, "/browser-extract")] {
        assert_eq!(fetch(worker.post(public, THEIRS)).await.status, 200);
        let seen = service.last();
        assert_eq!(seen.path, path);
        assert_eq!(seen.header("content-type"), Some("application/json"));
        let expected = json!({
            "url": "https://example.com", "browserbase_api_key": "the-operators-key", "browserbase_project_id": "the-project",
        });
        assert_eq!(seen.json(), expected);
    }
}

#[tokio::test]
async fn without_credentials_the_callers_are_removed() {
    let service = Service::answering("{}").await;
    let worker = Running::before(&service).await;
    fetch(worker.post(SCREENSHOT, THEIRS)).await;
    assert_eq!(service.last().json(), json!({"url": "https://example.com"}));
}

#[tokio::test]
async fn create_gets_no_credentials() {
    let service = Service::answering("{}").await;
    let worker = Running::with(service.addr, CREDENTIALS, Limits::default()).await;
    fetch(worker.post(CREATE, r#"{ "ttl_seconds" : 60 }"#)).await;
    let seen = service.last();
    assert_eq!((seen.path.as_str(), &seen.body[..]), ("/create", &br#"{"ttl_seconds":60}"#[..]));
}

#[tokio::test]
async fn only_json_objects_reach_the_service() {
    let service = Service::answering("{}").await;
    let worker = Running::before(&service).await;
    for (body, details) in [
        (r#"{"url":"a","url":"b"}"#, "duplicate field `url`"),
        (r#"{"wait":{"until":"load","until":"load"}}"#, "duplicate field `until`"),
        ("[]", "body: must be a JSON object"),
        ("", "body: EOF"),
        ("url=https://example.com", "body: expected value"),
    ] {
        let answer = fetch(worker.post(SCREENSHOT, body)).await;
        assert_eq!(answer.failure(), failure(400, "INVALID_REQUEST"), "{body}");
        assert!(answer.json()["details"].as_str().unwrap().contains(details), "{body}: {}", answer.body);
    }
    let form = worker.request(http::Method::POST, SCREENSHOT).header("content-type", "text/plain").body("{}");
    assert_eq!(fetch(form).await.failure(), failure(400, "INVALID_REQUEST"));
    assert!(service.seen().is_empty());
}

#[tokio::test]
async fn a_body_over_64_kib_is_refused_after_it_was_read() {
    let service = Service::answering("{}").await;
    let worker = Running::before(&service).await;
    let of = |bytes: usize| format!(r#"{{"url":"{}"}}"#, "a".repeat(bytes - r#"{"url":""}"#.len()));
    assert_eq!(fetch(worker.post(SCREENSHOT, of(64 * 1024))).await.status, 200);
    for bytes in [64 * 1024 + 1, 1_000_000] {
        let answer = fetch(worker.post(SCREENSHOT, of(bytes))).await;
        assert_eq!(answer.failure(), failure(413, "REQUEST_TOO_LARGE"), "{bytes}");
    }
    assert_eq!(service.seen().len(), 1);
}

#[tokio::test]
async fn half_a_body_then_silence_is_refused_in_time() {
    let service = Service::answering("{}").await;
    let limits = Limits { body: std::time::Duration::from_millis(50), ..Limits::default() };
    let worker = Running::with(service.addr, &[], limits).await;
    let head =
        format!("POST {CREATE} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n");
    let answer = worker.raw(&format!("{head}{{")).await;
    assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("INVALID_REQUEST"), "{answer}");
    assert!(service.seen().is_empty());
}

#[tokio::test]
async fn half_a_head_then_silence_is_cut() {
    let service = Service::answering("{}").await;
    let mut limits = Limits::default();
    limits.listen.head_timeout = std::time::Duration::from_millis(50);
    let worker = Running::with(service.addr, &[], limits).await;
    assert_eq!(worker.raw(&format!("POST {CREATE} HTTP/1.1\r\nHost:")).await, "");
}
