//! Listening: a bound address, and HTTP/1 connections served on it until the process is to end.
//!
//! What is answered is a router's affair. What lives here keeps slow, silent and too many callers from doing harm.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt as _;

/// A request's head, in bytes.
const HEAD_MAX_BYTES: usize = 32 * 1024;
/// What is read ahead of a slow handler on one connection, in bytes.
const READ_AHEAD_MAX_BYTES: usize = 64 * 1024;
/// Where the system refuses a connection (too many open files, mostly) this long passes before the next is asked for.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// How long and how many.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// From the moment a request may come to the end of its head; an idle connection ends after it too.
    pub head_timeout: Duration,
    /// Connections at once; a further caller waits in the system's queue.
    pub connections: usize,
    /// How long requests may go on after the end was asked for.
    pub drain: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { head_timeout: Duration::from_secs(10), connections: 512, drain: Duration::from_secs(20) }
    }
}

impl Limits {
    /// For an admin listener: its few callers ask short questions.
    #[must_use]
    pub fn admin() -> Self {
        Self { connections: 32, drain: Duration::from_secs(1), ..Self::default() }
    }
}

/// An address that can't be listened on.
#[derive(Debug, thiserror::Error)]
#[error("can't listen on {addr}: {source}")]
pub struct BindError {
    /// The address.
    pub addr: SocketAddr,
    /// Why.
    pub source: io::Error,
}

/// A bound address. Connections wait in the system's queue until [`Listener::serve`].
#[derive(Debug)]
pub struct Listener {
    socket: TcpListener,
    addr: SocketAddr,
}

impl Listener {
    /// Binds `addr` and logs `listening` with the listener's `name` and the real address.
    ///
    /// # Errors
    /// [`BindError`] when the address is taken or not this machine's.
    pub async fn bind(name: &'static str, addr: SocketAddr) -> Result<Self, BindError> {
        let refused = |source| BindError { addr, source };
        let socket = TcpListener::bind(addr).await.map_err(refused)?;
        let addr = socket.local_addr().map_err(refused)?;
        tracing::info!(listener = name, %addr, "listening");
        Ok(Self { socket, addr })
    }

    /// The real address, with the port that the system chose for port 0.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The bound socket, for a process that serves it in a way of its own.
    #[must_use]
    pub fn into_socket(self) -> TcpListener {
        self.socket
    }

    /// Serves `router` until `shutdown`, and then what has begun, for as long as `limits` allow. Handlers find the
    /// caller's address as [`ConnectInfo<SocketAddr>`]. A caller that leaves drops its handler's future at once.
    pub async fn serve(self, router: Router, limits: Limits, shutdown: CancellationToken) {
        let places = Arc::new(Semaphore::new(limits.connections));
        let connections = TaskTracker::new();
        let end_now = CancellationToken::new();
        loop {
            let accepted = tokio::select! {
                biased;
                () = shutdown.cancelled() => break,
                accepted = self.accept(&places) => accepted,
            };
            let (place, stream, peer) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!(%error, "no connection could be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            };
            let connection = connection(stream, peer, router.clone(), limits.head_timeout, shutdown.clone());
            let end_now = end_now.clone();
            connections.spawn(async move {
                tokio::select! {
                    () = connection => {}
                    () = end_now.cancelled() => {}
                }
                drop(place);
            });
        }
        drop(self.socket);
        connections.close();
        if tokio::time::timeout(limits.drain, connections.wait()).await.is_err() {
            tracing::warn!(addr = %self.addr, connections = connections.len(), "ending with requests unanswered");
            end_now.cancel();
            connections.wait().await;
        }
    }

    async fn accept(
        &self,
        places: &Arc<Semaphore>,
    ) -> io::Result<(tokio::sync::OwnedSemaphorePermit, TcpStream, SocketAddr)> {
        let place = Arc::clone(places).acquire_owned().await.map_err(io::Error::other)?;
        let (stream, peer) = self.socket.accept().await?;
        Ok((place, stream, peer))
    }
}

async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    head_timeout: Duration,
    shutdown: CancellationToken,
) {
    // Answers are written whole: waiting for more to put into a packet only costs time. If it can't be set, so be it.
    let _ = stream.set_nodelay(true);
    let service = hyper::service::service_fn(move |request| answer(router.clone(), peer, request));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(head_timeout)
        .max_header_size(HEAD_MAX_BYTES)
        .max_buf_size(READ_AHEAD_MAX_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = shutdown.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%peer, %error, "a connection broke");
    }
}

async fn answer(router: Router, peer: SocketAddr, request: hyper::Request<Incoming>) -> Result<Response, Infallible> {
    let mut request: Request = request.map(Body::new);
    request.extensions_mut().insert(ConnectInfo(peer));
    router.oneshot(request).await
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

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
        // A connection that the server resets has told all that it will tell.
        let _ = tokio::time::timeout(SOON, stream.read_to_end(&mut answer)).await.expect("the connection stays open");
        String::from_utf8(answer).unwrap()
    }

    fn peer_teller() -> Router {
        Router::new().route("/", get(|ConnectInfo(peer): ConnectInfo<SocketAddr>| async move { peer.ip().to_string() }))
    }

    #[tokio::test]
    async fn http_1_0_and_1_1_are_served_and_the_peer_is_known() {
        let (addr, _shutdown, _task) = started(peer_teller(), Limits::default()).await;
        let old = exchange(addr, "GET / HTTP/1.0\r\n\r\n").await;
        assert!(old.starts_with("HTTP/1.0 200") && old.ends_with("127.0.0.1"), "{old}");
        let new = exchange(addr, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await;
        assert!(new.starts_with("HTTP/1.1 200") && new.ends_with("127.0.0.1"), "{new}");
    }

    #[tokio::test]
    async fn half_a_head_then_silence_is_cut() {
        let limits = Limits { head_timeout: Duration::from_millis(50), ..Limits::default() };
        let (addr, _shutdown, _task) = started(peer_teller(), limits).await;
        let answer = exchange(addr, "GET / HTTP/1.1\r\nHost:").await;
        assert!(!answer.contains("200"), "{answer}");
    }

    #[tokio::test]
    async fn a_head_beyond_the_cap_is_refused() {
        let (addr, _shutdown, _task) = started(peer_teller(), Limits::default()).await;
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
        assert!(third.is_err(), "a third is served beside them");
        release.send(true).unwrap();
        for caller in callers {
            assert!(caller.await.unwrap().ends_with("done"));
        }
    }

    #[tokio::test]
    async fn shutdown_lets_a_request_end_and_closes_what_is_idle() {
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
        tokio::time::timeout(SOON, task).await.expect("serving goes on").unwrap();
        assert!(TcpStream::connect(addr).await.is_err(), "nobody listens any more");
    }

    #[tokio::test]
    async fn the_drain_limit_ends_what_does_not_end_by_itself() {
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
        tokio::time::timeout(SOON, task).await.expect("serving goes on").unwrap();
        assert_eq!(dropped.load(Ordering::SeqCst), 1);
        assert_eq!(busy.await.unwrap(), "");
    }

    #[tokio::test]
    async fn an_address_that_is_taken_is_named() {
        let first = Listener::bind("main", "127.0.0.1:0".parse().unwrap()).await.unwrap();
        let error = Listener::bind("main", first.addr()).await.unwrap_err();
        assert!(error.to_string().contains(&first.addr().to_string()));
    }
}
