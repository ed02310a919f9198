//! Listeners on real sockets: serving, time limits and the drain.

mod bounds;
mod upgrades;

use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::routing::get;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinHandle;

use super::*;

const SOON: Duration = Duration::from_secs(5);

async fn started(router: Router, limits: Limits) -> (SocketAddr, CancellationToken, JoinHandle<()>) {
    let listener = Listener::bind("main", "127.0.0.1:0".parse().unwrap()).await.unwrap();
    let addr = listener.addr();
    let shutdown = CancellationToken::new();
    (addr, shutdown.clone(), tokio::spawn(listener.serve(router, limits, shutdown)))
}

async fn exchange(addr: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(addr).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    read_to_end(&mut stream).await
}

async fn read_to_end(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    // After a reset, the bytes read before it are still returned.
    let _ = tokio::time::timeout(SOON, stream.read_to_end(&mut answer)).await.expect("the connection stays open");
    String::from_utf8(answer).unwrap()
}

fn peer_address() -> Router {
    Router::new().route("/", get(|ConnectInfo(peer): ConnectInfo<SocketAddr>| async move { peer.ip().to_string() }))
}

#[tokio::test]
async fn http_1_0_and_1_1_are_served_and_the_peer_is_known() {
    let (addr, _shutdown, _task) = started(peer_address(), Limits::default()).await;
    let old = exchange(addr, "GET / HTTP/1.0\r\n\r\n").await;
    assert!(old.starts_with("HTTP/1.0 200") && old.ends_with("127.0.0.1"), "{old}");
    let new = exchange(addr, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await;
    assert!(new.starts_with("HTTP/1.1 200") && new.ends_with("127.0.0.1"), "{new}");
}

#[tokio::test]
async fn half_a_head_then_silence_is_cut() {
    let limits = Limits { head_timeout: Duration::from_millis(50), ..Limits::default() };
    let (addr, _shutdown, _task) = started(peer_address(), limits).await;
    let answer = exchange(addr, "GET / HTTP/1.1\r\nHost:").await;
    assert!(!answer.contains("200"), "{answer}");
}

#[tokio::test]
async fn a_head_beyond_the_cap_is_refused() {
    let (addr, _shutdown, _task) = started(peer_address(), Limits::default()).await;
    let request = |bytes: usize| format!("GET / HTTP/1.1\r\nConnection: close\r\nx: {}\r\n\r\n", "a".repeat(bytes));
    assert!(exchange(addr, &request(HEAD_MAX_BYTES / 2)).await.starts_with("HTTP/1.1 200"));
    assert!(exchange(addr, &request(HEAD_MAX_BYTES)).await.starts_with("HTTP/1.1 431"));
}

#[tokio::test]
async fn a_caller_that_leaves_drops_its_handler() {
    let (began, has_begun) = oneshot::channel();
    let (dropped, was_dropped) = oneshot::channel::<()>();
    let held = Arc::new(std::sync::Mutex::new(Some((began, dropped))));
    let router = Router::new().route(
        "/",
        get(move || async move {
            let (began, _held_until_dropped) = held.lock().unwrap().take().unwrap();
            began.send(()).unwrap();
            std::future::pending::<()>().await;
        }),
    );
    let (addr, _shutdown, _task) = started(router, Limits::default()).await;
    let mut stream = TcpStream::connect(addr).await.unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    has_begun.await.unwrap();
    drop(stream);
    assert!(tokio::time::timeout(SOON, was_dropped).await.expect("the handler still runs").is_err());
}

#[tokio::test]
async fn connections_beyond_the_cap_wait() {
    let (in_flight, in_flight_seen) = tokio::sync::watch::channel(0);
    let (release, released) = tokio::sync::watch::channel(false);
    let in_flight = Arc::new(in_flight);
    let router = Router::new().route(
        "/",
        get(move || async move {
            in_flight.send_modify(|count| *count += 1);
            released.clone().wait_for(|released| *released).await.unwrap();
            "done"
        }),
    );
    let (addr, _shutdown, _task) = started(router, Limits { connections: 2, ..Limits::default() }).await;
    let callers: Vec<_> = (0..6).map(|_| tokio::spawn(exchange(addr, "GET / HTTP/1.0\r\n\r\n"))).collect();
    let mut seen = in_flight_seen;
    tokio::time::timeout(SOON, seen.wait_for(|count| *count == 2)).await.expect("two are served").unwrap();
    let third = tokio::time::timeout(Duration::from_millis(100), seen.wait_for(|count| *count > 2)).await;
    assert!(third.is_err(), "a third is served at the same time");
    release.send(true).unwrap();
    for caller in callers {
        assert!(caller.await.unwrap().ends_with("done"));
    }
}

#[tokio::test]
async fn shutdown_finishes_requests_and_closes_idle_connections() {
    let release = Arc::new(Notify::new());
    let begun = Arc::new(Notify::new());
    let router = Router::new().route(
        "/",
        get({
            let (release, begun) = (Arc::clone(&release), Arc::clone(&begun));
            move || async move {
                begun.notify_one();
                release.notified().await;
                "done"
            }
        }),
    );
    let (addr, shutdown, task) = started(router, Limits::default()).await;
    let mut idle = TcpStream::connect(addr).await.unwrap();
    let busy = tokio::spawn(exchange(addr, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
    begun.notified().await;
    shutdown.cancel();
    assert_eq!(read_to_end(&mut idle).await, "");
    release.notify_one();
    assert!(busy.await.unwrap().ends_with("done"));
    tokio::time::timeout(SOON, task).await.expect("serving does not end").unwrap();
    assert!(TcpStream::connect(addr).await.is_err(), "the listener is closed");
}

#[tokio::test]
async fn the_drain_limit_ends_hanging_requests() {
    let dropped = Arc::new(AtomicUsize::new(0));
    struct Count(Arc<AtomicUsize>);
    impl Drop for Count {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let begun = Arc::new(Notify::new());
    let router = Router::new().route(
        "/",
        get({
            let (dropped, begun) = (Arc::clone(&dropped), Arc::clone(&begun));
            move || async move {
                let _count = Count(dropped);
                begun.notify_one();
                std::future::pending::<()>().await;
            }
        }),
    );
    let limits = Limits { drain: Duration::from_millis(20), ..Limits::default() };
    let (addr, shutdown, task) = started(router, limits).await;
    let busy = tokio::spawn(exchange(addr, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
    begun.notified().await;
    shutdown.cancel();
    tokio::time::timeout(SOON, task).await.expect("serving does not end").unwrap();
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
    assert_eq!(busy.await.unwrap(), "");
}

#[tokio::test]
async fn an_address_in_use_is_named() {
    let first = Listener::bind("main", "127.0.0.1:0".parse().unwrap()).await.unwrap();
    let error = Listener::bind("main", first.addr()).await.unwrap_err();
    assert!(error.to_string().contains(&first.addr().to_string()));
}

#[tokio::test]
async fn new_callers_during_the_drain_get_one_answer_each() {
    let release = Arc::new(Notify::new());
    let begun = Arc::new(Notify::new());
    let slow = {
        let (release, begun) = (Arc::clone(&release), Arc::clone(&begun));
        move || async move {
            begun.notify_one();
            release.notified().await;
            "done"
        }
    };
    let router = Router::new().route("/slow", get(slow)).route("/late", get(|| async { "too late" }));
    let (addr, shutdown, task) = started(router, Limits::default()).await;
    let busy = tokio::spawn(exchange(addr, "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n"));
    begun.notified().await;
    shutdown.cancel();
    // No `Connection: close`: the listener itself ends the connection after one answer.
    let late = exchange(addr, "GET /late HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert!(late.ends_with("too late") && late.contains("connection: close"), "{late}");
    let _silent = TcpStream::connect(addr).await.unwrap();
    release.notify_one();
    assert!(busy.await.unwrap().ends_with("done"));
    tokio::time::timeout(SOON, task).await.expect("serving does not end").unwrap();
}

#[tokio::test]
async fn a_hurried_handlers_answer_reaches_the_caller() {
    let shutdown = Shutdown::default();
    let begun = Arc::new(Notify::new());
    let router = Router::new().route(
        "/",
        get({
            let (begun, hurry) = (Arc::clone(&begun), shutdown.hurry.clone());
            move || async move {
                begun.notify_one();
                hurry.cancelled().await;
                "given up"
            }
        }),
    );
    let listener = Listener::bind("main", "127.0.0.1:0".parse().unwrap()).await.unwrap();
    let addr = listener.addr();
    let task = tokio::spawn(listener.serve(router, Limits::default(), shutdown.clone()));
    let busy = tokio::spawn(exchange(addr, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
    begun.notified().await;
    shutdown.drain.cancel();
    shutdown.hurry.cancel();
    assert!(busy.await.unwrap().ends_with("given up"));
    tokio::time::timeout(SOON, task).await.expect("serving does not end").unwrap();
}

#[tokio::test]
async fn an_unread_answer_is_given_up() {
    let (dropped, was_dropped) = oneshot::channel::<()>();
    let held = Arc::new(std::sync::Mutex::new(Some(dropped)));
    let endless = move || async move {
        let held_until_dropped = held.lock().unwrap().take();
        Body::from_stream(futures_util::stream::repeat_with(move || {
            let _ = &held_until_dropped;
            Ok::<_, Infallible>(bytes::Bytes::from_static(&[0; 64 * 1024]))
        }))
    };
    let limits = Limits { write_timeout: Duration::from_millis(50), ..Limits::default() };
    let (addr, _shutdown, _task) = started(Router::new().route("/", get(endless)), limits).await;
    let mut unread = TcpStream::connect(addr).await.unwrap();
    unread.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    assert!(tokio::time::timeout(SOON, was_dropped).await.expect("the answer is still being written").is_err());
}
