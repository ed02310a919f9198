//! What a session knows about its sites, saved for another one: cookies and local storage, all of it secret.

use std::path::Path;
use std::{fs, io};

use porthole_client::session::{NavigateRequest, OpenRequest, StateRequest, StorageState};
use porthole_contract::limits::OPEN_BODY_MAX_BYTES;

use super::{Browser, show};
use crate::args::session::StateArgs;
use crate::failure::Failed;
use crate::{output, private_files};

pub(super) async fn save(url: Option<String>, args: &StateArgs) -> Result<(), Failed> {
    let browser = Browser::resume_named(url, args.session.as_ref(), "asking for the state")?;
    let answer = browser.settle(browser.session.state(StateRequest::default()).await, args.json)?;
    show::noted(&browser.caller, &answer);
    if args.json {
        return output::json(&answer);
    }
    let Some(path) = &args.output else { return output::json(&answer.result.storage_state) };
    let written = serde_json::to_string_pretty(&answer.result.storage_state).map_err(io::Error::from);
    let written = written.and_then(|text| private_files::write_at(path, &text.into()));
    written.map_err(|error| Failed::io(format!("write {}", path.display()), error))?;
    output::text(&path.display().to_string())
}

/// Reads what [`save`] wrote.
pub(super) fn read(path: &Path) -> Result<StorageState, Failed> {
    let failed = |error| Failed::Usage(format!("--state: can't read {}: {error}", path.display()));
    let is_too_large = fs::metadata(path).map_err(failed)?.len() > OPEN_BODY_MAX_BYTES as u64;
    if is_too_large {
        return Err(Failed::Usage(format!("--state: {} has more than {OPEN_BODY_MAX_BYTES} bytes", path.display())));
    }
    let text = fs::read_to_string(path).map_err(failed)?;
    // What serde says may quote a value.
    serde_json::from_str(&text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        Failed::Usage(format!("--state: {} is no state: line {line}, column {column}", path.display()))
    })
}

/// What makes a session with that state. It takes the session's options out of the navigation.
pub(super) fn opening(request: &mut NavigateRequest, state: StorageState) -> OpenRequest {
    OpenRequest {
        sandbox_id: request.sandbox_id.clone(),
        timeout_ms: request.timeout_ms,
        viewport: request.viewport.take(),
        color_scheme: request.color_scheme.take(),
        reduced_motion: request.reduced_motion.take(),
        locale: request.locale.take(),
        time_zone: request.time_zone.take(),
        user_agent: request.user_agent.take(),
        allow_hosts: request.allow_hosts.take(),
        idle_seconds: request.idle_seconds.take(),
        storage_state: Some(state),
        ..OpenRequest::default()
    }
}
