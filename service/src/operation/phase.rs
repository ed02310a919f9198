//! The phases of a request, as spans that are exported: `queue`, `lease`, `navigate`, `settle`, `capture`.
//!
//! A span has only the scheme and host of a page's URL: paths and queries hold user input and keys.

use std::future::Future;

use porthole_daemon::trace::SPANS;
use tracing::field::Empty;
use tracing::{Instrument as _, Span};
use url::Url;

/// Does the work of one phase in a span of its own, which records whether it failed.
pub(super) async fn phase<T, E>(name: &str, work: impl Future<Output = Result<T, E>>) -> Result<T, E> {
    in_span(span(name), work).await
}

/// Same as [`phase`], for work on a page of this URL.
pub(super) async fn phase_at<T, E>(name: &str, url: &Url, work: impl Future<Output = Result<T, E>>) -> Result<T, E> {
    let span = span(name);
    span.record("url.scheme", url.scheme());
    span.record("server.address", url.host_str().unwrap_or_default());
    in_span(span, work).await
}

fn span(name: &str) -> Span {
    tracing::info_span!(
        target: SPANS,
        "phase",
        otel.name = name,
        otel.status_code = Empty,
        "url.scheme" = Empty,
        "server.address" = Empty,
    )
}

async fn in_span<T, E>(span: Span, work: impl Future<Output = Result<T, E>>) -> Result<T, E> {
    let done = work.instrument(span.clone()).await;
    if done.is_err() {
        span.record("otel.status_code", "ERROR");
    }
    done
}
