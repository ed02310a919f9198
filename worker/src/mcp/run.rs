//! Sends the calls of one request to `/mcp` to the service: with the tenant's sandbox.

use std::sync::Arc;

use porthole_contract::routes::TENANT;
use porthole_contract::{CreateResponse, ErrorAnswer, ErrorCode, Failure, StrictObject, TenantRequest};
use porthole_tools::{Call, Runner};
use secrecy::ExposeSecret as _;
use serde_json::Value;
use tokio::time::Instant;

use super::tenants::{Sandbox, Tenants};
use crate::callers::Weight;
use crate::routes::{self, Route};
use crate::tool_calls::{self, ToService};

/// Runs the calls of one request to `/mcp`.
#[derive(Clone)]
pub(crate) struct ToolCaller {
    pub(super) to_service: ToService,
    pub(super) tenants: Arc<Tenants>,
    pub(super) tenant: Arc<str>,
}

impl ToolCaller {
    async fn called(&self, call: &Call) -> Result<Value, Box<ErrorAnswer>> {
        let ToService { shared, admitted, .. } = &self.to_service;
        let refused = |failure: &Failure| self.to_service.failure(failure);
        if shared.is_ending() {
            return Err(refused(&Failure::new(ErrorCode::ShuttingDown, "the worker is shutting down")));
        }
        let route = self.to_service.route(call)?;
        if route.weight == Weight::REQUEST {
            // The message itself has been counted as a call.
            let rest = shared.callers.charge(admitted, Weight::REQUEST_AFTER_A_CALL);
            rest.map_err(|failure| refused(&failure))?;
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
        self.to_service.ask(route, body, Instant::now()).await
    }

    /// Asks the service for the owner token of the tenant's sandbox.
    async fn sandbox_of(&self, request: &TenantRequest) -> Result<CreateResponse, Box<ErrorAnswer>> {
        let route = Route { service_path: TENANT, ..routes::create() };
        let body = serde_json::to_vec(request).expect("a request can be serialised");
        let body = StrictObject::parse(&body).map_err(|invalid| self.to_service.failure(&invalid.into()))?;
        self.to_service.ask(route, body, Instant::now()).await
    }
}

impl Runner for ToolCaller {
    async fn send(&self, call: &Call) -> Result<Value, Box<ErrorAnswer>> {
        self.to_service.counted(call, self.called(call)).await
    }

    async fn compute<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> T {
        tool_calls::compute(work).await
    }
}
