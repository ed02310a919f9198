//! Answers of the service: which of them the worker passes on, and with which headers.
//!
//! Only the contract's answers are passed on. Answers of intermediaries (a proxy's error page, a sign-in form) become
//! `SERVICE_UNAVAILABLE`.

use std::fmt;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream::{self, StreamExt as _};
use http::{HeaderMap, HeaderName, header};
use porthole_contract::ErrorCode;
use porthole_contract::routes::METADATA_HEADER_PREFIX;
use porthole_daemon::requests::PassedOn;
use serde::Deserializer as _;
use serde::de::{IgnoredAny, MapAccess, Visitor};

use crate::service_error::ServiceError;

/// How much of a failure is read before it is passed on, in bytes. More have only those with a snapshot, which comes last.
const BEGINNING_MAX_BYTES: usize = 64 * 1024;
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

/// The fields that distinguish the contract's failures from other JSON; they are the first. Unknown codes are passed on.
#[derive(Default)]
struct FirstFields {
    ok: Option<bool>,
    error: Option<String>,
}

impl FirstFields {
    /// Reads them from the beginning of a body.
    fn of(beginning: &[u8]) -> Self {
        let mut fields = Self::default();
        // What comes after them may be cut off.
        let _ = serde_json::Deserializer::from_slice(beginning).deserialize_map(&mut fields);
        fields
    }

    /// The code of a failure of the contract.
    fn code(&self) -> Option<ErrorCode> {
        match self {
            Self { ok: Some(false), error: Some(error) } => {
                Some(ErrorCode::from_name(error).unwrap_or(ErrorCode::Internal))
            }
            _ => None,
        }
    }
}

impl<'de> Visitor<'de> for &mut FirstFields {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a failure")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "ok" => self.ok = Some(map.next_value()?),
                "error" => self.error = Some(map.next_value()?),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

/// Passes a failure on unchanged if it is the contract's.
async fn contract_failure(mut answer: reqwest::Response, timeout: Duration) -> Result<Response, ServiceError> {
    let (status, headers) = (answer.status(), answer.headers().clone());
    if matches!(ServiceError::refusal(status, &headers), ServiceError::OurKey) {
        return Err(ServiceError::OurKey);
    }
    let beginning = beginning(&mut answer, timeout).await?;
    let Some(code) = FirstFields::of(&beginning).code() else {
        return Err(ServiceError::refusal(status, &headers));
    };
    let body = if beginning.len() > BEGINNING_MAX_BYTES {
        let read = stream::iter([Ok(Bytes::from(beginning))]);
        Body::from_stream(read.chain(answer.bytes_stream()))
    } else {
        Body::from(beginning)
    };
    let mut response = (status, body).into_response();
    *response.headers_mut() = for_the_caller(&headers);
    response.extensions_mut().insert(PassedOn(code));
    Ok(response)
}

/// Reads a body until its end, or until just over [`BEGINNING_MAX_BYTES`].
pub(crate) async fn beginning(answer: &mut reqwest::Response, timeout: Duration) -> Result<Vec<u8>, ServiceError> {
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(|error| ServiceError::of(error, timeout))? {
        body.extend_from_slice(&chunk);
        if body.len() > BEGINNING_MAX_BYTES {
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
