//! Failure answers: the only place that turns a contract code into a status, headers and a body.

use std::panic::AssertUnwindSafe;

use axum::body::Body;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt as _;
use http::{HeaderValue, StatusCode, header};
use porthole_contract::{ErrorCode, Failure};

use crate::request_id::RequestId;

/// A handler's failure. A layer writes the body, since it knows the request's id; a handler may change status and
/// headers, as in `(StatusCode::SERVICE_UNAVAILABLE, Refused(failure))`.
#[derive(Clone, Debug)]
pub struct Refused(pub Failure);

impl Refused {
    /// Makes a failure with this code.
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
        *response.status_mut() = StatusCode::from_u16(self.0.code.status()).expect("the contract's statuses are valid");
        response.extensions_mut().insert(self.0);
        response
    }
}

/// Returns the failure of an answer that was made from a [`Refused`].
#[must_use]
pub fn failure_of(response: &Response) -> Option<&Failure> {
    response.extensions().get()
}

/// Writes the bodies of [`Refused`] answers.
pub(crate) async fn write_failures(request: Request, next: Next) -> Response {
    let id = request.extensions().get::<RequestId>().cloned();
    let mut response = next.run(request).await;
    let Some(failure) = failure_of(&response).cloned() else { return response };
    let answer = failure.answer(id.as_ref().map_or("", RequestId::as_str));
    let body = serde_json::to_vec(&answer).expect("a failure can be serialised");
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.remove(header::CONTENT_LENGTH);
    if let Some(seconds) = failure.retry_after_seconds() {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    *response.body_mut() = Body::from(body);
    response
}

/// Turns a handler's panic into `INTERNAL`. The panic hook logs its message; the caller does not get it.
pub(crate) async fn catch_panics(request: Request, next: Next) -> Response {
    AssertUnwindSafe(next.run(request)).catch_unwind().await.unwrap_or_else(|_panic| {
        Refused::new(ErrorCode::Internal, "an internal error; the server's log has details under this request's id")
            .into_response()
    })
}

/// Answers requests without a route.
pub(crate) async fn not_found() -> Refused {
    Refused::new(ErrorCode::NotFound, "no such route")
}

/// Answers requests with a method that the route does not have; axum adds the `Allow` header.
pub(crate) async fn method_not_allowed() -> Refused {
    Refused::new(ErrorCode::MethodNotAllowed, "the route does not have this method; the Allow header names its methods")
}
