//! The dependencies of the routes, and how a route reads its request.

use std::sync::Arc;

use axum::extract::Request;
use porthole_contract::limits::SERVICE_BODY_MAX_BYTES;
use porthole_contract::{Failure, Validate};
use porthole_daemon::bearer::BearerKeys;
use porthole_daemon::body::read_json;
use serde::de::DeserializeOwned;

use crate::operation::Browsing;
use crate::owner_token::OwnerKeys;
use crate::session::Sessions;

/// The dependencies of the routes.
#[derive(Clone)]
pub struct Routes {
    /// Signs and verifies owner tokens.
    pub owner_keys: Arc<OwnerKeys>,
    /// The dependencies of the operations.
    pub browsing: Browsing,
    /// The worker's keys; empty if none is required.
    pub service_keys: Arc<BearerKeys>,
    /// The sessions of this replica.
    pub sessions: Sessions,
}

/// Reads a request's body as `T`.
pub(super) async fn read<T: DeserializeOwned + Validate>(request: Request) -> Result<T, Failure> {
    // It is too small to need room beside others.
    let body = read_json(request, SERVICE_BODY_MAX_BYTES, "").await?;
    Ok(porthole_contract::parse(&body)?)
}
