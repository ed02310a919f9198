//! Errors in Browserbase's format, and the effects of faults on answers.

use axum::Json;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use serde_json::json;

use crate::faults::ApiFault;
use crate::listen::CloseInstead;
use crate::session::limits::Standing;

/// A refusal: `{statusCode, error, message}`.
#[derive(Clone, Debug)]
pub(super) struct ApiError {
    status: StatusCode,
    message: String,
    retry_after_s: Option<u64>,
}

impl ApiError {
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), retry_after_s: None }
    }

    pub(super) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    pub(super) fn unauthorized(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, message)
    }

    pub(super) fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, message)
    }

    pub(super) fn not_implemented(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_IMPLEMENTED, message)
    }

    /// Adds a `Retry-After`.
    pub(super) fn retry_after(self, seconds: Option<u64>) -> Self {
        Self { retry_after_s: seconds, ..self }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let body = json!({
            "statusCode": self.status.as_u16(),
            "error": self.status.canonical_reason().unwrap_or("Error"),
            "message": self.message,
        });
        let mut response = (self.status, Json(body)).into_response();
        if let Some(seconds) = self.retry_after_s {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

/// Adds a project's `x-ratelimit-*` headers.
pub(super) fn with_standing(mut response: Response, standing: Standing) -> Response {
    let headers = response.headers_mut();
    headers.insert("x-ratelimit-limit", HeaderValue::from(standing.limit));
    headers.insert("x-ratelimit-remaining", HeaderValue::from(standing.remaining));
    headers.insert("x-ratelimit-reset", HeaderValue::from(standing.reset_s));
    response
}

/// Returns the answer that a fault gives instead of handling the request; `None` if the request is to be handled.
pub(super) async fn instead(fault: Option<&ApiFault>) -> Option<Response> {
    match fault? {
        ApiFault::Status { code, message, retry_after_s } => {
            let status = StatusCode::from_u16(*code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            let message = message.clone().unwrap_or_else(|| "This failure was asked for".to_owned());
            Some(ApiError::new(status, message).retry_after(*retry_after_s).into_response())
        }
        ApiFault::Hang => std::future::pending().await,
        ApiFault::Refuse => Some(closed()),
        ApiFault::Slow { .. }
        | ApiFault::LoseAnswer
        | ApiFault::WithholdAnswer
        | ApiFault::Garbage
        | ApiFault::UnreachableConnectUrl => None,
    }
}

/// Applies a fault to the answer of a request that was handled.
pub(super) async fn afterwards(fault: Option<&ApiFault>, response: Response) -> Response {
    match fault {
        Some(ApiFault::LoseAnswer) => closed(),
        Some(ApiFault::WithholdAnswer) => std::future::pending().await,
        Some(ApiFault::Garbage) => {
            let mut garbled = response.map(|_| Body::from("<html>no JSON at all"));
            garbled.headers_mut().remove(header::CONTENT_LENGTH);
            garbled
        }
        _ => response,
    }
}

/// Returns a response that closes the connection instead of answering.
pub(super) fn closed() -> Response {
    let mut response = StatusCode::BAD_GATEWAY.into_response();
    response.extensions_mut().insert(CloseInstead);
    response
}
