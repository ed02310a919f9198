//! Tunnels: WebSockets that the worker relays to the service as bytes.
//!
//! The worker checks the caller (origin, key, rate), passes the handshake on with its own key, and relays the bytes
//! after `101 Switching Protocols`. It reads no message; it tracks frame lengths only to close between two frames.

mod frames;
mod handshake;
mod relay;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{ConnectInfo, Extension, FromRequestParts as _, Request, State};
use axum::response::{IntoResponse as _, Response};
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use porthole_contract::Failure;
use porthole_daemon::answer::Refused;
use porthole_daemon::listen::UpgradePermit;
use porthole_daemon::logs;
use porthole_daemon::request_id::RequestId;
use porthole_daemon::trace::TraceContext;

use self::handshake::{Answered, Handshake};
use self::relay::relay;
use crate::callers::Weight;
use crate::server::Shared;

/// Time that a tunnel may be idle, without a byte in either direction. The service pings more often.
pub(crate) const IDLE_TIMEOUT: Duration = Duration::from_secs(5 * 60);

/// A path at which the worker passes WebSockets to the service.
#[derive(Clone, Copy, Debug)]
pub struct Tunnel {
    /// The path that callers use.
    pub public_path: &'static str,
    /// The service's path.
    pub service_path: &'static str,
    /// Whether callers must present a client key, if any are configured. If not, the service authenticates them itself.
    pub asks_for_key: bool,
}

/// Opens a tunnel, or answers with a failure.
pub(crate) async fn open(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    Extension(id): Extension<RequestId>,
    Extension(trace): Extension<TraceContext>,
    tunnel: Tunnel,
    request: Request,
) -> Result<Response, Response> {
    let refused = |failure: Failure| Refused(failure).into_response();
    let (mut parts, _no_body) = request.into_parts();
    let client = if tunnel.asks_for_key {
        shared.callers.admit(&parts.headers, peer.ip(), Weight::REQUEST)
    } else {
        shared.callers.admit_without_key(peer.ip())
    };
    let client = client.map_err(|refusal| *refusal)?;
    let handshake = Handshake::of(&parts.headers).map_err(refused)?;
    let upgrade = parts.extensions.remove::<OnUpgrade>();
    let upgrade = upgrade.ok_or_else(|| refused(handshake::invalid("connection: must be an upgrade of HTTP/1.1")))?;
    let permit = UpgradePermit::from_request_parts(&mut parts, &()).await.map_err(Refused::into_response)?;
    let answered =
        shared.service.shake_hands(tunnel.service_path, &handshake, &id.header_value(), &client, &trace).await;
    let (service, response) = match answered {
        Ok(Answered::Switched(service, response)) => (service, response),
        Ok(Answered::Refused(response)) => return Ok(response),
        Err(error) => {
            tracing::warn!(error = logs::with_causes(&error), "the service opened no tunnel");
            return Err(refused(error.into()));
        }
    };
    let idle_timeout = shared.tunnel_idle_timeout;
    tokio::spawn(async move {
        match upgrade.await {
            Ok(caller) => {
                let ended = relay(TokioIo::new(caller), service, permit.going_away, idle_timeout).await;
                tracing::debug!(request_id = %id, ?ended, "a tunnel ended");
            }
            Err(error) => tracing::debug!(request_id = %id, %error, "the caller left before its tunnel was open"),
        }
    });
    Ok(response)
}
