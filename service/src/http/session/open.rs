//! `POST session/open` and `POST session/navigate`: the routes that make sessions.

use axum::Json;
use axum::extract::{Request, State};
use porthole_contract::session::{Acted, NavigateRequest, OpenRequest, Opens, Plain, SessionAnswer, SessionRequest};
use porthole_daemon::answer::Refused;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use std::time::Duration;

use super::received::{Parts, Received};
use crate::guard::Target;
use crate::http::{Routes, failure};
use crate::operation::credentials;
use crate::session::{Destination, Kind, Opening, Session, SessionError};

impl<T: SessionRequest + Opens + DeserializeOwned + porthole_contract::Validate> Received<T> {
    /// Makes a session as the call wants it.
    async fn make_session(&self) -> Result<Unanswered, Refused> {
        let request = &self.request;
        let (api_key, project_id) = request.browserbase();
        let timeout_ms = request.timeout_ms();
        let deadline = self.since + Duration::from_millis(timeout_ms.into());
        let opening = Opening {
            sandbox: request.owner().sandbox_id,
            client: &self.client,
            options: &request.open_options(),
            credentials: credentials(api_key, project_id),
            deadline,
        };
        let opened = tokio::time::timeout_at(deadline, self.routes.sessions.open(opening)).await;
        let opened = opened.unwrap_or(Err(SessionError::Deadline { timeout_ms }));
        opened.map(|session| Unanswered(Some(session))).map_err(|error| failure::of_session(error.into()))
    }
}

/// A session whose handle no answer has told yet. It ends if its caller leaves before, who could not end it without the
/// handle.
struct Unanswered(Option<Arc<Session>>);

impl Unanswered {
    fn session(&self) -> Option<Arc<Session>> {
        self.0.clone()
    }

    /// The answer, a failure too, tells the handle.
    fn answered(mut self) {
        self.0 = None;
    }
}

impl Drop for Unanswered {
    fn drop(&mut self) {
        if let Some(session) = &self.0 {
            session.close();
        }
    }
}

pub(super) async fn open(
    State(routes): State<Routes>,
    parts: Parts,
    request: Request,
) -> Result<Json<SessionAnswer<Plain>>, Refused> {
    let call: Received<OpenRequest> = Received::read(routes, parts, request).await?;
    let made = call.make_session().await?;
    let session = made.session().map_or_else(|| call.session(), Ok)?;
    let answer = call.run_in(&session, Kind::Works, async |_, _| Ok(Plain {})).await;
    made.answered();
    answer
}

pub(super) async fn navigate(
    State(routes): State<Routes>,
    parts: Parts,
    request: Request,
) -> Result<Json<SessionAnswer<Acted>>, Refused> {
    let call: Received<NavigateRequest> = Received::read(routes, parts, request).await?;
    let made = match call.request.session() {
        Some(_) => Unanswered(None),
        None => {
            // What is no URL needs no browser.
            let url = call.request.url.as_deref().map_or(Ok(()), |url| Target::read(url).map(drop));
            url.map_err(|refusal| failure::of_session(SessionError::Refused(refusal).into()))?;
            call.make_session().await?
        }
    };
    let session = made.session().map_or_else(|| call.session(), Ok)?;
    let answer = call.run_in(&session, Kind::Works, async |turn, request| {
        let to = match (&request.url, request.action) {
            (Some(url), _) => Destination::Url(url),
            (None, Some(action)) => Destination::History(action),
            (None, None) => return Err(SessionError::NoPage),
        };
        turn.navigate(to, request.wait_until).await
    });
    let answer = answer.await;
    made.answered();
    answer
}
