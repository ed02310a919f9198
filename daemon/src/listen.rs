//! Listening: binds an address and serves HTTP/1 connections on it until the process shuts down.
//!
//! The router answers requests. This module bounds slow, silent and too many callers, and implements the drain:
//! requests in flight are finished, and requests that arrive meanwhile are still answered.

mod counts;
mod exchange;
mod limits;
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
pub use self::limits::{CONNECTIONS_MAX, Limits};
use self::stream::Stream;
use self::table::{Slot, Table};
use self::upgrade::Connection;
pub use self::upgrade::UpgradePermit;
use crate::client_network::TrustedProxies;
use crate::shutdown::Shutdown;

/// Largest head of a request, in bytes.
const HEAD_MAX_BYTES: usize = 32 * 1024;
/// Bytes read ahead of a slow handler on one connection.
const READ_AHEAD_MAX_BYTES: usize = 64 * 1024;
/// Pause after a failed `accept`, most often for lack of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// Time to write the last answers once requests were hurried; at most the drain's own time.
const LAST_ANSWERS_TIMEOUT: Duration = Duration::from_secs(2);
/// Time for the tasks of upgraded connections to drop their sockets after these were cut.
const CUT_TIMEOUT: Duration = Duration::from_secs(1);

/// Why an address can't be listened on.
#[derive(Debug, thiserror::Error)]
#[error("can't listen on {addr}: {source}")]
pub struct BindError {
    /// The address.
    pub addr: SocketAddr,
    /// The cause.
    pub source: io::Error,
}

/// A bound address. Connections wait in the accept queue until [`Listener::serve`].
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
    /// [`BindError`] when the address is in use or not this machine's.
    pub async fn bind(name: &'static str, addr: SocketAddr) -> Result<Self, BindError> {
        let refused = |source| BindError { addr, source };
        let socket = TcpListener::bind(addr).await.map_err(refused)?;
        let addr = socket.local_addr().map_err(refused)?;
        tracing::info!(listener = name, %addr, "listening");
        Ok(Self { socket, addr, proxies: TrustedProxies::default(), counts: ConnectionCounts::default() })
    }

    /// Returns the bound address, with the port that the system chose for port 0.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Exempts these proxies from the limits by address.
    #[must_use]
    pub fn trusting(self, proxies: TrustedProxies) -> Self {
        Self { proxies, ..self }
    }

    /// Counts connections into these metrics.
    #[must_use]
    pub fn counting(self, counts: ConnectionCounts) -> Self {
        Self { counts, ..self }
    }

    /// Returns the bound socket, for a process with its own serving loop.
    #[must_use]
    pub fn into_socket(self) -> TcpListener {
        self.socket
    }

    /// Serves `router` until the drain begins, then finishes the requests in flight within `limits.drain`. New callers
    /// are still served meanwhile, one request per connection, so that the router can refuse them. When that time is
    /// over, or the drain is hurried, `hurry` is cancelled and requests have [`LAST_ANSWERS_TIMEOUT`] to end.
    /// Connections left after that are cut.
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
            tracing::warn!(%addr, connections = table.len(), "hurrying the remaining connections");
            hurry.cancel();
        }
        let ended = async || {
            early.connections.wait().await;
            late.connections.wait().await;
        };
        if tokio::time::timeout(LAST_ANSWERS_TIMEOUT.min(limits.drain), ended()).await.is_err() {
            tracing::warn!(%addr, connections = table.len(), "cutting the remaining connections");
            end_now.cancel();
            // Plain connections end with their tasks; the handler of an upgraded one may still hold its socket.
            if tokio::time::timeout(CUT_TIMEOUT, ended()).await.is_err() {
                tracing::error!(%addr, connections = table.len(), "handlers still hold connections that were cut");
            }
        }
    }
}

/// Accepts connections and serves them with the same settings.
struct Acceptor {
    router: Router,
    head_timeout: Duration,
    write_timeout: Duration,
    /// Whether a connection may carry more than one request.
    keep_alive: bool,
    table: Arc<Table>,
    connections: TaskTracker,
    /// Cancelled when the drain begins.
    going_away: CancellationToken,
    /// Cancelled to close idle connections at once, and busy ones after their request.
    closing: CancellationToken,
    /// Cancelled to cut all connections.
    end_now: CancellationToken,
}

impl Acceptor {
    /// Accepts connections forever, and serves each in a task.
    async fn accept_all(&self, socket: &TcpListener) {
        loop {
            self.table.room().await;
            match socket.accept().await {
                Ok((stream, peer)) => {
                    let cut = self.end_now.child_token();
                    match self.table.admit(peer.ip(), cut.clone()) {
                        Some(slot) => self.serve(slot, stream, peer, cut),
                        None => tracing::debug!(%peer, "refused a connection: too many from its network"),
                    }
                }
                Err(error) => {
                    tracing::warn!(%error, "failed to accept a connection");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    fn serve(&self, slot: Slot, stream: TcpStream, peer: SocketAddr, cut: CancellationToken) {
        // Answers are written whole, so Nagle's algorithm would only delay them. A failure here costs only speed.
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
