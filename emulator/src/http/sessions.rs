//! `/v1/sessions`: create, list, retrieve, update, debug, logs.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, RawQuery, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use porthole_daemon::logs::with_causes;
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};

use super::answer::{ApiError, afterwards, instead, with_standing};
use super::emulator::Emulator;
use super::shown;
use crate::faults::{ApiDue, ApiFault, Place};
use crate::session::query::Query;
use crate::session::registry::CreateError;
use crate::session::request::{self, CreateRequest};
use crate::session::{Session, Status};

/// Handles a request with the faults that are due at this place.
async fn struck(emulator: &Emulator, place: Place, ask: impl AsyncFnOnce(&ApiDue) -> Response) -> Response {
    emulator.requests.count(place);
    let due = emulator.faults.for_api(place);
    tokio::time::sleep(due.slow).await;
    match instead(due.fault.as_ref()).await {
        Some(response) => response,
        None => {
            let response = ask(&due).await;
            afterwards(due.fault.as_ref(), response).await
        }
    }
}

pub(super) async fn create(State(emulator): State<Arc<Emulator>>, body: Bytes) -> Response {
    struck(&emulator, Place::Create, async |due| {
        let request = match CreateRequest::read(&body, &emulator.sessions.lifetimes) {
            Ok(request) => request,
            Err(error) => return ApiError::bad_request(error.to_string()).into_response(),
        };
        let project = match emulator.project(request.project_id.as_deref()) {
            Ok(project) => project,
            Err(error) => return error.into_response(),
        };
        let is_unreachable = due.fault == Some(ApiFault::UnreachableConnectUrl);
        match emulator.sessions.create(project, request, request::shown(&body), is_unreachable).await {
            Ok((session, standing)) => {
                let shown = shown::session_with_way_in(&emulator, &session);
                with_standing((StatusCode::CREATED, Json(shown)).into_response(), standing)
            }
            Err(error) => not_created(&error),
        }
    })
    .await
}

fn not_created(error: &CreateError) -> Response {
    match error {
        CreateError::PerMinute(standing) | CreateError::Concurrency { standing, .. } => {
            let refusal = ApiError::new(StatusCode::TOO_MANY_REQUESTS, error.to_string());
            with_standing(refusal.retry_after(Some(standing.reset_s)).into_response(), *standing)
        }
        CreateError::Ending => ApiError::new(StatusCode::SERVICE_UNAVAILABLE, error.to_string()).into_response(),
        CreateError::Random(_) | CreateError::Port(_) | CreateError::Browser(_) => {
            tracing::error!(error = with_causes(error), "a session could not be created");
            ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, with_causes(error)).into_response()
        }
    }
}

pub(super) async fn list(State(emulator): State<Arc<Emulator>>, RawQuery(query): RawQuery) -> Response {
    struck(&emulator, Place::List, async |_| {
        let (mut status, mut metadata) = (None, None);
        for (name, value) in url::form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
            match &*name {
                "status" => match Status::parse(&value) {
                    Some(known) => status = Some(known),
                    None => return ApiError::bad_request("querystring/status must be a status").into_response(),
                },
                "q" => match Query::parse(&value) {
                    Ok(query) => metadata = Some(query),
                    Err(error) => return ApiError::bad_request(error.to_string()).into_response(),
                },
                _ => {}
            }
        }
        let fits = |session: &&Arc<Session>| {
            status.is_none_or(|status| session.state().status == status)
                && metadata.as_ref().is_none_or(|query| query.fits(session.user_metadata.as_ref()))
        };
        let sessions = emulator.sessions.all();
        Json(sessions.iter().filter(fits).map(|session| shown::session(session)).collect::<Vec<_>>()).into_response()
    })
    .await
}

pub(super) async fn retrieve(State(emulator): State<Arc<Emulator>>, Path(id): Path<String>) -> Response {
    struck(&emulator, Place::Get, async |_| match emulator.session(&id) {
        Ok(session) => Json(shown::session_with_way_in(&emulator, &session)).into_response(),
        Err(error) => error.into_response(),
    })
    .await
}

pub(super) async fn update(State(emulator): State<Arc<Emulator>>, Path(id): Path<String>, body: Bytes) -> Response {
    if let Some(session) = emulator.sessions.get(&id) {
        session.release_requested();
    }
    struck(&emulator, Place::Release, async |_| {
        let asked: Value = serde_json::from_slice(&body).unwrap_or_default();
        if asked["status"] != "REQUEST_RELEASE" {
            return ApiError::bad_request("body/status must be equal to constant REQUEST_RELEASE").into_response();
        }
        let session = match emulator.session(&id) {
            Ok(session) => session,
            Err(error) => return error.into_response(),
        };
        if asked.get("projectId").is_some_and(|project| *project != session.project_id) {
            return ApiError::not_found(format!("Session {id} not found in this project")).into_response();
        }
        session.release();
        Json(shown::session(&session)).into_response()
    })
    .await
}

pub(super) async fn debug(
    State(emulator): State<Arc<Emulator>>,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let session = emulator.session(&id)?;
    let gone = || ApiError::new(StatusCode::GONE, format!("Session {id} is not running"));
    let endpoint = session.state().endpoint.ok_or_else(gone)?;
    let pages = endpoint.pages().await.map_err(|error| {
        tracing::warn!(error = with_causes(&error), "a browser did not list its pages");
        gone()
    })?;
    let key = session.signing_key.expose_secret();
    let way_in = format!("{}/debug/{id}/{key}/devtools", emulator.reach.authority());
    // The front end that is built into desktop Chromium; the emulator serves none of its own.
    let front_end =
        |path: &str| format!("devtools://devtools/bundled/inspector.html?{}={way_in}/{path}", emulator.scheme("ws"));
    let page = |page: &crate::browser::Target| {
        let url = front_end(&format!("page/{}", page.id));
        json!({
            "id": page.id, "url": page.url, "title": page.title, "faviconUrl": page.favicon_url,
            "debuggerUrl": url, "debuggerFullscreenUrl": url,
        })
    };
    let first = pages.first().map_or_else(|| front_end("browser"), |page| front_end(&format!("page/{}", page.id)));
    Ok(Json(json!({
        "debuggerUrl": first,
        "debuggerFullscreenUrl": first,
        "wsUrl": format!("{}://{way_in}/browser", emulator.scheme("ws")),
        "pages": pages.iter().map(page).collect::<Vec<_>>(),
    })))
}

pub(super) async fn logs(
    State(emulator): State<Arc<Emulator>>,
    Path(id): Path<String>,
) -> Result<Json<Vec<Value>>, ApiError> {
    let session = emulator.session(&id)?;
    Ok(Json(session.traffic.as_ref().map(|traffic| traffic.logs(&id)).unwrap_or_default()))
}
