//! A server built from this crate, as callers see it over real sockets.

#![expect(clippy::unwrap_used, reason = "a step that fails is the test that fails")]

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::Request;
use axum::routing::post;
use axum::{Extension, Router};
use porthole_contract::metrics::{Metrics, Operation};
use porthole_contract::{ErrorCode, Failure};
use porthole_daemon::answer::Refused;
use porthole_daemon::layers::Layers;
use porthole_daemon::listen::{Limits, Listener};
use porthole_daemon::request_id::RequestId;
use porthole_daemon::requests::Requests;
use porthole_daemon::{admin, body};
use prometheus_client::registry::Registry;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_util::sync::{CancellationToken, DropGuard};

const SOON: Duration = Duration::from_secs(10);
const BODY_MAX_BYTES: usize = 1000;

struct Process {
    registry: Registry,
    requests: Requests,
    failure: Option<Failure>,
}

impl Process {
    fn new(failure: Option<Failure>) -> Self {
        let mut registry = Registry::default();
        let requests = Requests::register(&mut registry);
        Self { registry, requests, failure }
    }
}

impl admin::Process for Process {
    fn registry(&self) -> &Registry {
        &self.registry
    }

    fn metrics(&self) -> Metrics {
        let mut metrics = Metrics::default();
        self.requests.fill(&mut metrics);
        metrics
    }

    async fn ready(&self) -> Result<(), Failure> {
        self.failure.clone().map_or(Ok(()), Err)
    }
}

struct Server {
    main: SocketAddr,
    admin: SocketAddr,
    _running: DropGuard,
}

impl Server {
    async fn start() -> Self {
        Self::with(None, body::BODY_READ_TIMEOUT).await
    }

    async fn with(not_ready: Option<Failure>, body_timeout: Duration) -> Self {
        let process = Process::new(not_ready);
        let layers = Layers { body_timeout, ..Layers::new(process.requests.clone(), Operation::of_route) };
        let router = Router::new()
            .route("/create", post(echo))
            .route("/browser-screenshot", post(panicking))
            .route("/id", post(|Extension(id): Extension<RequestId>| async move { id.to_string() }))
            .route(
                "/browser-extract",
                post(|| async {
                    Refused(Failure::new(ErrorCode::Overloaded, "full").retry_after(Duration::from_millis(1500)))
                }),
            );
        let running = CancellationToken::new();
        let (main, admin) = (listener().await, listener().await);
        let server = Self { main: main.addr(), admin: admin.addr(), _running: running.clone().drop_guard() };
        tokio::spawn(main.serve(layers.around(router), Limits::default(), running.clone()));
        tokio::spawn(admin::serve(admin, Arc::new(process), running));
        server
    }

    async fn post(&self, path: &str, headers: &str, body: &str) -> Answer {
        let length = body.len();
        let request = format!("POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n{headers}\r\n{body}");
        exchange(self.main, &request).await
    }

    async fn admin(&self, path: &str, headers: &str) -> Answer {
        exchange(self.admin, &format!("GET {path} HTTP/1.1\r\n{headers}\r\n")).await
    }
}

async fn listener() -> Listener {
    Listener::bind("main", "127.0.0.1:0".parse().unwrap()).await.unwrap()
}

async fn panicking() -> String {
    panic!("hidden words")
}

async fn echo(request: Request) -> Result<String, Refused> {
    let body = body::read_json(request, BODY_MAX_BYTES, "").await?;
    Ok(String::from_utf8_lossy(&body).into_owned())
}

struct Answer {
    head: String,
    body: String,
}

impl Answer {
    fn status(&self) -> u16 {
        self.head.split(' ').nth(1).unwrap().parse().unwrap()
    }

    fn header(&self, name: &str) -> Option<&str> {
        let line = self.head.lines().find(|line| line.to_ascii_lowercase().starts_with(&format!("{name}:")))?;
        Some(line.split_once(':').unwrap().1.trim())
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    fn code(&self) -> String {
        self.json()["error"].as_str().unwrap().to_owned()
    }
}

async fn exchange(addr: SocketAddr, request: &str) -> Answer {
    let mut stream = TcpStream::connect(addr).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    read(&mut stream).await
}

/// Reads one answer, up to its `Content-Length`.
async fn read(stream: &mut TcpStream) -> Answer {
    let reading = async {
        let mut bytes = Vec::new();
        loop {
            if let Some(answer) = whole(&bytes) {
                return answer;
            }
            assert_ne!(stream.read_buf(&mut bytes).await.unwrap(), 0, "cut: {}", String::from_utf8_lossy(&bytes));
        }
    };
    tokio::time::timeout(SOON, reading).await.expect("no answer")
}

fn whole(bytes: &[u8]) -> Option<Answer> {
    let text = String::from_utf8_lossy(bytes);
    let (head, body) = text.split_once("\r\n\r\n")?;
    let answer = Answer { head: head.to_owned(), body: body.to_owned() };
    let length: usize = answer.header("content-length").unwrap().parse().unwrap();
    (answer.body.len() >= length).then_some(answer)
}

const JSON: &str = "Content-Type: application/json\r\n";

#[tokio::test]
async fn every_answer_has_a_request_id() {
    let server = Server::start().await;
    let given = server.post("/id", "X-Request-Id: mine-1\r\n", "").await;
    assert_eq!((given.header("x-request-id"), given.body.as_str()), (Some("mine-1"), "mine-1"));
    let made = server.post("/id", "X-Request-Id: no good\r\n", "").await;
    assert_eq!(made.header("x-request-id").unwrap(), made.body);
    let failed = server.post("/nowhere", "X-Request-Id: mine-2\r\n", "").await;
    assert_eq!(failed.header("x-request-id"), Some("mine-2"));
    assert_eq!(failed.json()["request_id"], "mine-2");
    assert!(server.admin("/healthz", "").await.header("x-request-id").is_some());
}

#[tokio::test]
async fn a_failure_has_the_contracts_format() {
    let server = Server::start().await;
    let answer = server.post("/browser-extract", "X-Request-Id: r-1\r\n", "").await;
    assert_eq!(
        (answer.status(), answer.header("content-type"), answer.header("retry-after")),
        (503, Some("application/json"), Some("2"))
    );
    let expected = serde_json::json!({
        "ok": false, "error": "OVERLOADED", "message": "The browser service is busy - try again shortly",
        "details": "full", "retryable": true, "retry_after_ms": 1500, "request_id": "r-1",
    });
    assert_eq!(answer.json(), expected);
}

#[tokio::test]
async fn unknown_routes_wrong_methods_and_panics_are_failures_of_the_contract() {
    let server = Server::start().await;
    let unknown = server.post("/nowhere", "", "").await;
    assert_eq!((unknown.status(), unknown.code().as_str()), (404, "NOT_FOUND"));
    let wrong = exchange(server.main, "GET /create HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert_eq!(
        (wrong.status(), wrong.code().as_str(), wrong.header("allow")),
        (405, "METHOD_NOT_ALLOWED", Some("POST"))
    );
    let panicked = server.post("/browser-screenshot", "", "").await;
    assert_eq!((panicked.status(), panicked.code().as_str()), (500, "INTERNAL"));
    assert!(!panicked.body.contains("hidden words"));
    assert_eq!(server.admin("/nowhere", "").await.code(), "NOT_FOUND");
}

#[tokio::test]
async fn a_json_body_is_read_whatever_its_framing() {
    let server = Server::start().await;
    assert_eq!(server.post("/create", JSON, "{}").await.body, "{}");
    let with_charset = "Content-Type: Application/JSON ; charset=utf-8\r\n";
    assert_eq!(server.post("/create", with_charset, "{}").await.body, "{}");
    let chunked = format!(
        "POST /create HTTP/1.1\r\nHost: x\r\n{JSON}Transfer-Encoding: chunked\r\n\r\n2\r\n[1\r\n1\r\n]\r\n0\r\n\r\n"
    );
    assert_eq!(exchange(server.main, &chunked).await.body, "[1]");
}

#[tokio::test]
async fn another_content_type_is_refused() {
    let server = Server::start().await;
    for headers in ["", "Content-Type: text/plain\r\n", "Content-Type: application/jsonp\r\n"] {
        let answer = server.post("/create", headers, "{}").await;
        assert_eq!((answer.status(), answer.code().as_str()), (400, "INVALID_REQUEST"), "{headers}");
        assert!(answer.body.contains("content-type"), "{}", answer.body);
    }
}

#[tokio::test]
async fn a_body_over_the_cap_is_drained_and_the_connection_goes_on() {
    let server = Server::start().await;
    let mut stream = TcpStream::connect(server.main).await.unwrap();
    let length = 1_000_000;
    stream
        .write_all(format!("POST /create HTTP/1.1\r\nHost: x\r\n{JSON}Content-Length: {length}\r\n\r\n").as_bytes())
        .await
        .unwrap();
    stream.write_all(&vec![b'x'; length]).await.unwrap();
    let answer = read(&mut stream).await;
    assert_eq!(
        (answer.status(), answer.code().as_str(), answer.header("connection")),
        (413, "REQUEST_TOO_LARGE", None)
    );
    stream
        .write_all(format!("POST /create HTTP/1.1\r\nHost: x\r\n{JSON}Content-Length: 2\r\n\r\n{{}}").as_bytes())
        .await
        .unwrap();
    assert_eq!(read(&mut stream).await.body, "{}");
}

#[tokio::test]
async fn a_chunked_body_over_the_cap_is_refused_too() {
    let server = Server::start().await;
    let chunk = format!("400\r\n{}\r\n", "x".repeat(0x400)).repeat(100);
    let request =
        format!("POST /create HTTP/1.1\r\nHost: x\r\n{JSON}Transfer-Encoding: chunked\r\n\r\n{chunk}0\r\n\r\n");
    assert_eq!(exchange(server.main, &request).await.code(), "REQUEST_TOO_LARGE");
}

#[tokio::test]
async fn a_body_beyond_the_drain_limit_closes_the_connection() {
    let server = Server::start().await;
    let mut stream = TcpStream::connect(server.main).await.unwrap();
    let length = 1_000_000_000_u64;
    let head = format!("POST /create HTTP/1.1\r\nHost: x\r\n{JSON}Content-Length: {length}\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    let sending = async {
        let mut sent = 0;
        while stream.write_all(&[b'x'; 65536]).await.is_ok() {
            sent += 65536;
        }
        sent
    };
    let sent = tokio::time::timeout(SOON, sending).await.expect("the server never stops reading");
    assert!(sent < length / 10, "{sent} bytes were read");
}

#[tokio::test]
async fn a_body_that_no_handler_reads_is_drained_too() {
    let server = Server::start().await;
    let mut stream = TcpStream::connect(server.main).await.unwrap();
    for _ in 0..2 {
        stream.write_all(b"POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n").await.unwrap();
        stream.write_all(&vec![b'x'; 1_000_000]).await.unwrap();
        assert_eq!(read(&mut stream).await.code(), "NOT_FOUND");
    }
}

#[tokio::test]
async fn a_caller_that_expects_100_continue_is_answered_at_once() {
    let server = Server::start().await;
    let length = 1_000_000;
    let ask = |path: &str, length: usize| {
        format!("POST {path} HTTP/1.1\r\nHost: x\r\n{JSON}Content-Length: {length}\r\nExpect: 100-continue\r\n\r\n")
    };
    for (path, code) in [("/create", "REQUEST_TOO_LARGE"), ("/nowhere", "NOT_FOUND")] {
        let answer = exchange(server.main, &ask(path, length)).await;
        assert_eq!((answer.code().as_str(), answer.header("connection")), (code, Some("close")));
    }
    let mut stream = TcpStream::connect(server.main).await.unwrap();
    stream.write_all(ask("/create", 2).as_bytes()).await.unwrap();
    let mut go_on = [0; 25];
    stream.read_exact(&mut go_on).await.unwrap();
    assert_eq!(&go_on, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(b"{}").await.unwrap();
    assert_eq!(read(&mut stream).await.body, "{}");
}

#[tokio::test]
async fn half_a_body_then_silence_is_refused_in_time() {
    let server = Server::with(None, Duration::from_millis(50)).await;
    let request = format!("POST /create HTTP/1.1\r\nHost: x\r\n{JSON}Content-Length: 100\r\n\r\n{{");
    let answer = exchange(server.main, &request).await;
    assert_eq!((answer.code().as_str(), answer.header("connection")), ("INVALID_REQUEST", Some("close")));
    assert!(answer.body.contains("in time"), "{}", answer.body);
}

#[tokio::test]
async fn requests_are_counted_by_operation_and_code() {
    let server = Server::start().await;
    server.post("/create", JSON, "{}").await;
    server.post("/create", "", "{}").await;
    server.post("/browser-extract", "", "").await;
    server.post("/nowhere", "", "").await;
    let answered = server.post("/create", JSON, "[]").await;
    assert_eq!(answered.status(), 200);

    let text = server.admin("/metrics", "").await;
    assert_eq!(text.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    for line in [
        "# TYPE porthole_requests_total counter",
        r#"porthole_requests_total{operation="create",code="OK"} 2"#,
        r#"porthole_requests_total{operation="create",code="INVALID_REQUEST"} 1"#,
        r#"porthole_requests_total{operation="extract",code="OVERLOADED"} 1"#,
        r#"porthole_requests_total{operation="screenshot",code="OK"} 0"#,
        r#"porthole_request_duration_seconds_count{operation="create"} 3"#,
    ] {
        assert!(text.body.lines().any(|given| given == line), "{line} is missing in\n{}", text.body);
    }
    assert!(!text.body.contains("# EOF") && !text.body.contains("NOT_FOUND"), "{}", text.body);

    let open = server.admin("/metrics", "Accept: application/openmetrics-text\r\n").await;
    assert!(open.header("content-type").unwrap().starts_with("application/openmetrics-text"));
    assert!(open.body.ends_with("# EOF\n"));

    let metrics: Metrics = serde_json::from_value(server.admin("/api/metrics", "").await.json()).unwrap();
    let create = &metrics.operations["create"];
    assert_eq!((create.count, create.ok, create.errors_by_code["INVALID_REQUEST"]), (3, 2, 1));
    assert_eq!((metrics.operations["extract"].count, metrics.operations["screenshot"].count), (1, 0));
    assert!(metrics.bytes_out > 4, "{}", metrics.bytes_out);
}

#[tokio::test]
async fn readiness_is_200_or_503_with_the_reason() {
    let ready = Server::start().await.admin("/readyz", "").await;
    assert_eq!((ready.status(), &ready.json()["ok"]), (200, &Value::Bool(true)));
    let failure = Failure::new(ErrorCode::SessionCreateFailed, "no browser answers");
    let server = Server::with(Some(failure), body::BODY_READ_TIMEOUT).await;
    let not_ready = server.admin("/readyz", "").await;
    assert_eq!((not_ready.status(), &not_ready.json()["details"]), (503, &"no browser answers".into()));
    assert_eq!(server.admin("/healthz", "").await.status(), 200);
}

#[tokio::test]
async fn the_admin_listener_refuses_foreign_web_pages() {
    let server = Server::start().await;
    for path in ["/metrics", "/api/metrics", "/healthz", "/readyz", "/nowhere"] {
        for headers in [
            "Host: localhost\r\nOrigin: https://evil.example\r\n",
            "Host: localhost\r\nOrigin: null\r\n",
            "Host: evil.example\r\n",
            "Host: evil.example:9788\r\nOrigin: http://localhost\r\n",
        ] {
            let answer = server.admin(path, headers).await;
            assert_eq!((answer.status(), answer.code().as_str()), (403, "ORIGIN_NOT_ALLOWED"), "{path} {headers}");
        }
    }
    for host in ["", "Host: localhost:9788\r\n", "Host: 127.0.0.1:9788\r\nOrigin: http://localhost:3000\r\n"] {
        assert_eq!(server.admin("/healthz", host).await.status(), 200, "{host}");
    }
}

#[tokio::test]
async fn beyond_loopback_any_host_is_accepted_but_no_foreign_origin() {
    let process = Arc::new(Process::new(None));
    let listener = Listener::bind("admin", "0.0.0.0:0".parse().unwrap()).await.unwrap();
    let addr = SocketAddr::from(([127, 0, 0, 1], listener.addr().port()));
    let running = CancellationToken::new();
    let _running = running.clone().drop_guard();
    tokio::spawn(admin::serve(listener, process, running));
    let get = async |headers: &str| exchange(addr, &format!("GET /metrics HTTP/1.1\r\n{headers}\r\n")).await;
    assert_eq!(get("Host: 10.1.2.3:9788\r\n").await.status(), 200, "a scraper uses the address of the pod");
    let foreign = get("Host: 10.1.2.3:9788\r\nOrigin: https://evil.example\r\n").await;
    assert_eq!((foreign.status(), foreign.code().as_str()), (403, "ORIGIN_NOT_ALLOWED"));
}
