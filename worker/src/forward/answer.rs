//! Answers of the service: which of them the worker passes on, and with which headers.
//!
//! Only the contract's answers are passed on. Answers of intermediaries (a proxy's error page, a sign-in form) become
//! `SERVICE_UNAVAILABLE`.

use std::time::Duration;

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, HeaderName, header};
use porthole_contract::ErrorCode;
use porthole_contract::routes::METADATA_HEADER_PREFIX;
use porthole_daemon::requests::PassedOn;
use serde::Deserialize;

use crate::service_error::ServiceError;

/// Largest body of a failure, in bytes.
const ERROR_MAX_BYTES: usize = 64 * 1024;
/// Response headers that are passed back, besides the screenshot's metadata headers.
const HEADERS_OUT: [HeaderName; 3] = [header::CONTENT_TYPE, header::CONTENT_LENGTH, header::RETRY_AFTER];

/// Passes on an answer of the contract, whether it is a success or a failure.
///
/// # Errors
/// [`ServiceError`] for any other answer.
pub(super) async fn pass_on(answer: reqwest::Response, timeout: Duration) -> Result<Response, ServiceError> {
    match Kind::of(answer.headers()) {
        Some(_) if answer.status().is_success() => Ok(passed_on(answer)),
        _ => failure_of(answer, timeout).await,
    }
}

/// Passes on an answer that is a failure of the contract.
///
/// # Errors
/// [`ServiceError`] for any other answer.
pub(crate) async fn failure_of(answer: reqwest::Response, timeout: Duration) -> Result<Response, ServiceError> {
    let status = answer.status();
    match Kind::of(answer.headers()) {
        Some(Kind::Json) if status.is_client_error() || status.is_server_error() => {
            contract_failure(answer, timeout).await
        }
        _ => Err(ServiceError::refusal(status, answer.headers())),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Json,
    Image,
}

impl Kind {
    fn of(headers: &HeaderMap) -> Option<Self> {
        let value = headers.get(header::CONTENT_TYPE)?.to_str().ok()?.to_ascii_lowercase();
        let media_type = value.split(';').next().unwrap_or_default().trim();
        match media_type {
            "application/json" => Some(Self::Json),
            _ if media_type.starts_with("image/") => Some(Self::Image),
            _ => None,
        }
    }
}

/// The fields that distinguish the contract's failures from other JSON. Unknown codes are passed on.
#[derive(Deserialize)]
struct ContractFailure {
    ok: bool,
    error: String,
}

/// Reads a failure whole, since it is short, and passes it on unchanged if it is the contract's.
async fn contract_failure(answer: reqwest::Response, timeout: Duration) -> Result<Response, ServiceError> {
    let (status, headers) = (answer.status(), answer.headers().clone());
    if matches!(ServiceError::refusal(status, &headers), ServiceError::OurKey) {
        return Err(ServiceError::OurKey);
    }
    let body = beginning(answer, timeout).await?;
    let code = match serde_json::from_slice(&body) {
        Ok(ContractFailure { ok: false, error }) => ErrorCode::from_name(&error).unwrap_or(ErrorCode::Internal),
        _ => return Err(ServiceError::refusal(status, &headers)),
    };
    let mut response = (status, Body::from(body)).into_response();
    *response.headers_mut() = for_the_caller(&headers);
    response.extensions_mut().insert(PassedOn(code));
    Ok(response)
}

/// Reads a body up to just over [`ERROR_MAX_BYTES`], which is longer than any failure of the contract.
pub(crate) async fn beginning(mut answer: reqwest::Response, timeout: Duration) -> Result<Vec<u8>, ServiceError> {
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(|error| ServiceError::of(error, timeout))? {
        body.extend_from_slice(&chunk);
        if body.len() > ERROR_MAX_BYTES {
            break;
        }
    }
    Ok(body)
}

fn passed_on(answer: reqwest::Response) -> Response {
    let answer: http::Response<reqwest::Body> = answer.into();
    let (parts, body) = answer.into_parts();
    let mut response = Response::new(Body::new(body));
    *response.status_mut() = parts.status;
    *response.headers_mut() = for_the_caller(&parts.headers);
    response
}

fn for_the_caller(headers: &HeaderMap) -> HeaderMap {
    let metadata = |name: &HeaderName| name.as_str().starts_with(METADATA_HEADER_PREFIX);
    let passes = |name: &HeaderName| HEADERS_OUT.contains(name) || metadata(name);
    headers.iter().filter(|(name, _)| passes(name)).map(|(name, value)| (name.clone(), value.clone())).collect()
}
