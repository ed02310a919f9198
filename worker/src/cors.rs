//! CORS: refuses web pages of foreign origins, and lets pages of allowed origins read the answers.
//!
//! The daemon's [`Origins`] decides which origins may call. The `Host` header is not used: proxies in front of the
//! worker may rewrite it.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use porthole_contract::routes::{METADATA_HEADER_PREFIX, REQUEST_ID_HEADER};
use porthole_daemon::origin::Origins;

use crate::web;

/// Methods that pages may use.
const ALLOWED_METHODS: &str = "GET, POST, DELETE";
const ALLOWED_HEADERS: &str = "accept, authorization, content-type, last-event-id, mcp-method, mcp-name, \
    mcp-protocol-version, mcp-session-id, traceparent, tracestate, x-request-id";
/// The header in which `/mcp` names a connection.
const MCP_SESSION_ID: &str = "mcp-session-id";
/// How long a browser may cache a preflight's answer, in seconds.
const MAX_AGE_SECONDS: &str = "600";
/// The headers that a preflight's answer depends on.
const PREFLIGHT_VARY: &str = "Origin, Access-Control-Request-Method, Access-Control-Request-Headers";

/// Refuses requests of foreign origins, answers preflights, and adds the CORS headers for allowed origins.
pub(crate) async fn judge_origin(State(origins): State<Origins>, request: Request, next: Next) -> Response {
    if web::is_for_every_origin(request.uri().path()) {
        return next.run(request).await;
    }
    let (allowed, preflight) = match origins.judge(request.headers()) {
        Ok(origin) => (origin.cloned(), is_preflight(&request)),
        Err(refused) => return varied(refused.into_response()),
    };
    let Some(allowed) = allowed else { return varied(next.run(request).await) };
    let mut response = if preflight { preflight_answer() } else { next.run(request).await };
    let exposed = exposed(response.headers());
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, allowed);
    if !preflight {
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
    }
    varied(response)
}

fn is_preflight(request: &Request) -> bool {
    request.method() == Method::OPTIONS && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

fn preflight_answer() -> Response {
    let headers = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, ALLOWED_METHODS),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, ALLOWED_HEADERS),
        (header::ACCESS_CONTROL_MAX_AGE, MAX_AGE_SECONDS),
        (header::VARY, PREFLIGHT_VARY),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}

/// Returns the names of the answer's headers that a page may read beyond the CORS-safelisted ones.
fn exposed(headers: &HeaderMap) -> HeaderValue {
    let always = [REQUEST_ID_HEADER, header::RETRY_AFTER.as_str()];
    let shown = |name: &&str| name.starts_with(METADATA_HEADER_PREFIX) || *name == MCP_SESSION_ID;
    let metadata = headers.keys().map(HeaderName::as_str).filter(shown);
    let names: Vec<&str> = always.into_iter().chain(metadata).collect();
    HeaderValue::from_str(&names.join(", ")).expect("header names joined by commas are a valid header value")
}

/// Adds `Vary: Origin`, so that caches don't serve one origin's answer to another.
fn varied(mut response: Response) -> Response {
    if !response.headers().contains_key(header::VARY) {
        response.headers_mut().insert(header::VARY, HeaderValue::from_static("Origin"));
    }
    response
}
