//! Upgraded connections: the permit that a handler takes before it answers `101 Switching Protocols`.

use std::time::Duration;

use axum::extract::FromRequestParts;
use http::request::Parts;
use porthole_contract::{ErrorCode, Failure};
use tokio_util::sync::CancellationToken;

use super::table::{Handle, NoUpgrade};
use crate::answer::Refused;
use crate::drain;

/// What a caller is told to wait where there are too many upgraded connections; they are held for minutes.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// The connection that a request came on; every request of a listener has it among its extensions.
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

/// Permission to upgrade the connection that the request came on. A handler extracts it and answers 101; the listener
/// refuses to send a 101 without it.
///
/// From then on the connection counts among the upgraded ones, until its socket closes. They have bounds of their own,
/// in all and by client address ([`Limits`](super::Limits)), so they leave the room for plain requests as it is. The
/// extractor is refused with `OVERLOADED` at these bounds and with `SHUTTING_DOWN` during the drain.
#[derive(Debug)]
pub struct UpgradePermit {
    /// Cancelled when the drain begins. A WebSocket's handler then closes with code 1001; whatever is left open after the
    /// drain's time is cut.
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
