//! Tunnels: WebSockets that the worker passes to the service byte by byte.
//!
//! The worker judges who calls (origin, key, rate), passes the handshake on with its own key, and relays the bytes after
//! `101 Switching Protocols`. It reads no message; it follows the frames' lengths only to close between two of them.

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
use crate::server::House;

/// How long a tunnel may stand still, without a byte either way. The service pings more often than that.
pub(crate) const IDLE_TIMEOUT: Duration = Duration::from_secs(5 * 60);

/// A path at which the worker passes WebSockets to the service.
#[derive(Clone, Copy, Debug)]
pub struct Tunnel {
    /// The path that callers use.
    pub public_path: &'static str,
    /// The service's path.
    pub service_path: &'static str,
    /// Whether callers present a client key, where there are any. Without one the service judges them by itself.
    pub asks_for_key: bool,
}

/// Opens a tunnel, or answers why there is none.
pub(crate) async fn open(
    State(house): State<Arc<House>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    Extension(id): Extension<RequestId>,
    Extension(trace): Extension<TraceContext>,
    tunnel: Tunnel,
    request: Request,
) -> Result<Response, Response> {
    let refused = |failure: Failure| Refused(failure).into_response();
    let (mut parts, _no_body) = request.into_parts();
    let client = if tunnel.asks_for_key {
        house.callers.admit(&parts.headers, peer.ip())
    } else {
        house.callers.admit_without_key(peer.ip())
    };
    let client = client.map_err(|refusal| *refusal)?;
    let handshake = Handshake::of(&parts.headers).map_err(refused)?;
    let upgrade = parts.extensions.remove::<OnUpgrade>();
    let upgrade = upgrade.ok_or_else(|| refused(handshake::invalid("connection: must be an upgrade of HTTP/1.1")))?;
    let permit = UpgradePermit::from_request_parts(&mut parts, &()).await.map_err(Refused::into_response)?;
    let answered =
        house.service.shake_hands(tunnel.service_path, &handshake, &id.header_value(), &client, &trace).await;
    let (service, response) = match answered {
        Ok(Answered::Switched(service, response)) => (service, response),
        Ok(Answered::Refused(response)) => return Ok(response),
        Err(error) => {
            tracing::warn!(error = logs::with_causes(&error), "the service opened no tunnel");
            return Err(refused(error.into()));
        }
    };
    let idle_timeout = house.tunnel_idle_timeout;
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
