//! The routes of sessions. Each reads its request (`received`), runs as one call of its session, and answers with what
//! every answer has.

mod act;
mod content;
mod manage;
mod open;
mod received;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::post;
use porthole_contract::limits::{INJECTED_MAX_BYTES, UPLOAD_BODY_MAX_BYTES};
use porthole_contract::routes::session as routes;

use super::Routes;

/// The largest body that the worker may pass on to a route of sessions, in bytes.
const BODY_MAX_BYTES: usize = UPLOAD_BODY_MAX_BYTES + INJECTED_MAX_BYTES;

/// The routes of sessions.
pub(super) fn router() -> Router<Routes> {
    Router::new()
        .route(routes::OPEN, post(open::open))
        .route(routes::NAVIGATE, post(open::navigate))
        .route(routes::SNAPSHOT, post(act::snapshot))
        .route(routes::CLICK, post(act::click))
        .route(routes::TYPE, post(act::type_text))
        .route(routes::PRESS, post(act::press))
        .route(routes::HOVER, post(act::hover))
        .route(routes::SELECT, post(act::select))
        .route(routes::CHECK, post(act::check))
        .route(routes::DRAG, post(act::drag))
        .route(routes::SCROLL, post(act::scroll))
        .route(routes::UPLOAD, post(act::upload))
        .route(routes::WAIT, post(act::wait))
        .route(routes::INTERACT, post(act::interact))
        .route(routes::SCREENSHOT, post(act::screenshot))
        .route(routes::EXTRACT, post(act::extract))
        .route(routes::DIALOG, post(manage::dialog))
        .route(routes::TABS, post(manage::tabs))
        .route(routes::FILES, post(manage::files))
        .route(routes::STATE, post(manage::state))
        .route(routes::STATUS, post(manage::status))
        .route(routes::VIEWER, post(manage::viewer))
        .route(routes::CLOSE, post(manage::close))
        .layer(DefaultBodyLimit::max(BODY_MAX_BYTES))
}
