//! HTTP itself: unknown routes, wrong methods, old versions, incomplete requests, request ids.

use std::time::Duration;

use http::{Method, header};
use porthole_tests::raw::{Connection, post};
use porthole_tests::{Answer, Caller, Stack};
use serde_json::{Value, json};

/// Returns the processes with a main listener: (name, a caller of it, the prefix of its routes).
fn both(stack: &Stack) -> [(&'static str, Caller, &'static str); 2] {
    [("worker", stack.caller(), "/api/sandbox"), ("service", stack.service_caller(), "")]
}

#[tokio::test]
async fn an_unknown_route_is_not_found() {
    let stack = Stack::shared().await;
    for (who, caller, prefix) in both(&stack) {
        let root = caller.base.trim_end_matches(prefix).to_owned();
        for path in ["/", "/nowhere", "/api/sandbox", "/api/sandbox/nowhere", "/browser-screenshot/"] {
            eprintln!("{who} {path}");
            for method in [Method::GET, Method::POST] {
                let request = caller.http.request(method, format!("{root}{path}")).json(&json!({}));
                caller.send(request).await.expect_code("NOT_FOUND");
            }
        }
    }
    // Neither process serves the other's routes.
    let caller = stack.caller();
    let request = caller.http.post(stack.worker.url("/browser-screenshot")).json(&json!({}));
    caller.send(request).await.expect_code("NOT_FOUND");
    let request = caller.http.post(stack.service.url("/api/sandbox/browser-screenshot")).json(&json!({}));
    caller.send(request).await.expect_code("NOT_FOUND");
}

#[tokio::test]
async fn a_wrong_method_is_not_allowed() {
    let stack = Stack::shared().await;
    for (who, caller, _) in both(&stack) {
        for route in ["/create", "/browser-screenshot", "/browser-extract"] {
            for method in [Method::GET, Method::PUT, Method::DELETE, Method::PATCH] {
                eprintln!("{who} {method} {route}");
                let answer = caller.send(caller.request(method, route)).await;
                answer.expect_code("METHOD_NOT_ALLOWED");
                assert!(answer.header("allow").contains("POST"), "{answer:?}");
            }
        }
    }
    let caller = stack.caller();
    let answer = caller.send(caller.http.post(stack.worker.url("/openapi.json"))).await;
    answer.expect_code("METHOD_NOT_ALLOWED");
}

#[tokio::test]
async fn the_admin_routes_are_not_on_the_main_listeners() {
    let stack = Stack::shared().await;
    let caller = stack.caller();
    // The service's health routes are an exception: the worker knows no other listener of its service.
    for (server, paths) in [
        (&stack.worker, ["/metrics", "/api/metrics", "/healthz", "/readyz"].as_slice()),
        (&stack.service, &["/metrics", "/api/metrics"]),
    ] {
        for path in paths {
            caller.send(caller.http.get(server.url(path))).await.expect_code("NOT_FOUND");
        }
        for path in ["/create", "/browser-screenshot", "/api/sandbox/create"] {
            let answer = caller.send(caller.http.post(server.admin_url(path)).json(&json!({}))).await;
            assert_eq!(answer.status, 404, "{answer:?}");
        }
    }
}

#[tokio::test]
async fn every_answer_carries_a_request_id_and_keeps_the_callers() {
    let stack = Stack::shared().await;
    let url = stack.site.html("text");
    let given = "from-the-caller-0123456789";
    for (who, caller, _) in both(&stack) {
        let body = |route: &str, url: &str| caller.body(route, json!({"url": url}));
        for (what, method, route, body) in [
            ("success", Method::POST, "/browser-extract", body("/browser-extract", &url)),
            ("picture", Method::POST, "/browser-screenshot", body("/browser-screenshot", &url)),
            ("create", Method::POST, "/create", json!({})),
            ("blocked", Method::POST, "/browser-extract", body("/browser-extract", "http://10.0.0.1/")),
            ("invalid", Method::POST, "/browser-extract", json!({})),
            ("unknown", Method::POST, "/nowhere", json!({})),
            ("method", Method::GET, "/create", json!({})),
        ] {
            let send = async |id: Option<&str>| -> Answer {
                let mut request = caller.request(method.clone(), route).json(&body);
                if let Some(id) = id {
                    request = request.header("x-request-id", id);
                }
                caller.send(request).await
            };
            let (one, other) = (send(None).await, send(None).await);
            assert!(!one.header("x-request-id").is_empty(), "{who}, {what}: {one:?}");
            assert_ne!(one.header("x-request-id"), other.header("x-request-id"), "{who}, {what}");
            let kept = send(Some(given)).await;
            assert_eq!(kept.header("x-request-id"), given, "{who}, {what}: {kept:?}");
            if what != "create" {
                assert_eq!(kept.json()["request_id"], given, "{who}, {what}");
            }
        }
    }
    // A request has the same id in both processes' logs.
    let logged = |lines: Vec<String>| lines.iter().any(|line| line.contains(given));
    assert!(logged(stack.worker.process.stderr()), "the request's id is not in the worker's log");
    assert!(logged(stack.service.process.stderr()), "the request's id is not in the service's log");
}

#[tokio::test]
async fn http_1_0_is_spoken() {
    let stack = Stack::shared().await;
    let url = stack.site.html("an old caller");
    let caller = stack.caller();
    let body = caller.body("/browser-extract", json!({"url": url}));
    for (addr, path) in [(stack.worker.main, "/api/sandbox/browser-extract"), (stack.service.main, "/browser-extract")]
    {
        let request = post("HTTP/1.0", path, addr, &body);
        let answer = Connection::send(addr, request.as_bytes()).await.read_to_close(Duration::from_secs(30)).await;
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no head: {answer}"));
        assert!(head.starts_with("HTTP/1.0 200") || head.starts_with("HTTP/1.1 200"), "{head}");
        assert!(!head.to_ascii_lowercase().contains("transfer-encoding"), "chunks to an HTTP/1.0 caller: {head}");
        let body: Value = serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {body}"));
        assert_eq!(body["content"], "an old caller");
        // Without a Host header, as HTTP/1.0 allows.
        let request = "GET /openapi.json HTTP/1.0\r\n\r\n";
        let answer = Connection::send(addr, request.as_bytes()).await.read_to_close(Duration::from_secs(10)).await;
        assert!(answer.contains(" 200 "), "{answer}");
    }
}

#[tokio::test]
async fn half_a_request_and_then_silence_is_cut_off() {
    let stack = Stack::start().await;
    let cut_within = Duration::from_secs(30);
    let halves = [
        "",
        "P",
        "POST /browser-screenshot HTTP/1.1\r\nHost: x\r\nContent-Type: appl",
        "POST /browser-screenshot HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"url\"",
        "POST /api/sandbox/create HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"ttl",
        "POST /api/sandbox/create HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"a",
    ];
    let servers = [stack.worker.main, stack.service.main, stack.worker.admin, stack.service.admin];
    let cuts = servers.iter().flat_map(|addr| {
        halves.iter().map(move |half| async move {
            let connection = Connection::send(*addr, half.as_bytes()).await;
            connection.read_to_close(cut_within).await
        })
    });
    futures_util::future::join_all(cuts).await;
    stack.expect_alive().await;
}

#[tokio::test]
async fn noise_on_the_wire_is_refused_and_does_no_harm() {
    let stack = Stack::shared().await;
    for addr in [stack.worker.main, stack.service.main] {
        for noise in [
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 a TLS hello\r\n\r\n".as_slice(),
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            b"nonsense\r\n\r\n",
            b"GET /openapi.json HTTP/1.1\r\nConnection: close\r\n\r\n",
            b"POST /create HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
            b"POST /create HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\nzz\r\n",
        ] {
            let answer = Connection::send(addr, noise).await.read_to_close(Duration::from_secs(30)).await;
            assert!(!answer.contains("\"ok\":true"), "{answer}");
        }
    }
    stack.expect_alive().await;
}

#[tokio::test]
async fn head_options_and_trace_are_answered_without_a_server_error() {
    let stack = Stack::shared().await;
    for (_, caller, _) in both(&stack) {
        for method in [Method::HEAD, Method::OPTIONS, Method::TRACE] {
            let request = caller.request(method, "/create").header(header::ACCEPT, "*/*");
            let answer = caller.send(request).await;
            assert!(answer.status.as_u16() < 500, "{answer:?}");
            assert!(!answer.header("x-request-id").is_empty(), "{answer:?}");
        }
    }
}
