//! `POST create`: creates a sandbox and its owner token.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::Json;
use axum::extract::{Request, State};
use porthole_contract::limits::TOKEN_TTL_DEFAULT_SECONDS;
use porthole_contract::{CreateRequest, CreateResponse, ErrorCode};
use porthole_daemon::answer::Refused;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use uuid::Uuid;

use super::Routes;

pub(super) async fn create(State(routes): State<Routes>, request: Request) -> Result<Json<CreateResponse>, Refused> {
    let request: CreateRequest = super::read(request).await?;
    let internal = |reason: String| Refused::new(ErrorCode::Internal, reason);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_err(|error| internal(error.to_string()))?.as_secs();
    let expires_at = now + request.ttl_seconds.unwrap_or(TOKEN_TTL_DEFAULT_SECONDS);
    let sandbox_id = format!("sb-{}", Uuid::new_v4().simple());
    let owner_token = routes
        .owner_keys
        .sign(&sandbox_id, now, expires_at)
        .map_err(|_| internal("the token can't be signed".to_owned()))?;
    let expires_at = OffsetDateTime::from(UNIX_EPOCH + Duration::from_secs(expires_at))
        .format(&Rfc3339)
        .map_err(|error| internal(error.to_string()))?;
    Ok(Json(CreateResponse { ok: true, sandbox_id, owner_token: Some(owner_token), expires_at }))
}
