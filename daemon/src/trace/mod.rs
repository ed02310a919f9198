//! Traces: the trace of each request (W3C Trace Context), and the spans that are exported.
//!
//! Every request has a trace, exported or not: its id is in the log and is passed on with the process's own requests.
//! Only spans with the target [`SPANS`] are exported. Their fields leave the machine, so they must contain no URL
//! beyond scheme and host, no key, no token, and nothing that a page or a caller wrote.

mod context;
mod export;
mod otlp;

pub use context::TraceContext;
pub use export::{Export, OTLP_ENDPOINT, OTLP_HEADERS};
use http::Method;
use opentelemetry::trace::TraceContextExt as _;
use tracing::Span;
use tracing::field::Empty;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

/// The target of exported spans. The log does not show them.
pub const SPANS: &str = "porthole::spans";

/// Makes the span of a request to this process; it continues the caller's trace.
pub(crate) fn answering(method: &Method, route: &str, request_id: &str, caller: Option<&TraceContext>) -> Span {
    let span = tracing::info_span!(
        target: SPANS,
        "answer",
        otel.name = format!("{method} {route}"),
        otel.kind = "server",
        otel.status_code = Empty,
        "http.request.method" = %method,
        "http.route" = route,
        "http.response.status_code" = Empty,
        "error.type" = Empty,
        "porthole.request_id" = request_id,
    );
    if let Some(caller) = caller {
        // Fails only if nothing is exported.
        let _ = span.set_parent(opentelemetry::Context::new().with_remote_span_context(caller.as_span().clone()));
    }
    span
}

/// Makes the span of a request to the route `path` of another process.
#[must_use]
pub fn asking(method: &Method, path: &str, host: &str) -> Span {
    tracing::info_span!(
        target: SPANS,
        "ask",
        otel.name = format!("{method} {path}"),
        otel.kind = "client",
        otel.status_code = Empty,
        "http.request.method" = %method,
        "http.response.status_code" = Empty,
        "error.type" = Empty,
        "server.address" = host,
    )
}

/// Records the outcome of a request of [`answering`] or [`asking`]. Only statuses from 500 mark the span as an error.
pub fn ended(span: &Span, status: u16, failed_with: Option<&str>) {
    span.record("http.response.status_code", status);
    if let Some(failed_with) = failed_with {
        span.record("error.type", failed_with);
    }
    if status >= 500 {
        span.record("otel.status_code", "ERROR");
    }
}

/// Records that a request of [`asking`] got no answer, with the code for that.
pub fn failed(span: &Span, code: &str) {
    span.record("error.type", code);
    span.record("otel.status_code", "ERROR");
}

/// Returns the context to pass on from inside `span`: the span's own if it is exported, else `otherwise`.
#[must_use]
pub fn passed_on(span: &Span, otherwise: &TraceContext) -> TraceContext {
    let exported = span.context().span().span_context().clone();
    if exported.is_valid() { TraceContext::from_span(exported) } else { otherwise.clone() }
}
