//! The admin listener: metrics as text and as JSON, liveness, readiness.

use std::future::Future;
use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use http::{HeaderMap, StatusCode, header};
use porthole_contract::metrics::Metrics;
use porthole_contract::{ErrorCode, Failure, routes};
use prometheus_client::registry::Registry;
use tokio_util::sync::CancellationToken;

use crate::answer::Refused;
use crate::listen::{Limits, Listener};
use crate::web_pages::Hosts;
use crate::{exposition, layers};

/// A process as the admin listener sees it.
pub trait Process: Send + Sync + 'static {
    /// Returns the registry with current metrics.
    fn registry(&self) -> &Registry;

    /// Returns the metrics for JSON.
    fn metrics(&self) -> Metrics;

    /// Checks whether a request would be accepted now. The failure's details have the reason if not.
    fn ready(&self) -> impl Future<Output = Result<(), Failure>> + Send;
}

/// Serves the admin routes on `listener` until `shutdown`. Refuses foreign web pages: a listener on loopback requires a
/// loopback `Host`.
pub async fn serve<P: Process>(listener: Listener, process: Arc<P>, shutdown: CancellationToken) {
    let hosts = Hosts::of_listener(listener.addr());
    listener.serve(layers::around_admin(router(process), hosts), Limits::admin(), shutdown).await;
}

fn router<P: Process>(process: Arc<P>) -> Router {
    let metrics = Router::new()
        .route(routes::METRICS, get(metrics_text::<P>))
        .route(routes::API_METRICS, get(metrics_json::<P>))
        .with_state(Arc::clone(&process));
    metrics.merge(health_router(process))
}

/// Builds a router with `/healthz` and `/readyz` only, without layers, for a main listener that also has these routes.
pub fn health_router<P: Process>(process: Arc<P>) -> Router {
    Router::new().route(routes::HEALTHZ, get(healthz)).route(routes::READYZ, get(readyz::<P>)).with_state(process)
}

async fn metrics_text<P: Process>(State(process): State<Arc<P>>, headers: HeaderMap) -> Result<Response, Refused> {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let format = exposition::Format::preferred(accept);
    let text = exposition::write(process.registry(), format)
        .map_err(|error| Refused::new(ErrorCode::Internal, format!("the metrics can't be written: {error}")))?;
    Ok(([(header::CONTENT_TYPE, format.content_type())], text).into_response())
}

async fn metrics_json<P: Process>(State(process): State<Arc<P>>) -> Json<Metrics> {
    Json(process.metrics())
}

async fn healthz() -> Json<serde_json::Value> {
    Json(serde_json::json!({"ok": true}))
}

async fn readyz<P: Process>(State(process): State<Arc<P>>) -> Response {
    match process.ready().await {
        Ok(()) => healthz().await.into_response(),
        // Always 503, which probes understand. The failure's own status may be another.
        Err(failure) => (StatusCode::SERVICE_UNAVAILABLE, Refused(failure)).into_response(),
    }
}
