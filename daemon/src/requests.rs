//! Counts and logs every request: its operation, code, latency and bytes sent.
//!
//! These metrics are common to all processes; each process registers its own in the same registry.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::body::{Body, HttpBody};
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use bytes::Bytes;
use http::{Method, StatusCode, header};
use hyper::body::{Frame, SizeHint};
use porthole_contract::ErrorCode;
use porthole_contract::metrics::{Metrics, Operation, OperationStats};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use crate::answer::failure_of;
use crate::request_id::{RequestId, Spans};
use crate::trace;

/// Buckets of the latency histogram, in seconds: a refusal takes milliseconds, a request at most its 60 s. Only
/// requests that the worker gives up take longer.
pub const LATENCY_BUCKETS_SECONDS: [f64; 15] =
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 40.0, 60.0];

/// The `code` label of a success.
const OK: &str = "OK";

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Ended {
    operation: &'static str,
    code: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfOperation {
    operation: &'static str,
}

/// Counts requests. Clones share the same counters.
#[derive(Clone)]
pub struct Requests(Arc<Counts>);

struct Counts {
    started: Instant,
    total: Family<Ended, Counter>,
    duration_seconds: Family<OfOperation, Histogram, fn() -> Histogram>,
    bytes_out: Counter,
    in_flight: Family<OfOperation, Gauge>,
    abandoned: Family<OfOperation, Counter>,
    stats: Mutex<[OperationStats; Operation::ALL.len()]>,
}

impl Requests {
    /// Registers and counts into these metrics: `porthole_requests_total`, `porthole_request_duration_seconds`,
    /// `porthole_bytes_out_total`, `porthole_requests_in_flight` and `porthole_requests_abandoned_total`.
    #[must_use]
    pub fn register(registry: &mut Registry) -> Self {
        let counts = Counts {
            started: Instant::now(),
            total: Family::default(),
            duration_seconds: Family::new_with_constructor(|| Histogram::new(LATENCY_BUCKETS_SECONDS)),
            bytes_out: Counter::default(),
            in_flight: Family::default(),
            abandoned: Family::default(),
            stats: Mutex::default(),
        };
        registry.register("porthole_requests", "Requests that ended, by operation and code", counts.total.clone());
        registry.register(
            "porthole_request_duration_seconds",
            "Time from a request's head to the end of its answer",
            counts.duration_seconds.clone(),
        );
        registry.register("porthole_bytes_out", "Bytes of answers' bodies", counts.bytes_out.clone());
        registry.register("porthole_requests_in_flight", "Requests being answered", counts.in_flight.clone());
        registry.register(
            "porthole_requests_abandoned",
            "Requests whose caller left before the answer was sent; no other metric counts them",
            counts.abandoned.clone(),
        );
        for operation in Operation::ALL {
            // Series must exist from the start for alerts to see their first increase.
            drop(counts.total.get_or_create(&Ended { operation: operation.name(), code: OK }));
            let of_operation = OfOperation { operation: operation.name() };
            drop(counts.duration_seconds.get_or_create(&of_operation));
            drop(counts.in_flight.get_or_create(&of_operation));
            drop(counts.abandoned.get_or_create(&of_operation));
        }
        Self(Arc::new(counts))
    }

    /// Counts a request that ended after `lasted`, with a code if it failed.
    pub fn record(&self, operation: Operation, failed_with: Option<ErrorCode>, lasted: Duration) {
        let (name, code) = (operation.name(), failed_with.map_or(OK, ErrorCode::name));
        self.0.total.get_or_create(&Ended { operation: name, code }).inc();
        self.0.duration_seconds.get_or_create(&OfOperation { operation: name }).observe(lasted.as_secs_f64());
        let mut stats = self.0.stats.lock().unwrap_or_else(PoisonError::into_inner);
        stats[operation as usize].record(failed_with, whole_ms(lasted));
    }

    /// Begins work that counts as a request of this operation though it came as a part of another request.
    #[must_use]
    pub fn begin(&self, operation: Operation) -> Begun {
        Begun { in_flight: Some(self.in_flight(operation)), began: Instant::now() }
    }

    fn in_flight(&self, operation: Operation) -> InFlight {
        self.0.in_flight.get_or_create(&OfOperation { operation: operation.name() }).inc();
        InFlight { requests: self.clone(), operation }
    }

    fn abandoned(&self, operation: Operation) {
        self.0.abandoned.get_or_create(&OfOperation { operation: operation.name() }).inc();
    }

    /// Fills the fields of `metrics` that every process has: `operations`, `bytes_out` and `uptime_s`.
    pub fn fill(&self, metrics: &mut Metrics) {
        let stats = self.0.stats.lock().unwrap_or_else(PoisonError::into_inner);
        metrics.operations = Operation::ALL
            .into_iter()
            .zip(&*stats)
            .map(|(operation, stats)| (operation.name().to_owned(), stats.snapshot()))
            .collect();
        metrics.bytes_out = self.0.bytes_out.get();
        metrics.uptime_s = self.0.started.elapsed().as_secs();
    }
}

/// Counts a request as in flight until dropped.
struct InFlight {
    requests: Requests,
    operation: Operation,
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.requests.0.in_flight.get_or_create(&OfOperation { operation: self.operation.name() }).dec();
    }
}

/// Work that counts as a request. Dropped before its end it counts as abandoned.
pub struct Begun {
    in_flight: Option<InFlight>,
    began: Instant,
}

impl Begun {
    /// Counts the end, with a code if it failed.
    pub fn end(mut self, failed_with: Option<ErrorCode>) {
        if let Some(in_flight) = self.in_flight.take() {
            in_flight.requests.record(in_flight.operation, failed_with, self.began.elapsed());
        }
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        if let Some(in_flight) = self.in_flight.take() {
            in_flight.requests.abandoned(in_flight.operation);
        }
    }
}

fn whole_ms(time: Duration) -> u64 {
    time.as_millis().try_into().unwrap_or(u64::MAX)
}

/// The code of a failure that was passed on from another process, for the counters; its body is already written.
#[derive(Clone, Copy, Debug)]
pub struct PassedOn(pub ErrorCode);

/// State of the accounting layer.
#[derive(Clone)]
pub(crate) struct Account {
    pub(crate) requests: Requests,
    pub(crate) operation_of: fn(&str) -> Option<Operation>,
}

/// Counts and logs the request once its answer's body has ended, or its caller has left.
pub(crate) async fn keep_account(State(account): State<Account>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    // Logs only the matched route: a caller's path may contain anything, secrets included.
    let operation = route.filter(|_| request.method() == Method::POST).and_then(account.operation_of);
    let mut entry = Entry {
        operation,
        in_flight: operation.map(|operation| account.requests.in_flight(operation)),
        requests: account.requests,
        method: request.method().clone(),
        route: route.unwrap_or("-").to_owned(),
        request_id: request.extensions().get().map(RequestId::to_string).unwrap_or_default(),
        spans: request.extensions().get().cloned(),
        began: Instant::now(),
        status: None,
        failed_with: None,
        bytes_out: 0,
        written: false,
    };
    let response = next.run(request).await;
    entry.status = Some(response.status());
    entry.failed_with = failure_of(&response)
        .map(|failure| failure.code)
        .or_else(|| response.extensions().get::<PassedOn>().map(|passed_on| passed_on.0));
    let length = response.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if response.body().is_end_stream() || entry.method == Method::HEAD {
        entry.write(End::Sent);
    }
    response.map(|body| Body::new(Counted { body, length, entry }))
}

#[derive(Clone, Copy)]
enum End {
    Sent,
    Broken,
    CallerLeft,
}

/// A request's log line and counts.
struct Entry {
    requests: Requests,
    operation: Option<Operation>,
    in_flight: Option<InFlight>,
    method: Method,
    route: String,
    request_id: String,
    spans: Option<Spans>,
    began: Instant,
    status: Option<StatusCode>,
    failed_with: Option<ErrorCode>,
    bytes_out: u64,
    written: bool,
}

impl Entry {
    fn write(&mut self, end: End) {
        if std::mem::replace(&mut self.written, true) {
            return;
        }
        let lasted = self.began.elapsed();
        if matches!(end, End::Broken) && self.failed_with.is_none() {
            // Our own answers are complete before they are sent; only one streamed from the service can break.
            self.failed_with = Some(ErrorCode::ServiceUnavailable);
        }
        drop(self.in_flight.take());
        match (self.operation, end) {
            (Some(operation), End::Sent | End::Broken) => self.requests.record(operation, self.failed_with, lasted),
            // The contract has no code for a caller that left, since no answer was sent.
            (Some(operation), End::CallerLeft) => self.requests.abandoned(operation),
            (None, _) => {}
        }
        // The answer's body ends outside of the request's spans, so the log span is entered again.
        let spans = self.spans.take();
        if let (Some(spans), Some(status)) = (&spans, self.status) {
            trace::ended(&spans.exported, status.as_u16(), self.failed_with.map(ErrorCode::name));
        }
        let _entered = spans.as_ref().map(|spans| spans.log.enter());
        let message = match end {
            End::Sent => "answered",
            End::Broken => "the answer broke off",
            End::CallerLeft => "the caller left",
        };
        let code = self.failed_with.map_or(OK, ErrorCode::name);
        let status = self.status.map(|status| status.as_u16());
        macro_rules! line {
            ($level:ident) => {
                tracing::$level!(
                    request_id = self.request_id,
                    method = %self.method,
                    route = self.route,
                    status,
                    code,
                    latency_ms = whole_ms(lasted),
                    bytes_out = self.bytes_out,
                    "{message}"
                )
            };
        }
        match (self.operation, self.failed_with, status) {
            (_, Some(_), Some(500..)) => line!(warn),
            // Documents and probes: frequent, and rarely of interest.
            (None, None, _) => line!(debug),
            _ => line!(info),
        }
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.write(End::CallerLeft);
    }
}

/// An answer's body that counts its bytes.
struct Counted {
    body: Body,
    /// The `Content-Length`: hyper does not poll the body again after that many bytes.
    length: Option<u64>,
    entry: Entry,
}

impl HttpBody for Counted {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let frame = std::task::ready!(Pin::new(&mut self.body).poll_frame(context));
        match &frame {
            Some(Ok(frame)) => {
                let bytes = frame.data_ref().map_or(0, Bytes::len) as u64;
                self.entry.bytes_out += bytes;
                self.entry.requests.0.bytes_out.inc_by(bytes);
                // Counted before its last byte is sent, so that a caller with the whole answer finds it in the metrics.
                if self.body.is_end_stream() || self.length.is_some_and(|length| self.entry.bytes_out >= length) {
                    self.entry.write(End::Sent);
                }
            }
            Some(Err(_broken)) => self.entry.write(End::Broken),
            None => self.entry.write(End::Sent),
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
