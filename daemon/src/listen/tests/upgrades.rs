//! Upgraded connections: their own counts and limits, the drain, and the cut at its end.

use axum::extract::ws::{CloseFrame, Message as Received, WebSocket, WebSocketUpgrade, close_code};
use axum::response::Response;
use futures_util::{SinkExt as _, StreamExt as _};
use http::StatusCode;
use prometheus_client::registry::Registry;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use super::*;
use crate::exposition;

type Socket = WebSocketStream<TcpStream>;

/// Echoes messages; closes with 1001 when `going_away` is cancelled.
async fn echo(permit: UpgradePermit, upgrade: WebSocketUpgrade) -> Response {
    upgrade.on_upgrade(async move |mut socket: WebSocket| {
        loop {
            tokio::select! {
                () = permit.going_away.cancelled() => {
                    let frame = CloseFrame { code: close_code::AWAY, reason: "".into() };
                    let _ = socket.send(Received::Close(Some(frame))).await;
                    // Reads until the caller's own close frame.
                    while let Some(Ok(_)) = socket.recv().await {}
                    return;
                }
                received = socket.recv() => match received {
                    Some(Ok(message @ (Received::Text(_) | Received::Binary(_)))) => {
                        let _ = socket.send(message).await;
                    }
                    Some(Ok(_)) => {}
                    Some(Err(_)) | None => return,
                },
            }
        }
    })
}

/// Takes a permit and ignores `going_away`.
async fn deaf(_permit: UpgradePermit, upgrade: WebSocketUpgrade) -> Response {
    upgrade.on_upgrade(async |mut socket: WebSocket| while let Some(Ok(_)) = socket.recv().await {})
}

fn router() -> Router {
    Router::new()
        .route("/", get(|| async { "answered" }))
        .route("/echo", get(echo))
        .route("/deaf", get(deaf))
        .route("/permitless", get(|upgrade: WebSocketUpgrade| async { upgrade.on_upgrade(async |_| {}) }))
        .route("/undecided", get(|_permit: UpgradePermit| async { "answered" }))
}

async fn open(addr: SocketAddr, path: &str) -> Result<Socket, StatusCode> {
    let stream = TcpStream::connect(addr).await.unwrap();
    match tokio::time::timeout(SOON, client_async(format!("ws://{addr}{path}"), stream)).await.expect("no answer") {
        Ok((socket, _)) => Ok(socket),
        Err(Error::Http(answer)) => Err(answer.status()),
        Err(error) => panic!("{error}"),
    }
}

async fn echoes(socket: &mut Socket) {
    socket.send(Message::text("hello")).await.unwrap();
    let received = tokio::time::timeout(SOON, socket.next()).await.expect("no echo");
    assert_eq!(received.unwrap().unwrap(), Message::text("hello"));
}

async fn is_answered(addr: SocketAddr) {
    let answer = exchange(addr, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await;
    assert!(answer.ends_with("answered"), "{answer}");
}

/// Waits until a socket can be opened: a permit is freed when a socket closes, not when its caller sends a close frame.
async fn eventually_open(addr: SocketAddr) -> Socket {
    let opening = async {
        loop {
            match open(addr, "/echo").await {
                Ok(socket) => return socket,
                Err(status) => assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE),
            }
        }
    };
    tokio::time::timeout(SOON, opening).await.expect("no permit was freed")
}

#[tokio::test]
async fn upgraded_connections_do_not_count_as_plain_ones() {
    let limits = Limits { connections: 1, connections_by_address: None, upgraded: 3, ..Limits::default() };
    let (addr, _shutdown, _task) = started(router(), limits).await;
    let mut sockets = Vec::new();
    for _ in 0..3 {
        sockets.push(open(addr, "/echo").await.unwrap());
        is_answered(addr).await;
    }
    assert_eq!(open(addr, "/echo").await.err(), Some(StatusCode::SERVICE_UNAVAILABLE), "a fourth");
    is_answered(addr).await;
    for socket in &mut sockets {
        echoes(socket).await;
    }
    sockets.pop().unwrap().close(None).await.unwrap();
    echoes(&mut eventually_open(addr).await).await;
}

#[tokio::test]
async fn upgraded_connections_are_limited_by_address() {
    let limits = Limits { upgraded_by_address: Some(1), ..Limits::default() };
    let (addr, _shutdown, _task) = started(router(), limits).await;
    let mut first = open(addr, "/echo").await.unwrap();
    assert_eq!(open(addr, "/echo").await.err(), Some(StatusCode::SERVICE_UNAVAILABLE));
    let other = bounds::connect(bounds::loopback(2), addr).await;
    let (mut other, _) =
        client_async(format!("ws://{addr}/echo"), other).await.expect("another address has its own limit");
    echoes(&mut other).await;
    echoes(&mut first).await;
}

#[tokio::test]
async fn upgraded_connections_are_never_closed_for_others() {
    let limits = Limits { connections: 64, connections_by_address: None, ..Limits::default() };
    let (addr, _shutdown, _task) = started(router(), limits).await;
    let mut socket = open(addr, "/echo").await.unwrap();
    let flood = bounds::flood(bounds::loopback(1), addr, "GET / HT").await;
    echoes(&mut socket).await;
    drop(flood);
    is_answered(addr).await;
}

#[tokio::test]
async fn the_drain_closes_upgraded_connections_with_1001() {
    let (addr, shutdown, task) = started(router(), Limits::default()).await;
    let mut socket = open(addr, "/echo").await.unwrap();
    echoes(&mut socket).await;
    shutdown.cancel();
    let close = tokio::time::timeout(SOON, socket.next()).await.expect("no close frame").unwrap().unwrap();
    let Message::Close(Some(frame)) = close else { panic!("{close:?}") };
    assert_eq!(frame.code, CloseCode::Away);
    while let Some(Ok(_)) = socket.next().await {}
    tokio::time::timeout(SOON, task).await.expect("serving does not end").unwrap();
}

#[tokio::test]
async fn no_upgrade_is_granted_during_the_drain() {
    let (addr, shutdown, _task) = started(router(), Limits::default()).await;
    let _keeps_the_drain_waiting = open(addr, "/deaf").await.unwrap();
    shutdown.cancel();
    assert_eq!(open(addr, "/echo").await.err(), Some(StatusCode::SERVICE_UNAVAILABLE));
    is_answered(addr).await;
}

#[tokio::test]
async fn connections_open_after_the_drain_are_cut() {
    let limits = Limits { drain: Duration::from_millis(20), ..Limits::default() };
    let (addr, shutdown, task) = started(router(), limits).await;
    let mut deaf = open(addr, "/deaf").await.unwrap();
    shutdown.cancel();
    let ended = tokio::time::timeout(SOON, deaf.next()).await.expect("still open");
    assert!(matches!(ended, None | Some(Err(_))), "{ended:?}");
    tokio::time::timeout(SOON, task).await.expect("serving does not end").unwrap();
}

#[tokio::test]
async fn a_permit_is_required_and_returned_if_unused() {
    let limits = Limits { upgraded: 1, ..Limits::default() };
    let (addr, _shutdown, _task) = started(router(), limits).await;
    assert_eq!(open(addr, "/permitless").await.err(), Some(StatusCode::INTERNAL_SERVER_ERROR));
    let mut kept = TcpStream::connect(addr).await.unwrap();
    kept.write_all(b"GET /undecided HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"answered") {
        assert_ne!(kept.read_buf(&mut answer).await.unwrap(), 0);
    }
    echoes(&mut open(addr, "/echo").await.expect("the permit was given back")).await;
}

#[tokio::test]
async fn connections_are_counted_by_kind() {
    let mut registry = Registry::default();
    let counts = ConnectionCounts::register(&mut registry);
    let listener = Listener::bind("main", "127.0.0.1:0".parse().unwrap()).await.unwrap().counting(counts);
    let addr = listener.addr();
    tokio::spawn(listener.serve(router(), Limits::default(), CancellationToken::new()));
    let shows = async |lines: [&str; 2]| {
        let waiting = async {
            loop {
                let text = exposition::write(&registry, exposition::Format::preferred("")).unwrap();
                if lines.iter().all(|line| text.contains(line)) {
                    return;
                }
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(SOON, waiting).await.unwrap_or_else(|_| panic!("never {lines:?}"));
    };
    shows([r#"porthole_connections{kind="plain"} 0"#, r#"porthole_connections{kind="upgraded"} 0"#]).await;
    let socket = open(addr, "/echo").await.unwrap();
    let _plain = TcpStream::connect(addr).await.unwrap();
    shows([r#"porthole_connections{kind="plain"} 1"#, r#"porthole_connections{kind="upgraded"} 1"#]).await;
    drop(socket);
    shows([r#"porthole_connections{kind="plain"} 1"#, r#"porthole_connections{kind="upgraded"} 0"#]).await;
}
