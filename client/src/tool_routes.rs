//! A worker's tools for models: their definitions, running the calls that a model wrote, and the intent of a message.

use bytes::Bytes;
use porthole_contract::metrics::Operation;
use porthole_contract::routes::{TOOLS, TOOLS_INTENT, TOOLS_RUN};
use porthole_contract::tools::{ToolsAnswer, ToolsIntentAnswer, ToolsIntentRequest, ToolsRunAnswer, ToolsRunRequest};
use serde::Serialize;

use crate::client::{Client, Sent};
use crate::error::Error;
use crate::retry::may_retry;

impl Client {
    /// Reads the tools in a vendor's shape: `mcp`, `openai` or `anthropic`. None while the worker's tools are off.
    ///
    /// # Errors
    /// [`Error`], after the retries; `INVALID_REQUEST` for another format.
    pub async fn tools(&self, format: &str) -> Result<ToolsAnswer, Error> {
        let query = [("format", format)];
        self.retried(Operation::Tools, || self.attempt_get(Operation::Tools, TOOLS, &query), Error::retryable).await
    }

    /// Runs the calls that a model wrote into a message, or one call. Retried only where nothing was run; a call that
    /// failed is told in its outcome.
    ///
    /// # Errors
    /// [`Error`]; `TOOLS_DISABLED` while the worker's tools are off.
    pub async fn run_tools(&self, request: &ToolsRunRequest) -> Result<ToolsRunAnswer, Error> {
        let sent = Sent { operation: Operation::ToolsRun, route: TOOLS_RUN, acts: true };
        let body = serialised(request);
        self.retried(sent.operation, || self.attempt(sent, body.clone()), |error| may_retry(error, true)).await
    }

    /// Judges whether a person's message asks for a browser. Nothing does while the worker's tools are off.
    ///
    /// # Errors
    /// [`Error`], after the retries.
    pub async fn intent(&self, message: &str) -> Result<ToolsIntentAnswer, Error> {
        let sent = Sent { operation: Operation::ToolsIntent, route: TOOLS_INTENT, acts: false };
        let body = serialised(&ToolsIntentRequest { message: message.to_owned() });
        self.retried(sent.operation, || self.attempt(sent, body.clone()), Error::retryable).await
    }
}

fn serialised(request: &impl Serialize) -> Bytes {
    Bytes::from(serde_json::to_vec(request).expect("a request of the contract serializes to JSON"))
}
