//! Builds the whole service from its settings, and runs it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::middleware::map_response;
use axum::response::Response;
use http::HeaderValue;
use porthole_contract::metrics::Metrics;
use porthole_contract::metrics::Operation;
use porthole_contract::routes::{self, REPLICA_HEADER};
use porthole_contract::{ErrorCode, Failure};
use porthole_daemon::admin::{self, Process};
use porthole_daemon::layers::{Late, Layers, without_web_pages};
use porthole_daemon::listen::{BindError, ConnectionCounts, Limits, Listener};
use porthole_daemon::process_metrics;
use porthole_daemon::requests::Requests;
use porthole_daemon::shutdown::Shutdown;
use porthole_daemon::web_pages::Hosts;
use prometheus_client::registry::Registry;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::admission::{Admission, Overloaded};
use crate::guard::{AllowFrom, Guard, Judge, undenied_networks};
use crate::health::Health;
use crate::http::Routes;
use crate::operation::Browsing;
use crate::page;
use crate::provider::browserbase::BrowserbaseProvider;
use crate::provider::cdp::CdpProvider;
use crate::provider::local::{LocalProvider, Weakness};
use crate::provider::{AutoProvider, Provider, ProviderError};
use crate::session::{NoRandomness, ReplicaId, Sessions};
use crate::settings::{Pages, Settings};
use crate::telemetry::{AgentMetrics, BlockedMetrics, LeaseMetrics, PhaseMetrics, QueueMetrics, register_limits};

/// How long requests in flight may go on after a shutdown was requested.
const DRAIN: Duration = Duration::from_secs(25);

/// A service that has bound its listeners and does not serve yet.
pub struct Server {
    main: Listener,
    admin: Listener,
    routes: Routes,
    state: Arc<State>,
}

/// The state that the admin listener reads.
struct State {
    registry: Registry,
    requests: Requests,
    sessions: LeaseMetrics,
    blocked: BlockedMetrics,
    provider: Arc<dyn Provider>,
    admission: Admission,
    agents: Sessions,
    health: Health,
    draining: CancellationToken,
}

/// Why a service can't start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The system gives no randomness for the replica's id.
    #[error(transparent)]
    Randomness(#[from] NoRandomness),
    /// An address can't be bound.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The provider of pages can't be built.
    #[error(transparent)]
    Provider(#[from] ProviderError),
}

/// Whether calls to a route go on while sessions are drained.
fn belongs_to_a_session(route: &str) -> bool {
    route == routes::LIVE || routes::session::ALL.contains(&route)
}

/// Builds the provider that the settings name.
fn provider(
    pages: Pages,
    weakness: Weakness,
    judge: &Judge,
    metrics: &LeaseMetrics,
) -> Result<Arc<dyn Provider>, ProviderError> {
    let local = |options| LocalProvider::weakened(options, weakness, page::prepare, judge, metrics);
    let browserbase = |options| BrowserbaseProvider::new(options, metrics.clone());
    Ok(match pages {
        Pages::Auto { local: here, browserbase: there } => {
            Arc::new(AutoProvider { local: local(here), browserbase: browserbase(there)? })
        }
        Pages::Local(options) => Arc::new(local(options)),
        Pages::Browserbase(options) => Arc::new(browserbase(options)?),
        Pages::Cdp(options) => Arc::new(CdpProvider::new(options, metrics.clone())),
    })
}

impl Server {
    /// Binds both listeners and builds everything behind them. No browser is started yet.
    ///
    /// # Errors
    /// [`StartError`] if an address can't be bound, or the provider of pages can't be built.
    pub async fn bind(settings: Settings) -> Result<Self, StartError> {
        Self::bind_weakened(settings, Weakness::default()).await
    }

    /// The same with a weakness of the local provider, for tests that prove each defence necessary.
    ///
    /// # Errors
    /// As [`Server::bind`].
    pub async fn bind_weakened(settings: Settings, weakness: Weakness) -> Result<Self, StartError> {
        let main = Listener::bind("main", settings.addr).await?;
        let admin = Listener::bind("admin", settings.admin_addr).await?;
        for listener in [&main, &admin] {
            settings.policy.own.insert(listener.addr());
        }
        for allowed in settings.policy.allow.iter() {
            tracing::warn!(%allowed, "the guard lets this target through although it may be private");
        }
        if settings.policy.allow_from == AllowFrom::Any && settings.policy.allow.iter().next().is_some() {
            tracing::warn!("every page that is opened may reach the targets that the guard lets through");
        }
        for network in undenied_networks(&settings.policy.deny) {
            tracing::warn!(
                %network,
                "this host is in a public network that pages may reach: deny it in PORTHOLE_DENY_CIDRS if it is yours"
            );
        }
        let mut registry = Registry::default();
        let requests = Requests::register(&mut registry);
        let main = main.counting(ConnectionCounts::register(&mut registry));
        let sessions = LeaseMetrics::register(&mut registry);
        let queue = QueueMetrics::register(&mut registry, &sessions);
        let blocked = BlockedMetrics::register(&mut registry);
        let phases = PhaseMetrics::register(&mut registry);
        register_limits(&mut registry, settings.admission.permits, settings.admission.queue_max);
        let draining = CancellationToken::new();
        process_metrics::register(&mut registry, env!("CARGO_PKG_VERSION"), draining.clone());
        let judge = Judge { guard: Guard::new(settings.policy), blocked: blocked.clone() };
        let provider = provider(settings.pages, weakness, &judge, &sessions)?;
        let admission = Admission::new(settings.admission, queue);
        let browsing = Browsing { judge, admission: admission.clone(), provider: Arc::clone(&provider), phases };
        let owner_keys = Arc::new(settings.owner_keys);
        let agents = Sessions::new(
            settings.sessions,
            Arc::clone(&provider),
            browsing.judge.clone(),
            admission.clone(),
            Arc::clone(&owner_keys),
            ReplicaId::random()?,
            AgentMetrics::register(&mut registry, Sessions::ends()),
        );
        let routes =
            Routes { owner_keys, sessions: agents.clone(), browsing, service_keys: Arc::new(settings.service_keys) };
        let state = State {
            registry,
            requests,
            sessions,
            blocked,
            provider,
            admission,
            agents,
            health: Health::default(),
            draining,
        };
        Ok(Self { main, admin, routes, state: Arc::new(state) })
    }

    /// Returns the main listener's address.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.main.addr()
    }

    /// Returns the admin listener's address.
    #[must_use]
    pub fn admin_addr(&self) -> SocketAddr {
        self.admin.addr()
    }

    /// Serves until the drain begins; then lets requests in flight end, unless the shutdown is hurried, and ends
    /// every browser.
    pub async fn run(self, shutdown: impl Into<Shutdown>) {
        let shutdown = shutdown.into();
        let Self { main, admin, routes, state } = self;
        let (provider, agents) = (Arc::clone(&state.provider), state.agents.clone());
        let warm_up = tokio::spawn({
            let provider = Arc::clone(&provider);
            async move {
                if let Err(error) = provider.ready().await {
                    tracing::error!(%error, "no browser yet; each request tries again");
                }
            }
        });
        let ended = CancellationToken::new();
        let admin = tokio::spawn(admin::serve(admin, Arc::clone(&state), ended.clone()));
        // Calls to sessions are served until there are none, or their time is over; then the listener drains.
        let serving = Shutdown { drain: CancellationToken::new(), hurry: shutdown.hurry.clone() };
        let draining = tokio::spawn({
            let (asked, draining, agents) = (shutdown.clone(), state.draining.clone(), agents.clone());
            let closing = serving.drain.clone();
            async move {
                asked.drain.cancelled().await;
                draining.cancel();
                let others_end_at = Instant::now() + DRAIN;
                tokio::select! {
                    () = agents.drain() => {}
                    () = asked.hurry.cancelled() => {}
                }
                closing.cancel();
                sleep_until(others_end_at).await;
                asked.hurry.cancel();
            }
        });
        // With a key only the worker can call, under any host name. Without one, local web pages could call.
        let hosts = if routes.service_keys.is_empty() { Hosts::of_listener(main.addr()) } else { Hosts::Any };
        let router = routes.router(naming_replica(admin::health_router(Arc::clone(&state)), agents.replica()));
        let layers = Layers::new(state.requests.clone(), Operation::of_route);
        let late = Late { routes: belongs_to_a_session, refused_from: serving.drain.clone() };
        let router = Layers { shutdown, late: Some(late), ..layers }
            .around_with(router, |router| without_web_pages(router, hosts));
        // Callers are workers: a bound for each address would bound a whole worker.
        main.serve(router, Limits { drain: DRAIN, ..Limits::behind_a_proxy() }, serving).await;
        warm_up.abort();
        draining.abort();
        agents.end().await;
        provider.end().await;
        ended.cancel();
        if let Err(error) = admin.await {
            tracing::error!(%error, "the admin listener failed");
        }
        tracing::info!("the service has ended");
    }
}

/// Adds this replica's id to every answer of `health`, from which workers learn it.
fn naming_replica(health: Router, replica: ReplicaId) -> Router {
    let replica = HeaderValue::from_str(&replica.to_string()).expect("base64url is a valid header value");
    health.layer(map_response(move |mut response: Response| {
        response.headers_mut().insert(REPLICA_HEADER, replica.clone());
        std::future::ready(response)
    }))
}

impl Process for State {
    fn registry(&self) -> &Registry {
        &self.registry
    }

    fn metrics(&self) -> Metrics {
        let mut metrics = Metrics {
            browsers: self.sessions.browsers(),
            pages: self.sessions.pages(),
            sessions: self.sessions.sessions(),
            blocked: self.blocked.snapshot(),
            ..Metrics::default()
        };
        self.requests.fill(&mut metrics);
        metrics
    }

    async fn ready(&self) -> Result<(), Failure> {
        if self.draining.is_cancelled() {
            return Err(Failure::new(ErrorCode::ShuttingDown, "the service is ending"));
        }
        let check = async {
            let overloaded = |error: Overloaded| Failure::new(ErrorCode::Overloaded, error.to_string());
            self.admission.check_memory().map_err(overloaded)?;
            let unavailable = |error: ProviderError| Failure::new(ErrorCode::SessionCreateFailed, error.to_string());
            self.provider.ready().await.map_err(unavailable)
        };
        self.health.ask(check).await
    }
}
