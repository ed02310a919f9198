//! Request ids: one for each request, the caller's own if it is valid. The same layer gives the request its trace.

use std::fmt;
use std::sync::Arc;

use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use porthole_contract::routes::REQUEST_ID_HEADER;
use tracing::{Instrument as _, Span};
use uuid::Uuid;

use crate::trace::{self, TraceContext};

/// Longest id of a caller, in bytes.
const REQUEST_ID_MAX_BYTES: usize = 128;

/// The header with the request id.
pub const HEADER: HeaderName = HeaderName::from_static(REQUEST_ID_HEADER);

/// A request's id: 1 to 128 letters, digits, `.`, `_` or `-`. Every request has it among its extensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(Arc<str>);

impl RequestId {
    /// Returns the id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the id as a header's value.
    #[must_use]
    pub fn header_value(&self) -> HeaderValue {
        HeaderValue::from_str(&self.0).expect("an id only has characters that are valid in a header")
    }

    /// Returns the caller's id if it is valid, else a new one.
    fn of(headers: &HeaderMap) -> Self {
        let given = headers.get(&HEADER).and_then(|value| value.to_str().ok()).filter(|id| fits(id));
        Self(given.map_or_else(|| Uuid::new_v4().to_string().into(), Arc::from))
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn fits(id: &str) -> bool {
    (1..=REQUEST_ID_MAX_BYTES).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}

/// The spans that a request is handled in: one for the log, and one that is exported.
#[derive(Clone)]
pub(crate) struct Spans {
    pub(crate) log: Span,
    pub(crate) exported: Span,
}

/// Gives the request an id and a trace, handles it in spans with both, and adds the id to the answer.
pub(crate) async fn give_id(mut request: Request, next: Next) -> Response {
    let id = RequestId::of(request.headers());
    let caller = TraceContext::of(request.headers());
    // Probes and documents are frequent and not worth tracing.
    let exported = match request.extensions().get::<MatchedPath>() {
        Some(route) if request.method() == Method::POST => {
            trace::answering(request.method(), route.as_str(), id.as_str(), caller.as_ref())
        }
        _ => Span::none(),
    };
    let trace = trace::passed_on(&exported, &TraceContext::within(caller.as_ref()));
    let log = tracing::info_span!("request", request_id = %id, trace_id = trace.trace_id());
    request.extensions_mut().insert(id.clone());
    request.extensions_mut().insert(trace);
    request.extensions_mut().insert(Spans { log: log.clone(), exported: exported.clone() });
    let mut response = next.run(request).instrument(log).instrument(exported).await;
    response.headers_mut().insert(HEADER, id.header_value());
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_valid_id_is_kept_and_any_other_replaced() {
        let of = |id: &[u8]| {
            let headers = HeaderMap::from_iter([(HEADER, HeaderValue::from_bytes(id).unwrap())]);
            RequestId::of(&headers).to_string()
        };
        assert_eq!(of(b"abc-DEF_1.2"), "abc-DEF_1.2");
        assert_eq!(of(&[b'a'; 128]).len(), 128);
        for unfit in [&b""[..], b"a b", b"a\"b", b"\xc3\xa9", &[b'a'; 129]] {
            assert!(Uuid::parse_str(&of(unfit)).is_ok(), "{unfit:?}");
        }
        assert_ne!(RequestId::of(&HeaderMap::new()), RequestId::of(&HeaderMap::new()));
    }
}
