//! The isolated world that our functions run in: they see the page's document but not its script, so a page
//! that redefines `querySelector` or `Array.prototype` does not affect them.

use chromiumoxide_cdp::cdp::browser_protocol::page::{
    AddScriptToEvaluateOnNewDocumentParams, AddScriptToEvaluateOnNewDocumentReturns, CreateIsolatedWorldParams,
    EnableParams as EnablePage, FrameId,
};
use chromiumoxide_cdp::cdp::js_protocol::runtime::{
    CallArgument, CallFunctionOnParams, EnableParams as EnableRuntime, ExecutionContextId,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::script::{EARLY, FREE_POINTER};
use crate::cdp::{Call, CdpError, Session, WITHOUT_SHARED_WORKERS};

/// The world's name.
pub(super) const WORLD: &str = "porthole";

/// Makes the browser create our world in each new document.
pub(super) fn prepare(session: &Session) {
    let mut script = AddScriptToEvaluateOnNewDocumentParams::new(EARLY);
    script.world_name = Some(WORLD.to_owned());
    session.call(&script).forget();
}

/// Ends each lock of the pointer in a frame in a process of its own, which [`prepare`] does not reach.
pub(super) fn free_pointer(session: &Session) {
    let mut script = AddScriptToEvaluateOnNewDocumentParams::new(FREE_POINTER);
    script.world_name = Some(WORLD.to_owned());
    script.run_immediately = Some(true);
    session.call(&script).forget();
}

/// Takes the constructor of shared workers from each document before its scripts run. One browser process serves the shared
/// workers of all its clients, and another of them may let one run that we halt. Until the browser has answered, a document
/// that comes from another process may have it.
pub(super) fn withhold_shared_workers(session: &Session) -> Call<AddScriptToEvaluateOnNewDocumentReturns> {
    session.call(&EnablePage::default()).forget();
    let mut script = AddScriptToEvaluateOnNewDocumentParams::new(WITHOUT_SHARED_WORKERS);
    script.run_immediately = Some(true);
    session.call(&script)
}

/// Makes the browser report the next document's world, which saves a remote page a round trip. `documents` disables
/// the domain on that report; until then the page's console and exceptions arrive on the connection too, which serves
/// this page alone.
pub(super) fn report(session: &Session) {
    session.call(&EnableRuntime::default()).forget();
}

/// Builds the command that creates our world in a frame's document, or finds the existing one.
pub(super) fn in_frame(frame: &str) -> CreateIsolatedWorldParams {
    let mut world = CreateIsolatedWorldParams::new(FrameId::new(frame.to_owned()));
    world.world_name = Some(WORLD.to_owned());
    world
}

/// What the browser answers to a call of a function.
pub(super) type Returned = <CallFunctionOnParams as chromiumoxide_types::Command>::Response;

/// Wraps a value as a function's argument.
pub(super) fn argument(value: Value) -> CallArgument {
    CallArgument { value: Some(value), ..Default::default() }
}

/// Builds the call of `function` in a world; its result is returned by value.
pub(super) fn in_world(world: i64, function: &str, arguments: &[CallArgument]) -> CallFunctionOnParams {
    let mut call = CallFunctionOnParams::new(function);
    call.execution_context_id = Some(ExecutionContextId::new(world));
    call.arguments = Some(arguments.to_vec());
    call.await_promise = Some(true);
    call.return_by_value = Some(true);
    call
}

/// Reads the function's return value.
pub(super) fn value<T: DeserializeOwned>(returned: Returned) -> Result<T, CdpError> {
    let unreadable = |reason: String| CdpError::Unreadable { method: "Runtime.callFunctionOn".into(), reason };
    if let Some(exception) = returned.exception_details {
        return Err(unreadable(exception.text));
    }
    serde_json::from_value(returned.result.value.unwrap_or(Value::Null)).map_err(|error| unreadable(error.to_string()))
}
