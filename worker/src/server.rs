//! The worker, built from its settings. The process and the tests run it the same way.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{ConnectInfo, Extension, Request, State};
use axum::middleware::from_fn_with_state;
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Json, Router};
use porthole_contract::limits::WORKER_TIMEOUT;
use porthole_contract::routes::{LIVE, OPENAPI, WORKER_PREFIX};
use porthole_contract::{Failure, StrictObject, openapi};
use porthole_daemon::answer::Refused;
use porthole_daemon::bearer::UnfitKey;
use porthole_daemon::body::{BODY_READ_TIMEOUT, read_json};
use porthole_daemon::client_network::TrustedProxies;
use porthole_daemon::layers::Layers;
use porthole_daemon::listen::{self, ConnectionCounts, Listener};
use porthole_daemon::origin::Origins;
use porthole_daemon::request_id::RequestId;
use porthole_daemon::requests::Requests;
use porthole_daemon::shutdown::Shutdown;
use porthole_daemon::trace::TraceContext;
use porthole_daemon::{admin, process_metrics};
use prometheus_client::registry::Registry;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::callers::Callers;
use crate::cors::judge_origin;
use crate::forward::Service;
use crate::mcp::Mcp;
use crate::readiness::Readiness;
use crate::replicas::{Resolver, system_resolver};
use crate::routes::{self, Route, operation_of};
use crate::settings::Settings;
use crate::shared::{Asked, Shared};
use crate::tools;
use crate::tunnel;
use crate::web;

/// Time for requests in flight after the drain has begun: shorter than an answer's timeout, and than orchestrators wait
/// before they kill. A request that is given up is answered with `SHUTTING_DOWN`; one that is killed gets no answer.
const DRAIN: Duration = Duration::from_secs(25);

/// The worker's time limits. Not settings; tests shorten them.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Time for the service's whole answer.
    pub answer: Duration,
    /// From a request's head to the end of its body.
    pub body: Duration,
    /// Time that a tunnel may be idle.
    pub tunnel_idle: Duration,
    /// Limits of the main listener.
    pub listen: listen::Limits,
}

impl Default for Limits {
    fn default() -> Self {
        let listen = listen::Limits { drain: DRAIN, ..listen::Limits::default() };
        Self { answer: WORKER_TIMEOUT, body: BODY_READ_TIMEOUT, tunnel_idle: tunnel::IDLE_TIMEOUT, listen }
    }
}

/// Why a worker can't be built from its settings.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A client key that the settings would have refused.
    #[error(transparent)]
    Key(#[from] UnfitKey),
    /// The forwarding client can't be built.
    #[error("can't build the HTTP client: {0}")]
    Client(#[from] reqwest::Error),
}

/// A worker, ready to run.
pub struct Worker {
    shared: Arc<Shared>,
    origins: Origins,
    trusted_proxies: TrustedProxies,
    connections: ConnectionCounts,
    limits: Limits,
    mcp: Option<Router>,
    playground: bool,
}

impl Worker {
    /// Builds a worker without binding its addresses; [`Worker::run`] takes bound listeners.
    ///
    /// # Errors
    /// [`StartError`].
    pub fn new(settings: Settings) -> Result<Self, StartError> {
        Self::with_limits(settings, Limits::default())
    }

    /// Builds a worker with other time limits.
    ///
    /// # Errors
    /// [`StartError`].
    pub fn with_limits(settings: Settings, limits: Limits) -> Result<Self, StartError> {
        Self::with_resolver(settings, limits, system_resolver())
    }

    /// Builds a worker that looks up the replicas' name with `resolver`.
    ///
    /// # Errors
    /// [`StartError`].
    pub fn with_resolver(settings: Settings, limits: Limits, resolver: Resolver) -> Result<Self, StartError> {
        let mut registry = Registry::default();
        let requests = Requests::register(&mut registry);
        let connections = ConnectionCounts::register(&mut registry);
        let ending = CancellationToken::new();
        process_metrics::register(&mut registry, env!("CARGO_PKG_VERSION"), ending.clone());
        let shared = Shared {
            callers: Callers::new(&settings.client_keys, settings.service_key.as_ref(), settings.rate_limit)?,
            service: Service::new(&settings, resolver, limits.answer)?,
            tunnel_idle_timeout: limits.tunnel_idle,
            browser_tools: settings.browser_tools,
            browserbase: settings.browserbase,
            public_url: settings.public_url,
            readiness: Readiness::default(),
            registry,
            requests,
            ending,
        };
        let shared = Arc::new(shared);
        let mcp = settings.mcp.map(|tools| {
            Mcp::new(Arc::clone(&shared), tools, &settings.client_keys, settings.service_key.as_ref()).router()
        });
        Ok(Self {
            shared,
            origins: Origins::new(settings.allowed_origins),
            trusted_proxies: settings.trusted_proxies,
            connections,
            limits,
            mcp,
            playground: settings.playground,
        })
    }

    /// Serves until the drain begins, then finishes the requests in flight or, once hurried, gives them up. The admin
    /// listener answers until all of them have ended.
    pub async fn run(self, main: Listener, admin: Listener, shutdown: impl Into<Shutdown>) {
        let shutdown = shutdown.into();
        let done = CancellationToken::new();
        let main = main.trusting(self.trusted_proxies.clone()).counting(self.connections.clone());
        let serving = async {
            self.shared.service.find_replicas().await;
            main.serve(self.router(shutdown.clone()), self.limits.listen, shutdown.clone()).await;
            done.cancel();
        };
        let ending = async {
            shutdown.drain.cancelled().await;
            self.shared.ending.cancel();
        };
        let watching = admin::serve(admin, Arc::clone(&self.shared), done.clone());
        let replicas = self.shared.service.watch_replicas(done.clone());
        tokio::join!(serving, ending, watching, replicas, self.shared.callers.forget_idle(done.clone()));
    }

    fn router(&self, shutdown: Shutdown) -> Router {
        let mut router = Router::new().route(OPENAPI, get(document));
        for route in routes::all() {
            let handler =
                post(move |shared, peer, id, trace, request| forward(shared, peer, id, trace, route, request));
            router = router.route(&route.public_path(), handler);
        }
        router = router.route(&format!("{WORKER_PREFIX}{LIVE}"), get(tunnel::open));
        let router = web::add(tools::add(router), self.playground);
        let layers = Layers {
            body_timeout: self.limits.body,
            shutdown,
            ..Layers::new(self.shared.requests.clone(), operation_of)
        };
        let origins = from_fn_with_state(self.origins.clone(), judge_origin);
        let router = router.with_state(Arc::clone(&self.shared)).merge(self.mcp.clone().unwrap_or_default());
        layers.around_with(router, |router| router.layer(origins))
    }
}

async fn document() -> Json<serde_json::Value> {
    Json(openapi::worker())
}

async fn forward(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    Extension(id): Extension<RequestId>,
    Extension(trace): Extension<TraceContext>,
    route: Route,
    request: Request,
) -> Result<Response, Response> {
    use axum::response::IntoResponse as _;
    let refused = |failure: Failure| Refused(failure).into_response();
    let callers = &shared.callers;
    let admitted = callers.admit_caller(request.headers(), peer.ip(), route.weight).map_err(|refusal| *refusal)?;
    let _in_flight = callers.enter(&admitted).map_err(refused)?;
    let client = admitted.name();
    let headers = request.headers().clone();
    let body = read_json(request, route.body_max_bytes, client.to_str().unwrap_or_default()).await.map_err(refused)?;
    let since = Instant::now();
    let object = StrictObject::parse(&body).map_err(|invalid| refused(invalid.into()))?;
    let _held = body.into_held();
    let asked = Asked { headers: &headers, id: &id, client, trace: &trace, since };
    shared.ask(route, asked, object).await.map_err(refused)
}
