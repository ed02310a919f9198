//! The HTTP routes, one file each; `session` groups those of sessions. Uses operations, never the browser.

mod accept;
mod client;
mod create;
mod extract;
mod failure;
mod live;
mod screenshot;
mod session;
mod state;

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Json, Router};
use porthole_contract::limits::SERVICE_TIMEOUT;
use porthole_contract::{ErrorCode, openapi, routes};
use porthole_daemon::answer::Refused;
use porthole_daemon::bearer::BearerKeys;

pub use self::state::Routes;
use self::state::read;

impl Routes {
    /// Builds the main listener's routes. `health` answers whether a request would be accepted, for the worker's own
    /// readiness.
    pub fn router(self, health: Router) -> Router {
        let keys = Arc::clone(&self.service_keys);
        Router::new()
            .route(routes::CREATE, post(create::create))
            .route(routes::TENANT, post(create::tenant))
            .route(routes::SCREENSHOT, post(screenshot::screenshot))
            .route(routes::EXTRACT, post(extract::extract))
            .route(routes::LIVE, get(live::live))
            .merge(session::router())
            .with_state(self)
            .route_layer(from_fn(client::name_client))
            .merge(health)
            .route_layer(from_fn(end_in_time))
            .route_layer(from_fn_with_state(keys, require_service_key))
            .route(routes::OPENAPI, get(async || Json(openapi::service())))
    }
}

/// Refuses requests without the service's key, if one is set: only the worker has it.
async fn require_service_key(State(keys): State<Arc<BearerKeys>>, request: Request, next: Next) -> Response {
    if keys.is_empty() || keys.presented(request.headers()).is_some() {
        next.run(request).await
    } else {
        keys.refusal()
    }
}

/// Ends a request as the last resort: every part of it has a limit of its own that ends sooner, and the worker waits
/// longer.
async fn end_in_time(request: Request, next: Next) -> Result<Response, Refused> {
    let details = || format!("the service did not end the request within {} s", SERVICE_TIMEOUT.as_secs());
    tokio::time::timeout(SERVICE_TIMEOUT, next.run(request))
        .await
        .map_err(|_| Refused::new(ErrorCode::DeadlineExceeded, details()))
}
