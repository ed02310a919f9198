//! The common part of tool calls over the tool routes and over MCP: each call is counted and logged as its own
//! operation, its answer is read whole, and its result is computed outside the runtime's threads.

use axum::body::to_bytes;
use axum::response::Response;
use porthole_contract::metrics::Operation;
use porthole_contract::{ErrorAnswer, ErrorCode, Failure};
use porthole_daemon::answer::failure_of;
use porthole_daemon::request_id::RequestId;
use porthole_tools::Call;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::Semaphore;

use crate::shared::Shared;

/// The largest answer that is read, in bytes: four times the largest picture in base64. A larger download does not fit into
/// a result.
const ANSWER_MAX_BYTES: usize = 8 * 1024 * 1024;
/// Results that are worked out at a time: a picture that is scaled takes up to 210 MB.
static COMPUTING: Semaphore = Semaphore::const_new(2);

/// Counts and logs a call as a request of its operation.
pub(crate) async fn counted(
    shared: &Shared,
    id: &RequestId,
    call: &Call,
    sending: impl Future<Output = Result<Value, Box<ErrorAnswer>>>,
) -> Result<Value, Box<ErrorAnswer>> {
    let begun = Operation::of_route(call.route).map(|operation| shared.requests.begin(operation));
    let answer = sending.await;
    let code = answer.as_ref().err().map(|error| error.error);
    if let Some(begun) = begun {
        begun.end(code);
    }
    let code = code.map_or("OK", ErrorCode::name);
    tracing::info!(request_id = id.as_str(), tool = call.tool.name, code, "called a tool");
    answer
}

/// Reads an answer of the contract.
pub(crate) async fn read<T: DeserializeOwned>(response: Response, id: &RequestId) -> Result<T, Box<ErrorAnswer>> {
    let refused = |failure: &Failure| Box::new(failure.answer(id.as_str()));
    if let Some(failure) = failure_of(&response) {
        return Err(refused(failure));
    }
    let succeeded = response.status().is_success();
    let body = to_bytes(response.into_body(), ANSWER_MAX_BYTES).await.map_err(|_broken_or_too_long| {
        refused(&Failure::new(ErrorCode::ServiceUnavailable, "the service's answer broke off, or is too long"))
    })?;
    let unreadable = |error: serde_json::Error| {
        tracing::warn!(column = error.column(), "unreadable answer");
        refused(&Failure::new(ErrorCode::Internal, "the service's answer can't be read"))
    };
    match succeeded {
        true => serde_json::from_slice(&body).map_err(unreadable),
        false => Err(serde_json::from_slice(&body).map_err(unreadable)?),
    }
}

/// Does what keeps a processor busy beside the runtime.
pub(crate) async fn compute<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let _permit = COMPUTING.acquire().await;
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
    }
}
