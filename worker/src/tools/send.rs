//! Sends the calls of a message to the service: with the message's sandbox, for as long as there is time for them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use porthole_contract::limits::{REQUEST_TIMEOUT_MAX_MS, SESSION_TIMEOUT_DEFAULT_MS, WORKER_TIMEOUT};
use porthole_contract::routes::session::VIEWER;
use porthole_contract::{ErrorAnswer, Failure, StrictObject};
use porthole_tools::{Call, Runner};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use crate::callers::Weight;
use crate::routes::{self, Route};
use crate::tool_calls::{self, ToService};

/// Time between a call's own limit and the end of its answer.
const ANSWER_MARGIN: Duration = Duration::from_secs(5);

/// Sends the calls of one message.
pub(super) struct Sender {
    pub(super) to_service: ToService,
    /// When the message came.
    pub(super) since: Instant,
    pub(super) sandbox_id: String,
    pub(super) owner_token: Option<SecretString>,
    /// Whether the message's own weight has been used by its first call.
    pub(super) first_was_sent: AtomicBool,
}

impl Sender {
    /// The live view's page of a session, with a ticket; `None` where there is none.
    pub(super) async fn live_url(&self, session: &str) -> Option<String> {
        let route = routes::all().find(|route| route.service_path == VIEWER)?;
        let body = json!({"session": session, "role": "view"}).as_object()?.clone();
        let answer = self.asked(route, body).await.ok()?;
        answer["url"].as_str().map(str::to_owned)
    }

    async fn called(&self, call: &Call) -> Result<Value, Box<ErrorAnswer>> {
        let route = self.to_service.route(call)?;
        self.charge(route.weight).map_err(|failure| self.to_service.failure(&failure))?;
        self.asked(route, call.body.clone()).await
    }

    /// Counts a call against the caller's rate: the first one has been counted as a call with the message.
    fn charge(&self, weight: Weight) -> Result<(), Failure> {
        let ToService { shared, admitted, .. } = &self.to_service;
        match (self.first_was_sent.swap(true, Ordering::Relaxed), weight) {
            (false, Weight::SESSION_CALL) => Ok(()),
            (false, _) => shared.callers.charge(admitted, Weight::REQUEST_AFTER_A_CALL),
            (true, weight) => shared.callers.charge(admitted, weight),
        }
    }

    async fn asked(&self, route: Route, mut body: Map<String, Value>) -> Result<Value, Box<ErrorAnswer>> {
        body.insert("sandbox_id".to_owned(), Value::from(self.sandbox_id.as_str()));
        if let Some(token) = &self.owner_token {
            body.insert("owner_token".to_owned(), Value::from(token.expose_secret()));
        }
        self.to_service.ask(route, StrictObject(body), self.since).await
    }
}

impl Runner for Sender {
    async fn send(&self, call: &Call) -> Result<Value, Box<ErrorAnswer>> {
        self.to_service.counted(call, self.called(call)).await
    }

    fn has_time_for(&self, call: &Call) -> bool {
        let default_ms = if call.tool.takes_session { SESSION_TIMEOUT_DEFAULT_MS } else { REQUEST_TIMEOUT_MAX_MS };
        let timeout_ms = call.body.get("timeout_ms").and_then(Value::as_u64).unwrap_or(default_ms.into());
        self.since.elapsed() + Duration::from_millis(timeout_ms) + ANSWER_MARGIN <= WORKER_TIMEOUT
    }

    async fn compute<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> T {
        tool_calls::compute(work).await
    }
}
