//! The local provider: Chromium on this machine, one isolated browser context for each lease.
//!
//! One browser, whose pages draw by themselves, serves most visits. With the headless shell, a second one draws by
//! `begin_frame`, which makes pictures of the viewport faster; one process can't do both, since it never answers an
//! ordinary capture (tried). Each of these two may have two more beside it: a spare, while visits are of several sandboxes,
//! and the one that a page keeps busy, in quarantine. Others serve sessions, up to one for each sandbox: a session's pages
//! may open windows and live up to an hour, so they must not delay the recycling of the others. They start with their first
//! session.

mod browser;
mod busy;
mod defence;
mod disk;
mod flags;
mod heavy;
mod kind;
mod noise;
mod options;
mod pool;
mod priority;
mod quarantine;
mod recycle;
mod sessions;
mod spare;
mod started;
mod tenants;
mod upkeep;
mod warm;

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, join, join_all};

pub use self::defence::{Defence, Weakness};
use self::kind::BrowserKind;
use self::options::Setup;
pub use self::options::{LocalOptions, Prepare, RecyclePolicy};
use self::pool::Pool;
use self::sessions::SessionBrowsers;
use self::started::Started;
use super::{Frames, Lease, LeaseRequest, Provider, ProviderError, Purpose};
use crate::guard::Judge;
use crate::telemetry::LeaseMetrics;

/// Leases pages of Chromium on this machine. A browser starts with its first lease, and again after it has died.
pub struct LocalProvider {
    /// Pages that draw by themselves.
    ordinary: Arc<Pool>,
    /// Pages that draw by `begin_frame`, if the browser supports it.
    begin_frame: Option<Arc<Pool>>,
    /// Pages of sessions.
    sessions: Arc<SessionBrowsers>,
}

impl LocalProvider {
    /// Creates a provider without starting a browser. Removes profile folders that a killed process left.
    #[must_use]
    pub fn new(options: LocalOptions, prepare: Prepare, judge: &Judge, metrics: &LeaseMetrics) -> Self {
        Self::weakened(options, Weakness::default(), prepare, judge, metrics)
    }

    /// The same with a weakness, for tests that prove each defence necessary.
    #[must_use]
    pub fn weakened(
        options: LocalOptions,
        weakness: Weakness,
        prepare: Prepare,
        judge: &Judge,
        metrics: &LeaseMetrics,
    ) -> Self {
        if !weakness.without.is_empty() {
            tracing::warn!(without = ?weakness.without, "the local provider lacks defences");
        }
        let can_draw = options.executable.as_deref().is_ok_and(flags::is_headless_shell);
        let has_begin_frame = options.begin_frame && can_draw;
        let setup = Arc::new(Setup { options, prepare, weakness, busy: Arc::default(), started: Started::default() });
        tokio::spawn(heavy::watch(Arc::downgrade(&setup)));
        let session_browsers = setup.options.session_browsers;
        let (judge, metrics) = (judge.clone(), metrics.clone());
        let pool = move |kind| {
            let pool = Pool::open(kind, Arc::clone(&setup), judge.clone(), metrics.clone());
            upkeep::begin(&pool);
            pool
        };
        let provider = Self {
            ordinary: pool(BrowserKind::Ordinary),
            begin_frame: has_begin_frame.then(|| pool(BrowserKind::BeginFrame)),
            sessions: SessionBrowsers::new(session_browsers, move || pool(BrowserKind::Session)),
        };
        provider.ordinary.sweep();
        tokio::spawn(Arc::clone(&provider.sessions).keep());
        provider
    }

    /// Returns whether a browser is installed on this machine.
    #[must_use]
    pub fn is_installed(&self) -> bool {
        self.ordinary.is_installed()
    }
}

impl Provider for LocalProvider {
    fn lease(&self, request: LeaseRequest) -> BoxFuture<'_, Result<Lease, ProviderError>> {
        async move {
            if request.purpose == Purpose::Session {
                return self.sessions.lease(request).await;
            }
            let begin_frame = self.begin_frame.as_ref().filter(|_| request.purpose.frames() == Frames::BeginFrame);
            if let Some(pool) = begin_frame {
                match pool.lease(request.clone(), None).await {
                    Err(error) if !matches!(error, ProviderError::Ending) => {
                        tracing::warn!(%error, "no page with begin_frame is available; an ordinary one is leased");
                    }
                    leased => return leased,
                }
            }
            self.ordinary.lease(request, None).await
        }
        .boxed()
    }

    fn ready(&self) -> BoxFuture<'_, Result<(), ProviderError>> {
        async move {
            let begin_frame = async {
                match &self.begin_frame {
                    Some(pool) => pool.ready().await,
                    None => Ok(()),
                }
            };
            let (ordinary, begin_frame) = join(self.ordinary.ready(), begin_frame).await;
            if let Err(error) = begin_frame {
                // The ordinary browser serves the same requests, only slower.
                tracing::warn!(%error, "the browser with begin_frame is not ready");
            }
            ordinary
        }
        .boxed()
    }

    fn end(&self) -> BoxFuture<'_, ()> {
        let visits = [Some(&self.ordinary), self.begin_frame.as_ref()].into_iter().flatten();
        join(join_all(visits.map(|pool| pool.end())), self.sessions.end()).map(drop).boxed()
    }
}
