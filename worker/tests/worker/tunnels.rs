//! Tunnels: WebSockets from a caller through the worker to a service that echoes.

use axum::Router;
use axum::extract::ws::{Message as Received, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use axum::routing::get;
use futures_util::{SinkExt as _, StreamExt as _};
use http::{HeaderName, HeaderValue, StatusCode};
use porthole_daemon::listen::{self, UpgradePermit};
use porthole_worker::Tunnel;
use porthole_worker::server::Limits;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::harness::{CREATE, Running, SOON, Service, bound, eventually, failure, fetch};

const CLIENT_KEY: &str = "a-client-key-that-is-long-enough-0";
const SERVICE_KEY: &str = "a-service-key-that-is-long-enough!";
const OPEN: Tunnel = Tunnel { public_path: "/api/sandbox/echo", service_path: "/echo", asks_for_key: false };
const KEYED: Tunnel = Tunnel { public_path: "/api/sandbox/keyed", service_path: "/echo", asks_for_key: true };
const REFUSED: Tunnel = Tunnel { public_path: "/api/sandbox/full", service_path: "/full", asks_for_key: false };
const FOREIGN: Tunnel = Tunnel { public_path: "/api/sandbox/foreign", service_path: "/foreign", asks_for_key: false };

type Socket = WebSocketStream<TcpStream>;

async fn echoing() -> Service {
    let full = r#"{"ok":false,"error":"OVERLOADED","message":"m","details":"full","retryable":true}"#;
    let full = ([("content-type", "application/json"), ("retry-after", "7")], full);
    let router = Router::new()
        .route("/echo", get(echo))
        .route("/full", get(move || async move { (StatusCode::SERVICE_UNAVAILABLE, full) }))
        .route("/foreign", get(|| async { (StatusCode::BAD_GATEWAY, "<html>a proxy's page") }))
        .route("/create", axum::routing::post(|| async { axum::Json(serde_json::json!({"ok": true})) }));
    Service::start(router).await
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

async fn worker(service: &Service, environment: &[(&str, &str)], limits: Limits) -> Running {
    Running::tunnelling(service.addr, environment, limits, &[OPEN, KEYED, REFUSED, FOREIGN]).await
}

async fn open(worker: &Running, tunnel: Tunnel, headers: &[(&'static str, &str)]) -> Result<Socket, StatusCode> {
    Ok(opened(worker, tunnel, headers).await?.0)
}

async fn opened(
    worker: &Running,
    tunnel: Tunnel,
    headers: &[(&'static str, &str)],
) -> Result<(Socket, http::HeaderMap), StatusCode> {
    let mut request = format!("ws://{}{}", worker.main, tunnel.public_path).into_client_request().unwrap();
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

async fn next(socket: &mut Socket) -> Message {
    tokio::time::timeout(SOON, socket.next()).await.expect("no message").expect("closed").unwrap()
}

#[tokio::test]
async fn messages_pass_both_ways_and_the_worker_sends_its_own_key() {
    let service = echoing().await;
    let worker = worker(&service, &[("PORTHOLE_SERVICE_KEY", SERVICE_KEY)], Limits::default()).await;
    let headers = [
        ("sec-websocket-protocol", "porthole.live.v1, other"),
        ("sec-websocket-extensions", "permessage-deflate"),
        ("origin", "http://localhost:3000"),
        ("authorization", "Bearer the-callers-own"),
        ("cookie", "a=b"),
        ("x-request-id", "mine-1"),
    ];
    let (mut socket, answer) = opened(&worker, OPEN, &headers).await.unwrap();
    assert_eq!(answer["sec-websocket-protocol"], "porthole.live.v1");
    assert_eq!(answer["x-request-id"], "mine-1");
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
async fn origins_and_keys_are_judged_before_the_service_is_asked() {
    let service = echoing().await;
    let worker = worker(&service, &[("PORTHOLE_CLIENT_KEYS", CLIENT_KEY)], Limits::default()).await;
    let foreign = [("origin", "https://evil.example")];
    assert_eq!(open(&worker, OPEN, &foreign).await.err(), Some(StatusCode::FORBIDDEN));
    assert_eq!(open(&worker, KEYED, &[]).await.err(), Some(StatusCode::UNAUTHORIZED));
    assert_eq!(open(&worker, KEYED, &[("authorization", "Bearer wrong")]).await.err(), Some(StatusCode::UNAUTHORIZED));
    assert!(service.seen().is_empty());
    assert!(open(&worker, OPEN, &[]).await.is_ok(), "this tunnel requires no key");
    let authorization = format!("Bearer {CLIENT_KEY}");
    assert!(open(&worker, KEYED, &[("authorization", &authorization)]).await.is_ok());
    assert_eq!(service.last().header("authorization"), None, "the client's key is for the worker");
}

#[tokio::test]
async fn handshakes_count_against_the_rate() {
    let service = echoing().await;
    let worker = worker(&service, &[("PORTHOLE_RATE_LIMIT", "1")], Limits::default()).await;
    assert!(open(&worker, OPEN, &[]).await.is_ok());
    assert_eq!(open(&worker, OPEN, &[]).await.err(), Some(StatusCode::TOO_MANY_REQUESTS));
}

#[tokio::test]
async fn requests_without_an_upgrade_are_refused() {
    let service = echoing().await;
    let worker = worker(&service, &[], Limits::default()).await;
    let plain = fetch(worker.request(http::Method::GET, OPEN.public_path)).await;
    assert_eq!(plain.failure(), failure(400, "INVALID_REQUEST"));
    let posted = fetch(worker.post(OPEN.public_path, "{}")).await;
    assert_eq!(posted.failure(), failure(405, "METHOD_NOT_ALLOWED"));
    assert!(service.seen().is_empty());
}

#[tokio::test]
async fn the_services_refusal_is_passed_on_and_an_intermediarys_is_not() {
    let service = echoing().await;
    let worker = worker(&service, &[], Limits::default()).await;
    let handshake = |tunnel: Tunnel| {
        let request = worker.request(http::Method::GET, tunnel.public_path).header("connection", "upgrade");
        let request = request.header("upgrade", "websocket").header("sec-websocket-version", "13");
        fetch(request.header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="))
    };
    let full = handshake(REFUSED).await;
    assert_eq!(
        (full.status, full.header("retry-after"), full.json()["details"].as_str()),
        (503, Some("7"), Some("full"))
    );
    assert_eq!(handshake(FOREIGN).await.failure(), failure(502, "SERVICE_UNAVAILABLE"));
    let unused = bound().await.addr();
    let alone = Running::tunnelling(unused, &[], Limits::default(), &[OPEN]).await;
    assert_eq!(open(&alone, OPEN, &[]).await.err(), Some(StatusCode::BAD_GATEWAY));
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
    let socket = open(&worker, OPEN, &[]).await.unwrap();
    shows(r#"porthole_connections{kind="upgraded"} 1"#).await;
    assert_eq!(open(&worker, OPEN, &[]).await.err(), Some(StatusCode::SERVICE_UNAVAILABLE));
    assert_eq!(fetch(worker.post(CREATE, "{}")).await.status, 200, "plain requests are served");
    drop(socket);
    shows(r#"porthole_connections{kind="upgraded"} 0"#).await;
    assert!(open(&worker, OPEN, &[]).await.is_ok());
}

#[tokio::test]
async fn the_drain_closes_tunnels_with_1001() {
    let service = echoing().await;
    let mut worker = worker(&service, &[], Limits::default()).await;
    let mut socket = open(&worker, OPEN, &[]).await.unwrap();
    socket.send(Message::text("before")).await.unwrap();
    assert_eq!(next(&mut socket).await, Message::text("before"));
    worker.shutdown.cancel();
    let close = next(&mut socket).await;
    let Message::Close(Some(frame)) = close else { panic!("{close:?}") };
    assert_eq!(frame.code, CloseCode::Away);
    while let Some(Ok(_)) = socket.next().await {}
    tokio::time::timeout(SOON, &mut worker.ended).await.expect("the worker does not end").unwrap();
}

#[tokio::test]
async fn an_idle_tunnel_is_closed() {
    let service = echoing().await;
    let limits = Limits { tunnel_idle: std::time::Duration::from_millis(50), ..Limits::default() };
    let worker = worker(&service, &[], limits).await;
    let mut socket = open(&worker, OPEN, &[]).await.unwrap();
    let close = next(&mut socket).await;
    assert!(matches!(&close, Message::Close(Some(frame)) if frame.code == CloseCode::Away), "{close:?}");
}
