//! Runs our functions inside a page, in an isolated world: they see the page's document but not its script, so a page
//! that redefines `querySelector` or `Array.prototype` does not affect them.

use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::page::{
    AddScriptToEvaluateOnNewDocumentParams, CreateIsolatedWorldParams, FrameId,
};
use chromiumoxide_cdp::cdp::js_protocol::runtime::{
    CallArgument, CallFunctionOnParams, EnableParams as EnableRuntime, ExecutionContextId,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::sleep;

use super::script::EARLY;
use super::{Page, PageError};
use crate::cdp::{Call, CdpError, Session};

/// The world's name.
pub(super) const WORLD: &str = "porthole";
/// Pause before a call is retried on the next document, while the current one is being replaced.
pub(super) const NEXT_DOCUMENT_AFTER: Duration = Duration::from_millis(20);

/// Makes the browser create our world in each new document.
pub(super) fn prepare(session: &Session) {
    let mut script = AddScriptToEvaluateOnNewDocumentParams::new(EARLY);
    script.world_name = Some(WORLD.to_owned());
    session.call(&script).forget();
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

type Returned = <CallFunctionOnParams as chromiumoxide_types::Command>::Response;

impl Page {
    /// Calls `function` (a JavaScript function's source) in the main frame and awaits its result.
    pub(super) async fn run<T: DeserializeOwned>(
        &self,
        limit: Duration,
        what: &'static str,
        function: &str,
        arguments: impl IntoIterator<Item = Value>,
    ) -> Result<T, PageError> {
        let arguments: Vec<CallArgument> = arguments.into_iter().map(argument).collect();
        self.within(limit, what, retry_across_documents(|| self.run_once(function, &arguments))).await
    }

    async fn run_once<T: DeserializeOwned>(&self, function: &str, arguments: &[CallArgument]) -> Result<T, CdpError> {
        if let Some(call) = self.call_now(function, arguments) {
            match call.await {
                // That document is gone, and its world with it.
                Err(CdpError::Remote { .. }) => {}
                returned => return value(returned?),
            }
        }
        let context = self.session.call(&in_frame(&self.main_frame)).await?.execution_context_id;
        value(self.session.call(&in_world(*context.inner(), function, arguments)).await?)
    }

    /// Sends a call of `function` to the main document's world at once; `None` if that world is not known yet.
    pub(super) fn call_now(&self, function: &str, arguments: &[CallArgument]) -> Option<Call<Returned>> {
        let world = self.state.borrow().world?;
        Some(self.session.call(&in_world(world, function, arguments)))
    }
}

/// Asks the current document; if it is replaced before it answers, asks the next one.
pub(super) async fn retry_across_documents<T, F>(ask: impl Fn() -> F) -> Result<T, CdpError>
where
    F: Future<Output = Result<T, CdpError>>,
{
    loop {
        match ask().await {
            Err(CdpError::Remote { .. }) => sleep(NEXT_DOCUMENT_AFTER).await,
            answer => return answer,
        }
    }
}

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
