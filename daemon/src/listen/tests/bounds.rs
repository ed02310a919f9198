//! A listener's limits of connections, and the connections that it closes at them.

use std::net::{IpAddr, Ipv4Addr};

use axum::body::Bytes;
use axum::routing::post;
use tokio::net::TcpSocket;
use tokio::sync::watch;

use super::*;
use crate::client_network::TrustedProxies;

/// Longer than any test, so that no connection is closed by its head timeout.
const NEVER: Duration = Duration::from_secs(3600);
const FLOOD: usize = 600;
const HALF_A_HEAD: &str = "GET / HTTP/1.1\r\nHost: local";
const HALF_A_BODY: &str = "POST /body HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{";
const WHOLE: &str = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// Returns 127.0.0.`last`: a loopback address that is a client network of its own.
pub(super) fn loopback(last: u8) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(127, 0, 0, last))
}

fn patient() -> Limits {
    Limits { head_timeout: NEVER, ..Limits::default() }
}

/// Answers `GET /` at once, `POST /body` after its body, and `GET /held` once the sender is set to true.
fn router() -> (Router, watch::Receiver<usize>, watch::Sender<bool>) {
    let (in_flight, seen) = watch::channel(0);
    let (release, released) = watch::channel(false);
    let in_flight = Arc::new(in_flight);
    let held = move || async move {
        in_flight.send_modify(|count| *count += 1);
        released.clone().wait_for(|released| *released).await.unwrap();
        "held"
    };
    let router = Router::new()
        .route("/", get(|| async { "answered" }))
        .route("/body", post(|body: Bytes| async move { body }))
        .route("/held", get(held));
    (router, seen, release)
}

pub(super) async fn connect(from: IpAddr, to: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::new(from, 0)).unwrap();
    tokio::time::timeout(SOON, socket.connect(to)).await.expect("no connection").unwrap()
}

/// Opens a connection and sends `text`.
async fn sent(from: IpAddr, to: SocketAddr, text: &str) -> TcpStream {
    let mut stream = connect(from, to).await;
    // The listener may have closed it by now.
    let _ = stream.write_all(text.as_bytes()).await;
    stream
}

/// Sends a whole request and reads its answer; the connection is kept open.
async fn answered(stream: &mut TcpStream) {
    stream.write_all(WHOLE.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let reading = async {
        while !answer.ends_with(b"answered") {
            assert_ne!(stream.read_buf(&mut answer).await.unwrap(), 0, "closed");
        }
    };
    tokio::time::timeout(SOON, reading).await.expect("no answer");
}

fn is_open(stream: &TcpStream) -> bool {
    let mut byte = [0];
    matches!(stream.try_read(&mut byte), Err(error) if error.kind() == io::ErrorKind::WouldBlock)
}

/// Waits until this number of the connections is open.
async fn left_open(streams: &[TcpStream], number: usize) {
    let waiting = async {
        while streams.iter().filter(|stream| is_open(stream)).count() != number {
            tokio::task::yield_now().await;
        }
    };
    let waited = tokio::time::timeout(SOON, waiting).await;
    assert!(waited.is_ok(), "{} are open", streams.iter().filter(|stream| is_open(stream)).count());
}

pub(super) async fn flood(from: IpAddr, to: SocketAddr, text: &str) -> Vec<TcpStream> {
    let mut streams = Vec::new();
    for _ in 0..FLOOD {
        streams.push(sent(from, to, text).await);
    }
    streams
}

#[tokio::test]
async fn half_sent_heads_count_against_their_address_only() {
    let (router, ..) = router();
    let (addr, _shutdown, _task) = started(router, patient()).await;
    let mut honest = connect(loopback(2), addr).await;
    answered(&mut honest).await;
    let streams = flood(loopback(1), addr, HALF_A_HEAD).await;
    answered(&mut connect(loopback(2), addr).await).await;
    left_open(&streams, patient().connections_by_address.unwrap()).await;
    answered(&mut honest).await;
    // A complete request from the flood's own address is served too.
    answered(&mut connect(loopback(1), addr).await).await;
}

#[tokio::test]
async fn half_sent_bodies_count_against_their_address_only() {
    let (router, ..) = router();
    let (addr, _shutdown, _task) = started(router, patient()).await;
    let streams = flood(loopback(1), addr, HALF_A_BODY).await;
    answered(&mut connect(loopback(2), addr).await).await;
    left_open(&streams, patient().connections_by_address.unwrap()).await;
    answered(&mut connect(loopback(1), addr).await).await;
}

#[tokio::test]
async fn without_a_limit_by_address_the_busiest_addresss_connections_are_closed() {
    for text in [HALF_A_HEAD, HALF_A_BODY] {
        let (router, ..) = router();
        let limits = Limits { connections: 64, head_timeout: NEVER, ..Limits::behind_a_proxy() };
        let (addr, _shutdown, _task) = started(router, limits).await;
        let mut kept = connect(loopback(2), addr).await;
        answered(&mut kept).await;
        let streams = flood(loopback(1), addr, text).await;
        answered(&mut connect(loopback(3), addr).await).await;
        answered(&mut kept).await;
        assert!(streams.iter().filter(|stream| is_open(stream)).count() <= limits.connections);
    }
}

#[tokio::test]
async fn requests_in_flight_are_never_closed_for_others() {
    let (router, mut seen, release) = router();
    let limits = Limits { connections_by_address: Some(2), ..patient() };
    let (addr, _shutdown, _task) = started(router, limits).await;
    let held = "GET /held HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let mut busy = [sent(loopback(1), addr, held).await, sent(loopback(1), addr, held).await];
    tokio::time::timeout(SOON, seen.wait_for(|count| *count == 2)).await.expect("both are served").unwrap();
    assert_eq!(read_to_end(&mut sent(loopback(1), addr, WHOLE).await).await, "", "a third of one address is served");
    answered(&mut connect(loopback(2), addr).await).await;
    release.send(true).unwrap();
    for stream in &mut busy {
        assert!(read_to_end(stream).await.ends_with("held"));
    }
    answered(&mut connect(loopback(1), addr).await).await;
}

#[tokio::test]
async fn a_trusted_proxy_is_exempt_from_the_limit_by_address() {
    let (router, mut seen, release) = router();
    let limits = Limits { connections_by_address: Some(1), ..patient() };
    let listener = Listener::bind("main", "127.0.0.1:0".parse().unwrap()).await.unwrap();
    let proxies = TrustedProxies::from_iter(TrustedProxies::parse("127.0.0.1"));
    let (addr, listener) = (listener.addr(), listener.trusting(proxies));
    tokio::spawn(listener.serve(router, limits, CancellationToken::new()));
    let held = "GET /held HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let mut busy = Vec::new();
    for _ in 0..5 {
        busy.push(sent(loopback(1), addr, held).await);
    }
    tokio::time::timeout(SOON, seen.wait_for(|count| *count == 5)).await.expect("all are served").unwrap();
    let _held = sent(loopback(2), addr, held).await;
    tokio::time::timeout(SOON, seen.wait_for(|count| *count == 6))
        .await
        .expect("another address is served too")
        .unwrap();
    assert_eq!(read_to_end(&mut sent(loopback(2), addr, WHOLE).await).await, "", "the other address is limited");
    release.send(true).unwrap();
    for stream in &mut busy {
        assert!(read_to_end(stream).await.ends_with("held"));
    }
}

#[tokio::test]
async fn an_idle_connection_is_closed_for_a_new_one_of_its_address() {
    let (router, ..) = router();
    let (addr, _shutdown, _task) = started(router, Limits { connections_by_address: Some(1), ..patient() }).await;
    let mut idle = connect(loopback(1), addr).await;
    answered(&mut idle).await;
    // The caller may read the answer before the listener has seen the flush; until then the connection counts as busy.
    let mut new = connect(loopback(1), addr).await;
    let mut answer = Vec::new();
    loop {
        let _ = new.write_all(b"GET / HTTP/1.0\r\n\r\n").await;
        let _ = tokio::time::timeout(SOON, new.read_to_end(&mut answer)).await.expect("neither an answer nor an end");
        if !answer.is_empty() {
            break;
        }
        new = connect(loopback(1), addr).await;
    }
    assert!(answer.ends_with(b"answered"));
    assert_eq!(read_to_end(&mut idle).await, "");
}

#[tokio::test]
async fn an_answer_that_is_being_written_is_not_cut() {
    const ANSWER_BYTES: usize = 32 * 1024 * 1024;
    let router = Router::new().route("/", get(|| async { vec![b'x'; ANSWER_BYTES] }));
    let (addr, _shutdown, _task) = started(router, Limits { connections_by_address: Some(1), ..patient() }).await;
    let mut slow = sent(loopback(1), addr, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await;
    let mut first = [0; 12];
    slow.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    // The unread rest is larger than the socket buffers.
    assert_eq!(read_to_end(&mut sent(loopback(1), addr, WHOLE).await).await, "");
    assert!(read_to_end(&mut slow).await.len() > ANSWER_BYTES);
}

#[tokio::test]
async fn a_burst_of_complete_requests_loses_none() {
    const BURST: usize = 200;
    let (router, ..) = router();
    let limits = Limits { connections: 100, ..Limits::behind_a_proxy() };
    let (addr, _shutdown, _task) = started(router, limits).await;
    let request = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let callers: Vec<_> = (0..BURST).map(|_| tokio::spawn(exchange(addr, request))).collect();
    for caller in callers {
        assert!(caller.await.unwrap().ends_with("answered"));
    }
}

#[tokio::test]
async fn a_single_half_sent_head_is_closed_after_its_grace() {
    let (router, ..) = router();
    let (addr, _shutdown, _task) = started(router, Limits { connections: 2, ..patient() }).await;
    let streams = [sent(loopback(1), addr, HALF_A_HEAD).await, sent(loopback(2), addr, HALF_A_HEAD).await];
    answered(&mut connect(loopback(3), addr).await).await;
    left_open(&streams, 1).await;
    assert!(is_open(&streams[1]), "the older one is closed");
}
