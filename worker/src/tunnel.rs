//! The live view's tunnel: a WebSocket that the worker relays to the session's replica as bytes.
//!
//! The worker answers the caller's handshake itself and reads one message, the hello: its ticket names the session, by
//! which the replica is chosen. The worker can't verify the ticket; the service does. Then it dials that replica with
//! its own key and relays all bytes, the hello included. It tracks frame lengths only to close between two frames.

mod first;
mod frames;
mod handshake;
mod relay;
mod ticket;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{ConnectInfo, Extension, FromRequestParts as _, Request, State};
use axum::response::{IntoResponse as _, Response};
use http::HeaderValue;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use porthole_contract::Failure;
use porthole_contract::limits::LIVE_HELLO_TIMEOUT;
use porthole_contract::live::{CloseCode, Hello, LIVE_PROTOCOL};
use porthole_contract::routes::LIVE;
use porthole_daemon::answer::Refused;
use porthole_daemon::listen::UpgradePermit;
use porthole_daemon::request_id::RequestId;
use porthole_daemon::trace::TraceContext;
use porthole_daemon::{logs, websocket};
use reqwest::Upgraded;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio_util::sync::CancellationToken;

use self::first::{First, NoMessage};
use self::relay::{close, relay};
use crate::callers::Weight;
use crate::service_error::ServiceError;
use crate::shared::Shared;

/// Time that a tunnel may be idle, without a byte in either direction. The service pings more often.
pub(crate) const IDLE_TIMEOUT: Duration = Duration::from_secs(5 * 60);

/// A caller's tunnel.
struct Tunnel {
    shared: Arc<Shared>,
    id: RequestId,
    client: HeaderValue,
    trace: TraceContext,
    going_away: CancellationToken,
}

/// Answers a live view's handshake, or refuses it.
pub(crate) async fn open(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    Extension(id): Extension<RequestId>,
    Extension(trace): Extension<TraceContext>,
    request: Request,
) -> Result<Response, Response> {
    let refused = |failure: Failure| Refused(failure).into_response();
    let (mut parts, _no_body) = request.into_parts();
    let client = shared.callers.admit_without_key(peer.ip(), Weight::SESSION_CALL).map_err(|refusal| *refusal)?;
    websocket::check(&parts.headers).map_err(refused)?;
    let upgrade = parts.extensions.remove::<OnUpgrade>();
    let upgrade = upgrade.ok_or_else(|| refused(websocket::invalid("connection: must be an upgrade of HTTP/1.1")))?;
    let permit = UpgradePermit::from_request_parts(&mut parts, &()).await.map_err(Refused::into_response)?;
    let response = websocket::switch(&parts.headers, LIVE_PROTOCOL);
    let tunnel = Tunnel { shared, id, client, trace, going_away: permit.going_away };
    tokio::spawn(async move {
        match upgrade.await {
            Ok(caller) => tunnel.pass(TokioIo::new(caller)).await,
            Err(error) => {
                tracing::debug!(request_id = %tunnel.id, %error, "the caller left before its tunnel was open");
            }
        }
    });
    Ok(response)
}

impl Tunnel {
    /// Reads the hello, dials the replica and relays, until either side ends.
    async fn pass(self, mut caller: impl AsyncRead + AsyncWrite + Unpin) {
        let mut first = First::default();
        let hello = tokio::select! {
            biased;
            () = self.going_away.cancelled() => Err(NoMessage::Refused(CloseCode::GoingAway)),
            read = tokio::time::timeout(LIVE_HELLO_TIMEOUT, first.read(&mut caller)) => {
                read.unwrap_or(Err(NoMessage::Refused(CloseCode::NoHello)))
            }
        };
        let dialled = match hello {
            Ok(hello) => self.dial(&hello).await,
            Err(NoMessage::Gone) => return,
            Err(NoMessage::Refused(code)) => Err(code),
        };
        match dialled {
            Ok(mut service) => {
                if service.write_all(&first.bytes).await.is_err() || service.flush().await.is_err() {
                    return close(caller, CloseCode::GoingAway).await;
                }
                drop(first);
                let idle_timeout = self.shared.tunnel_idle_timeout;
                let ended = relay(caller, service, self.going_away, idle_timeout).await;
                tracing::debug!(request_id = %self.id, ?ended, "a tunnel ended");
            }
            Err(code) => {
                tracing::debug!(request_id = %self.id, %code, "a live view was refused");
                close(caller, code).await;
            }
        }
    }

    /// Connects to the replica that has the session of the hello's ticket.
    async fn dial(&self, hello: &str) -> Result<Upgraded, CloseCode> {
        let hello = Hello::parse(hello).map_err(|_| CloseCode::BadHello)?;
        let session = ticket::session_of(&hello.ticket).ok_or(CloseCode::BadTicket)?;
        let service = &self.shared.service;
        let way = service.way(Some(&session)).await.map_err(|_| CloseCode::NoSession)?;
        let dialled = service.shake_hands(way, LIVE, &self.id.header_value(), &self.client, &self.trace).await;
        dialled.map_err(|error| {
            tracing::warn!(request_id = %self.id, error = logs::with_causes(&error), "the service opened no live view");
            // Its replica is gone, and the session with it; anything else may be over when the viewer comes again.
            if matches!(error, ServiceError::ReplicaGone(_)) { CloseCode::NoSession } else { CloseCode::GoingAway }
        })
    }
}
