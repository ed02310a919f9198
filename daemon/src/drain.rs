//! Answers requests with `SHUTTING_DOWN` during the drain, instead of breaking their connections.

use std::time::Duration;

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::{HeaderValue, Method, header};
use porthole_contract::metrics::Operation;
use porthole_contract::{ErrorCode, Failure};
use tokio_util::sync::CancellationToken;

use crate::answer::Refused;
use crate::shutdown::Shutdown;

/// Another replica may answer at once, and a restarted process at this address within seconds.
const RETRY_AFTER: Duration = Duration::from_secs(2);

/// Routes that are served after the drain has begun.
#[derive(Clone)]
pub struct Late {
    /// Whether a matched route is one of them.
    pub routes: fn(&str) -> bool,
    /// Cancelled when their new requests are refused too.
    pub refused_from: CancellationToken,
}

/// State of the drain layer. It applies to operations only; other routes (health, documents) are always answered.
#[derive(Clone)]
pub(crate) struct Ending {
    pub(crate) shutdown: Shutdown,
    pub(crate) operation_of: fn(&str) -> Option<Operation>,
    pub(crate) late: Option<Late>,
}

/// Refuses new operations once the drain has begun, and gives up those in flight when they are hurried, which drops
/// their handlers' futures, as when a caller leaves.
pub(crate) async fn take_until_the_end(State(ending): State<Ending>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    if request.method() != Method::POST || route.and_then(ending.operation_of).is_none() {
        return next.run(request).await;
    }
    let Shutdown { drain, hurry } = ending.shutdown;
    let late = ending.late.filter(|late| route.is_some_and(late.routes));
    let drain = late.map_or(drain, |late| late.refused_from);
    if drain.is_cancelled() {
        return with_close(no_new_request());
    }
    tokio::select! {
        biased;
        response = next.run(request) => response,
        () = hurry.cancelled() => with_close(refusal("the process shut down before the request was complete")),
    }
}

/// Refuses a request that arrived after the drain had begun.
pub(crate) fn no_new_request() -> Refused {
    refusal("the process is shutting down and accepts no new requests")
}

fn refusal(details: &str) -> Refused {
    Refused(Failure::new(ErrorCode::ShuttingDown, details).retry_after(RETRY_AFTER))
}

fn with_close(refused: Refused) -> Response {
    ([(header::CONNECTION, HeaderValue::from_static("close"))], refused).into_response()
}
