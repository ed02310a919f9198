//! A browser, its ready pages, and what replaces it when it has worn out or died.

use std::path::Path;
use std::sync::Arc;

use porthole_chromium::sweep;
use porthole_contract::limits::{CONNECT_TIMEOUT, SESSION_CREATE_TIMEOUT};
use tokio::sync::Mutex;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::browser::{self, Blank, Browser};
use super::care::Care;
use super::warm::{Busy, Warm};
use super::{LocalOptions, care, warm};
use crate::guard::Judge;
use crate::provider::{Lease, ProviderError};
use crate::telemetry::SessionMetrics;

/// When a browser's pages draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Drawing {
    /// When they have something to show, sixty times a second at most.
    ByItself,
    /// When told to, and only then.
    ByHand,
}

/// Pages of one kind, from one browser at a time.
pub(super) struct Pool {
    drawing: Drawing,
    pub(super) options: Arc<LocalOptions>,
    judge: Judge,
    metrics: SessionMetrics,
    /// The browser that runs, if one does. Locked while one is started, so that only one is.
    browser: Mutex<Option<Arc<Browser>>>,
    /// The pages that are ready.
    pub(super) warm: Warm,
    /// What is known of browsers that ended.
    pub(super) care: Care,
    pub(super) ending: CancellationToken,
    /// The keepers of the browsers' processes and the disposals of contexts.
    tasks: TaskTracker,
}

impl Pool {
    /// A pool whose browser is not started yet.
    pub(super) fn open(
        drawing: Drawing,
        options: Arc<LocalOptions>,
        judge: Judge,
        busy: Arc<Busy>,
        metrics: SessionMetrics,
    ) -> Arc<Self> {
        let pool = Arc::new(Self {
            drawing,
            warm: Warm::new(options.warm_pages, busy, metrics.clone()),
            options,
            judge,
            metrics,
            browser: Mutex::new(None),
            care: Care::default(),
            ending: CancellationToken::new(),
            tasks: TaskTracker::new(),
        });
        pool.tasks.spawn(warm::keep(Arc::clone(&pool)));
        pool.tasks.spawn(care::keep(Arc::clone(&pool)));
        pool
    }

    /// Removes profile folders that a killed process left.
    pub(super) fn sweep(&self) {
        let profiles = self.options.profiles.clone();
        self.tasks.spawn(async move { sweep(&profiles).await });
    }

    pub(super) fn is_installed(&self) -> bool {
        self.options.executable.is_ok()
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
            self.care.ended_after(gone.age());
        }
        let browser = self.launch(if gone.is_some() { "died" } else { "first" }).await?;
        self.warm.browser_started();
        Ok(Arc::clone(current.insert(browser)))
    }

    /// A new browser, for that reason, unless none should be started now.
    pub(super) async fn launch(&self, reason: &'static str) -> Result<Arc<Browser>, ProviderError> {
        self.care.may_start()?;
        let executable: &Path =
            self.options.executable.as_ref().map_err(|error| ProviderError::Unavailable(error.to_string()))?;
        self.metrics.browser_starts(reason);
        let launch = browser::launch(executable, self.drawing, &self.options, &self.tasks, &self.metrics);
        let launched = tokio::select! {
            launched = timeout(SESSION_CREATE_TIMEOUT, launch) => launched.unwrap_or(Err(ProviderError::TimedOut)),
            () = self.ending.cancelled() => return Err(ProviderError::Ending),
        };
        launched.map(Arc::new).inspect_err(|_| self.care.start_failed())
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

    async fn lease_page(&self) -> Result<Lease, ProviderError> {
        let in_use = self.warm.in_use();
        while let Some(page) = self.warm.take() {
            if page.answers().await {
                return Ok(page.lease(in_use));
            }
        }
        let browser = self.browser().await?;
        let page = match self.blank_from(&browser).await {
            // It died in between, or while nobody looked: a new one is worth one more try.
            Err(ProviderError::Browser(error)) if error.is_gone() => self.blank_from(&self.browser().await?).await,
            made => made,
        };
        Ok(page?.lease(in_use))
    }

    pub(super) async fn blank_from(&self, browser: &Arc<Browser>) -> Result<Blank, ProviderError> {
        let making = browser.blank(&self.options, &self.judge, &self.tasks, &self.metrics);
        let page = timeout(CONNECT_TIMEOUT, making).await.map_err(|_| {
            // It runs and gives no page: the next request gets another.
            browser.retire();
            ProviderError::TimedOut
        })??;
        self.care.page_made(browser, self.options.wear);
        Ok(page)
    }

    /// A page for one request.
    pub(super) async fn lease(self: &Arc<Self>) -> Result<Lease, ProviderError> {
        // In a task of its own, so that a caller who leaves meanwhile does not leave a half-made context behind: the
        // task ends its work, and the lease that nobody takes is dropped.
        let pool = Arc::clone(self);
        let making = self.tasks.spawn(async move { pool.lease_page().await });
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
