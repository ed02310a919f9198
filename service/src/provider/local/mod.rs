//! The local provider: Chromium on this machine, one isolated browser context for each lease.
//!
//! Two browsers where the lighter one is installed: one whose pages draw by themselves, for everything, and one whose pages
//! draw only when told to, for pictures of the viewport, which are there sooner so. One can't do both: a page that draws
//! by itself never answers a capture in the second (tried).

mod browser;
mod care;
mod defence;
mod flags;
mod pool;
mod warm;

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, join, join_all};
use porthole_chromium::ExecutableError;

pub use self::care::Wear;
pub use self::defence::Defence;
use self::pool::{Drawing, Pool};
use self::warm::Busy;
use super::{Lease, Order, Provider, ProviderError};
use crate::cdp::Session;
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
    /// What every page is told as soon as it is there, so that no request waits for it.
    pub prepare: fn(&Session),
    /// How many blank pages are kept ready, of each kind.
    pub warm_pages: usize,
    /// Whether pictures of the viewport are drawn by hand where the browser can.
    pub frames_by_hand: bool,
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
    /// Its pages draw by themselves.
    ordinary: Arc<Pool>,
    /// Its pages draw when told to, where there are such.
    by_hand: Option<Arc<Pool>>,
}

impl LocalProvider {
    /// A provider whose browsers are not started yet. Profile folders that a killed process left are removed.
    #[must_use]
    pub fn new(options: LocalOptions, judge: &Judge, metrics: &SessionMetrics) -> Self {
        if !options.without.is_empty() {
            tracing::warn!(without = ?options.without, "the local provider lacks defences");
        }
        let can_draw = options.executable.as_deref().is_ok_and(flags::is_headless_shell);
        let by_hand = options.frames_by_hand && can_draw;
        let options = Arc::new(options);
        let busy = Arc::new(Busy::default());
        let pool =
            |drawing| Pool::open(drawing, Arc::clone(&options), judge.clone(), Arc::clone(&busy), metrics.clone());
        let provider = Self { ordinary: pool(Drawing::ByItself), by_hand: by_hand.then(|| pool(Drawing::ByHand)) };
        provider.ordinary.sweep();
        provider
    }

    /// Whether there is a browser on this machine that could be started.
    #[must_use]
    pub fn is_installed(&self) -> bool {
        self.ordinary.is_installed()
    }
}

impl Provider for LocalProvider {
    fn lease(&self, order: Order) -> BoxFuture<'_, Result<Lease, ProviderError>> {
        async move {
            if let Some(pool) = self.by_hand.as_ref().filter(|_| order.by_hand) {
                match pool.lease().await {
                    Err(error) if !matches!(error, ProviderError::Ending) => {
                        tracing::warn!(%error, "no page to draw by hand: an ordinary one is taken");
                    }
                    leased => return leased,
                }
            }
            self.ordinary.lease().await
        }
        .boxed()
    }

    fn ready(&self) -> BoxFuture<'_, Result<(), ProviderError>> {
        async move {
            let by_hand = async {
                match &self.by_hand {
                    Some(pool) => pool.ready().await,
                    None => Ok(()),
                }
            };
            let (ordinary, by_hand) = join(self.ordinary.ready(), by_hand).await;
            if let Err(error) = by_hand {
                // What it would do the other does as well, only later.
                tracing::warn!(%error, "the browser that draws by hand is not ready");
            }
            ordinary
        }
        .boxed()
    }

    fn end(&self) -> BoxFuture<'_, ()> {
        join_all([Some(&self.ordinary), self.by_hand.as_ref()].into_iter().flatten().map(|pool| pool.end()))
            .map(drop)
            .boxed()
    }
}
