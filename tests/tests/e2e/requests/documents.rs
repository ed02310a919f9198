//! Documents that describe Porthole itself: its OpenAPI document, its metrics, its health.

use http::header;
use porthole_tests::Stack;
use serde_json::{Value, json};

#[tokio::test]
async fn the_openapi_document_is_on_both_main_listeners() {
    let stack = Stack::shared().await;
    let caller = stack.caller();
    for server in [&stack.worker, &stack.service] {
        let answer = caller.send(caller.http.get(server.url("/openapi.json"))).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert!(answer.header("content-type").starts_with("application/json"));
        assert!(!answer.header("x-request-id").is_empty());
        let document = answer.json();
        assert!(document["openapi"].as_str().unwrap().starts_with("3.1"), "{}", document["openapi"]);
        let paths: Vec<&String> = document["paths"].as_object().unwrap().keys().collect();
        for route in ["/create", "/browser-screenshot", "/browser-extract"] {
            assert!(paths.iter().any(|path| path.ends_with(route)), "{route} is not in {paths:?}");
        }
    }
}

#[tokio::test]
async fn the_openapi_document_lists_every_error_code() {
    let stack = Stack::shared().await;
    let caller = stack.caller();
    let document = caller.send(caller.http.get(stack.worker.url("/openapi.json"))).await.json();
    let codes = document["components"]["schemas"]["ErrorCode"]["enum"].as_array().cloned().unwrap_or_default();
    let codes: Vec<&str> = codes.iter().filter_map(Value::as_str).collect();
    let expected: Vec<&str> = porthole_contract::ErrorCode::ALL.iter().map(|code| code.name()).collect();
    assert_eq!(codes, expected);
}

/// Sends a request of each operation, and one that fails.
async fn make_traffic(stack: &Stack) {
    let url = stack.site.html("counted");
    assert!(!stack.screenshot(json!({"url": url})).await.picture().is_blank());
    assert_eq!(stack.extract(json!({"url": url})).await.content(), "counted");
    stack.extract(json!({"url": stack.site.forbidden()})).await.expect_code("BLOCKED_TARGET");
    assert_eq!(stack.caller().post("/create", json!({})).await.status, 200);
}

#[tokio::test]
async fn the_metrics_count_what_happened() {
    let stack = Stack::with().begin_frame().start().await;
    make_traffic(&stack).await;
    for server in [&stack.worker, &stack.service] {
        let metrics = stack.admin(server, "/api/metrics").await.json();
        for (operation, count, ok) in [("screenshot", 1, 1), ("extract", 2, 1), ("create", 1, 1)] {
            let counted = &metrics["operations"][operation];
            assert_eq!((&counted["count"], &counted["ok"]), (&json!(count), &json!(ok)), "{operation} in {metrics}");
            assert!(counted["errors_by_code"].is_object() && counted["retries"] == 0, "{counted}");
            for figure in ["min", "max", "total", "p50", "p95", "p99"] {
                assert!(counted["latency_ms"][figure].is_u64(), "{figure} is missing in {counted}");
            }
        }
        assert_eq!(metrics["operations"]["extract"]["errors_by_code"], json!({"BLOCKED_TARGET": 1}), "{metrics}");
        for (group, figures) in [
            ("pages", ["busy", "warm", "queued"].as_slice()),
            ("sessions", &["created", "released", "leaked", "seconds"]),
        ] {
            for figure in figures {
                assert!(metrics[group][figure].is_u64(), "{group}.{figure} is missing in {metrics}");
            }
        }
        for figure in ["browsers", "bytes_out", "uptime_s"] {
            assert!(metrics[figure].is_u64(), "{figure} is missing in {metrics}");
        }
        assert!(metrics["bytes_out"].as_u64() > Some(1000), "{metrics}");
        assert!(metrics["blocked"].is_object(), "{metrics}");
    }
    let metrics = stack.metrics().await;
    // One ordinary browser, and one whose pages draw with `begin_frame`.
    assert_eq!(metrics["browsers"], 2, "{metrics}");
    let blocked: u64 = metrics["blocked"].as_object().unwrap().values().filter_map(Value::as_u64).sum();
    assert_eq!(blocked, 1, "{metrics}");
    assert_eq!((&metrics["pages"]["busy"], &metrics["pages"]["queued"]), (&json!(0), &json!(0)), "{metrics}");
}

#[tokio::test]
async fn the_metrics_are_there_for_prometheus() {
    let stack = Stack::start().await;
    make_traffic(&stack).await;
    let caller = stack.caller();
    for server in [&stack.worker, &stack.service] {
        let answer = stack.admin(server, "/metrics").await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert!(answer.header("content-type").starts_with("text/plain"), "{answer:?}");
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        let line = |start: &str, label: &str| {
            text.lines().any(|line| line.starts_with(start) && line.contains(label) && !line.ends_with(" 0"))
        };
        assert!(line("porthole_requests_total{", r#"operation="screenshot""#), "{text}");
        assert!(line("porthole_requests_total{", r#"code="BLOCKED_TARGET""#), "{text}");
        assert!(line("porthole_request_duration_seconds_bucket{", r#"operation="extract""#), "{text}");
        assert!(line("porthole_request_duration_seconds_count{", r#"operation="extract""#), "{text}");
        assert!(line("porthole_bytes_out_total", ""), "{text}");

        let request = caller.http.get(server.admin_url("/metrics"));
        let answer = caller.send(request.header(header::ACCEPT, "application/openmetrics-text; version=1.0.0")).await;
        assert!(answer.header("content-type").starts_with("application/openmetrics-text"), "{answer:?}");
        assert!(answer.body.trim_ascii_end().ends_with(b"# EOF"), "{answer:?}");
    }
    let answer = stack.admin(&stack.service, "/metrics").await;
    let text = String::from_utf8_lossy(&answer.body).into_owned();
    for start in [
        "porthole_queue_duration_seconds_count",
        "porthole_pages{state=\"busy\"}",
        "porthole_pages{state=\"warm\"}",
        "porthole_pages{state=\"queued\"}",
        "porthole_sessions_total",
        "porthole_session_seconds_total",
        "porthole_blocked_total{reason=",
    ] {
        assert!(text.lines().any(|line| line.starts_with(start)), "{start} is missing:\n{text}");
    }
}

#[tokio::test]
async fn both_processes_are_alive_and_ready() {
    let stack = Stack::shared().await;
    for server in [&stack.worker, &stack.service] {
        for path in ["/healthz", "/readyz"] {
            let answer = stack.admin(server, path).await;
            assert_eq!(answer.status, 200, "{path}: {answer:?}");
        }
    }
}
