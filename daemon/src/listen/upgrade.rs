//! Upgraded connections: the permit that a handler takes before it answers `101 Switching Protocols`.

use std::time::Duration;

use axum::extract::FromRequestParts;
use http::request::Parts;
use porthole_contract::{ErrorCode, Failure};
use tokio_util::sync::CancellationToken;

use super::table::{Handle, NoUpgrade};
use crate::answer::Refused;
use crate::drain;

/// `Retry-After` when there are too many upgraded connections, which last for minutes.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// The connection of a request; every request of a listener has it among its extensions.
#[derive(Clone)]
pub(super) struct Connection {
    handle: Handle,
    going_away: CancellationToken,
}

impl Connection {
    pub(super) fn new(handle: Handle, going_away: CancellationToken) -> Self {
        Self { handle, going_away }
    }

    pub(super) fn handle(&self) -> &Handle {
        &self.handle
    }
}

/// Permission to upgrade the request's connection. A handler extracts it and answers 101; the listener sends no 101
/// without it.
///
/// From then on, until its socket closes, the connection counts as upgraded. Upgraded connections have their own
/// limits, in total and by client network ([`Limits`](super::Limits)), and don't count against those of plain
/// connections. The extractor fails with `OVERLOADED` at these limits and with `SHUTTING_DOWN` during the drain.
#[derive(Debug)]
pub struct UpgradePermit {
    /// Cancelled when the drain begins. A WebSocket's handler must then close with code 1001; connections that are
    /// still open after the drain's time are cut.
    pub going_away: CancellationToken,
}

impl<S: Sync> FromRequestParts<S> for UpgradePermit {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Refused> {
        let refused = |code, details| Refused(Failure::new(code, details).retry_after(RETRY_AFTER));
        let connection = parts
            .extensions
            .get::<Connection>()
            .ok_or_else(|| Refused::new(ErrorCode::Internal, "the request did not come through a listener"))?;
        if connection.going_away.is_cancelled() {
            return Err(drain::no_new_request());
        }
        connection.handle.upgrade().map_err(|reason| match reason {
            NoUpgrade::Full => refused(ErrorCode::Overloaded, "there are too many upgraded connections"),
            NoUpgrade::FullForAddress => {
                refused(ErrorCode::Overloaded, "there are too many upgraded connections from this address")
            }
            NoUpgrade::Closed => refused(ErrorCode::Overloaded, "the connection is being closed"),
        })?;
        Ok(Self { going_away: connection.going_away.clone() })
    }
}
