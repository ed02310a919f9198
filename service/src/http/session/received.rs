//! A call to a session: how it is read, run and answered.

use std::sync::Arc;

use axum::extract::{MatchedPath, Request};
use axum::{Extension, Json};
use porthole_contract::Validate;
use porthole_contract::limits::INJECTED_MAX_BYTES;
use porthole_contract::routes::session as routes;
use porthole_contract::session::{SessionAnswer, SessionRequest};
use porthole_daemon::answer::Refused;
use porthole_daemon::body::read_json;
use porthole_daemon::body_room::Held;
use porthole_daemon::request_id::RequestId;
use serde::de::DeserializeOwned;
use tokio::time::Instant;

use crate::admission::Client;
use crate::http::{Routes, failure};
use crate::session::{Answered, Call, Failed, Kind, Session, SessionError, Turn};

/// A call as it came: who it is from, and what is asked for.
pub(super) struct Received<T> {
    pub(super) routes: Routes,
    pub(super) request_id: RequestId,
    pub(super) client: Client,
    pub(super) request: T,
    pub(super) since: Instant,
    /// The tool that acts, of a route that does.
    pub(super) tool: Option<String>,
    /// Whether the route acts so that it must not be called twice.
    acts_once: bool,
    /// The room that the request takes beside others.
    _held: Held,
}

/// What the call needs of the connection.
pub(super) type Parts = (Extension<RequestId>, Extension<Client>, MatchedPath);

impl<T: SessionRequest + DeserializeOwned + Validate> Received<T> {
    /// Reads a call, whose body is bounded by its route, and verifies whose it is.
    pub(super) async fn read(
        routes: Routes,
        (Extension(request_id), Extension(client), route): Parts,
        request: Request,
    ) -> Result<Self, Refused> {
        let since = Instant::now();
        let body_max_bytes = routes::body_max_bytes(route.as_str()) + INJECTED_MAX_BYTES;
        let body = read_json(request, body_max_bytes, client.as_str()).await?;
        let request: T = porthole_contract::parse(&body)?;
        let held = body.into_held();
        let owner = request.owner();
        routes.owner_keys.verify(owner.sandbox_id, owner.token).map_err(failure::of_token)?;
        let tool = acting_tool(route.as_str());
        let acts_once = routes::acts(route.as_str()) && route.as_str() != routes::NAVIGATE;
        Ok(Self { routes, request_id, client, request, since, tool, acts_once, _held: held })
    }

    /// The session that the call names.
    pub(super) fn session(&self) -> Result<Arc<Session>, Refused> {
        let found = self.routes.sessions.find(self.request.session(), self.request.owner().sandbox_id);
        found.map_err(|error| failure::of_session(error.into()))
    }

    /// Runs the call in the session that it names.
    pub(super) async fn run<R>(
        &self,
        kind: Kind,
        work: impl AsyncFnOnce(&mut Turn<'_>, &T) -> Result<R, SessionError>,
    ) -> Result<Json<SessionAnswer<R>>, Refused> {
        let session = self.session()?;
        self.run_in(&session, kind, work).await
    }

    /// Runs the call in this session.
    pub(super) async fn run_in<R>(
        &self,
        session: &Arc<Session>,
        kind: Kind,
        work: impl AsyncFnOnce(&mut Turn<'_>, &T) -> Result<R, SessionError>,
    ) -> Result<Json<SessionAnswer<R>>, Refused> {
        let request = &self.request;
        let call = Call {
            client: &self.client,
            tab: request.tab(),
            timeout_ms: request.timeout_ms(),
            since: self.since,
            kind,
            tool: self.tool.clone(),
            acts_once: self.acts_once,
        };
        let ran = self.routes.sessions.call(session, call, async |turn| {
            let result = work(turn, request).await;
            let result = turn.leave_closed(result).await;
            if let Some(options) = request.snapshot() {
                turn.add_snapshot(&options).await;
            }
            result
        });
        let ran = ran.await;
        match ran {
            Ok(answered) => Ok(Json(self.answer(answered))),
            Err(failed) => Err(self.failed(failed)),
        }
    }

    pub(super) fn answer<R>(&self, answered: Answered<R>) -> SessionAnswer<R> {
        let Answered { result, context, warnings, timings } = answered;
        SessionAnswer {
            ok: true,
            session: context.session,
            tab: context.tab,
            url: context.url,
            title: context.title,
            request_id: self.request_id.as_str().to_owned(),
            timings_ms: timings,
            events: context.events,
            warnings,
            snapshot: context.snapshot,
            result,
        }
    }

    pub(super) fn failed(&self, failed: Failed) -> Refused {
        failure::of_session(failed)
    }
}

/// The tool by which models call an acting route, as viewers are shown it; `None` of a route that only looks.
fn acting_tool(route: &str) -> Option<String> {
    let name = route.rsplit('/').next().filter(|_| routes::acts(route))?;
    Some(if route == routes::INTERACT { "interactWithPage".to_owned() } else { format!("browser_{name}") })
}
