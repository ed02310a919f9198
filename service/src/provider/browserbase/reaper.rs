//! Finds and releases remote sessions that a killed process left behind. Normally the lease releases them.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use secrecy::ExposeSecret as _;
use tokio::sync::Notify;
use tokio::time::MissedTickBehavior;

use super::Shared;
use super::metadata::MARK;
use crate::provider::Credentials;

/// How many accounts are searched. A service has one, or two while a key is replaced.
const ACCOUNTS_MAX: usize = 8;

/// The accounts that requests have carried since the start, and the service's own.
#[derive(Default)]
pub(super) struct Accounts {
    known: Mutex<Vec<Credentials>>,
    learned: Notify,
}

impl Accounts {
    /// Remembers an account; a new one is searched at once.
    pub(super) fn learn(&self, credentials: &Credentials) {
        let mut known = self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if known.iter().any(|account| is_same(account, credentials)) {
            return;
        }
        if known.len() == ACCOUNTS_MAX {
            known.remove(0);
        }
        known.push(credentials.clone());
        self.learned.notify_one();
    }

    fn all(&self) -> Vec<Credentials> {
        self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }
}

/// Returns whether both are the same account.
pub(super) fn is_same(one: &Credentials, other: &Credentials) -> bool {
    fn exposed(credentials: &Credentials) -> (&str, Option<&str>) {
        (credentials.api_key.expose_secret(), credentials.project_id.as_ref().map(|id| id.expose_secret()))
    }
    exposed(one) == exposed(other)
}

/// Searches all known accounts at the start, at each interval and for each new account, until the provider ends.
pub(super) async fn run(shared: Arc<Shared>, every: Duration) {
    let mut ticks = tokio::time::interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = shared.accounts.learned.notified() => {}
            () = shared.ending.cancelled() => return,
        }
        for account in shared.accounts.all() {
            if let Err(error) = reap(&shared, &account).await {
                tracing::warn!(%error, "searching for leftover remote sessions failed");
            }
        }
    }
}

async fn reap(shared: &Shared, account: &Credentials) -> Result<(), super::api::ApiError> {
    let now = SystemTime::now();
    for session in shared.api.running(account, MARK.0, MARK.1).await? {
        if !shared.process.was_left_behind(&session.user_metadata, now) {
            continue;
        }
        match shared.api.release(account, &session.id).await {
            Ok(()) => {
                tracing::warn!(session = session.id, "released a leftover remote session");
                shared.metrics.reaped();
            }
            // The next search finds it again.
            Err(error) => {
                tracing::warn!(session = session.id, %error, "a leftover remote session could not be released");
            }
        }
    }
    Ok(())
}
