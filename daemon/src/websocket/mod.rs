//! WebSockets (RFC 6455): the server's side of a handshake, heads of frames, and bounds on incoming messages.

mod gate;
mod head;

use axum::body::Body;
use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use porthole_contract::{ErrorCode, Failure};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

pub use self::gate::{Gate, MessageLimit};
pub use self::head::{HEAD_MAX_BYTES, Head};

const UPGRADE: HeaderValue = HeaderValue::from_static("upgrade");
const WEBSOCKET: HeaderValue = HeaderValue::from_static("websocket");

/// Checks that these headers ask for a WebSocket of version 13.
///
/// # Errors
/// `INVALID_REQUEST`, which names the header.
pub fn check(headers: &HeaderMap) -> Result<(), Failure> {
    if !is_websocket(headers) {
        return Err(invalid("upgrade: must be websocket, with connection: upgrade"));
    }
    if headers.get(header::SEC_WEBSOCKET_VERSION).is_none_or(|version| version != "13") {
        return Err(invalid("sec-websocket-version: must be 13"));
    }
    if !headers.contains_key(header::SEC_WEBSOCKET_KEY) {
        return Err(invalid("sec-websocket-key: is missing"));
    }
    Ok(())
}

/// Whether these headers request or accept a WebSocket.
#[must_use]
pub fn is_websocket(headers: &HeaderMap) -> bool {
    has(headers, &header::CONNECTION, "upgrade") && has(headers, &header::UPGRADE, "websocket")
}

/// The answer to a request that [`check`] let through: `101`, with `protocol` if the request offers it.
#[must_use]
pub fn switch(headers: &HeaderMap, protocol: &'static str) -> Response {
    let key = headers.get(header::SEC_WEBSOCKET_KEY).map_or(&b""[..], HeaderValue::as_bytes);
    let accept = HeaderValue::from_str(&derive_accept_key(key)).expect("base64 is a valid header value");
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let answer = response.headers_mut();
    answer.insert(header::SEC_WEBSOCKET_ACCEPT, accept);
    answer.insert(header::CONNECTION, UPGRADE);
    answer.insert(header::UPGRADE, WEBSOCKET);
    if has(headers, &header::SEC_WEBSOCKET_PROTOCOL, protocol) {
        answer.insert(header::SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(protocol));
    }
    response
}

/// A failure of a handshake.
#[must_use]
pub fn invalid(details: &str) -> Failure {
    Failure::new(ErrorCode::InvalidRequest, details)
}

/// Whether a header's comma list has this item.
fn has(headers: &HeaderMap, name: &HeaderName, wanted: &str) -> bool {
    let values = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|item| item.trim().eq_ignore_ascii_case(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: [(&str, &str); 5] = [
        ("connection", "keep-alive, Upgrade"),
        ("upgrade", "WebSocket"),
        ("sec-websocket-version", "13"),
        // RFC 6455, 1.3.
        ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ("sec-websocket-protocol", "other, porthole.live.v1"),
    ];

    fn headers(list: &[(&'static str, &'static str)]) -> HeaderMap {
        list.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn the_answer_is_that_of_the_rfc_and_takes_the_protocol_that_was_offered() {
        assert!(check(&headers(&WHOLE)).is_ok());
        let response = switch(&headers(&WHOLE), "porthole.live.v1");
        assert_eq!(response.status(), StatusCode::SWITCHING_PROTOCOLS);
        assert_eq!(response.headers()["sec-websocket-accept"], "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
        assert_eq!(response.headers()["sec-websocket-protocol"], "porthole.live.v1");
        assert!(is_websocket(response.headers()));
        let response = switch(&headers(&WHOLE[..4]), "porthole.live.v1");
        assert!(!response.headers().contains_key("sec-websocket-protocol"), "it was not offered");
    }

    #[test]
    fn incomplete_handshakes_are_refused_by_the_header_that_lacks() {
        for (at, name) in [(0, "upgrade"), (1, "upgrade"), (2, "sec-websocket-version"), (3, "sec-websocket-key")] {
            let mut lacking = WHOLE.to_vec();
            lacking.remove(at);
            let refused = check(&headers(&lacking)).unwrap_err();
            assert!(refused.details.starts_with(name), "{}", refused.details);
        }
    }
}
