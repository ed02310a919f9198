//! The routes: Browserbase's, the WebSocket, and the emulator's own.

mod answer;
mod connect;
mod control;
mod emulator;
mod projects;
mod reach;
mod sessions;
mod shown;

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::{DefaultBodyLimit, MatchedPath, Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{any, get, post};
use http::StatusCode;

use self::answer::ApiError;
pub(crate) use self::emulator::Emulator;
pub(crate) use self::reach::{Reach, host};

/// Largest request body that is read, in bytes.
const BODY_MAX_BYTES: usize = 256 * 1024;

/// Builds the router with every route.
pub(crate) fn router(emulator: Arc<Emulator>) -> Router {
    let behind_key = Router::new()
        .route("/v1/sessions", get(sessions::list).post(sessions::create))
        .route("/v1/sessions/{id}", get(sessions::retrieve).post(sessions::update))
        .route("/v1/sessions/{id}/debug", get(sessions::debug))
        .route("/v1/sessions/{id}/logs", get(sessions::logs))
        .route("/v1/projects", get(projects::list))
        .route("/v1/projects/{id}", get(projects::retrieve))
        .route("/v1/projects/{id}/usage", get(projects::usage))
        .route("/__emulator/faults", get(control::faults).post(control::add).delete(control::clear))
        .route("/__emulator/ledger", get(control::ledger))
        .route("/__emulator/sessions/{id}/kill", post(control::kill))
        .route("/__emulator/sessions/{id}/expire", post(control::expire))
        .layer(from_fn_with_state(Arc::clone(&emulator), ask_for_key));
    Router::new()
        .merge(behind_key)
        .route("/", get(connect::connect))
        .route("/debug/{id}/{key}/devtools/browser", get(connect::observe))
        .route("/debug/{id}/{key}/devtools/page/{page}", get(connect::observe_page))
        .route("/webdriver", any(no_selenium))
        .route("/webdriver/{*rest}", any(no_selenium))
        .route("/healthz", get(async || axum::Json(serde_json::json!({"ok": true}))))
        .fallback(async || ApiError::not_found("No such route"))
        .method_not_allowed_fallback(async || ApiError::not_found("This route has another method"))
        .layer(DefaultBodyLimit::max(BODY_MAX_BYTES))
        .layer(from_fn_with_state(Arc::clone(&emulator), judge_reach))
        .layer(from_fn(log))
        .with_state(emulator)
}

/// Refuses requests with a foreign `Host` or `Origin`, on every route.
async fn judge_reach(State(emulator): State<Arc<Emulator>>, request: Request, next: Next) -> Response {
    match emulator.reach.admits(&request) {
        Ok(()) => next.run(request).await,
        Err(why) => {
            tracing::warn!(why, "a request was refused");
            ApiError::new(StatusCode::FORBIDDEN, why).into_response()
        }
    }
}

async fn ask_for_key(State(emulator): State<Arc<Emulator>>, request: Request, next: Next) -> Response {
    if emulator.keys.admit(request.headers()) {
        return next.run(request).await;
    }
    ApiError::unauthorized("Unauthorized: X-BB-API-Key is missing or unknown").into_response()
}

async fn no_selenium() -> ApiError {
    ApiError::not_implemented("Selenium is not emulated; use connectUrl")
}

/// Logs one line per request, without its query and path, which may hold a signing key.
async fn log(request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().map_or("(none)", MatchedPath::as_str).to_owned();
    let method = request.method().clone();
    let began = Instant::now();
    let response = next.run(request).await;
    let latency_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    tracing::info!(%method, route, status = response.status().as_u16(), latency_ms, "answered");
    response
}
