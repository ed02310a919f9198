//! Runs our functions in a page's main document, in our world there (`world`), across a change of documents.

use std::time::Duration;

use chromiumoxide_cdp::cdp::js_protocol::runtime::CallArgument;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::sleep;

use super::world::{Returned, argument, in_frame, in_world, value};
use super::{Page, PageError};
use crate::cdp::{Call, CdpError};

/// Pause before a call is retried on the next document, while the current one is being replaced.
pub(super) const NEXT_DOCUMENT_AFTER: Duration = Duration::from_millis(20);

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
