//! `GET /?signingKey=…`: a WebSocket to a session's browser; and the WebSockets behind `debuggerUrl`, for observers.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse as _, Response};
use http::StatusCode;
use porthole_daemon::logs::with_causes;

use super::answer::{ApiError, closed};
use super::emulator::Emulator;
use crate::browser::{BrowserError, Connected, Endpoint};
use crate::connection::{self, Upgrade};
use crate::faults::{ConnectFault, Place};
use crate::keys;
use crate::session::Session;

pub(super) async fn connect(State(emulator): State<Arc<Emulator>>, mut request: Request) -> Response {
    let Some(upgrade) = connection::upgrade(&mut request) else {
        return not_a_websocket().into_response();
    };
    emulator.requests.count(Place::Connect);
    let due = emulator.faults.for_connection();
    match due.fault {
        Some(ConnectFault::Hang) => return std::future::pending().await,
        Some(ConnectFault::Refuse) => return closed(),
        Some(ConnectFault::Status { code }) => {
            let status = StatusCode::from_u16(code).unwrap_or(StatusCode::BAD_GATEWAY);
            return ApiError::new(status, "This failure was asked for").into_response();
        }
        _ => {}
    }
    let query = request.uri().query().unwrap_or_default();
    let key = url::form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "signingKey");
    let Some(session) = key.and_then(|(_, key)| emulator.sessions.by_signing_key(&key)) else {
        return ApiError::unauthorized("signingKey is missing or unknown").into_response();
    };
    let Some((held, endpoint)) = session.socket() else {
        return gone().into_response();
    };
    match endpoint.connect().await {
        Ok(browser) => {
            let granted = upgrade.granted();
            emulator.sessions.run(connection::serve(session, held, upgrade, browser, due));
            granted
        }
        Err(error) => unreachable(&error),
    }
}

pub(super) async fn observe(
    State(emulator): State<Arc<Emulator>>,
    Path((id, key)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    let (session, endpoint, upgrade) = observer(&emulator, &id, &key, request)?;
    Ok(answer_observer(&emulator, session, endpoint.connect().await, upgrade))
}

pub(super) async fn observe_page(
    State(emulator): State<Arc<Emulator>>,
    Path((id, key, page)): Path<(String, String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    let (session, endpoint, upgrade) = observer(&emulator, &id, &key, request)?;
    if !page.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Err(ApiError::not_found("Page not found"));
    }
    Ok(answer_observer(&emulator, session, endpoint.connect_page(&page).await, upgrade))
}

fn observer(
    emulator: &Emulator,
    id: &str,
    key: &str,
    mut request: Request,
) -> Result<(Arc<Session>, Endpoint, Upgrade), ApiError> {
    let upgrade = connection::upgrade(&mut request).ok_or_else(not_a_websocket)?;
    let session = emulator.session(id)?;
    if !keys::same(&session.signing_key, key) {
        return Err(ApiError::unauthorized("The key is not this session's"));
    }
    let endpoint = session.state().endpoint.ok_or_else(gone)?;
    Ok((session, endpoint, upgrade))
}

fn answer_observer(
    emulator: &Emulator,
    session: Arc<Session>,
    browser: Result<Connected, BrowserError>,
    upgrade: Upgrade,
) -> Response {
    match browser {
        Ok(browser) => {
            let granted = upgrade.granted();
            emulator.sessions.run(connection::observe(session, upgrade, browser));
            granted
        }
        Err(error) => unreachable(&error),
    }
}

fn unreachable(error: &BrowserError) -> Response {
    tracing::warn!(error = with_causes(error), "a session's browser can't be reached");
    ApiError::new(StatusCode::BAD_GATEWAY, "The session's browser can't be reached").into_response()
}

fn not_a_websocket() -> ApiError {
    ApiError::new(StatusCode::UPGRADE_REQUIRED, "This route only accepts WebSocket upgrades")
}

fn gone() -> ApiError {
    ApiError::new(StatusCode::GONE, "The session is over")
}
