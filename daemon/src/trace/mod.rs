//! Traces: whose trace a request belongs to (W3C Trace Context), and the spans that are exported.
//!
//! Every request has a trace, exported or not: its id stands in the log and goes on with what the process itself asks
//! for. Spans are those of [`SPANS`] alone. Whoever makes one decides what leaves the house: no URL but its scheme and
//! host, no key, no token, nothing that a page or a caller wrote.

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

/// The target of the spans that are exported. The log does not show them.
pub const SPANS: &str = "porthole::spans";

/// The span of a request that is answered here: it goes on with the caller's trace.
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
        // Nothing to hear where nothing is exported.
        let _ = span.set_parent(opentelemetry::Context::new().with_remote_span_context(caller.as_span().clone()));
    }
    span
}

/// The span of a request that is sent to another process, to the route `path` of its.
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

/// Says how a request of [`answering`] or [`asking`] ended. Where we answer, a caller's own mistake is no error of ours.
pub fn ended(span: &Span, status: u16, failed_with: Option<&str>) {
    span.record("http.response.status_code", status);
    if let Some(failed_with) = failed_with {
        span.record("error.type", failed_with);
    }
    if status >= 500 {
        span.record("otel.status_code", "ERROR");
    }
}

/// Says that a request of [`asking`] had no answer, and the code for that.
pub fn failed(span: &Span, code: &str) {
    span.record("error.type", code);
    span.record("otel.status_code", "ERROR");
}

/// What is passed on from inside `span`: itself where it is exported, and `otherwise` where nothing is.
#[must_use]
pub fn passed_on(span: &Span, otherwise: &TraceContext) -> TraceContext {
    let exported = span.context().span().span_context().clone();
    if exported.is_valid() { TraceContext::from_span(exported) } else { otherwise.clone() }
}
