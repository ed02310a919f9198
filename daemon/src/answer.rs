//! Answering with a failure: the one place where a contract's code becomes a status, headers and a body.

use std::panic::AssertUnwindSafe;

use axum::body::Body;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt as _;
use http::{HeaderValue, StatusCode, header};
use porthole_contract::{ErrorCode, Failure};

use crate::request_id::RequestId;

/// Ends a handler with a failure. The body is written on the way out, where the request's id is known; status and
/// headers may be changed before, as in `(StatusCode::SERVICE_UNAVAILABLE, Refused(failure))`.
#[derive(Clone, Debug)]
pub struct Refused(pub Failure);

impl Refused {
    /// A failure with this code.
    pub fn new(code: ErrorCode, details: impl Into<String>) -> Self {
        Self(Failure::new(code, details))
    }
}

impl<F: Into<Failure>> From<F> for Refused {
    fn from(failure: F) -> Self {
        Self(failure.into())
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() =
            StatusCode::from_u16(self.0.code.status()).expect("the contract's statuses are statuses");
        response.extensions_mut().insert(self.0);
        response
    }
}

/// The failure that an answer tells, if it tells one of ours.
#[must_use]
pub fn failure_of(response: &Response) -> Option<&Failure> {
    response.extensions().get()
}

/// Writes the body of a [`Refused`] answer.
pub(crate) async fn write_failures(request: Request, next: Next) -> Response {
    let id = request.extensions().get::<RequestId>().cloned();
    let mut response = next.run(request).await;
    let Some(failure) = failure_of(&response).cloned() else { return response };
    let told = failure.answer(id.as_ref().map_or("", RequestId::as_str));
    let body = serde_json::to_vec(&told).expect("an error's answer is JSON");
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.remove(header::CONTENT_LENGTH);
    if let Some(seconds) = failure.retry_after_seconds() {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    *response.body_mut() = Body::from(body);
    response
}

/// Turns a handler's panic into `INTERNAL`. What it said goes to the log, by the panic hook, and not to the caller.
pub(crate) async fn catch_panics(request: Request, next: Next) -> Response {
    AssertUnwindSafe(next.run(request)).catch_unwind().await.unwrap_or_else(|_panic| {
        Refused::new(ErrorCode::Internal, "a fault of the server's own; its log has more under this request's id")
            .into_response()
    })
}

/// The answer where no route is.
pub(crate) async fn not_found() -> Refused {
    Refused::new(ErrorCode::NotFound, "no such route")
}

/// The answer where a route has other methods; axum adds them as `Allow`.
pub(crate) async fn method_not_allowed() -> Refused {
    Refused::new(ErrorCode::MethodNotAllowed, "this route has another method; the Allow header names it")
}
