//! Any browser that speaks the DevTools protocol: browserless, a grid's node, a user's own Chrome. One connection and
//! one isolated context for each lease; everything else in that browser is left alone.

mod endpoint;

use std::sync::Arc;
use std::time::{Duration, Instant};

use chromiumoxide_cdp::cdp::browser_protocol::browser::BrowserContextId;
use chromiumoxide_cdp::cdp::browser_protocol::target::{
    CreateBrowserContextParams, CreateTargetParams, DisposeBrowserContextParams, GetBrowserContextsParams,
    GetTargetsParams,
};
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, join, try_join};
use porthole_contract::limits::{CONNECT_TIMEOUT, SESSION_CREATE_TIMEOUT};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use self::endpoint::Endpoint;
use super::leave::leave;
use super::{Downloads, Lease, LeaseRequest, Provider, ProviderError, Purpose, popups};
use crate::cdp::{CdpError, Connection, Session, WebSocketOptions, connect_websocket, targets_only};
use crate::guard::{Intercept, Network, RemoteNetwork};
use crate::telemetry::{ConnectedBrowser, LeaseMetrics};

/// How long the disposal of a context may take. The context ends with its connection in any case.
const DISPOSE_TIMEOUT: Duration = Duration::from_secs(5);
/// How long the end of a lease waits for shared workers: for its own before the page is left and before its context is
/// disposed of, for those of other leases that its connection halts before that is closed.
const HALTED_TIMEOUT: Duration = Duration::from_secs(5);
/// How often the browser is asked for them meanwhile.
const HALTED_INTERVAL: Duration = Duration::from_millis(50);
/// When windows of other contexts are resumed that a page opened. Another lease, ours or another replica's, has paused their
/// requests long before; another client may not know that they are halted.
const OTHERS_RESUMED_AFTER: Duration = Duration::from_secs(5);
/// How long the provider's end waits for the disposal of contexts.
const END_TIMEOUT: Duration = Duration::from_secs(10);

/// Options of the provider.
#[derive(Clone, Debug)]
pub struct CdpOptions {
    /// The browser's endpoint.
    pub endpoint: Endpoint,
    /// The forward proxy of the contexts, if any. It then judges the addresses that they connect to.
    pub egress: Option<String>,
}

/// Leases pages in a browser that the service does not run.
pub struct CdpProvider {
    shared: Arc<Shared>,
}

struct Shared {
    options: CdpOptions,
    metrics: LeaseMetrics,
    ending: CancellationToken,
    /// Leases in the making and disposals of contexts.
    tasks: TaskTracker,
}

impl CdpProvider {
    /// Creates a provider. It connects with each lease.
    #[must_use]
    pub fn new(options: CdpOptions, metrics: LeaseMetrics) -> Self {
        let shared = Shared { options, metrics, ending: CancellationToken::new(), tasks: TaskTracker::new() };
        Self { shared: Arc::new(shared) }
    }
}

impl Shared {
    fn network(&self) -> Network {
        let is_proxied = self.options.egress.is_some();
        Network::Remote(RemoteNetwork {
            intercept: if is_proxied { Intercept::DocumentsAndPrivate } else { Intercept::Everything },
            whole_browser: false,
            judges_addresses: !is_proxied,
        })
    }

    async fn lease(self: Arc<Self>, purpose: Purpose) -> Result<Lease, ProviderError> {
        let url = self.options.endpoint.websocket().await?;
        let connection = timeout(CONNECT_TIMEOUT, connect_websocket(&url, WebSocketOptions::default()));
        let connection = connection.await.map_err(|_| ProviderError::TimedOut)??;
        timeout(CONNECT_TIMEOUT, self.page(connection, purpose)).await.map_err(|_| ProviderError::TimedOut)?
    }

    /// Creates a context and its page in two round trips. Auto-attach attaches to the page as it is created.
    async fn page(self: &Arc<Self>, connection: Connection, purpose: Purpose) -> Result<Lease, ProviderError> {
        let root = connection.browser();
        let pages = root.attach_to_pages();
        let beside = root.beside();
        let create = CreateBrowserContextParams {
            dispose_on_detach: Some(true),
            proxy_server: self.options.egress.clone(),
            // Loopback and link-local addresses would bypass the proxy.
            proxy_bypass_list: self.options.egress.as_ref().map(|_| "<-loopback>".to_owned()),
            ..Default::default()
        };
        let contexts = root.call(&GetBrowserContextsParams::default());
        let (made, contexts) = join(try_join(root.call(&create), beside), contexts).await;
        let (context, beside) = made?;
        let context = context.browser_context_id;
        let of_its_users = contexts.ok().and_then(|contexts| contexts.default_browser_context_id).map(String::from);
        let mut held = HeldContext {
            shared: Arc::clone(self),
            connection: connection.clone(),
            context: context.clone(),
            of_its_users: of_its_users.clone(),
            purpose,
            since: Instant::now(),
            page: None,
            halts_workers: beside.clone(),
            watchers: JoinSet::new(),
            _browser: ConnectedBrowser::count(&self.metrics),
        };
        self.metrics.created(purpose.page_use());
        let downloads = Downloads::begin(root.clone(), Some(context.clone()), None);
        let mut target = CreateTargetParams::new("about:blank");
        target.browser_context_id = Some(context.clone());
        let made = root.call(&target);
        // Auto-attach covers the browser's other pages as well.
        let mut pages =
            pages.within(context.inner().clone()).resuming_opened_later(of_its_users.clone(), OTHERS_RESUMED_AFTER);
        // Those of other leases' contexts, ours or another replica's, are closed by them and must not run until then. The
        // browser's own users have the default context.
        let shared_workers = beside.attach_to_shared_workers().within(context.inner().clone());
        let mut shared_workers = shared_workers.resuming_only(of_its_users);
        let page = pages.next().await.ok_or_else(|| CdpError::Closed("the browser gave no page".into()))?;
        page.resume();
        made.forget();
        shared_workers.confirmed().await?;
        held.page = Some(page.session.clone());
        let mut lease = Lease::new(purpose, page.session, page.target_id, self.network(), move |watchers| {
            held.watchers = watchers;
            drop(held);
        });
        lease.handle_popups(pages);
        let mut lease = lease.with_downloads((purpose == Purpose::Session).then_some(downloads));
        lease.watchers().spawn(popups::close_workers(shared_workers));
        Ok(lease)
    }
}

/// A context in the remote browser, disposed of when dropped.
struct HeldContext {
    shared: Arc<Shared>,
    connection: Connection,
    context: BrowserContextId,
    /// The context of the browser's own users, whose shared workers are resumed.
    of_its_users: Option<String>,
    purpose: Purpose,
    since: Instant,
    /// Its page, once leased.
    page: Option<Session>,
    /// The session that attaches to shared workers.
    halts_workers: Session,
    /// The tasks that judge the page's requests until it is gone.
    watchers: JoinSet<()>,
    _browser: ConnectedBrowser,
}

impl Drop for HeldContext {
    fn drop(&mut self) {
        let (context, page) = (self.context.clone(), self.page.take());
        let (halts_workers, of_its_users) = (self.halts_workers.clone(), self.of_its_users.take());
        let (connection, metrics) = (self.connection.clone(), self.shared.metrics.clone());
        let (purpose, since) = (self.purpose, self.since);
        let watchers = std::mem::take(&mut self.watchers);
        self.shared.tasks.spawn(async move {
            let browser = connection.browser();
            // A halted worker whose page or context goes away may run for a moment, unless it has closed itself.
            let own_end = async || {
                let own = |of: Option<&str>| of == Some(context.inner().as_str());
                if !workers_end(&browser, own).await {
                    tracing::debug!("a page is released although its shared worker may still run");
                }
            };
            if let Some(page) = page {
                own_end().await;
                leave(&page).await;
                own_end().await;
            }
            let disposed = browser.call(&DisposeBrowserContextParams::new(context.clone()));
            let confirmed = match timeout(DISPOSE_TIMEOUT, disposed).await {
                Ok(Ok(_)) => true,
                Ok(Err(error)) => error.is_gone(),
                Err(_) => false,
            };
            if !confirmed {
                tracing::warn!("the browser did not confirm the disposal of a context; it ends with its connection");
            }
            // This connection may have attached to the worker of another lease before that lease did, and the browser
            // may let it run when the connection ends. Its lease closes it soon.
            let halts_none = timeout(HALTED_TIMEOUT, halts_workers.halt_no_more_shared_workers()).await;
            let of_leases = |of: Option<&str>| of != of_its_users.as_deref();
            if !(matches!(halts_none, Ok(Ok(()))) && workers_end(&browser, of_leases).await) {
                tracing::debug!("a connection closes although another lease's shared worker may still be halted by it");
            }
            drop((watchers, connection));
            metrics.ended(purpose.page_use(), since.elapsed(), confirmed);
        });
    }
}

/// Waits until no context that `counts` has a shared worker; `false` if one still has after [`HALTED_TIMEOUT`].
async fn workers_end(browser: &Session, counts: impl Fn(Option<&str>) -> bool) -> bool {
    let workers = GetTargetsParams { filter: Some(targets_only("shared_worker")) };
    let none = async {
        loop {
            let found = browser.call(&workers).await?.target_infos;
            let mut contexts = found.iter().map(|target| target.browser_context_id.as_ref());
            if !contexts.any(|context| counts(context.map(|context| context.inner().as_str()))) {
                return Ok::<_, CdpError>(());
            }
            tokio::time::sleep(HALTED_INTERVAL).await;
        }
    };
    matches!(timeout(HALTED_TIMEOUT, none).await, Ok(Ok(())))
}

impl Provider for CdpProvider {
    fn lease(&self, request: LeaseRequest) -> BoxFuture<'_, Result<Lease, ProviderError>> {
        async move {
            if self.shared.ending.is_cancelled() {
                return Err(ProviderError::Ending);
            }
            // In a task of its own: if the caller leaves meanwhile, no half-made context stays behind.
            let making = timeout(SESSION_CREATE_TIMEOUT, Arc::clone(&self.shared).lease(request.purpose));
            let making = self.shared.tasks.spawn(making);
            match making.await {
                Ok(made) => made.map_err(|_| ProviderError::TimedOut)?,
                Err(error) => Err(ProviderError::Unavailable(error.to_string())),
            }
        }
        .boxed()
    }

    fn ready(&self) -> BoxFuture<'_, Result<(), ProviderError>> {
        // The browser is not asked: some endpoints bill each connection as a session.
        futures_util::future::ok(()).boxed()
    }

    fn end(&self) -> BoxFuture<'_, ()> {
        async move {
            self.shared.ending.cancel();
            self.shared.tasks.close();
            if timeout(END_TIMEOUT, self.shared.tasks.wait()).await.is_err() {
                tracing::warn!(
                    "the disposal of browser contexts was not confirmed in time; they end with their connections"
                );
            }
        }
        .boxed()
    }
}
