//! Listening: a bound address, and HTTP/1 connections served on it until the process is to end.
//!
//! The router decides what is answered. What lives here keeps slow, silent and too many callers from doing harm, and
//! says how serving ends: requests that have begun are finished, and requests that come meanwhile are still answered.

mod counts;
mod exchange;
mod stream;
mod table;
mod upgrade;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use self::counts::ConnectionCounts;
use self::stream::Stream;
use self::table::{Slot, Table};
use self::upgrade::Connection;
pub use self::upgrade::UpgradePermit;
use crate::client_network::TrustedProxies;
use crate::shutdown::Shutdown;

/// A request's head, in bytes.
const HEAD_MAX_BYTES: usize = 32 * 1024;
/// What is read ahead of a slow handler on one connection, in bytes.
const READ_AHEAD_MAX_BYTES: usize = 64 * 1024;
/// Where the system refuses a connection (too many open files, mostly) this long passes before the next is asked for.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// How long answers may still be written once requests were hurried; never longer than the drain itself.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// How long the tasks of upgraded connections may hold their sockets after these were cut.
const CUT_TIMEOUT: Duration = Duration::from_secs(1);

/// How long and how many.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// From the moment a request may come to the end of its head; an idle connection ends after it too.
    pub head_timeout: Duration,
    /// How long a caller may take nothing of its answer.
    pub write_timeout: Duration,
    /// Plain connections at once. When there is no room the connection that has waited longest for its caller is closed;
    /// where all of them are being answered a further caller waits in the system's queue.
    pub connections: usize,
    /// Plain connections at once from one client network; `None` where all callers come from one address. Its oldest
    /// waiting connection is closed for a further one, which is refused where all of them are being answered.
    pub connections_by_address: Option<usize>,
    /// Upgraded connections at once.
    pub upgraded: usize,
    /// Upgraded connections at once from one client network.
    pub upgraded_by_address: Option<usize>,
    /// How long requests and upgraded connections may go on once the drain has begun.
    pub drain: Duration,
}

impl Default for Limits {
    /// For callers from anywhere: half of the room at most for one client network.
    fn default() -> Self {
        Self {
            head_timeout: Duration::from_secs(10),
            write_timeout: Duration::from_secs(20),
            connections: 512,
            connections_by_address: Some(256),
            upgraded: 256,
            upgraded_by_address: Some(128),
            drain: Duration::from_secs(20),
        }
    }
}

impl Limits {
    /// For a listener whose callers all come from a proxy of ours: no bounds by address.
    #[must_use]
    pub fn behind_a_proxy() -> Self {
        Self { connections_by_address: None, upgraded_by_address: None, ..Self::default() }
    }

    /// For an admin listener: its few callers ask short questions.
    #[must_use]
    pub fn admin() -> Self {
        Self {
            connections: 64,
            connections_by_address: Some(32),
            upgraded: 0,
            drain: Duration::from_secs(1),
            ..Self::default()
        }
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
    proxies: TrustedProxies,
    counts: ConnectionCounts,
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
        Ok(Self { socket, addr, proxies: TrustedProxies::default(), counts: ConnectionCounts::default() })
    }

    /// The real address, with the port that the system chose for port 0.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Exempts these proxies from the bounds by address.
    #[must_use]
    pub fn trusting(self, proxies: TrustedProxies) -> Self {
        Self { proxies, ..self }
    }

    /// Counts connections into these metrics.
    #[must_use]
    pub fn counting(self, counts: ConnectionCounts) -> Self {
        Self { counts, ..self }
    }

    /// The bound socket, for a process that serves it in a way of its own.
    #[must_use]
    pub fn into_socket(self) -> TcpListener {
        self.socket
    }

    /// Serves `router` until the drain begins, and then what has begun, for as long as `limits` allow. Callers that come
    /// meanwhile are served too, one request a connection: the router says that it is too late. What is left when that
    /// time is over, or when it is hurried, has [`LAST_WORDS`] to end, told by the token that hurries. Then it is cut.
    ///
    /// Handlers find the caller's address as [`ConnectInfo<SocketAddr>`](axum::extract::ConnectInfo), and take an
    /// [`UpgradePermit`] to upgrade. A caller that leaves drops its handler's future at once.
    pub async fn serve(self, router: Router, limits: Limits, shutdown: impl Into<Shutdown>) {
        let Shutdown { drain, hurry } = shutdown.into();
        let Self { socket, addr, proxies, counts } = self;
        let (closing_late, end_now) = (CancellationToken::new(), CancellationToken::new());
        let table = Table::new(limits, proxies, counts);
        let acceptor = |closing: &CancellationToken, keep_alive| Acceptor {
            router: router.clone(),
            head_timeout: limits.head_timeout,
            write_timeout: limits.write_timeout,
            keep_alive,
            table: Arc::clone(&table),
            connections: TaskTracker::new(),
            going_away: drain.clone(),
            closing: closing.clone(),
            end_now: end_now.clone(),
        };
        let (early, late) = (acceptor(&drain, true), acceptor(&closing_late, false));
        tokio::select! {
            biased;
            () = drain.cancelled() => {}
            () = early.accept_all(&socket) => {}
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
            () = late.accept_all(&socket) => {}
        }
        drop(socket);
        closing_late.cancel();
        late.connections.close();
        if !early.connections.is_empty() {
            tracing::warn!(%addr, connections = table.len(), "hurrying connections to their end");
            hurry.cancel();
        }
        let ended = async || {
            early.connections.wait().await;
            late.connections.wait().await;
        };
        if tokio::time::timeout(LAST_WORDS.min(limits.drain), ended()).await.is_err() {
            tracing::warn!(%addr, connections = table.len(), "cutting connections");
            end_now.cancel();
            // Plain connections end with their tasks; an upgraded one's handler may hold on to it.
            if tokio::time::timeout(CUT_TIMEOUT, ended()).await.is_err() {
                tracing::error!(%addr, connections = table.len(), "handlers hold connections that were cut");
            }
        }
    }
}

/// Accepts connections, and serves them all in one way.
struct Acceptor {
    router: Router,
    head_timeout: Duration,
    write_timeout: Duration,
    /// Whether a connection may carry more than one request.
    keep_alive: bool,
    table: Arc<Table>,
    connections: TaskTracker,
    /// The drain has begun.
    going_away: CancellationToken,
    /// Idle connections close, busy ones after their request.
    closing: CancellationToken,
    /// All of them end.
    end_now: CancellationToken,
}

impl Acceptor {
    /// Accepts connections without end, and serves each in a task.
    async fn accept_all(&self, socket: &TcpListener) {
        loop {
            self.table.room().await;
            match socket.accept().await {
                Ok((stream, peer)) => {
                    let cut = self.end_now.child_token();
                    match self.table.admit(peer.ip(), cut.clone()) {
                        Some(slot) => self.serve(slot, stream, peer, cut),
                        None => tracing::debug!(%peer, "refused a connection: its network has too many"),
                    }
                }
                Err(error) => {
                    tracing::warn!(%error, "no connection could be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    fn serve(&self, slot: Slot, stream: TcpStream, peer: SocketAddr, cut: CancellationToken) {
        // Answers are written whole, so waiting for more to put into a packet only costs time. A failure costs speed only.
        let _ = stream.set_nodelay(true);
        let router = self.router.clone();
        let from = Connection::new(slot.handle().clone(), self.going_away.clone());
        let service =
            hyper::service::service_fn(move |request| exchange::answer(router.clone(), peer, from.clone(), request));
        let stream = Stream::new(stream, slot, self.write_timeout, cut.clone(), self.connections.token());
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.head_timeout)
            .max_header_size(HEAD_MAX_BYTES)
            .max_buf_size(READ_AHEAD_MAX_BYTES)
            .keep_alive(self.keep_alive)
            .serve_connection(TokioIo::new(stream), service)
            .with_upgrades();
        let closing = self.closing.clone();
        self.connections.spawn(async move {
            tokio::pin!(connection);
            let ended = tokio::select! {
                biased;
                () = cut.cancelled() => Ok(()),
                ended = connection.as_mut() => ended,
                () = closing.cancelled() => {
                    connection.as_mut().graceful_shutdown();
                    tokio::select! {
                        biased;
                        () = cut.cancelled() => Ok(()),
                        ended = connection => ended,
                    }
                }
            };
            if let Err(error) = ended {
                tracing::debug!(%peer, %error, "a connection broke");
            }
        });
    }
}

#[cfg(test)]
mod tests;
