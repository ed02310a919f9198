//! A browser of one kind, its warm pages, and its replacement when it is recycled or has died.

use std::path::Path;
use std::sync::Arc;

use porthole_chromium::sweep;
use porthole_contract::limits::{CONNECT_TIMEOUT, SESSION_CREATE_TIMEOUT};
use tokio::sync::Mutex;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::browser::{self, Blank, Browser, LaunchError};
use super::recycle::Recycling;
use super::warm::{Busy, Warm};
use super::{Setup, recycle, warm};
use crate::guard::Judge;
use crate::provider::{Lease, LeaseRequest, ProviderError};
use crate::telemetry::SessionMetrics;

/// How many blank pages the sessions' browser keeps ready.
const WARM_SESSION_PAGES: usize = 1;
/// How many browsers a lease may find gone: one that died unnoticed, one that dies right after its start, and the one that
/// is started then.
const BROWSERS_TRIED: usize = 3;

/// What a browser's pages are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BrowserKind {
    /// Visits, with pages that draw by themselves.
    Ordinary,
    /// Visits, with pages that draw by `begin_frame`.
    BeginFrame,
    /// Sessions.
    Session,
}

/// Pages from one browser of one kind at a time.
pub(super) struct Pool {
    kind: BrowserKind,
    pub(super) setup: Arc<Setup>,
    judge: Judge,
    metrics: SessionMetrics,
    /// The browser that runs, if one does. Locked while one is started, so that only one is.
    browser: Mutex<Option<Arc<Browser>>>,
    /// The pages that are ready.
    pub(super) warm: Warm,
    /// What is known of browsers that ended.
    pub(super) recycling: Recycling,
    pub(super) ending: CancellationToken,
    /// The keepers of the browsers' processes and the disposals of contexts.
    tasks: TaskTracker,
}

impl Pool {
    /// A pool whose browser is not started yet.
    pub(super) fn open(
        kind: BrowserKind,
        setup: Arc<Setup>,
        judge: Judge,
        busy: Arc<Busy>,
        metrics: SessionMetrics,
    ) -> Arc<Self> {
        let warm_pages = match kind {
            BrowserKind::Ordinary | BrowserKind::BeginFrame => setup.options.warm_pages,
            BrowserKind::Session => setup.options.warm_pages.min(WARM_SESSION_PAGES),
        };
        let pool = Arc::new(Self {
            kind,
            warm: Warm::new(warm_pages, busy, metrics.clone()),
            setup,
            judge,
            metrics,
            browser: Mutex::new(None),
            recycling: Recycling::default(),
            ending: CancellationToken::new(),
            tasks: TaskTracker::new(),
        });
        pool.tasks.spawn(warm::keep(Arc::clone(&pool)));
        pool.tasks.spawn(recycle::run(Arc::clone(&pool)));
        pool
    }

    /// Removes profile folders that a killed process left.
    pub(super) fn sweep(&self) {
        let profiles = self.setup.options.profiles.clone();
        self.tasks.spawn(async move { sweep(&profiles).await });
    }

    pub(super) fn is_installed(&self) -> bool {
        self.setup.options.executable.is_ok()
    }

    /// The browser that runs, started if none does.
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
            tracing::warn!("the local browser died and is started again");
            self.recycling.ended_after(gone.age());
        }
        let browser = self.launch(if gone.is_some() { "died" } else { "first" }).await?;
        self.warm.browser_started();
        Ok(Arc::clone(current.insert(browser)))
    }

    /// A new browser, for that reason, unless none should be started now. One that dies on the way, or never answers, is
    /// replaced once, within the same time: about one start of Chromium's in a hundred crashes. Only the second failure
    /// counts as one.
    pub(super) async fn launch(&self, reason: &'static str) -> Result<Arc<Browser>, ProviderError> {
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
                    tracing::warn!(%error, "another local browser is started at once");
                    start("start_failed").await
                }
                started => started,
            }
        };
        let launched = tokio::select! {
            launched = timeout(SESSION_CREATE_TIMEOUT, starts) => launched.unwrap_or(Err(LaunchError::Silent)),
            () = self.ending.cancelled() => return Err(ProviderError::Ending),
        };
        launched.map(Arc::new).map_err(|error| {
            tracing::error!(%error, "no local browser could be started");
            self.recycling.start_failed();
            error.into()
        })
    }

    /// Lets `new` give pages in `old`'s place, which ends with the last of its own.
    pub(super) async fn replace(&self, old: &Arc<Browser>, new: Arc<Browser>) {
        let mut current = self.browser.lock().await;
        // Somebody may have found the old one dead meanwhile: then theirs stays.
        if current.as_ref().is_some_and(|current| Arc::ptr_eq(current, old)) && !self.ending.is_cancelled() {
            old.relieve();
            *current = Some(new);
            self.warm.browser_started();
        }
    }

    /// The browser, if one runs.
    pub(super) async fn running(&self) -> Option<Arc<Browser>> {
        self.browser.lock().await.as_ref().filter(|browser| browser.gives_pages()).cloned()
    }

    async fn lease_page(&self, request: &LeaseRequest) -> Result<Lease, ProviderError> {
        let in_use = request.purpose.works_throughout().then(|| self.warm.in_use());
        while let Some(page) = self.warm.take() {
            if page.answers().await {
                return Ok(page.lease(request, in_use));
            }
        }
        for _ in 1..BROWSERS_TRIED {
            match self.blank_from(&self.browser().await?).await {
                Err(ProviderError::Browser(error)) if error.is_gone() => {
                    tracing::debug!(%error, "a local browser was gone before it gave a page");
                }
                made => return Ok(made?.lease(request, in_use)),
            }
        }
        Ok(self.blank_from(&self.browser().await?).await?.lease(request, in_use))
    }

    pub(super) async fn blank_from(&self, browser: &Arc<Browser>) -> Result<Blank, ProviderError> {
        let making = browser.blank(&self.setup, &self.judge, &self.tasks, &self.metrics);
        let page = timeout(CONNECT_TIMEOUT, making).await.map_err(|_| {
            // It runs and gives no page: the next request gets another.
            browser.retire();
            ProviderError::TimedOut
        })??;
        self.recycling.page_made(browser, self.setup.options.recycle);
        Ok(page)
    }

    /// Leases a page.
    pub(super) async fn lease(self: &Arc<Self>, request: LeaseRequest) -> Result<Lease, ProviderError> {
        // In a task of its own: if the caller leaves meanwhile, the task still finishes, and its unclaimed lease is
        // dropped. No half-made context stays behind.
        let pool = Arc::clone(self);
        let making = self.tasks.spawn(async move { pool.lease_page(&request).await });
        making.await.unwrap_or_else(|error| Err(ProviderError::Unavailable(error.to_string())))
    }

    /// Whether the browser runs, started if it does not, and answers.
    pub(super) async fn ready(self: &Arc<Self>) -> Result<(), ProviderError> {
        // In a task of its own: a probe that no longer waits must not end the browser that is being started for it.
        let pool = Arc::clone(self);
        let asking = self.tasks.spawn(async move {
            let browser = pool.browser().await?;
            browser.answers().await.map_err(ProviderError::Browser)
        });
        asking.await.unwrap_or_else(|error| Err(ProviderError::Unavailable(error.to_string())))
    }

    /// Ends the browser and waits until it is gone.
    pub(super) async fn end(&self) {
        self.ending.cancel();
        self.warm.clear();
        if let Some(browser) = self.browser.lock().await.take() {
            browser.kill();
        }
        self.tasks.close();
        self.tasks.wait().await;
    }
}
