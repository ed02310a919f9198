//! Warm remote sessions of the operator's own account, each used once and never shared. They are billed while idle.
//!
//! `refill` creates them. A request that finds none creates its own.

use std::collections::VecDeque;
use std::fmt;
use std::future::pending;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::select_all;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::accounts::is_same;
use crate::provider::{Credentials, Lease};
use crate::telemetry::LeaseMetrics;

/// The age up to which a warm session is used: Browserbase ends a session that is idle for ten minutes.
pub(super) const AGE_MAX: Duration = Duration::from_secs(300);

/// The warm sessions.
pub(super) struct Warm {
    /// How many to keep.
    wanted: usize,
    /// The account in which they are created.
    account: Option<Credentials>,
    sessions: Mutex<VecDeque<Ready>>,
    changed: Notify,
    metrics: LeaseMetrics,
}

/// A warm session, counted as one until it is taken.
struct Ready {
    lease: Lease,
    since: Instant,
    metrics: LeaseMetrics,
}

impl Ready {
    fn new(lease: Lease, since: Instant, metrics: LeaseMetrics) -> Self {
        metrics.session_waits();
        Self { lease, since, metrics }
    }

    fn is_usable(&self) -> bool {
        self.since.elapsed() < AGE_MAX && !self.lease.page().connection().is_closed()
    }

    /// Returns the lease for use.
    fn taken(self) -> Lease {
        self.metrics.session_waits_no_longer();
        self.lease
    }

    /// Releases it unused.
    fn discard(self) {
        drop(self.taken());
    }
}

impl fmt::Debug for Ready {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ready").field("since", &self.since).finish_non_exhaustive()
    }
}

impl Warm {
    /// Creates an empty set that is to hold `wanted` sessions in `account`, if there is one.
    pub(super) fn new(wanted: usize, account: Option<Credentials>, metrics: LeaseMetrics) -> Self {
        Self {
            wanted,
            account: account.filter(|_| wanted > 0),
            sessions: Mutex::default(),
            changed: Notify::new(),
            metrics,
        }
    }

    /// Returns the account if warm sessions are kept. It also serves requests that carry no credentials.
    pub(super) fn account(&self) -> Option<&Credentials> {
        self.account.as_ref()
    }

    /// Takes the oldest usable session, for a request of the same account.
    pub(super) fn take(&self, credentials: &Credentials) -> Option<Lease> {
        if !self.account.as_ref().is_some_and(|account| is_same(account, credentials)) {
            return None;
        }
        let mut sessions = self.sessions();
        while let Some(session) = sessions.pop_front() {
            self.changed.notify_one();
            if session.is_usable() {
                return Some(session.taken());
            }
            session.discard();
        }
        None
    }

    /// Adds a session that was created at `since`.
    pub(super) fn add(&self, lease: Lease, since: Instant) {
        self.sessions().push_back(Ready::new(lease, since, self.metrics.clone()));
    }

    /// Returns whether to create one.
    pub(super) fn lacks_one(&self) -> bool {
        self.sessions().len() < self.wanted
    }

    /// Releases sessions that have died or are too old.
    pub(super) fn discard_spent(&self) {
        let mut sessions = self.sessions();
        let (usable, spent) = sessions.drain(..).partition(Ready::is_usable);
        *sessions = usable;
        drop(sessions);
        let spent: VecDeque<Ready> = spent;
        spent.into_iter().for_each(Ready::discard);
    }

    /// Releases all sessions.
    pub(super) fn clear(&self) {
        let sessions = std::mem::take(&mut *self.sessions());
        sessions.into_iter().for_each(Ready::discard);
    }

    /// Waits until one was taken.
    pub(super) async fn changed(&self) {
        self.changed.notified().await;
    }

    /// Waits until one of them has died or is too old.
    pub(super) fn one_is_spent(&self) -> impl Future<Output = ()> + use<> {
        let sessions = self.sessions();
        let spent: Vec<_> = sessions
            .iter()
            .map(|session| {
                let (closing, too_old) = (session.lease.page().connection().closing(), session.since + AGE_MAX);
                async move {
                    tokio::select! {
                        () = closing => {}
                        () = sleep_until(too_old) => {}
                    }
                }
                .boxed()
            })
            .collect();
        async move {
            if spent.is_empty() {
                return pending().await;
            }
            select_all(spent).await;
        }
    }

    fn sessions(&self) -> MutexGuard<'_, VecDeque<Ready>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
