//! Functions of ours inside a page, in an isolated world: they see the page's document and none of its script, so a
//! page that redefines `querySelector` or `Array.prototype` does not reach them.

use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::page::{CreateIsolatedWorldParams, FrameId};
use chromiumoxide_cdp::cdp::js_protocol::runtime::{CallArgument, CallFunctionOnParams};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Page, PageError};
use crate::cdp::CdpError;

const WORLD: &str = "porthole";
/// How long a document that is being replaced is given until the next is asked.
const NEXT_DOCUMENT_AFTER: Duration = Duration::from_millis(20);

impl Page {
    /// Calls `function` (a JavaScript function's source) in the main frame and awaits what it returns.
    pub(super) async fn run<T: DeserializeOwned>(
        &self,
        limit: Duration,
        what: &'static str,
        function: &str,
        arguments: impl IntoIterator<Item = Value>,
    ) -> Result<T, PageError> {
        let arguments: Vec<CallArgument> =
            arguments.into_iter().map(|value| CallArgument { value: Some(value), ..Default::default() }).collect();
        self.within(limit, what, async {
            loop {
                match self.run_once(function, &arguments).await {
                    // The document went away under our hands: the next one is asked, as long as there is time.
                    Err(CdpError::Remote { .. }) => tokio::time::sleep(NEXT_DOCUMENT_AFTER).await,
                    answer => return answer,
                }
            }
        })
        .await
    }

    async fn run_once<T: DeserializeOwned>(&self, function: &str, arguments: &[CallArgument]) -> Result<T, CdpError> {
        let mut world = CreateIsolatedWorldParams::new(FrameId::new(self.main_frame.clone()));
        world.world_name = Some(WORLD.to_owned());
        let context = self.session.call(&world).await?.execution_context_id;
        let mut call = CallFunctionOnParams::new(function);
        call.execution_context_id = Some(context);
        call.arguments = Some(arguments.to_vec());
        call.await_promise = Some(true);
        call.return_by_value = Some(true);
        let returned = self.session.call(&call).await?;
        let unreadable = |reason: String| CdpError::Unreadable { method: "Runtime.callFunctionOn".into(), reason };
        if let Some(exception) = returned.exception_details {
            return Err(unreadable(exception.text));
        }
        serde_json::from_value(returned.result.value.unwrap_or(Value::Null))
            .map_err(|error| unreadable(error.to_string()))
    }
}
