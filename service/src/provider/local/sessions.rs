//! The browsers of sessions: a pool each, so that sandboxes share one only where no more may be started.
//!
//! A session's page stays where it was made, so a page that floods its browser can't be left alone there afterwards, as a
//! visit's is. What it floods is its own sandbox's, if it is there alone, and so is what ends when that browser dies.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::noise::Sandbox;
use super::pool::Pool;
use super::tenants::Tenant;
use crate::provider::{Lease, LeaseRequest, ProviderError};

/// How long a browser without sessions is kept beside another: its next sandbox does not wait for a start.
const KEPT_FOR: Duration = Duration::from_secs(300);
/// How often it is looked whether one is to end.
const CHECK_EVERY: Duration = Duration::from_secs(5);

/// The pools of sessions.
pub(super) struct SessionBrowsers {
    /// The most pools at once.
    most: usize,
    /// Opens a pool, whose browser starts with its first page.
    open: Box<dyn Fn() -> Arc<Pool> + Send + Sync>,
    pools: Mutex<Vec<Arc<Pool>>>,
    ending: CancellationToken,
}

/// How little a pool suits a sandbox. The least is the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Unfit {
    /// Whether other sandboxes have pages there.
    is_shared: bool,
    /// Whether the sandbox has no page there yet.
    is_new: bool,
    /// How many pages other sandboxes have there.
    others: usize,
}

impl SessionBrowsers {
    /// Creates them without opening a pool.
    pub(super) fn new(most: usize, open: impl Fn() -> Arc<Pool> + Send + Sync + 'static) -> Arc<Self> {
        let (pools, ending) = (Mutex::default(), CancellationToken::new());
        Arc::new(Self { most: most.max(1), open: Box::new(open), pools, ending })
    }

    /// Leases a page in the browser of the sandbox.
    pub(super) async fn lease(&self, request: LeaseRequest) -> Result<Lease, ProviderError> {
        let sandbox = request.sandbox.clone().unwrap_or_else(|| Sandbox::from(""));
        let (pool, tenant) = self.choose(&sandbox)?;
        pool.lease(request, Some(tenant)).await
    }

    /// Chooses the pool for a page of this sandbox: the one where it is alone, an empty or a new one, or the one that
    /// others use least.
    fn choose(&self, sandbox: &Sandbox) -> Result<(Arc<Pool>, Tenant), ProviderError> {
        let mut pools = self.pools();
        // Looked at under the lock: a pool that is opened after the end would not end.
        if self.ending.is_cancelled() {
            return Err(ProviderError::Ending);
        }
        let is_full = pools.len() >= self.most;
        let best = pools.iter().min_by_key(|pool| unfit(pool, sandbox));
        let best = best.filter(|pool| is_full || !unfit(pool, sandbox).is_shared).cloned();
        let pool = best.unwrap_or_else(|| {
            let pool = (self.open)();
            pools.push(Arc::clone(&pool));
            pool
        });
        let tenant = pool.tenants.enter(sandbox);
        Ok((pool, tenant))
    }

    /// Ends browsers that have been without sessions for long, but one, until all are ended.
    pub(super) async fn keep(self: Arc<Self>) {
        loop {
            tokio::select! {
                () = tokio::time::sleep(CHECK_EVERY) => {}
                () = self.ending.cancelled() => return,
            }
            while let Some(pool) = self.take_idle() {
                tracing::info!("a local browser for sessions ends: it has had none for a while");
                pool.end().await;
            }
        }
    }

    /// Takes a pool that is to end.
    fn take_idle(&self) -> Option<Arc<Pool>> {
        let mut pools = self.pools();
        if pools.len() == 1 {
            return None;
        }
        let is_idle = |pool: &Arc<Pool>| pool.tenants.empty_for().is_some_and(|empty_for| empty_for >= KEPT_FOR);
        let at = pools.iter().position(is_idle)?;
        Some(pools.remove(at))
    }

    /// Ends all of them and waits until they have ended.
    pub(super) async fn end(&self) {
        let pools = {
            let mut pools = self.pools();
            self.ending.cancel();
            std::mem::take(&mut *pools)
        };
        futures_util::future::join_all(pools.iter().map(|pool| pool.end())).await;
    }

    fn pools(&self) -> MutexGuard<'_, Vec<Arc<Pool>>> {
        self.pools.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unfit(pool: &Pool, sandbox: &Sandbox) -> Unfit {
    let others = pool.tenants.others(sandbox);
    Unfit { is_shared: others > 0, is_new: !pool.tenants.has(sandbox), others }
}
