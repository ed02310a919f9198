//! `/__emulator`: the emulator's own routes, which Browserbase does not have. They require an API key like all others,
//! and never show a signing key.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use http::StatusCode;
use serde_json::Value;

use super::answer::ApiError;
use super::emulator::Emulator;
use crate::faults::PendingFault;
use crate::ledger::Ledger;
use crate::session::EndedBy;

pub(super) async fn faults(State(emulator): State<Arc<Emulator>>) -> Json<Vec<PendingFault>> {
    Json(emulator.faults.pending())
}

/// Adds one fault, or an array of them.
pub(super) async fn add(
    State(emulator): State<Arc<Emulator>>,
    body: Bytes,
) -> Result<(StatusCode, Json<Vec<PendingFault>>), ApiError> {
    let refused = |error: &dyn std::fmt::Display| ApiError::bad_request(error.to_string());
    let body: Value = serde_json::from_slice(&body).map_err(|error| refused(&error))?;
    let added = match body {
        Value::Array(added) => added,
        fault => vec![fault],
    };
    let added: Result<Vec<PendingFault>, _> = added.into_iter().map(serde_json::from_value).collect();
    emulator.faults.add(added.map_err(|error| refused(&error))?).map_err(|error| refused(&error))?;
    Ok((StatusCode::CREATED, Json(emulator.faults.pending())))
}

pub(super) async fn clear(State(emulator): State<Arc<Emulator>>) -> Json<Vec<PendingFault>> {
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
