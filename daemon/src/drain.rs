//! What requests hear while the process ends: `SHUTTING_DOWN`, in place of a connection that breaks.

use std::time::Duration;

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::{HeaderValue, Method, header};
use porthole_contract::metrics::Operation;
use porthole_contract::{ErrorCode, Failure};

use crate::answer::Refused;
use crate::shutdown::Shutdown;

/// Another replica may be there at once, and the next one on this address within seconds.
const RETRY_AFTER: Duration = Duration::from_secs(2);

/// When operations end; everything else (health, documents) is answered as ever.
#[derive(Clone)]
pub(crate) struct Ending {
    pub(crate) shutdown: Shutdown,
    pub(crate) operation_of: fn(&str) -> Option<Operation>,
}

/// Takes no operation once the drain has begun, and gives up those in flight when they are hurried. Giving one up drops
/// its handler, as a caller that leaves does.
pub(crate) async fn take_until_the_end(State(ending): State<Ending>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    if request.method() != Method::POST || route.and_then(ending.operation_of).is_none() {
        return next.run(request).await;
    }
    let Shutdown { drain, hurry } = ending.shutdown;
    if drain.is_cancelled() {
        return with_close(no_new_request());
    }
    tokio::select! {
        biased;
        response = next.run(request) => response,
        () = hurry.cancelled() => with_close(refusal("the process ended before the request did")),
    }
}

/// The refusal of a request that came after the drain began.
pub(crate) fn no_new_request() -> Refused {
    refusal("the process is ending and takes no new request")
}

fn refusal(details: &str) -> Refused {
    Refused(Failure::new(ErrorCode::ShuttingDown, details).retry_after(RETRY_AFTER))
}

fn with_close(refused: Refused) -> Response {
    ([(header::CONNECTION, HeaderValue::from_static("close"))], refused).into_response()
}
