//! Listening: a bound address, and HTTP/1 connections served on it until the process is to end.
//!
//! What is answered is a router's affair. What lives here keeps slow, silent and too many callers from doing harm, and
//! says how serving ends: what has begun is finished, who comes meanwhile is still answered.

mod unread;

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
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt as _;

use self::unread::Unread;
use crate::shutdown::Shutdown;

/// A request's head, in bytes.
const HEAD_MAX_BYTES: usize = 32 * 1024;
/// What is read ahead of a slow handler on one connection, in bytes.
const READ_AHEAD_MAX_BYTES: usize = 64 * 1024;
/// Where the system refuses a connection (too many open files, mostly) this long passes before the next is asked for.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// How long answers may still be written once requests were hurried; never longer than the drain itself.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// How long and how many.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// From the moment a request may come to the end of its head; an idle connection ends after it too.
    pub head_timeout: Duration,
    /// How long a caller may take nothing of its answer.
    pub write_timeout: Duration,
    /// Connections at once; a further caller waits in the system's queue.
    pub connections: usize,
    /// How long requests may go on once the drain has begun.
    pub drain: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            head_timeout: Duration::from_secs(10),
            write_timeout: Duration::from_secs(20),
            connections: 512,
            drain: Duration::from_secs(20),
        }
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

    /// Serves `router` until the drain begins, and then what has begun, for as long as `limits` allow. Who comes
    /// meanwhile is served too, one request a connection: the router says that it is too late. What is left when that
    /// time is over, or when it is hurried, has [`LAST_WORDS`] to end, told by the token that hurries.
    ///
    /// Handlers find the caller's address as [`ConnectInfo<SocketAddr>`]. A caller that leaves drops its handler's
    /// future at once.
    pub async fn serve(self, router: Router, limits: Limits, shutdown: impl Into<Shutdown>) {
        let Shutdown { drain, hurry } = shutdown.into();
        let (closing_late, end_now) = (CancellationToken::new(), CancellationToken::new());
        let places = Arc::new(Semaphore::new(limits.connections));
        let door = |closing: &CancellationToken, keep_alive| Door {
            router: router.clone(),
            head_timeout: limits.head_timeout,
            write_timeout: limits.write_timeout,
            keep_alive,
            places: Arc::clone(&places),
            connections: TaskTracker::new(),
            closing: closing.clone(),
            end_now: end_now.clone(),
        };
        let (early, late) = (door(&drain, true), door(&closing_late, false));
        tokio::select! {
            biased;
            () = drain.cancelled() => {}
            () = self.accept_all(&early) => {}
        }
        early.connections.close();
        let drained = async {
            tokio::select! {
                () = early.connections.wait() => {}
                () = hurry.cancelled() => {}
                () = tokio::time::sleep(limits.drain) => {}
            }
        };
        tokio::select! {
            biased;
            () = drained => {}
            () = self.accept_all(&late) => {}
        }
        drop(self.socket);
        closing_late.cancel();
        late.connections.close();
        if !early.connections.is_empty() {
            tracing::warn!(addr = %self.addr, connections = early.connections.len(), "hurrying requests to their end");
            hurry.cancel();
        }
        let ended = async {
            early.connections.wait().await;
            late.connections.wait().await;
        };
        if tokio::time::timeout(LAST_WORDS.min(limits.drain), ended).await.is_err() {
            tracing::warn!(addr = %self.addr, "ending with answers unsent");
            end_now.cancel();
            early.connections.wait().await;
            late.connections.wait().await;
        }
    }

    /// Accepts connections without end, and serves each in a task.
    async fn accept_all(&self, door: &Door) {
        loop {
            match self.accept(&door.places).await {
                Ok((place, stream, peer)) => door.open(place, stream, peer),
                Err(error) => {
                    tracing::warn!(%error, "no connection could be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    async fn accept(&self, places: &Arc<Semaphore>) -> io::Result<(OwnedSemaphorePermit, TcpStream, SocketAddr)> {
        let place = Arc::clone(places).acquire_owned().await.map_err(io::Error::other)?;
        let (stream, peer) = self.socket.accept().await?;
        Ok((place, stream, peer))
    }
}

/// How connections of one kind are served.
struct Door {
    router: Router,
    head_timeout: Duration,
    write_timeout: Duration,
    /// Whether a connection may carry more than one request.
    keep_alive: bool,
    places: Arc<Semaphore>,
    connections: TaskTracker,
    /// Idle connections close, busy ones after their request.
    closing: CancellationToken,
    /// All of them end.
    end_now: CancellationToken,
}

impl Door {
    fn open(&self, place: OwnedSemaphorePermit, stream: TcpStream, peer: SocketAddr) {
        // Answers are written whole: waiting for more to put into a packet only costs time. If it can't be set, so be
        // it.
        let _ = stream.set_nodelay(true);
        let router = self.router.clone();
        let service = hyper::service::service_fn(move |request| answer(router.clone(), peer, request));
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.head_timeout)
            .max_header_size(HEAD_MAX_BYTES)
            .max_buf_size(READ_AHEAD_MAX_BYTES)
            .keep_alive(self.keep_alive)
            .serve_connection(TokioIo::new(Unread::bounded(stream, self.write_timeout)), service);
        let (closing, end_now) = (self.closing.clone(), self.end_now.clone());
        self.connections.spawn(async move {
            tokio::pin!(connection);
            let ended = tokio::select! {
                ended = connection.as_mut() => ended,
                () = end_now.cancelled() => Ok(()),
                () = closing.cancelled() => {
                    connection.as_mut().graceful_shutdown();
                    tokio::select! {
                        ended = connection => ended,
                        () = end_now.cancelled() => Ok(()),
                    }
                }
            };
            if let Err(error) = ended {
                tracing::debug!(%peer, %error, "a connection broke");
            }
            drop(place);
        });
    }
}

async fn answer(router: Router, peer: SocketAddr, request: hyper::Request<Incoming>) -> Result<Response, Infallible> {
    let mut request: Request = request.map(Body::new);
    request.extensions_mut().insert(ConnectInfo(peer));
    router.oneshot(request).await
}

#[cfg(test)]
mod tests;
