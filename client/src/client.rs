//! The client: one call for each operation; sends, reads and counts each attempt. `retry` decides when to retry.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use backon::Retryable as _;
use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use porthole_contract::limits::TOOL_CALLS_MAX;
use porthole_contract::metrics::{Operation, OperationMetrics};
use porthole_contract::routes::{self, CREATE, EXTRACT, SCREENSHOT, WORKER_PREFIX};
use porthole_contract::{
    CreateRequest, CreateResponse, ExtractRequest, ExtractResponse, ScreenshotRequest, ScreenshotResponse,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::answer::Answer;
use crate::error::Error;
use crate::metrics::Counters;
use crate::retry::{self, Delays, LOG_TARGET, OnRetry, Randomness, Retry, SleepWith, Sleeper, may_retry};

/// The longest answer that is read, in bytes: four times the largest picture in base64.
const ANSWER_MAX_BYTES: usize = 8 * 1024 * 1024;

/// The longest answer with a downloaded file: the largest one in base64, and the fields around it.
const FILE_ANSWER_MAX_BYTES: usize = 68 * 1024 * 1024;

/// A client of a worker. Cheap to clone; clones share their counts.
///
/// A temporary failure (a `retryable` answer, no connection, or no answer in time) is retried up to 4 times, after 2,
/// 4, 8 and 16 s, each with up to 20 % jitter added, or after the wait that the answer asks for if that is longer.
#[derive(Clone)]
pub struct Client(Arc<Parts>);

pub(crate) struct Parts {
    pub(crate) http: reqwest::Client,
    /// Without a trailing slash.
    pub(crate) base: String,
    pub(crate) timeout: Duration,
    pub(crate) sleeper: Sleeper,
    pub(crate) clock: Arc<dyn Fn() -> Instant + Send + Sync>,
    pub(crate) randomness: Randomness,
    pub(crate) on_retry: OnRetry,
    pub(crate) counters: Counters,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("url", &self.0.base).finish_non_exhaustive()
    }
}

impl Client {
    pub(crate) fn from_parts(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }

    /// Returns the worker's URL without a trailing slash.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.0.base
    }

    /// Returns the counts so far by operation name: attempts, failures by code, retries, latencies in milliseconds.
    /// A lost connection counts as `SERVICE_UNAVAILABLE`, no answer in time as `SERVICE_TIMEOUT`, an answer that is not
    /// Porthole's as `INTERNAL`.
    #[must_use]
    pub fn metrics(&self) -> BTreeMap<String, OperationMetrics> {
        self.0.counters.snapshot()
    }

    /// Creates a sandbox and its owner token.
    ///
    /// # Errors
    /// [`Error`], after the retries.
    pub async fn create(&self, request: &CreateRequest) -> Result<CreateResponse, Error> {
        self.call(Operation::Create, CREATE, request).await
    }

    /// Takes a picture of a page; [`image_bytes`](crate::image_bytes) decodes it.
    ///
    /// # Errors
    /// [`Error`], after the retries.
    pub async fn screenshot(&self, request: &ScreenshotRequest) -> Result<ScreenshotResponse, Error> {
        self.call(Operation::Screenshot, SCREENSHOT, request).await
    }

    /// Reads a page's text.
    ///
    /// # Errors
    /// [`Error`], after the retries.
    pub async fn extract(&self, request: &ExtractRequest) -> Result<ExtractResponse, Error> {
        self.call(Operation::Extract, EXTRACT, request).await
    }

    /// Sends `body`, complete with sandbox and token, to the route of `operation`, and returns the answer's JSON: for
    /// callers that have routes as data, such as a model's tools. Retried as that operation's own method would be, but no
    /// handle is kept: a first `navigate` that failed may have made a session, which the error names.
    ///
    /// # Errors
    /// [`Error`], after the retries.
    pub async fn send(&self, operation: Operation, body: &Map<String, Value>) -> Result<Value, Error> {
        let route = operation.route();
        let acts = routes::session::ALL.contains(&route) && routes::session::acts(route);
        let body = Bytes::from(serde_json::to_vec(body).expect("an object with string keys serializes to JSON"));
        let sent = Sent { operation, route, acts };
        // A call that made a session and failed would make another one.
        let opens = [routes::session::OPEN, routes::session::NAVIGATE].contains(&route);
        let may_retry = |error: &Error| {
            let made_a_session = opens && error.context().is_some_and(|context| context.session.is_some());
            may_retry(error, acts) && !made_a_session
        };
        self.retried(operation, || self.attempt(sent, body.clone()), may_retry).await
    }

    async fn call<T: DeserializeOwned>(
        &self,
        operation: Operation,
        route: &str,
        request: &impl Serialize,
    ) -> Result<T, Error> {
        let body = Bytes::from(serde_json::to_vec(request).expect("a request of the contract serializes to JSON"));
        let sent = Sent { operation, route, acts: false };
        self.retried(operation, || self.attempt(sent, body.clone()), Error::retryable).await
    }

    /// Makes attempts until one succeeds, `may_retry` refuses or the retries are used up; counts and reports the retries.
    pub(crate) async fn retried<T, A: Future<Output = Result<T, Error>>>(
        &self,
        operation: Operation,
        attempt: impl FnMut() -> A,
        may_retry: impl FnMut(&Error) -> bool,
    ) -> Result<T, Error> {
        let parts = &*self.0;
        let mut retries = 0;
        let started = (parts.clock)();

        let outcome = attempt
            .retry(Delays::new(Arc::clone(&parts.randomness)))
            .sleep(SleepWith(Arc::clone(&parts.sleeper)))
            .when(may_retry)
            .adjust(|error, scheduled| retry::wait(scheduled, error))
            .notify(|error, wait| {
                retries += 1;
                parts.counters.record_retry(operation);
                (parts.on_retry)(&Retry { operation, number: retries, wait, error });
            })
            .await;

        let elapsed_ms = (parts.clock)().saturating_duration_since(started).as_millis();
        let name = operation.name();
        match &outcome {
            Ok(_) => tracing::debug!(target: LOG_TARGET, "{name} ok {elapsed_ms}ms retries={retries}"),
            Err(error) => {
                tracing::debug!(target: LOG_TARGET, "{name} {} {elapsed_ms}ms retries={retries}", error.code());
            }
        }
        outcome
    }

    /// Sends one request, reads its answer and counts it.
    pub(crate) async fn attempt<T: DeserializeOwned>(&self, sent: Sent<'_>, body: Bytes) -> Result<T, Error> {
        let parts = &*self.0;
        let url = format!("{}{WORKER_PREFIX}{}", parts.base, sent.route);
        self.exchange(sent, parts.http.post(url).header(CONTENT_TYPE, "application/json").body(body)).await
    }

    /// The same with `GET` and a query.
    pub(crate) async fn attempt_get<T: DeserializeOwned>(
        &self,
        operation: Operation,
        route: &str,
        query: &[(&str, &str)],
    ) -> Result<T, Error> {
        let parts = &*self.0;
        let mut url = format!("{}{WORKER_PREFIX}{route}", parts.base);
        for (at, (name, value)) in query.iter().enumerate() {
            let value = utf8_percent_encode(value, NON_ALPHANUMERIC);
            url.push_str(&format!("{}{name}={value}", if at == 0 { '?' } else { '&' }));
        }
        self.exchange(Sent { operation, route, acts: false }, parts.http.get(url)).await
    }

    async fn exchange<T: DeserializeOwned>(
        &self,
        sent: Sent<'_>,
        request: reqwest::RequestBuilder,
    ) -> Result<T, Error> {
        let parts = &*self.0;
        let Sent { operation, acts, .. } = sent;
        let started = (parts.clock)();
        let request = request.header(ACCEPT, "application/json");
        let limits = Limits { timeout: parts.timeout, answer_max_bytes: answer_max_bytes(operation) };
        let outcome = match send_within(request, &parts.base, limits, acts).await {
            Ok(answer) => answer.read(&parts.base),
            Err(error) => Err(error),
        };
        let latency = (parts.clock)().saturating_duration_since(started);
        parts.counters.record(operation, outcome.as_ref().err(), latency);
        outcome
    }
}

/// What is sent where.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent<'a> {
    pub(crate) operation: Operation,
    pub(crate) route: &'a str,
    /// Whether the call may change something, so that it must not be repeated once it was sent.
    pub(crate) acts: bool,
}

#[derive(Clone, Copy)]
struct Limits {
    /// Only appears in errors: the HTTP client keeps it.
    timeout: Duration,
    answer_max_bytes: usize,
}

fn answer_max_bytes(operation: Operation) -> usize {
    match operation {
        Operation::SessionFiles => FILE_ANSWER_MAX_BYTES,
        // Five pictures.
        Operation::ToolsRun => TOOL_CALLS_MAX * ANSWER_MAX_BYTES,
        _ => ANSWER_MAX_BYTES,
    }
}

/// Sends a request and reads its whole answer. `base` and `timeout` only appear in errors.
pub(crate) async fn send(request: reqwest::RequestBuilder, base: &str, timeout: Duration) -> Result<Answer, Error> {
    send_within(request, base, Limits { timeout, answer_max_bytes: ANSWER_MAX_BYTES }, false).await
}

async fn send_within(
    request: reqwest::RequestBuilder,
    base: &str,
    limits: Limits,
    acts: bool,
) -> Result<Answer, Error> {
    let failed = |error: reqwest::Error| lost(&error, base, limits.timeout, acts);
    let mut response = request.send().await.map_err(failed)?;
    let status = response.status().as_u16();
    let headers = std::mem::take(response.headers_mut());
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(failed)? {
        if body.len() + chunk.len() > limits.answer_max_bytes {
            return Err(Error::UnexpectedAnswer {
                url: base.to_owned(),
                status,
                reason: format!("it is longer than {} bytes", limits.answer_max_bytes),
                request_id: String::new(),
            });
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Answer { status, headers, body })
}

fn lost(error: &reqwest::Error, base: &str, timeout: Duration, acts: bool) -> Error {
    let url = base.to_owned();
    let late = error.is_timeout() && !error.is_connect();
    if late && !acts {
        return Error::Timeout { url, after: timeout };
    }
    // reqwest's message has the whole URL and little else; the innermost cause is the useful part.
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    let cause = if late { format!("none within {} s", timeout.as_secs_f64()) } else { cause.to_string() };
    if acts && !error.is_connect() { Error::Unanswered { url, cause } } else { Error::Connection { url, cause } }
}
