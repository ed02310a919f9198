//! Any browser that speaks the DevTools protocol: browserless, a grid's node, somebody's own Chrome. One connection and
//! one isolated context for each lease; what else runs in that browser is left alone.

mod endpoint;

use std::sync::Arc;
use std::time::{Duration, Instant};

use chromiumoxide_cdp::cdp::browser_protocol::browser::{
    BrowserContextId, SetDownloadBehaviorBehavior, SetDownloadBehaviorParams,
};
use chromiumoxide_cdp::cdp::browser_protocol::page::EnableParams as EnablePage;
use chromiumoxide_cdp::cdp::browser_protocol::target::{
    CreateBrowserContextParams, CreateTargetParams, DisposeBrowserContextParams,
};
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, try_join};
use porthole_contract::limits::{CONNECT_TIMEOUT, SESSION_CREATE_TIMEOUT};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use self::endpoint::Endpoint;
use super::leave::leave;
use super::{Lease, LeaseRequest, Provider, ProviderError, Purpose, popups};
use crate::cdp::{CdpError, Connection, Session, WebSocketOptions, connect_websocket};
use crate::guard::{Intercept, Network, RemoteNetwork};
use crate::telemetry::{ConnectedBrowser, SessionMetrics};

/// How long a context may take to be disposed of. It ends with its connection in any case.
const DISPOSE_TIMEOUT: Duration = Duration::from_secs(5);
/// A browser that makes a page sooner is so near that asking it once more costs less than a renderer takes to start.
const NEAR: Duration = Duration::from_millis(60);
/// How long the end of the service waits for contexts to be disposed of.
const END_TIMEOUT: Duration = Duration::from_secs(10);

/// What the provider is made with.
#[derive(Clone, Debug)]
pub struct CdpOptions {
    /// Where the browser is.
    pub endpoint: Endpoint,
    /// The forward proxy through which the contexts' requests leave, if any: it is then what guards them.
    pub egress: Option<String>,
}

/// Gives pages of a browser that somebody else runs.
pub struct CdpProvider {
    shared: Arc<Shared>,
}

struct Shared {
    options: CdpOptions,
    metrics: SessionMetrics,
    ending: CancellationToken,
    /// The leases that are made and the disposals of contexts.
    tasks: TaskTracker,
}

impl CdpProvider {
    /// A provider that has not connected yet.
    #[must_use]
    pub fn new(options: CdpOptions, metrics: SessionMetrics) -> Self {
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

    /// Two round trips: the context, and the page in it. The page is attached to as it is made.
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
        let (context, beside) = try_join(root.call(&create), beside).await?;
        let context = context.browser_context_id;
        let mut held = HeldContext {
            shared: Arc::clone(self),
            connection: connection.clone(),
            context: context.clone(),
            purpose,
            since: Instant::now(),
            page: None,
            watchers: JoinSet::new(),
            _browser: ConnectedBrowser::count(&self.metrics),
        };
        self.metrics.created(purpose);
        let mut downloads = SetDownloadBehaviorParams::new(SetDownloadBehaviorBehavior::Deny);
        downloads.browser_context_id = Some(context.clone());
        root.call(&downloads).forget();
        let mut target = CreateTargetParams::new("about:blank");
        target.browser_context_id = Some(context.clone());
        let asked = Instant::now();
        let made = root.call(&target);
        // Other pages of that browser are attached to as well: none of them is touched.
        let mut pages = pages.within(context.inner().clone());
        let mut shared_workers = beside.attach_to_shared_workers().within(context.inner().clone());
        let page = pages.next().await.ok_or_else(|| CdpError::Closed("the browser gave no page".into()))?;
        made.forget();
        if asked.elapsed() < NEAR {
            // The renderer may not run yet. On a longer line it does when the next message comes, and if it does not,
            // the page is navigated once more.
            page.session.call(&EnablePage::default()).await?;
        }
        shared_workers.confirmed().await?;
        held.page = Some(page.session.clone());
        let mut lease = Lease::new(purpose, page.session, page.target_id, self.network(), move |watchers| {
            held.watchers = watchers;
            drop(held);
        });
        lease.handle_popups(pages);
        lease.watchers().spawn(popups::close_all(shared_workers));
        Ok(lease)
    }
}

/// A context in somebody's browser, disposed of when dropped.
struct HeldContext {
    shared: Arc<Shared>,
    connection: Connection,
    context: BrowserContextId,
    purpose: Purpose,
    since: Instant,
    /// Its page, once it was leased.
    page: Option<Session>,
    /// Those who judge what the page asks for, until it is gone.
    watchers: JoinSet<()>,
    _browser: ConnectedBrowser,
}

impl Drop for HeldContext {
    fn drop(&mut self) {
        let (context, page) = (self.context.clone(), self.page.take());
        let (connection, metrics) = (self.connection.clone(), self.shared.metrics.clone());
        let (purpose, since) = (self.purpose, self.since);
        let watchers = std::mem::take(&mut self.watchers);
        self.shared.tasks.spawn(async move {
            let browser = connection.browser();
            if let Some(page) = page {
                leave(&page).await;
            }
            let disposed = browser.call(&DisposeBrowserContextParams::new(context));
            let confirmed = match timeout(DISPOSE_TIMEOUT, disposed).await {
                Ok(Ok(_)) => true,
                Ok(Err(error)) => error.is_gone(),
                Err(_) => false,
            };
            if !confirmed {
                tracing::warn!("a browser context is not confirmed as disposed of; it ends with its connection");
            }
            drop((watchers, connection));
            metrics.ended(purpose, since.elapsed(), confirmed);
        });
    }
}

impl Provider for CdpProvider {
    fn lease(&self, request: LeaseRequest) -> BoxFuture<'_, Result<Lease, ProviderError>> {
        async move {
            if self.shared.ending.is_cancelled() {
                return Err(ProviderError::Ending);
            }
            // In a task of its own, so that a caller who leaves meanwhile does not leave a half-made context behind.
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
        // Nothing is asked of the browser: with some endpoints a question is a session.
        futures_util::future::ok(()).boxed()
    }

    fn end(&self) -> BoxFuture<'_, ()> {
        async move {
            self.shared.ending.cancel();
            self.shared.tasks.close();
            if timeout(END_TIMEOUT, self.shared.tasks.wait()).await.is_err() {
                tracing::warn!("browser contexts are not confirmed as disposed of; they end with their connections");
            }
        }
        .boxed()
    }
}
