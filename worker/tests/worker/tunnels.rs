//! Live views: WebSockets from a caller through the worker to a service that echoes.

use std::time::Duration;

use axum::Router;
use axum::extract::ws::{Message as Received, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use axum::routing::get;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use futures_util::{SinkExt as _, StreamExt as _};
use http::{HeaderName, HeaderValue, StatusCode};
use porthole_daemon::listen::{self, UpgradePermit};
use porthole_worker::server::Limits;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::harness::{CREATE, Running, SOON, Service, bound, eventually, failure, fetch};

const CLIENT_KEY: &str = "a-client-key-that-is-long-enough-0";
const SERVICE_KEY: &str = "a-service-key-that-is-long-enough!";
const LIVE: &str = "/api/sandbox/live";

type Socket = WebSocketStream<TcpStream>;

async fn echoing() -> Service {
    let router = Router::new()
        .route("/live", get(echo))
        .route("/create", axum::routing::post(|| async { axum::Json(serde_json::json!({"ok": true})) }));
    Service::start(router).await
}

async fn refusing(status: StatusCode, body: &'static str) -> Service {
    let answer = ([("content-type", "application/json")], body);
    Service::start(Router::new().route("/live", get(move || async move { (status, answer) }))).await
}

async fn echo(_permit: UpgradePermit, upgrade: WebSocketUpgrade) -> Response {
    upgrade.protocols(["porthole.live.v1"]).on_upgrade(async |mut socket: WebSocket| {
        // axum answers a close frame while the socket is read.
        while let Some(Ok(message)) = socket.recv().await {
            if matches!(message, Received::Text(_) | Received::Binary(_)) && socket.send(message).await.is_err() {
                return;
            }
        }
    })
}

/// A hello with an unsigned ticket, which only the service could verify.
fn hello(session: &str) -> Message {
    let claims = serde_json::json!({"session": session, "role": "view", "exp": 1}).to_string();
    let ticket = format!("header.{}.signature", BASE64_URL_SAFE_NO_PAD.encode(claims));
    Message::text(serde_json::json!({"type": "hello", "ticket": ticket}).to_string())
}

fn handle() -> String {
    format!("ses_{}", "A".repeat(59))
}

async fn worker(service: &Service, environment: &[(&str, &str)], limits: Limits) -> Running {
    Running::with(service.addr, environment, limits).await
}

async fn open(worker: &Running, headers: &[(&'static str, &str)]) -> Result<Socket, StatusCode> {
    Ok(opened(worker, headers).await?.0)
}

async fn opened(worker: &Running, headers: &[(&'static str, &str)]) -> Result<(Socket, http::HeaderMap), StatusCode> {
    let mut request = format!("ws://{}{LIVE}", worker.main).into_client_request().unwrap();
    for (name, value) in headers {
        request.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
    }
    let stream = TcpStream::connect(worker.main).await.unwrap();
    match tokio::time::timeout(SOON, client_async(request, stream)).await.expect("no answer") {
        Ok((socket, answer)) => Ok((socket, answer.headers().clone())),
        Err(Error::Http(answer)) => Err(answer.status()),
        Err(error) => panic!("{error}"),
    }
}

/// A live view whose hello has been echoed.
async fn watching(worker: &Running) -> Socket {
    let mut socket = open(worker, &[]).await.unwrap();
    socket.send(hello(&handle())).await.unwrap();
    assert_eq!(next(&mut socket).await, hello(&handle()));
    socket
}

async fn next(socket: &mut Socket) -> Message {
    let waits = SOON + Duration::from_secs(5);
    tokio::time::timeout(waits, socket.next()).await.expect("no message").expect("closed").unwrap()
}

async fn code(socket: &mut Socket) -> u16 {
    let message = next(socket).await;
    let Message::Close(Some(frame)) = message else { panic!("{message:?}") };
    frame.code.into()
}

#[tokio::test]
async fn the_hello_and_all_later_bytes_pass_and_the_worker_sends_its_own_key() {
    let service = echoing().await;
    let worker = worker(&service, &[("PORTHOLE_SERVICE_KEY", SERVICE_KEY)], Limits::default()).await;
    let headers = [
        ("sec-websocket-protocol", "other, porthole.live.v1"),
        ("sec-websocket-extensions", "permessage-deflate"),
        ("origin", "http://localhost:3000"),
        ("authorization", "Bearer the-callers-own"),
        ("cookie", "a=b"),
        ("x-request-id", "mine-1"),
    ];
    let (mut socket, answer) = opened(&worker, &headers).await.unwrap();
    assert_eq!(answer["sec-websocket-protocol"], "porthole.live.v1");
    assert_eq!(answer["x-request-id"], "mine-1");
    assert!(service.seen().is_empty(), "the ticket says which replica is asked");
    // The second message comes along with the first.
    socket.feed(hello(&handle())).await.unwrap();
    socket.send(Message::text("more")).await.unwrap();
    assert_eq!(next(&mut socket).await, hello(&handle()));
    assert_eq!(next(&mut socket).await, Message::text("more"));
    for message in [Message::text("héllo"), Message::binary(vec![7; 1_000_000]), Message::text("")] {
        socket.send(message.clone()).await.unwrap();
        assert_eq!(next(&mut socket).await, message);
    }
    let seen = service.last();
    assert_eq!(seen.header("authorization"), Some(format!("Bearer {SERVICE_KEY}").as_str()));
    assert_eq!(
        (seen.header("x-request-id"), seen.header("x-porthole-client").map(str::len)),
        (Some("mine-1"), Some(32))
    );
    for name in ["origin", "cookie", "sec-websocket-extensions"] {
        assert_eq!(seen.header(name), None, "{name}");
    }
    socket.close(None).await.unwrap();
    assert!(matches!(next(&mut socket).await, Message::Close(_)), "the service's own close frame");
}

#[tokio::test]
async fn what_names_no_session_reaches_no_service() {
    let service = echoing().await;
    let worker = worker(&service, &[], Limits::default()).await;
    for (first, closed_with) in [
        (Message::text("nonsense"), 4400),
        (Message::binary(vec![1]), 4400),
        (Message::text(r#"{"type":"ping"}"#), 4400),
        (Message::text(r#"{"type":"hello"}"#), 4400),
        (Message::text(r#"{"type":"hello","ticket":"nonsense"}"#), 4401),
        (hello("no handle"), 4404),
        (hello("ses_127.0.0.1:80"), 4404),
        (Message::text("x".repeat(65_537)), 1009),
    ] {
        let mut socket = open(&worker, &[]).await.unwrap();
        socket.send(first.clone()).await.unwrap();
        assert_eq!(code(&mut socket).await, closed_with, "{first:?}");
    }
    let mut silent = open(&worker, &[]).await.unwrap();
    assert_eq!(code(&mut silent).await, 4408);
    assert!(service.seen().is_empty());
}

#[tokio::test]
async fn origins_are_judged_and_no_key_is_asked_for() {
    let service = echoing().await;
    let worker = worker(&service, &[("PORTHOLE_CLIENT_KEYS", CLIENT_KEY)], Limits::default()).await;
    let foreign = [("origin", "https://evil.example")];
    assert_eq!(open(&worker, &foreign).await.err(), Some(StatusCode::FORBIDDEN));
    watching(&worker).await;
    assert_eq!(service.last().header("authorization"), None, "a client's key is for the worker");
}

#[tokio::test]
async fn handshakes_count_against_the_rate() {
    let service = echoing().await;
    let worker = worker(&service, &[("PORTHOLE_RATE_LIMIT", "1")], Limits::default()).await;
    for _ in 0..10 {
        assert!(open(&worker, &[]).await.is_ok());
    }
    assert_eq!(open(&worker, &[]).await.err(), Some(StatusCode::TOO_MANY_REQUESTS));
}

#[tokio::test]
async fn requests_without_an_upgrade_are_refused() {
    let service = echoing().await;
    let worker = worker(&service, &[], Limits::default()).await;
    let plain = fetch(worker.request(http::Method::GET, LIVE)).await;
    assert_eq!(plain.failure(), failure(400, "INVALID_REQUEST"));
    let posted = fetch(worker.post(LIVE, "{}")).await;
    assert_eq!(posted.failure(), failure(405, "METHOD_NOT_ALLOWED"));
}

#[tokio::test]
async fn a_service_that_refuses_may_be_asked_again_and_one_that_is_gone_has_lost_its_sessions() {
    let full = r#"{"ok":false,"error":"OVERLOADED","message":"m","details":"full","retryable":true}"#;
    for service in
        [refusing(StatusCode::SERVICE_UNAVAILABLE, full).await, refusing(StatusCode::BAD_GATEWAY, "<html>").await]
    {
        let worker = worker(&service, &[], Limits::default()).await;
        let mut socket = open(&worker, &[]).await.unwrap();
        socket.send(hello(&handle())).await.unwrap();
        assert_eq!(code(&mut socket).await, 1001);
    }
    let unused = bound().await.addr();
    let alone = Running::with(unused, &[], Limits::default()).await;
    let mut socket = open(&alone, &[]).await.unwrap();
    socket.send(hello(&handle())).await.unwrap();
    assert_eq!(code(&mut socket).await, 4404);
}

#[tokio::test]
async fn tunnels_have_their_own_limit_and_are_counted() {
    let service = echoing().await;
    let listen = listen::Limits { upgraded: 1, ..listen::Limits::default() };
    let worker = worker(&service, &[], Limits { listen, ..Limits::default() }).await;
    let shows = async |line: &str| {
        eventually(line, async || worker.admin("/metrics").await.body.contains(line)).await;
    };
    shows(r#"porthole_connections{kind="upgraded"} 0"#).await;
    let socket = watching(&worker).await;
    shows(r#"porthole_connections{kind="upgraded"} 1"#).await;
    assert_eq!(open(&worker, &[]).await.err(), Some(StatusCode::SERVICE_UNAVAILABLE));
    assert_eq!(fetch(worker.post(CREATE, "{}")).await.status, 200, "plain requests are served");
    drop(socket);
    shows(r#"porthole_connections{kind="upgraded"} 0"#).await;
    assert!(open(&worker, &[]).await.is_ok());
}

#[tokio::test]
async fn the_drain_closes_tunnels_with_1001_before_and_after_their_hello() {
    let service = echoing().await;
    let mut worker = worker(&service, &[], Limits::default()).await;
    let mut silent = open(&worker, &[]).await.unwrap();
    let mut socket = watching(&worker).await;
    worker.shutdown.cancel();
    assert_eq!(code(&mut socket).await, 1001);
    assert_eq!(code(&mut silent).await, 1001);
    for socket in [&mut socket, &mut silent] {
        while let Some(Ok(_)) = socket.next().await {}
    }
    tokio::time::timeout(SOON, &mut worker.ended).await.expect("the worker does not end").unwrap();
}

#[tokio::test]
async fn an_idle_tunnel_is_closed() {
    let service = echoing().await;
    let limits = Limits { tunnel_idle: Duration::from_millis(50), ..Limits::default() };
    let worker = worker(&service, &[], limits).await;
    let mut socket = watching(&worker).await;
    assert_eq!(code(&mut socket).await, 1001);
}
