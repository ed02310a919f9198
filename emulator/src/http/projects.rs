//! `/v1/projects`: list, retrieve, usage.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use serde_json::{Value, json};
use time::OffsetDateTime;

use super::answer::ApiError;
use super::emulator::Emulator;
use crate::ledger::rfc3339;

/// The project of sessions that name none, if no projects are configured.
const DEFAULT_PROJECT: &str = "00000000-0000-4000-8000-000000000000";
/// Longest id of a project, in bytes.
const ID_MAX_BYTES: usize = 128;

pub(super) async fn list(State(emulator): State<Arc<Emulator>>) -> Json<Vec<Value>> {
    let known = emulator.projects.iter().map(String::as_str);
    let default = emulator.projects.is_empty().then_some(DEFAULT_PROJECT);
    Json(known.chain(default).map(|id| emulator.shown_project(id)).collect())
}

pub(super) async fn retrieve(
    State(emulator): State<Arc<Emulator>>,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let id = emulator.project(Some(&id))?;
    Ok(Json(emulator.shown_project(&id)))
}

pub(super) async fn usage(
    State(emulator): State<Arc<Emulator>>,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let id = emulator.project(Some(&id))?;
    let sessions = emulator.sessions.all();
    let minutes = sessions.iter().filter(|session| session.project_id == id).map(|session| {
        let until = session.state().ended.map_or_else(OffsetDateTime::now_utc, |(at, _)| at);
        // Every started minute is billed, at least one.
        ((until - session.created_at).whole_seconds() / 60 + 1).max(1)
    });
    Ok(Json(json!({"browserMinutes": minutes.sum::<i64>(), "proxyBytes": 0})))
}

impl Emulator {
    /// Returns the project with this id, or the default project without an id.
    pub(super) fn project(&self, id: Option<&str>) -> Result<String, ApiError> {
        let Some(id) = id else {
            return Ok(self.projects.first().map_or(DEFAULT_PROJECT, String::as_str).to_owned());
        };
        let is_known = self.projects.is_empty() || self.projects.iter().any(|known| known == id);
        if !is_known || id.is_empty() || id.len() > ID_MAX_BYTES {
            return Err(ApiError::not_found("Project not found"));
        }
        Ok(id.to_owned())
    }

    fn shown_project(&self, id: &str) -> Value {
        let since = rfc3339(self.started_at);
        json!({
            "id": id, "name": "porthole-emulator", "ownerId": DEFAULT_PROJECT, "createdAt": since, "updatedAt": since,
            "concurrency": self.sessions.limits.concurrency,
            "defaultTimeout": self.sessions.lifetimes.default.as_secs(),
        })
    }
}
