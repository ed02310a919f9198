//! Sends a tool's call to the service, as the route of the same name would: with the tenant's sandbox and the operator's
//! credentials, counted as that operation.

use std::sync::Arc;

use http::HeaderMap;
use porthole_contract::routes::TENANT;
use porthole_contract::{CreateResponse, ErrorAnswer, ErrorCode, Failure, StrictObject, TenantRequest};
use porthole_daemon::request_id::RequestId;
use porthole_daemon::trace::TraceContext;
use porthole_tools::{Call, Runner};
use secrecy::ExposeSecret as _;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::Instant;

use super::tenants::{Sandbox, Tenants};
use crate::callers::{Admitted, Weight};
use crate::routes::{self, Route};
use crate::shared::{Asked, Shared};
use crate::tool_calls;

/// Runs the calls of one request to `/mcp`.
#[derive(Clone)]
pub(crate) struct ToolCaller {
    pub(super) shared: Arc<Shared>,
    pub(super) tenants: Arc<Tenants>,
    pub(super) tenant: Arc<str>,
    pub(super) admitted: Arc<Admitted>,
    pub(super) id: RequestId,
    pub(super) trace: TraceContext,
}

impl ToolCaller {
    async fn called(&self, call: &Call) -> Result<Value, Box<ErrorAnswer>> {
        if self.shared.is_ending() {
            return Err(self.failure(&Failure::new(ErrorCode::ShuttingDown, "the worker is shutting down")));
        }
        let route = routes::all().find(|route| route.service_path == call.route).ok_or_else(|| {
            self.failure(&Failure::new(ErrorCode::Internal, format!("the worker has no route {}", call.route)))
        })?;
        if route.weight == Weight::REQUEST {
            // The message itself has been counted as a call.
            let rest = self.shared.callers.charge(&self.admitted, Weight::REQUEST_AFTER_A_CALL);
            rest.map_err(|failure| self.failure(&failure))?;
        }
        let answer = self.in_sandbox(route, call).await;
        match &answer {
            // Its keys may have been changed: a new token is the tenant's right.
            Err(error) if error.error == ErrorCode::Unauthorized => {
                self.tenants.forget(&self.tenant).await;
                self.in_sandbox(route, call).await
            }
            _ => answer,
        }
    }

    async fn in_sandbox(&self, route: Route, call: &Call) -> Result<Value, Box<ErrorAnswer>> {
        let Sandbox { id, owner_token } =
            self.tenants.sandbox(&self.tenant, async |request| self.sandbox_of(&request).await).await?;
        let mut body = StrictObject(call.body.clone());
        body.0.insert("sandbox_id".to_owned(), Value::String(id));
        body.0.insert("owner_token".to_owned(), Value::String(owner_token.expose_secret().to_owned()));
        self.asked(route, body).await
    }

    /// Asks the service for the owner token of the tenant's sandbox.
    async fn sandbox_of(&self, request: &TenantRequest) -> Result<CreateResponse, Box<ErrorAnswer>> {
        let route = Route { service_path: TENANT, ..routes::create() };
        let body = serde_json::to_vec(request).expect("a request can be serialised");
        let body = StrictObject::parse(&body).map_err(|invalid| self.failure(&invalid.into()))?;
        self.asked(route, body).await
    }

    async fn asked<T: DeserializeOwned>(&self, route: Route, body: StrictObject) -> Result<T, Box<ErrorAnswer>> {
        let asked = Asked {
            headers: &HeaderMap::new(),
            id: &self.id,
            client: self.admitted.name(),
            trace: &self.trace,
            since: Instant::now(),
        };
        let response = self.shared.ask(route, asked, body).await.map_err(|failure| self.failure(&failure))?;
        tool_calls::read(response, &self.id).await
    }

    fn failure(&self, failure: &Failure) -> Box<ErrorAnswer> {
        Box::new(failure.answer(self.id.as_str()))
    }
}

impl Runner for ToolCaller {
    async fn send(&self, call: &Call) -> Result<Value, Box<ErrorAnswer>> {
        tool_calls::counted(&self.shared, &self.id, call, self.called(call)).await
    }

    async fn compute<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> T {
        tool_calls::compute(work).await
    }
}
