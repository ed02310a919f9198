//! Functions of ours inside a page, in an isolated world: they see the page's document and none of its script, so a
//! page that redefines `querySelector` or `Array.prototype` does not reach them.

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
/// How long a document that is being replaced is given until the next is asked.
pub(super) const NEXT_DOCUMENT_AFTER: Duration = Duration::from_millis(20);

/// Has the world made in each document as it begins.
pub(super) fn prepare(session: &Session) {
    let mut script = AddScriptToEvaluateOnNewDocumentParams::new(EARLY);
    script.world_name = Some(WORLD.to_owned());
    session.call(&script).forget();
}

/// Has the world of the next document reported as it is made, which saves a remote page a round trip. `documents` turns
/// the domain off with the report: until then the page's console and exceptions come over the connection too, which
/// serves this page alone.
pub(super) fn report(session: &Session) {
    session.call(&EnableRuntime::default()).forget();
}

/// Makes the world in a frame's document, or finds it there.
pub(super) fn in_frame(frame: &str) -> CreateIsolatedWorldParams {
    let mut world = CreateIsolatedWorldParams::new(FrameId::new(frame.to_owned()));
    world.world_name = Some(WORLD.to_owned());
    world
}

type Returned = <CallFunctionOnParams as chromiumoxide_types::Command>::Response;

impl Page {
    /// Calls `function` (a JavaScript function's source) in the main frame and awaits what it returns.
    pub(super) async fn run<T: DeserializeOwned>(
        &self,
        limit: Duration,
        what: &'static str,
        function: &str,
        arguments: impl IntoIterator<Item = Value>,
    ) -> Result<T, PageError> {
        let arguments: Vec<CallArgument> = arguments.into_iter().map(argument).collect();
        self.within(limit, what, of_a_document(|| self.run_once(function, &arguments))).await
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

    /// Calls `function` in the world that is known already, if one is; the call is on its way at once.
    pub(super) fn call_now(&self, function: &str, arguments: &[CallArgument]) -> Option<Call<Returned>> {
        let world = self.state.borrow().world?;
        Some(self.session.call(&in_world(world, function, arguments)))
    }
}

/// Asks what only a document can answer: where one goes away under our hands the next one is asked.
pub(super) async fn of_a_document<T, F>(ask: impl Fn() -> F) -> Result<T, CdpError>
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

/// A function's argument.
pub(super) fn argument(value: Value) -> CallArgument {
    CallArgument { value: Some(value), ..Default::default() }
}

/// The call of `function` in a world; its value comes back.
pub(super) fn in_world(world: i64, function: &str, arguments: &[CallArgument]) -> CallFunctionOnParams {
    let mut call = CallFunctionOnParams::new(function);
    call.execution_context_id = Some(ExecutionContextId::new(world));
    call.arguments = Some(arguments.to_vec());
    call.await_promise = Some(true);
    call.return_by_value = Some(true);
    call
}

/// What the function returned.
pub(super) fn value<T: DeserializeOwned>(returned: Returned) -> Result<T, CdpError> {
    let unreadable = |reason: String| CdpError::Unreadable { method: "Runtime.callFunctionOn".into(), reason };
    if let Some(exception) = returned.exception_details {
        return Err(unreadable(exception.text));
    }
    serde_json::from_value(returned.result.value.unwrap_or(Value::Null)).map_err(|error| unreadable(error.to_string()))
}
