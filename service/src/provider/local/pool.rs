//! A pool: one browser of one kind, its warm pages, and its replacement when it is recycled or has died. While visits are of
//! several sandboxes, a spare makes pages as well.

use std::path::Path;
use std::sync::Arc;

use porthole_chromium::sweep;
use porthole_contract::limits::{CONNECT_TIMEOUT, SESSION_CREATE_TIMEOUT};
use tokio::sync::Mutex;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::browser::{self, Blank, Browser, LaunchError};
use super::kind::BrowserKind;
use super::options::Setup;
use super::priority;
use super::quarantine::Quarantine;
use super::recycle::Recycling;
use super::spare::Spare;
use super::tenants::{Tenant, Tenants};
use super::warm::Warm;
use crate::guard::Judge;
use crate::provider::{Lease, LeaseRequest, ProviderError};
use crate::telemetry::{LeaseMetrics, StartReason};

/// How many blank pages a browser of sessions keeps ready.
const WARM_SESSION_PAGES: usize = 1;
/// How many the spare keeps ready.
const WARM_SPARE_PAGES: usize = 1;
/// How many browsers a lease tries: one that died unnoticed, one that dies right after its start, and one more.
const BROWSERS_TRIED: usize = 3;

/// Leases pages from one browser and its spare, both of one kind.
pub(super) struct Pool {
    pub(super) kind: BrowserKind,
    pub(super) setup: Arc<Setup>,
    judge: Judge,
    metrics: LeaseMetrics,
    /// The running browser, if any. Locked during a start, so that only one is started.
    browser: Mutex<Option<Arc<Browser>>>,
    /// The warm pages.
    pub(super) warm: Warm,
    /// The record of browsers that ended.
    pub(super) recycling: Recycling,
    /// The other browser for visits of several sandboxes, if any.
    pub(super) spare: Spare,
    /// The noisy browser, if any, and whose pages it makes.
    pub(super) quarantine: Arc<Quarantine>,
    /// The sandboxes whose sessions have pages here.
    pub(super) tenants: Arc<Tenants>,
    pub(super) ending: CancellationToken,
    /// The tasks that keep the browsers' processes, and the disposals of contexts.
    pub(super) tasks: TaskTracker,
}

impl Pool {
    /// Creates a pool without starting its browser; `upkeep` begins the tasks that keep it.
    pub(super) fn open(kind: BrowserKind, setup: Arc<Setup>, judge: Judge, metrics: LeaseMetrics) -> Arc<Self> {
        let warm_pages = match kind {
            BrowserKind::Ordinary | BrowserKind::BeginFrame => setup.options.warm_pages,
            BrowserKind::Session => setup.options.warm_pages.min(WARM_SESSION_PAGES),
        };
        Arc::new(Self {
            kind,
            warm: Warm::new(warm_pages, Arc::clone(&setup.busy), metrics.clone()),
            setup,
            judge,
            metrics,
            browser: Mutex::new(None),
            recycling: Recycling::default(),
            spare: Spare::default(),
            quarantine: Arc::default(),
            tenants: Arc::default(),
            ending: CancellationToken::new(),
            tasks: TaskTracker::new(),
        })
    }

    /// Removes profile folders that a killed process left.
    pub(super) fn sweep(&self) {
        let profiles = self.setup.options.profiles.clone();
        self.tasks.spawn(async move { sweep(&profiles).await });
    }

    pub(super) fn is_installed(&self) -> bool {
        self.setup.options.executable.is_ok()
    }

    /// Returns the running browser; starts one if there is none.
    async fn browser(&self) -> Result<Arc<Browser>, ProviderError> {
        let mut current = self.browser.lock().await;
        if self.ending.is_cancelled() {
            return Err(ProviderError::Ending);
        }
        if let Some(browser) = current.as_ref().filter(|browser| browser.gives_pages()) {
            return Ok(Arc::clone(browser));
        }
        let gone = current.take();
        if let Some(gone) = &gone {
            tracing::warn!("the local browser died; starting another");
            self.recycling.ended_after(gone.age());
        }
        let browser = self.launch(if gone.is_some() { StartReason::Died } else { StartReason::First }).await?;
        self.warm.browser_started();
        Ok(Arc::clone(current.insert(browser)))
    }

    /// Starts a new browser, unless starts are paused. A start that crashes or never answers is repeated once within
    /// the same timeout, since about one start of Chromium in a hundred crashes; only the second failure counts.
    pub(super) async fn launch(&self, reason: StartReason) -> Result<Arc<Browser>, ProviderError> {
        self.recycling.may_start()?;
        let executable: &Path =
            self.setup.options.executable.as_ref().map_err(|error| ProviderError::Unavailable(error.to_string()))?;
        let start = |reason| {
            self.metrics.browser_starts(reason);
            browser::launch(executable, self.kind, &self.setup, &self.tasks, &self.metrics)
        };
        let starts = async {
            match start(reason).await {
                Err(error) if error.is_worth_another_start() => {
                    tracing::warn!(%error, "starting a local browser failed; trying once more");
                    start(StartReason::StartFailed).await
                }
                started => started,
            }
        };
        let launched = tokio::select! {
            launched = timeout(SESSION_CREATE_TIMEOUT, starts) => launched.unwrap_or(Err(LaunchError::Silent)),
            () = self.ending.cancelled() => return Err(ProviderError::Ending),
        };
        let browser = launched.map(Arc::new).map_err(|error| {
            tracing::error!(%error, "no local browser could be started");
            self.recycling.start_failed();
            ProviderError::from(error)
        })?;
        self.setup.started.add(&browser, self.kind);
        let (busy, quarantine) = (Arc::clone(&self.setup.busy), Arc::clone(&self.quarantine));
        self.tasks.spawn(priority::watch(Arc::downgrade(&browser), self.kind, browser.connection(), busy, quarantine));
        Ok(browser)
    }

    /// Replaces `old` by `new`. `old` ends with the last of its pages.
    pub(super) async fn replace(&self, old: &Arc<Browser>, new: Arc<Browser>) {
        let mut current = self.browser.lock().await;
        // If a lease has found `old` dead meanwhile and started another browser, that one stays.
        if current.as_ref().is_some_and(|current| Arc::ptr_eq(current, old)) && !self.ending.is_cancelled() {
            old.relieve();
            *current = Some(new);
            self.warm.browser_started();
        }
    }

    /// Returns the running browser, if any.
    pub(super) async fn running(&self) -> Option<Arc<Browser>> {
        self.browser.lock().await.as_ref().filter(|browser| browser.gives_pages()).cloned()
    }

    async fn lease_page(&self, request: &LeaseRequest, tenant: Option<Tenant>) -> Result<Lease, ProviderError> {
        let in_use = request.purpose.works_throughout().then(|| self.warm.in_use());
        if let Some(noisy) = self.quarantine.browser_for(request.sandbox.as_ref()) {
            match self.blank_from(&noisy).await {
                Ok(page) => return Ok(page.lease(request, in_use, tenant)),
                Err(error) => tracing::debug!(%error, "the browser in quarantine makes no page; another one does"),
            }
        }
        // While a browser is being started, nothing is known of it.
        let first = self.browser.try_lock().ok().and_then(|browser| browser.clone());
        let (spare, _expected) = self.spare.choose(request.sandbox.as_ref(), first.as_ref());
        if let Some(spare) = spare {
            match self.page_of_spare(&spare).await {
                Some(Ok(page)) => return Ok(page.lease(request, in_use, tenant)),
                Some(Err(error)) => tracing::debug!(%error, "the spare browser makes no page; another one does"),
                None => {}
            }
        }
        while let Some(page) = self.warm.take(|page| !self.spare.browser().is_some_and(|spare| page.is_of(&spare))) {
            if page.answers().await {
                return Ok(page.lease(request, in_use, tenant));
            }
        }
        for _ in 1..BROWSERS_TRIED {
            let browser = self.browser().await?;
            match self.blank_outside_quarantine(&browser).await {
                None => {}
                Some(Err(ProviderError::Browser(error))) if error.is_gone() => {
                    tracing::debug!(%error, "a local browser ended before it made a page");
                }
                Some(made) => return Ok(made?.lease(request, in_use, tenant)),
            }
        }
        Ok(self.blank_from(&self.browser().await?).await?.lease(request, in_use, tenant))
    }

    async fn page_of_spare(&self, spare: &Arc<Browser>) -> Option<Result<Blank, ProviderError>> {
        while let Some(page) = self.warm.take(|page| page.is_of(spare)) {
            if page.answers().await {
                return Some(Ok(page));
            }
        }
        self.blank_outside_quarantine(spare).await
    }

    /// Makes a page; `None` if the browser is put in quarantine meanwhile: what it has made of the page ends with it.
    async fn blank_outside_quarantine(&self, browser: &Arc<Browser>) -> Option<Result<Blank, ProviderError>> {
        tokio::select! {
            made = self.blank_from(browser) => Some(made),
            () = browser.in_quarantine() => None,
        }
    }

    /// Returns a browser that lacks a warm page, if it is to be made now.
    pub(super) async fn lacks_page(&self) -> Option<Arc<Browser>> {
        let (first, spare) = (self.running().await, self.spare.browser());
        let first = first.filter(|browser| self.warm.lacks_one(browser, usize::MAX));
        first.or_else(|| spare.filter(|browser| self.warm.lacks_one(browser, WARM_SPARE_PAGES)))
    }

    /// Returns the browser in which a page was found noisy just now, unless it is in quarantine.
    pub(super) async fn noisy(&self) -> Option<Arc<Browser>> {
        let (first, spare) = (self.running().await, self.spare.browser());
        first.into_iter().chain(spare).find(|browser| browser.noise.was_found())
    }

    pub(super) async fn blank_from(&self, browser: &Arc<Browser>) -> Result<Blank, ProviderError> {
        let making = browser.blank(&self.setup, &self.judge, &self.tasks, &self.metrics);
        let page = timeout(CONNECT_TIMEOUT, making).await.map_err(|_| {
            // The browser runs but makes no page: the next request starts another.
            browser.retire();
            ProviderError::TimedOut
        })??;
        self.recycling.page_made(browser, self.setup.options.recycle);
        Ok(page)
    }

    /// Leases a page. `tenant` counts until its disposal is confirmed.
    pub(super) async fn lease(
        self: &Arc<Self>,
        request: LeaseRequest,
        tenant: Option<Tenant>,
    ) -> Result<Lease, ProviderError> {
        // In a task of its own: if the caller leaves meanwhile, the task still finishes, and its unclaimed lease is
        // dropped. No half-made context stays behind.
        let pool = Arc::clone(self);
        let making = self.tasks.spawn(async move { pool.lease_page(&request, tenant).await });
        making.await.unwrap_or_else(|error| Err(ProviderError::Unavailable(error.to_string())))
    }

    /// Checks that the browser answers; starts one if none runs.
    pub(super) async fn ready(self: &Arc<Self>) -> Result<(), ProviderError> {
        // In a task of its own: a probe that disconnects must not abort the start of the browser.
        let pool = Arc::clone(self);
        let asking = self.tasks.spawn(async move {
            let browser = pool.browser().await?;
            browser.answers().await.map_err(ProviderError::Browser)
        });
        asking.await.unwrap_or_else(|error| Err(ProviderError::Unavailable(error.to_string())))
    }

    /// Ends the browser and waits until it has ended.
    pub(super) async fn end(&self) {
        self.ending.cancel();
        self.warm.clear();
        let running = self.browser.lock().await.take();
        for browser in running.into_iter().chain(self.quarantine.take()).chain(self.spare.take()) {
            browser.kill();
        }
        self.tasks.close();
        self.tasks.wait().await;
    }
}
