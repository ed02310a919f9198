//! The WebSocket handshake (RFC 6455, 4): validates the caller's, sends it to the service and passes the answer back.

use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use porthole_contract::{ErrorCode, Failure};
use porthole_daemon::trace::{self, TraceContext};
use reqwest::Upgraded;
use tracing::Instrument as _;
use url::Url;

use crate::forward::{Service, ServiceError, host};

/// Time from the worker's request to the service's 101.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Headers of the caller's handshake that are forwarded. Extensions are not offered, since the worker would have to
/// implement them to track frames.
const HEADERS_IN: [HeaderName; 3] =
    [header::SEC_WEBSOCKET_KEY, header::SEC_WEBSOCKET_VERSION, header::SEC_WEBSOCKET_PROTOCOL];
/// Headers of the service's 101 that are passed back.
const HEADERS_OUT: [HeaderName; 2] = [header::SEC_WEBSOCKET_ACCEPT, header::SEC_WEBSOCKET_PROTOCOL];
const UPGRADE: HeaderValue = HeaderValue::from_static("upgrade");
const WEBSOCKET: HeaderValue = HeaderValue::from_static("websocket");

/// The headers of a caller's handshake that are forwarded.
pub(super) struct Handshake(HeaderMap);

/// The service's answer to a handshake.
pub(super) enum Answered {
    /// 101: the connection to the service, and the answer for the caller.
    Switched(Upgraded, Response),
    /// A failure of the contract, to pass on.
    Refused(Response),
}

pub(super) fn invalid(details: &str) -> Failure {
    Failure::new(ErrorCode::InvalidRequest, details)
}

impl Handshake {
    /// Reads and validates a caller's handshake.
    ///
    /// # Errors
    /// `INVALID_REQUEST` for anything but a WebSocket of version 13.
    pub(super) fn of(headers: &HeaderMap) -> Result<Self, Failure> {
        if !is_websocket(headers) {
            return Err(invalid("upgrade: must be websocket, with connection: upgrade"));
        }
        if headers.get(header::SEC_WEBSOCKET_VERSION).is_none_or(|version| version != "13") {
            return Err(invalid("sec-websocket-version: must be 13"));
        }
        if !headers.contains_key(header::SEC_WEBSOCKET_KEY) {
            return Err(invalid("sec-websocket-key: is missing"));
        }
        Ok(Self(only(headers, &HEADERS_IN)))
    }
}

/// Whether these headers request or accept a WebSocket.
fn is_websocket(headers: &HeaderMap) -> bool {
    let names = |name: HeaderName, wanted: &str| {
        let values = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
        values.flat_map(|value| value.split(',')).any(|item| item.trim().eq_ignore_ascii_case(wanted))
    };
    names(header::CONNECTION, "upgrade") && names(header::UPGRADE, "websocket")
}

fn only(headers: &HeaderMap, names: &[HeaderName]) -> HeaderMap {
    let passed_on = headers.iter().filter(|(name, _)| names.contains(name));
    passed_on.map(|(name, value)| (name.clone(), value.clone())).collect()
}

impl Service {
    /// Sends a caller's handshake to `path` of any replica, on behalf of `client` and with the worker's own key.
    ///
    /// # Errors
    /// [`ServiceError`] if the service does not answer, or an intermediary does.
    pub(super) async fn shake_hands(
        &self,
        path: &str,
        handshake: &Handshake,
        id: &HeaderValue,
        client: &HeaderValue,
        trace: &TraceContext,
    ) -> Result<Answered, ServiceError> {
        let mut attempts = self.replicas.attempts(self.replicas.any());
        while let Some(base) = attempts.next() {
            let outcome = self.shake_hands_with(&base, path, handshake, id, client, trace).await;
            if let Some(outcome) = attempts.settled(outcome) {
                return outcome;
            }
        }
        Err(attempts.failed())
    }

    async fn shake_hands_with(
        &self,
        base: &Url,
        path: &str,
        handshake: &Handshake,
        id: &HeaderValue,
        client: &HeaderValue,
        trace: &TraceContext,
    ) -> Result<Answered, ServiceError> {
        let span = trace::asking(&Method::GET, path, host(base));
        let headers = trace::passed_on(&span, trace).headers();
        let request = self
            .request(Method::GET, base, path, id, client, headers)
            .timeout(TIMEOUT)
            .header(header::CONNECTION, UPGRADE)
            .header(header::UPGRADE, WEBSOCKET)
            .headers(handshake.0.clone());
        let answered = self.switched(request).instrument(span.clone()).await;
        match &answered {
            Ok(Answered::Switched(_, response) | Answered::Refused(response)) => {
                trace::ended(&span, response.status().as_u16(), None);
            }
            Err(error) => trace::failed(&span, error.code().name()),
        }
        answered
    }

    async fn switched(&self, request: reqwest::RequestBuilder) -> Result<Answered, ServiceError> {
        let answer = request.send().await.map_err(|error| ServiceError::of(error, TIMEOUT))?;
        if answer.status() != StatusCode::SWITCHING_PROTOCOLS {
            return Self::failure_of(answer, TIMEOUT).await.map(Answered::Refused);
        }
        if !is_websocket(answer.headers()) {
            return Err(ServiceError::refusal(answer.status(), answer.headers()));
        }
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        *response.headers_mut() = only(answer.headers(), &HEADERS_OUT);
        response.headers_mut().insert(header::CONNECTION, UPGRADE);
        response.headers_mut().insert(header::UPGRADE, WEBSOCKET);
        let service = answer.upgrade().await.map_err(|error| ServiceError::of(error, TIMEOUT))?;
        Ok(Answered::Switched(service, response))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(headers: &[(&'static str, &'static str)]) -> Option<String> {
        let headers =
            headers.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        Handshake::of(&headers.collect()).err().map(|failure| failure.details)
    }

    const WHOLE: [(&str, &str); 5] = [
        ("connection", "keep-alive, Upgrade"),
        ("upgrade", "WebSocket"),
        ("sec-websocket-version", "13"),
        ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ("cookie", "secret"),
    ];

    #[test]
    fn only_websocket_handshakes_of_version_13_are_accepted() {
        assert_eq!(refused(&WHOLE), None);
        for (missing, named) in [
            ("connection", "upgrade:"),
            ("upgrade", "upgrade:"),
            ("sec-websocket-version", "sec-websocket-version:"),
            ("sec-websocket-key", "sec-websocket-key:"),
        ] {
            let others: Vec<_> = WHOLE.into_iter().filter(|(name, _)| *name != missing).collect();
            assert!(refused(&others).unwrap().starts_with(named), "{missing}");
        }
        let mut other = WHOLE;
        other[1].1 = "h2c";
        assert!(refused(&other).is_some());
        other = WHOLE;
        other[2].1 = "8";
        assert!(refused(&other).is_some());
    }

    #[test]
    fn other_headers_are_not_forwarded() {
        let headers =
            WHOLE.iter().chain(&[("sec-websocket-extensions", "permessage-deflate"), ("origin", "http://localhost")]);
        let headers = headers.map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        let handshake = Handshake::of(&headers.collect()).unwrap();
        let mut names: Vec<_> = handshake.0.keys().map(HeaderName::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["sec-websocket-key", "sec-websocket-version"]);
    }
}
