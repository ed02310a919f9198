//! State shared by all requests of the worker, and sending a body to the service.

use std::time::Duration;

use axum::response::Response;
use http::{HeaderMap, HeaderValue, header};
use porthole_contract::metrics::Metrics;
use porthole_contract::{Failure, StrictObject};
use porthole_daemon::request_id::RequestId;
use porthole_daemon::requests::Requests;
use porthole_daemon::trace::TraceContext;
use porthole_daemon::{admin, logs};
use prometheus_client::registry::Registry;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::callers::Callers;
use crate::forward::{Outgoing, Service};
use crate::inject;
use crate::readiness::Readiness;
use crate::routes::Route;
use crate::settings::Browserbase;

/// State shared by all requests.
pub(crate) struct Shared {
    pub(crate) callers: Callers,
    pub(crate) service: Service,
    pub(crate) tunnel_idle_timeout: Duration,
    /// Whether models' tools are switched on.
    pub(crate) browser_tools: bool,
    pub(crate) browserbase: Option<Browserbase>,
    pub(crate) public_url: Option<Url>,
    pub(crate) readiness: Readiness,
    pub(crate) registry: Registry,
    pub(crate) requests: Requests,
    pub(crate) ending: CancellationToken,
}

/// Whose request is sent to the service.
pub(crate) struct Asked<'a> {
    pub(crate) headers: &'a HeaderMap,
    pub(crate) id: &'a RequestId,
    pub(crate) client: &'a HeaderValue,
    pub(crate) trace: &'a TraceContext,
    pub(crate) since: Instant,
}

impl Shared {
    /// Whether the drain has begun.
    pub(crate) fn is_ending(&self) -> bool {
        self.ending.is_cancelled()
    }

    /// Sends a body to the service and returns its answer as soon as the head has arrived. Dropping the future or the
    /// answer cancels the request.
    ///
    /// # Errors
    /// Why the service gave no answer.
    pub(crate) async fn ask(
        &self,
        route: Route,
        asked: Asked<'_>,
        mut object: StrictObject,
    ) -> Result<Response, Failure> {
        if route.takes_credentials {
            inject::put_credentials(&mut object, self.browserbase.as_ref());
        }
        let session = if route.of_session { inject::session_of(&object).map(str::to_owned) } else { None };
        let body = inject::serialised(&object).into();
        // Its values take many times as much memory as their text.
        drop(object);
        let way = self.service.way(session.as_deref()).await?;
        let outgoing = Outgoing {
            path: route.service_path,
            caller: asked.headers,
            id: &asked.id.header_value(),
            client: asked.client,
            trace: asked.trace,
            public_url: if route.names_us { public_url(self.public_url.as_ref(), asked.headers) } else { None },
            body,
            since: asked.since,
        };
        self.service.forward(way, outgoing).await.map_err(|error| {
            tracing::warn!(error = logs::with_causes(&error), "the service gave no answer");
            let may_have_acted = route.acts && error.was_sent();
            let failure = Failure::from(error);
            let retryable = failure.retryable && !may_have_acted;
            failure.retryable(retryable)
        })
    }
}

/// The worker's address as the caller knows it: as the operator says, else the host that the request was sent to.
fn public_url(set: Option<&Url>, headers: &HeaderMap) -> Option<HeaderValue> {
    if let Some(url) = set {
        return HeaderValue::from_str(url.as_str().trim_end_matches('/')).ok();
    }
    let host = headers.get(header::HOST)?.to_str().ok()?;
    // Written anew, so that nothing but a host and a port is in it.
    let url = Url::parse(&format!("http://{host}")).ok().filter(|url| url.path() == "/" && url.query().is_none())?;
    HeaderValue::from_str(&url.origin().ascii_serialization()).ok()
}

impl admin::Process for Shared {
    fn registry(&self) -> &Registry {
        &self.registry
    }

    fn metrics(&self) -> Metrics {
        let mut metrics = Metrics::default();
        self.requests.fill(&mut metrics);
        metrics
    }

    async fn ready(&self) -> Result<(), Failure> {
        self.readiness.ask(&self.service, &self.ending).await
    }
}
