//! How answers are passed back, and the failures without an answer.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::routing::post;
use futures_util::StreamExt as _;
use http::{Method, StatusCode};
use porthole_daemon::bearer::SERVICE_CHALLENGE;
use porthole_worker::server::Limits;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};

use crate::harness::{CREATE, EXTRACT, Running, SCREENSHOT, SOON, Service, bound, failure, fetch};

const JSON: (&str, &str) = ("content-type", "application/json");

#[tokio::test]
async fn a_picture_comes_back_with_its_metadata_and_nothing_else() {
    let headers = [
        ("content-type", "image/png"),
        ("x-porthole-final-url", "https://example.com/"),
        ("x-request-id", "the-services"),
        ("set-cookie", "a=b"),
        ("server", "hidden"),
    ];
    let service = Service::start(Router::new().fallback(move || async move { (headers, &b"\x89PNG\0\xff"[..]) })).await;
    let worker = Running::before(&service).await;
    let request = worker
        .post(SCREENSHOT, "{}")
        .header("accept", "image/*")
        .header("x-request-id", "mine")
        .header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        .header("tracestate", "a=b")
        .header("cookie", "c=d")
        .header("x-forwarded-for", "192.0.2.1");
    let answer = request.send().await.unwrap();
    assert_eq!(answer.status(), 200);
    let header = |name: &str| answer.headers().get(name).map(|value| value.to_str().unwrap());
    assert_eq!((header("content-type"), header("content-length")), (Some("image/png"), Some("6")));
    assert_eq!((header("x-porthole-final-url"), header("x-request-id")), (Some("https://example.com/"), Some("mine")));
    assert_eq!((header("set-cookie"), header("server")), (None, None));
    assert_eq!(&answer.bytes().await.unwrap()[..], b"\x89PNG\0\xff");

    let seen = service.last();
    for (name, value) in [("accept", "image/*"), ("x-request-id", "mine"), ("tracestate", "a=b")] {
        assert_eq!(seen.header(name), Some(value));
    }
    // The caller's trace continues under a new span of the worker.
    let parent = seen.header("traceparent").unwrap();
    assert!(parent.starts_with("00-0af7651916cd43dd8448eb211c80319c-") && parent.ends_with("-01"), "{parent}");
    assert!(!parent.contains("b7ad6b7169203331"), "{parent}");
    assert_eq!((seen.header("cookie"), seen.header("x-forwarded-for")), (None, None));
}

#[tokio::test]
async fn the_services_failures_come_back_as_they_are() {
    let failure_json = r#"{"ok":false,"error":"OVERLOADED","message":"m","details":"d","retryable":true,"retry_after_ms":1500,"request_id":"mine","later":"field"}"#;
    let service = Service::start(Router::new().fallback(move || async move {
        (StatusCode::SERVICE_UNAVAILABLE, [JSON, ("retry-after", "2")], failure_json)
    }))
    .await;
    let worker = Running::before(&service).await;
    let answer = fetch(worker.post(EXTRACT, "{}").header("x-request-id", "mine")).await;
    assert_eq!((answer.failure(), answer.header("retry-after")), (failure(503, "OVERLOADED"), Some("2")));
    assert_eq!(answer.body, failure_json);
    let metrics = worker.admin("/api/metrics").await.json();
    assert_eq!(metrics["operations"]["extract"]["errors_by_code"]["OVERLOADED"], 1);
}

#[tokio::test]
async fn an_answer_streams_before_the_service_has_finished() {
    let (send, receive) = mpsc::unbounded_channel::<Bytes>();
    let receive = Arc::new(Mutex::new(Some(receive)));
    let service = Service::start(Router::new().fallback(move || {
        let receive = receive.lock().unwrap().take().unwrap();
        let chunks = futures_util::stream::unfold(receive, |mut receive| async {
            Some((Ok::<_, std::io::Error>(receive.recv().await?), receive))
        });
        async move { ([JSON], Body::from_stream(chunks)) }
    }))
    .await;
    let worker = Running::before(&service).await;
    send.send(Bytes::from_static(b"{\"a\":")).unwrap();
    let answer = worker.post(SCREENSHOT, "{}").send().await.unwrap();
    let mut chunks = answer.bytes_stream();
    assert_eq!(&chunks.next().await.unwrap().unwrap()[..], b"{\"a\":");
    send.send(Bytes::from_static(b"1}")).unwrap();
    assert_eq!(&chunks.next().await.unwrap().unwrap()[..], b"1}");
    drop(send);
    assert!(chunks.next().await.is_none());
}

#[tokio::test]
async fn a_caller_that_leaves_ends_the_services_request() {
    let (began, has_begun) = oneshot::channel();
    let (dropped, was_dropped) = oneshot::channel::<()>();
    let held = Arc::new(Mutex::new(Some((began, dropped))));
    let service = Service::start(Router::new().fallback(move || async move {
        let (began, _held_until_dropped) = held.lock().unwrap().take().unwrap();
        began.send(()).unwrap();
        std::future::pending::<()>().await;
    }))
    .await;
    let worker = Running::before(&service).await;
    let caller = tokio::spawn(worker.post(SCREENSHOT, "{}").send());
    has_begun.await.unwrap();
    caller.abort();
    assert!(tokio::time::timeout(SOON, was_dropped).await.expect("the service's handler still runs").is_err());
}

#[tokio::test]
async fn a_caller_that_leaves_in_the_middle_of_an_answer_ends_it() {
    let (dropped, was_dropped) = oneshot::channel::<()>();
    let held = Arc::new(Mutex::new(Some(dropped)));
    let service = Service::start(Router::new().fallback(move || {
        let held = held.lock().unwrap().take().unwrap();
        let endless = futures_util::stream::unfold(held, |held| async {
            Some((Ok::<_, std::io::Error>(Bytes::from_static(&[b' '; 4096])), held))
        });
        async move { ([JSON], Body::from_stream(endless)) }
    }))
    .await;
    let worker = Running::before(&service).await;
    let mut chunks = worker.post(SCREENSHOT, "{}").send().await.unwrap().bytes_stream();
    chunks.next().await.unwrap().unwrap();
    drop(chunks);
    assert!(tokio::time::timeout(SOON, was_dropped).await.expect("the service still sends").is_err());
}

#[tokio::test]
async fn without_a_service_requests_fail_at_once() {
    let unused = bound().await.addr();
    let worker = Running::with(unused, &[], Limits::default()).await;
    let answer = fetch(worker.post(SCREENSHOT, "{}")).await;
    assert_eq!(answer.failure(), failure(502, "SERVICE_UNAVAILABLE"));
    assert_eq!(answer.json()["retryable"], true);
    assert!(!answer.body.contains(&unused.port().to_string()), "{}", answer.body);
}

#[tokio::test]
async fn a_service_that_breaks_off_before_its_answer_is_unavailable() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let worker = Running::with(listener.local_addr().unwrap(), &[], Limits::default()).await;
    let breaking = async {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-").await.unwrap();
        }
    };
    let asking = fetch(worker.post(SCREENSHOT, "{}"));
    let answer = tokio::select! { answer = asking => answer, () = breaking => unreachable!() };
    assert_eq!(answer.failure(), failure(502, "SERVICE_UNAVAILABLE"));
}

#[tokio::test]
async fn a_service_that_breaks_off_within_its_answer_breaks_the_answer() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let worker = Running::with(listener.local_addr().unwrap(), &[], Limits::default()).await;
    let breaking = async {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{";
            stream.write_all(head).await.unwrap();
        }
    };
    let asking = async { worker.post(EXTRACT, "{}").send().await.unwrap().bytes().await };
    let read = tokio::select! { read = asking => read, () = breaking => unreachable!() };
    assert!(read.is_err(), "half an answer looked like a whole one");
    let metrics = worker.admin("/api/metrics").await.json();
    assert_eq!(metrics["operations"]["extract"]["errors_by_code"]["SERVICE_UNAVAILABLE"], 1);
}

#[tokio::test]
async fn a_silent_service_is_a_timeout() {
    let service = Service::start(Router::new().fallback(std::future::pending::<()>)).await;
    let limits = Limits { answer: Duration::from_millis(50), ..Limits::default() };
    let worker = Running::with(service.addr, &[], limits).await;
    let answer = fetch(worker.post(SCREENSHOT, "{}")).await;
    assert_eq!(answer.failure(), failure(504, "SERVICE_TIMEOUT"));
    assert_eq!(answer.json()["details"], "no answer within 50ms");
}

#[tokio::test]
async fn answers_of_intermediaries_are_not_passed_on() {
    let html: (&str, &str) = ("content-type", "text/html");
    for (status, headers, body) in [
        (200, vec![html], "<h1>hidden</h1>"),
        (200, vec![], "hidden"),
        (302, vec![html, ("location", "https://hidden.example")], "hidden"),
        (404, vec![html], "<h1>hidden</h1>"),
        (403, vec![JSON], r#"{"message":"hidden"}"#),
        (502, vec![JSON], "hidden"),
    ] {
        let service = Service::start(Router::new().fallback(move || async move {
            let mut response = axum::response::Response::new(Body::from(body));
            *response.status_mut() = StatusCode::from_u16(status).unwrap();
            response.headers_mut().extend(
                headers
                    .into_iter()
                    .map(|(name, value)| (http::HeaderName::from_static(name), http::HeaderValue::from_static(value))),
            );
            response
        }))
        .await;
        let worker = Running::before(&service).await;
        let answer = fetch(worker.post(SCREENSHOT, "{}")).await;
        assert_eq!(answer.failure(), failure(502, "SERVICE_UNAVAILABLE"), "{status} {body}");
        assert!(!answer.body.contains("hidden") && answer.header("location").is_none(), "{}", answer.body);
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let service = Service::start(
        Router::new()
            .route("/create", post(|| async { (StatusCode::TEMPORARY_REDIRECT, [("location", "/elsewhere")]) }))
            .fallback(|| async { ([JSON], "{}") }),
    )
    .await;
    let answer = fetch(Running::before(&service).await.post(CREATE, "{}")).await;
    assert_eq!(answer.failure(), failure(502, "SERVICE_UNAVAILABLE"));
    assert_eq!(service.seen().len(), 1);
}

#[tokio::test]
async fn a_load_balancers_retry_after_is_passed_on() {
    let service = Service::start(Router::new().fallback(|| async {
        (StatusCode::SERVICE_UNAVAILABLE, [("content-type", "text/html"), ("retry-after", "7")], "busy")
    }))
    .await;
    let answer = fetch(Running::before(&service).await.post(SCREENSHOT, "{}")).await;
    assert_eq!((answer.failure(), answer.header("retry-after")), (failure(502, "SERVICE_UNAVAILABLE"), Some("7")));
}

#[tokio::test]
async fn a_refusal_of_the_workers_own_key_is_not_the_callers_fault() {
    let unauthorized =
        r#"{"ok":false,"error":"UNAUTHORIZED","message":"m","details":"","retryable":false,"request_id":"r"}"#;
    let service = Service::start(
        Router::new()
            .route(
                "/create",
                post(move || async move {
                    (StatusCode::UNAUTHORIZED, [JSON, ("www-authenticate", SERVICE_CHALLENGE)], unauthorized)
                }),
            )
            .fallback(move || async move { (StatusCode::UNAUTHORIZED, [JSON], unauthorized) }),
    )
    .await;
    let worker = Running::before(&service).await;
    let ours = fetch(worker.post(CREATE, "{}")).await;
    assert_eq!(ours.failure(), failure(502, "SERVICE_UNAVAILABLE"));
    assert!(ours.json()["details"].as_str().unwrap().contains("PORTHOLE_SERVICE_KEY"), "{}", ours.body);
    let theirs = fetch(worker.post(SCREENSHOT, "{}").header("x-request-id", "r")).await;
    assert_eq!(theirs.failure(), failure(401, "UNAUTHORIZED"));
}

#[tokio::test]
async fn only_the_tables_routes_are_forwarded() {
    let service = Service::answering("{}").await;
    let worker = Running::before(&service).await;
    for path in ["/", "/create", "/api/sandbox", "/api/sandbox/readyz", "/api/sandbox/create/", "/metrics"] {
        assert_eq!(fetch(worker.post(path, "{}")).await.failure(), failure(404, "NOT_FOUND"), "{path}");
    }
    for (method, path, allow) in
        [(Method::GET, CREATE, "POST"), (Method::PUT, SCREENSHOT, "POST"), (Method::POST, "/openapi.json", "GET,HEAD")]
    {
        let answer = fetch(worker.request(method, path)).await;
        assert_eq!((answer.failure(), answer.header("allow")), (failure(405, "METHOD_NOT_ALLOWED"), Some(allow)));
    }
    assert!(service.seen().is_empty());
}

#[tokio::test]
async fn the_openapi_document_is_the_public_one() {
    let worker = Running::before(&Service::answering("{}").await).await;
    let answer = fetch(worker.request(Method::GET, "/openapi.json")).await;
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
    assert!(answer.json()["paths"].get(SCREENSHOT).is_some(), "{}", answer.body);
}

#[tokio::test]
async fn http_1_0_is_served() {
    let service = Service::answering(r#"{"ok":true}"#).await;
    let worker = Running::before(&service).await;
    let head = format!("POST {CREATE} HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n");
    let answer = worker.raw(&format!("{head}{{}}")).await;
    assert!(answer.starts_with("HTTP/1.0 200") && answer.ends_with(r#"{"ok":true}"#), "{answer}");
}
