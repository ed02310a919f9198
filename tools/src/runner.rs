//! How a call is executed: something else sends it.

use std::future::Future;

use porthole_contract::ErrorAnswer;
use serde_json::Value;

use crate::boundary::Boundary;
use crate::call::Call;
use crate::outcome::Outcome;

/// Sends calls: the client library does it to a worker, a worker to its service.
pub trait Runner: Sync {
    /// Sends `call.body` to `call.route` and returns the answer, or the contract's error. The runner puts `sandbox_id` and
    /// `owner_token` in; the body has neither. Dropping the future cancels the call.
    fn send(&self, call: &Call) -> impl Future<Output = Result<Value, Box<ErrorAnswer>>> + Send;

    /// Whether there is time for a further call of a message.
    fn has_time_for(&self, _call: &Call) -> bool {
        true
    }

    /// Does what keeps a processor busy, such as scaling a picture: up to a few hundred milliseconds. A runner on a shared
    /// runtime does it elsewhere.
    fn compute<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> impl Future<Output = T> + Send {
        async { work() }
    }
}

/// Executes a call and says what came of it.
pub async fn run<R: Runner>(runner: &R, call: Call, boundary: Boundary) -> Outcome {
    let sent = runner.send(&call).await;
    runner
        .compute(move || match sent {
            Ok(answer) => Outcome::of_answer(&call, answer, &boundary),
            Err(error) => Outcome::of_error(&call, error, &boundary),
        })
        .await
}
