//! Forwarding: sends one request to a replica of the service. `answer` decides what of its answer is passed
//! back.

mod answer;

use std::time::Duration;

use axum::body::Bytes;
use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use porthole_contract::ErrorCode;
use porthole_contract::routes::{CLIENT_HEADER, PUBLIC_URL_HEADER};
use porthole_daemon::request_id;
use porthole_daemon::requests::PassedOn;
use porthole_daemon::trace::{self, TraceContext};
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder};
use secrecy::{ExposeSecret as _, SecretString};
use tokio::time::Instant;
use tracing::Instrument as _;
use url::Url;

use self::answer::pass_on;
pub(crate) use self::answer::{beginning, failure_of};
use crate::replicas::{Replicas, Resolver, Way};
use crate::service_error::ServiceError;
use crate::settings::Settings;

/// Time to connect to the service.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Idle time of pooled connections; shorter than the service's, so that no request is sent on a connection that the
/// service is closing.
const POOL_IDLE_TIMEOUT: Duration = Duration::from_secs(5);
/// Request headers that are forwarded. Never `Authorization`, which holds the worker's client key.
const HEADERS_IN: [HeaderName; 1] = [header::ACCEPT];

/// A request on its way to the service.
pub(crate) struct Outgoing<'a> {
    /// The service's path.
    pub(crate) path: &'a str,
    /// The caller's headers.
    pub(crate) caller: &'a HeaderMap,
    /// The request's id.
    pub(crate) id: &'a HeaderValue,
    /// The caller's name.
    pub(crate) client: &'a HeaderValue,
    /// The trace that it belongs to.
    pub(crate) trace: &'a TraceContext,
    /// The worker's own address as the caller knows it, for answers that name it.
    pub(crate) public_url: Option<HeaderValue>,
    /// The body.
    pub(crate) body: Bytes,
    /// When the request came: the search for its replica is part of the answer's time.
    pub(crate) since: Instant,
}

/// The worker's client of the sandbox service.
pub(crate) struct Service {
    pub(crate) replicas: Replicas,
    client: Client,
    key: Option<SecretString>,
    answer_timeout: Duration,
}

impl Service {
    /// Builds the client. `answer_timeout` is for a whole answer.
    ///
    /// # Errors
    /// When the system's certificates can't be loaded.
    pub(crate) fn new(settings: &Settings, resolver: Resolver, answer_timeout: Duration) -> reqwest::Result<Self> {
        let client = Client::builder()
            .no_proxy()
            .redirect(Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .pool_idle_timeout(POOL_IDLE_TIMEOUT)
            .build()?;
        let (replicas, key) = (Replicas::new(settings, resolver), settings.service_key.clone());
        Ok(Self { replicas, client, key, answer_timeout })
    }

    /// Sends `request` to the first replica of `way` that can be connected to, and returns the answer as soon as its head
    /// has arrived. Dropping the future or the answer cancels the request.
    ///
    /// # Errors
    /// [`ServiceError`] if the service does not answer, or an intermediary does.
    pub(crate) async fn forward(&self, way: Way, request: Outgoing<'_>) -> Result<Response, ServiceError> {
        let mut attempts = self.replicas.attempts(way);
        while let Some(base) = attempts.next() {
            let outcome = self.forward_to(&base, &request).await;
            if let Some(outcome) = attempts.settled(outcome) {
                return outcome;
            }
        }
        Err(attempts.failed())
    }

    async fn forward_to(&self, base: &Url, request: &Outgoing<'_>) -> Result<Response, ServiceError> {
        let span = trace::asking(&Method::POST, request.path, host(base));
        let headers = trace::passed_on(&span, request.trace).headers();
        let sending = self.send(base, request, headers).instrument(span.clone());
        let answer = sending.await;
        match &answer {
            Ok(answer) => {
                let failed_with = answer.extensions().get::<PassedOn>().map(|passed_on| passed_on.0);
                trace::ended(&span, answer.status().as_u16(), failed_with.map(ErrorCode::name));
                if failed_with == Some(ErrorCode::ShuttingDown) {
                    self.replicas.note_unready(base);
                }
            }
            Err(error) => trace::failed(&span, error.code().name()),
        }
        answer
    }

    async fn send(
        &self,
        base: &Url,
        outgoing: &Outgoing<'_>,
        trace: impl Iterator<Item = (HeaderName, HeaderValue)>,
    ) -> Result<Response, ServiceError> {
        let mut request = self
            .request(Method::POST, base, outgoing.path, outgoing.id, outgoing.client, trace)
            .timeout(self.answer_timeout.saturating_sub(outgoing.since.elapsed()))
            .header(header::CONTENT_TYPE, "application/json")
            .body(outgoing.body.clone());
        if let Some(url) = &outgoing.public_url {
            request = request.header(PUBLIC_URL_HEADER, url);
        }
        for name in HEADERS_IN {
            for value in outgoing.caller.get_all(&name) {
                request = request.header(&name, value);
            }
        }
        let answer = request.send().await.map_err(|error| ServiceError::of(error, self.answer_timeout))?;
        pass_on(answer, self.answer_timeout).await
    }

    /// Builds a request to a replica with the worker's key, on behalf of `client`.
    pub(crate) fn request(
        &self,
        method: Method,
        base: &Url,
        path: &str,
        id: &HeaderValue,
        client: &HeaderValue,
        trace: impl Iterator<Item = (HeaderName, HeaderValue)>,
    ) -> RequestBuilder {
        let request = self.to(method, base, path).header(request_id::HEADER, id).header(CLIENT_HEADER, client);
        trace.fold(request, |request, (name, value)| request.header(name, value))
    }

    /// Builds a request to a replica with the worker's key.
    pub(crate) fn to(&self, method: Method, base: &Url, path: &str) -> RequestBuilder {
        let request = self.client.request(method, format!("{}{path}", base.as_str().trim_end_matches('/')));
        match &self.key {
            Some(key) => request.bearer_auth(key.expose_secret()),
            None => request,
        }
    }
}

/// Returns the host of a replica's URL.
pub(crate) fn host(base: &Url) -> &str {
    base.host_str().unwrap_or_default()
}
