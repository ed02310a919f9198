//! `POST create`: creates a sandbox and its owner token. `POST tenant`: the same for a sandbox that the worker names.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::Json;
use axum::extract::{Request, State};
use porthole_contract::limits::TOKEN_TTL_DEFAULT_SECONDS;
use porthole_contract::{CreateRequest, CreateResponse, ErrorCode, TenantRequest};
use porthole_daemon::answer::Refused;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use uuid::Uuid;

use super::Routes;

pub(super) async fn create(State(routes): State<Routes>, request: Request) -> Result<Json<CreateResponse>, Refused> {
    let request: CreateRequest = super::read(request).await?;
    let sandbox_id = format!("sb-{}", Uuid::new_v4().simple());
    owned(&routes, sandbox_id, request.ttl_seconds.unwrap_or(TOKEN_TTL_DEFAULT_SECONDS))
}

pub(super) async fn tenant(State(routes): State<Routes>, request: Request) -> Result<Json<CreateResponse>, Refused> {
    let request: TenantRequest = super::read(request).await?;
    owned(&routes, request.sandbox_id(), request.ttl_seconds)
}

/// Signs the owner token of a sandbox.
fn owned(routes: &Routes, sandbox_id: String, ttl_seconds: u64) -> Result<Json<CreateResponse>, Refused> {
    let internal = |reason: String| Refused::new(ErrorCode::Internal, reason);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_err(|error| internal(error.to_string()))?.as_secs();
    let expires_at = now + ttl_seconds;
    let owner_token = routes
        .owner_keys
        .sign(&sandbox_id, now, expires_at)
        .map_err(|_| internal("the token can't be signed".to_owned()))?;
    let expires_at = OffsetDateTime::from(UNIX_EPOCH + Duration::from_secs(expires_at))
        .format(&Rfc3339)
        .map_err(|error| internal(error.to_string()))?;
    Ok(Json(CreateResponse { ok: true, sandbox_id, owner_token: Some(owner_token), expires_at }))
}
