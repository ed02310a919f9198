//! `/__emulator`: what Browserbase does not have. Behind an API key like everything else; what a signing key opens is
//! never told here.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use http::StatusCode;
use serde_json::Value;

use super::Emulator;
use super::answer::ApiError;
use crate::faults::Wanted;
use crate::ledger::Ledger;
use crate::session::EndedBy;

pub(super) async fn faults(State(emulator): State<Arc<Emulator>>) -> Json<Vec<Wanted>> {
    Json(emulator.faults.still_wanted())
}

/// One fault, or a list of them.
pub(super) async fn want(
    State(emulator): State<Arc<Emulator>>,
    body: Bytes,
) -> Result<(StatusCode, Json<Vec<Wanted>>), ApiError> {
    let refused = |error: &dyn std::fmt::Display| ApiError::bad_request(error.to_string());
    let body: Value = serde_json::from_slice(&body).map_err(|error| refused(&error))?;
    let wishes = match body {
        Value::Array(wishes) => wishes,
        wish => vec![wish],
    };
    let wishes: Result<Vec<Wanted>, _> = wishes.into_iter().map(serde_json::from_value).collect();
    emulator.faults.want(wishes.map_err(|error| refused(&error))?).map_err(|error| refused(&error))?;
    Ok((StatusCode::CREATED, Json(emulator.faults.still_wanted())))
}

pub(super) async fn clear(State(emulator): State<Arc<Emulator>>) -> Json<Vec<Wanted>> {
    emulator.faults.clear();
    Json(Vec::new())
}

pub(super) async fn ledger(State(emulator): State<Arc<Emulator>>) -> Json<Ledger> {
    Json(Ledger::of(&emulator.sessions, &emulator.requests))
}

/// Kills a session's browser.
pub(super) async fn kill(
    State(emulator): State<Arc<Emulator>>,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    let session = emulator.session(&id)?;
    session.kill.cancel();
    session.over.cancelled().await;
    Ok(StatusCode::NO_CONTENT)
}

/// Ends a session as if its timeout had passed.
pub(super) async fn expire(
    State(emulator): State<Arc<Emulator>>,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    emulator.session(&id)?.end(EndedBy::TimedOut);
    Ok(StatusCode::NO_CONTENT)
}
