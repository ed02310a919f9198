//! The handshake with a replica (RFC 6455, 4): the worker is its client, with a key of its own.

use std::time::Duration;

use http::{HeaderValue, Method, StatusCode, header};
use porthole_contract::live::LIVE_PROTOCOL;
use porthole_daemon::requests::PassedOn;
use porthole_daemon::trace::{self, TraceContext};
use porthole_daemon::websocket::is_websocket;
use reqwest::Upgraded;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tracing::Instrument as _;
use url::Url;

use crate::forward::{Service, failure_of, host};
use crate::replicas::Way;
use crate::service_error::ServiceError;

/// Time from the worker's request to the service's 101.
const TIMEOUT: Duration = Duration::from_secs(10);

impl Service {
    /// Opens a WebSocket at `path` of a replica of `way`, on behalf of `client`. Extensions are not offered, since the
    /// worker would have to implement them to track frames.
    ///
    /// # Errors
    /// [`ServiceError`] if no replica answers, one refuses, or an intermediary answers.
    pub(super) async fn shake_hands(
        &self,
        way: Way,
        path: &str,
        id: &HeaderValue,
        client: &HeaderValue,
        trace: &TraceContext,
    ) -> Result<Upgraded, ServiceError> {
        let mut attempts = self.replicas.attempts(way);
        while let Some(base) = attempts.next() {
            let outcome = self.shake_hands_with(&base, path, id, client, trace).await;
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
        id: &HeaderValue,
        client: &HeaderValue,
        trace: &TraceContext,
    ) -> Result<Upgraded, ServiceError> {
        let span = trace::asking(&Method::GET, path, host(base));
        let headers = trace::passed_on(&span, trace).headers();
        let key = generate_key();
        let request = self
            .request(Method::GET, base, path, id, client, headers)
            .timeout(TIMEOUT)
            .header(header::CONNECTION, "upgrade")
            .header(header::UPGRADE, "websocket")
            .header(header::SEC_WEBSOCKET_VERSION, "13")
            .header(header::SEC_WEBSOCKET_KEY, &key)
            .header(header::SEC_WEBSOCKET_PROTOCOL, LIVE_PROTOCOL);
        let answered = self.switched(request, &key).instrument(span.clone()).await;
        match &answered {
            Ok(_) => trace::ended(&span, StatusCode::SWITCHING_PROTOCOLS.as_u16(), None),
            Err(error) => trace::failed(&span, error.code().name()),
        }
        answered
    }

    async fn switched(&self, request: reqwest::RequestBuilder, key: &str) -> Result<Upgraded, ServiceError> {
        let answer = request.send().await.map_err(|error| ServiceError::of(error, TIMEOUT))?;
        let (status, headers) = (answer.status(), answer.headers().clone());
        if status != StatusCode::SWITCHING_PROTOCOLS {
            let refused = failure_of(answer, TIMEOUT).await?;
            let code = refused.extensions().get::<PassedOn>().map(|passed_on| passed_on.0);
            return Err(code.map_or_else(|| ServiceError::refusal(status, &headers), ServiceError::Refused));
        }
        let accept = headers.get(header::SEC_WEBSOCKET_ACCEPT).map(HeaderValue::as_bytes);
        if !is_websocket(&headers) || accept != Some(derive_accept_key(key.as_bytes()).as_bytes()) {
            return Err(ServiceError::refusal(status, &headers));
        }
        answer.upgrade().await.map_err(|error| ServiceError::of(error, TIMEOUT))
    }
}
