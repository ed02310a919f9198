//! The routes about a session as a whole: dialog, tabs, status and close.

use std::time::Duration;

use axum::Json;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use porthole_contract::routes::{LIVE, PUBLIC_URL_HEADER};
use porthole_contract::session::{
    Acted, CloseRequest, Closed, DialogRequest, FilesRequest, LoadState, SessionAnswer, SessionRequest as _,
    State as StorageStateAnswer, StateRequest, Status, StatusRequest, Tabs, TabsAction, TabsRequest, ViewerAnswer,
    ViewerRequest,
};
use porthole_daemon::answer::Refused;
use secrecy::ExposeSecret as _;

use super::content::with_content;
use super::received::{Parts, Received};
use crate::http::{Routes, failure};
use crate::session::{Destination, Kind, SessionError};

pub(super) async fn dialog(
    State(routes): State<Routes>,
    parts: Parts,
    request: Request,
) -> Result<Json<SessionAnswer<Acted>>, Refused> {
    let call: Received<DialogRequest> = Received::read(routes, parts, request).await?;
    call.run(Kind::Manages, async |turn, request| {
        turn.answer_dialog(request.tab.is_some(), request.accept, request.text.clone()).await
    })
    .await
}

pub(super) async fn tabs(
    State(routes): State<Routes>,
    parts: Parts,
    request: Request,
) -> Result<Json<SessionAnswer<Tabs>>, Refused> {
    let call: Received<TabsRequest> = Received::read(routes, parts, request).await?;
    // A tab whose dialogs never end can be left and closed.
    let kind = if call.request.action == TabsAction::New { Kind::Works } else { Kind::Manages };
    call.run(kind, async |turn, request| {
        match request.action {
            TabsAction::List => turn.show_active_tab(),
            TabsAction::Select => turn.select_tab(),
            TabsAction::Close => turn.close_tab_unless_asked().await,
            TabsAction::New => {
                let before = turn.tab.name.clone();
                turn.new_tab().await?;
                if let Some(url) = &request.url
                    && let Err(error) = turn.navigate(Destination::Url(url), LoadState::Load).await
                {
                    // A refused target leaves the session as it was.
                    if matches!(error, SessionError::Refused(_) | SessionError::Invalid(_)) {
                        turn.return_to(&before).await;
                    }
                    return Err(error);
                }
            }
        }
        Ok(turn.tabs().await)
    })
    .await
}

pub(super) async fn status(
    State(routes): State<Routes>,
    parts: Parts,
    request: Request,
) -> Result<Json<SessionAnswer<Status>>, Refused> {
    let call: Received<StatusRequest> = Received::read(routes, parts, request).await?;
    let idle = call.session()?.idle_for();
    call.run(Kind::Manages, async |turn, _| Ok(turn.status(idle).await)).await
}

pub(super) async fn viewer(
    State(routes): State<Routes>,
    parts: Parts,
    request: Request,
) -> Result<Json<ViewerAnswer>, Refused> {
    let worker =
        request.headers().get(PUBLIC_URL_HEADER).and_then(|url| url.to_str().ok()).unwrap_or_default().to_owned();
    let call: Received<ViewerRequest> = Received::read(routes, parts, request).await?;
    let sessions = call.routes.sessions.clone();
    let answered = call.run(Kind::Manages, async |turn, request| {
        let ttl = Duration::from_secs(request.ttl_or_default_seconds().into());
        sessions.admit_viewer(turn.session, request.role, ttl)
    });
    let Json(SessionAnswer { session, tab, title, request_id, timings_ms, events, warnings, result, .. }) =
        answered.await?;
    let url = format!("{worker}{LIVE}#ticket={}", result.ticket.expose_secret()).into();
    Ok(Json(ViewerAnswer {
        ok: true,
        session,
        tab,
        url,
        title,
        ticket: result.ticket,
        role: call.request.role,
        expires_at: result.expires_at,
        request_id,
        timings_ms,
        events,
        warnings,
    }))
}

pub(super) async fn files(State(routes): State<Routes>, parts: Parts, request: Request) -> Result<Response, Refused> {
    let call: Received<FilesRequest> = Received::read(routes, parts, request).await?;
    let mut content = None;
    let answer = call.run(Kind::Manages, async |turn, request| {
        let Some(file) = &request.file else { return Ok(turn.files()) };
        let (found, opened) = turn.file(file).await?;
        content = Some(opened);
        Ok(found)
    });
    let Json(answer) = answer.await?;
    Ok(match content {
        Some(content) => with_content(&answer, content),
        None => Json(answer).into_response(),
    })
}

pub(super) async fn state(
    State(routes): State<Routes>,
    parts: Parts,
    request: Request,
) -> Result<Json<SessionAnswer<StorageStateAnswer>>, Refused> {
    let call: Received<StateRequest> = Received::read(routes, parts, request).await?;
    call.run(Kind::Works, async |turn, _| turn.state().await).await
}

pub(super) async fn close(
    State(routes): State<Routes>,
    parts: Parts,
    request: Request,
) -> Result<Json<SessionAnswer<Closed>>, Refused> {
    let call: Received<CloseRequest> = Received::read(routes, parts, request).await?;
    let found = call.routes.sessions.find(call.request.session(), call.request.owner().sandbox_id);
    let closed = match found {
        Ok(session) => session.close(),
        Err(SessionError::NotFound | SessionError::Lost) => false,
        Err(error) => return Err(failure::of_session(error.into())),
    };
    Ok(Json(SessionAnswer {
        ok: true,
        session: call.request.session().unwrap_or_default().to_owned(),
        request_id: call.request_id.as_str().to_owned(),
        result: Closed { closed },
        ..SessionAnswer::default()
    }))
}
