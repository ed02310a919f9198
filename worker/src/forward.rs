//! Forwarding: sends one request to a replica of the service, validates its answer and streams it back.
//!
//! Only the contract's answers are passed on. Answers of intermediaries (a proxy's error page, a sign-in form) become
//! `SERVICE_UNAVAILABLE`.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use porthole_contract::routes::{CLIENT_HEADER, METADATA_HEADER_PREFIX, PUBLIC_URL_HEADER};
use porthole_contract::{ErrorCode, Failure};
use porthole_daemon::bearer::SERVICE_CHALLENGE;
use porthole_daemon::request_id;
use porthole_daemon::requests::PassedOn;
use porthole_daemon::trace::{self, TraceContext};
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use tokio::time::Instant;
use tracing::Instrument as _;
use url::Url;

use crate::replicas::{Replicas, Resolver, Way};
use crate::settings::Settings;

/// Time to connect to the service.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Idle time of pooled connections; shorter than the service's, so that no request is sent on a connection that the
/// service is closing.
const POOL_IDLE_TIMEOUT: Duration = Duration::from_secs(5);
/// Largest body of a failure, in bytes.
const ERROR_MAX_BYTES: usize = 64 * 1024;
/// Request headers that are forwarded. Never `Authorization`, which holds the worker's client key.
const HEADERS_IN: [HeaderName; 1] = [header::ACCEPT];
/// Response headers that are passed back, besides the screenshot's metadata headers.
const HEADERS_OUT: [HeaderName; 3] = [header::CONTENT_TYPE, header::CONTENT_LENGTH, header::RETRY_AFTER];

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
        match Kind::of(answer.headers()) {
            Some(_) if answer.status().is_success() => Ok(passed_on(answer)),
            _ => Self::failure_of(answer, self.answer_timeout).await,
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

/// Why the service gave no answer to pass on.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ServiceError {
    /// The connection was refused, or the service can't be reached.
    #[error("can't connect to the service")]
    NoConnection(#[source] reqwest::Error),
    /// No replica is known: the name of all has no address, or can't be looked up.
    #[error("PORTHOLE_SERVICE_PEERS has no address of a service")]
    Nowhere,
    /// The replica that has the call's session can't be reached.
    #[error("the server that ran this session can't be reached")]
    ReplicaGone(#[source] reqwest::Error),
    /// The connection ended too early.
    #[error("the connection broke before the service had answered")]
    Broken(#[source] reqwest::Error),
    /// The answer took too long.
    #[error("no answer within {0:?}")]
    Silent(Duration),
    /// A 401 about the worker's own key: the operator must fix it, another token of the caller would not.
    #[error("the service refuses the worker's key: PORTHOLE_SERVICE_KEY must be the same for both")]
    OurKey,
    /// A proxy's error page, a redirect, a sign-in form.
    #[error("an intermediary answered in the service's place, with status {status}")]
    Foreign {
        /// The answer's status.
        status: StatusCode,
        /// The answer's `Retry-After`, which a load balancer without a service may set.
        retry_after: Option<Duration>,
    },
    /// The service refused to open a WebSocket.
    #[error("the service refused: {0}")]
    Refused(ErrorCode),
    /// The service answered that it would accept no request.
    #[error("{0}")]
    NotReady(Failure),
}

impl ServiceError {
    pub(crate) fn code(&self) -> ErrorCode {
        match self {
            ServiceError::NotReady(failure) => failure.code,
            ServiceError::Refused(code) => *code,
            ServiceError::Silent(_) => ErrorCode::ServiceTimeout,
            ServiceError::ReplicaGone(_) => ErrorCode::SessionLost,
            _ => ErrorCode::ServiceUnavailable,
        }
    }

    /// Whether the request may have reached the service.
    pub(crate) fn was_sent(&self) -> bool {
        !matches!(self, Self::NoConnection(_) | Self::Nowhere | Self::ReplicaGone(_) | Self::OurKey)
    }

    pub(crate) fn of(error: reqwest::Error, timeout: Duration) -> Self {
        let error = error.without_url();
        match (error.is_connect(), error.is_timeout()) {
            (true, _) => Self::NoConnection(error),
            (false, true) => Self::Silent(timeout),
            (false, false) => Self::Broken(error),
        }
    }

    /// Classifies an answer that is not the contract's.
    pub(crate) fn refusal(status: StatusCode, headers: &HeaderMap) -> Self {
        let challenge = headers.get(header::WWW_AUTHENTICATE).map(HeaderValue::as_bytes);
        if status == StatusCode::UNAUTHORIZED && challenge == Some(SERVICE_CHALLENGE.as_bytes()) {
            return Self::OurKey;
        }
        let seconds = headers.get(header::RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
        Self::Foreign { status, retry_after: seconds.map(Duration::from_secs) }
    }
}

impl From<ServiceError> for Failure {
    fn from(error: ServiceError) -> Self {
        let failure = Failure::new(error.code(), error.to_string());
        match error {
            ServiceError::NotReady(failure) => failure,
            ServiceError::Foreign { retry_after: Some(wait), .. } => failure.retry_after(wait),
            _ => failure,
        }
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
