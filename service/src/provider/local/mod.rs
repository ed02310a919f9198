//! The local provider: Chromium on this machine, one isolated browser context for each lease.

mod browser;
mod care;
mod defence;
mod flags;
mod warm;

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use porthole_chromium::{ExecutableError, sweep};
use porthole_contract::limits::{CONNECT_TIMEOUT, SESSION_CREATE_TIMEOUT};
use tokio::sync::Mutex;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::browser::{Blank, Browser};
use self::care::Care;
pub use self::care::Wear;
pub use self::defence::Defence;
use self::warm::Warm;
use super::{Lease, Order, Provider, ProviderError};
use crate::guard::Judge;
use crate::guard::egress::EgressLimits;
use crate::telemetry::SessionMetrics;

/// What the local provider is made with.
#[derive(Clone, Debug)]
pub struct LocalOptions {
    /// The browser's executable, or what to say if there is none.
    pub executable: Result<PathBuf, ExecutableError>,
    /// What one page may use of its way out.
    pub egress: EgressLimits,
    /// How many blank pages are kept ready.
    pub warm_pages: usize,
    /// When a browser is replaced by a fresh one.
    pub wear: Wear,
    /// Where profile folders are made.
    pub profiles: PathBuf,
    /// What is left out of its defences; tests alone do that, to hear that each is needed.
    pub without: Vec<Defence>,
    /// Flags for the browser behind our own; tests alone have any.
    pub more_flags: Vec<String>,
}

/// Gives pages of a Chromium that runs on this machine, started when the first one is needed and again when it died.
pub struct LocalProvider {
    shared: Arc<Shared>,
}

struct Shared {
    options: LocalOptions,
    judge: Judge,
    metrics: SessionMetrics,
    /// The browser that runs, if one does. Locked while one is started, so that only one is.
    browser: Mutex<Option<Arc<Browser>>>,
    /// The pages that are ready.
    warm: Arc<Warm>,
    /// What is known of browsers that ended.
    care: Care,
    ending: CancellationToken,
    /// The keepers of the browsers' processes and the disposals of contexts.
    tasks: TaskTracker,
}

impl LocalProvider {
    /// A provider whose browser is not started yet. Profile folders that a killed process left are removed.
    #[must_use]
    pub fn new(options: LocalOptions, judge: Judge, metrics: SessionMetrics) -> Self {
        if !options.without.is_empty() {
            tracing::warn!(without = ?options.without, "the local provider lacks defences");
        }
        let shared = Shared {
            warm: Arc::new(Warm::new(options.warm_pages, metrics.clone())),
            options,
            judge,
            metrics,
            browser: Mutex::new(None),
            care: Care::default(),
            ending: CancellationToken::new(),
            tasks: TaskTracker::new(),
        };
        let shared = Arc::new(shared);
        let profiles = shared.options.profiles.clone();
        shared.tasks.spawn(async move { sweep(&profiles).await });
        shared.tasks.spawn(warm::keep(Arc::clone(&shared)));
        shared.tasks.spawn(care::keep(Arc::clone(&shared)));
        Self { shared }
    }

    /// Whether there is a browser on this machine that could be started.
    #[must_use]
    pub fn is_installed(&self) -> bool {
        self.shared.options.executable.is_ok()
    }
}

impl Shared {
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
    async fn launch(&self, reason: &'static str) -> Result<Arc<Browser>, ProviderError> {
        self.care.may_start()?;
        let executable =
            self.options.executable.as_ref().map_err(|error| ProviderError::Unavailable(error.to_string()))?;
        self.metrics.browser_starts(reason);
        let launch = browser::launch(executable, &self.options, &self.tasks, &self.metrics);
        let launched = tokio::select! {
            launched = timeout(SESSION_CREATE_TIMEOUT, launch) => launched.unwrap_or(Err(ProviderError::TimedOut)),
            () = self.ending.cancelled() => return Err(ProviderError::Ending),
        };
        launched.map(Arc::new).inspect_err(|_| self.care.start_failed())
    }

    /// Lets `new` give pages in `old`'s place, which ends with the last of its own.
    async fn replace(&self, old: &Arc<Browser>, new: Arc<Browser>) {
        let mut current = self.browser.lock().await;
        // Somebody may have found the old one dead meanwhile: then theirs stays.
        if current.as_ref().is_some_and(|current| Arc::ptr_eq(current, old)) && !self.ending.is_cancelled() {
            old.relieve();
            *current = Some(new);
            self.warm.browser_started();
        }
    }

    /// The browser, if one runs.
    async fn running(&self) -> Option<Arc<Browser>> {
        self.browser.lock().await.as_ref().filter(|browser| browser.gives_pages()).cloned()
    }

    async fn lease(&self) -> Result<Lease, ProviderError> {
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

    async fn blank_from(&self, browser: &Arc<Browser>) -> Result<Blank, ProviderError> {
        let making = browser.blank(&self.options, &self.judge, &self.tasks, &self.metrics);
        let page = timeout(CONNECT_TIMEOUT, making).await.map_err(|_| {
            // It runs and gives no page: the next request gets another.
            browser.retire();
            ProviderError::TimedOut
        })??;
        self.care.page_made(browser, self.options.wear);
        Ok(page)
    }
}

impl Provider for LocalProvider {
    fn lease(&self, _order: Order) -> BoxFuture<'_, Result<Lease, ProviderError>> {
        let shared = Arc::clone(&self.shared);
        async move {
            // In a task of its own, so that a caller who leaves meanwhile does not leave a half-made context behind:
            // the task ends its work, and the lease that nobody takes is dropped.
            let making = self.shared.tasks.spawn(async move { shared.lease().await });
            making.await.unwrap_or_else(|error| Err(ProviderError::Unavailable(error.to_string())))
        }
        .boxed()
    }

    fn ready(&self) -> BoxFuture<'_, Result<(), ProviderError>> {
        let shared = Arc::clone(&self.shared);
        async move {
            // In a task of its own: a probe that no longer waits must not end the browser that is being started for it.
            let asking = self.shared.tasks.spawn(async move {
                let browser = shared.browser().await?;
                browser.answers().await.map_err(ProviderError::Browser)
            });
            asking.await.unwrap_or_else(|error| Err(ProviderError::Unavailable(error.to_string())))
        }
        .boxed()
    }

    fn end(&self) -> BoxFuture<'_, ()> {
        async move {
            self.shared.ending.cancel();
            self.shared.warm.clear();
            if let Some(browser) = self.shared.browser.lock().await.take() {
                browser.kill();
            }
            self.shared.tasks.close();
            self.shared.tasks.wait().await;
        }
        .boxed()
    }
}
