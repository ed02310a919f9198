//! The accounts in which remote sessions may have been left behind.

use std::sync::{Mutex, PoisonError};

use secrecy::ExposeSecret as _;
use tokio::sync::Notify;

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
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.iter().any(|account| is_same(account, credentials)) {
            return;
        }
        if known.len() == ACCOUNTS_MAX {
            known.remove(0);
        }
        known.push(credentials.clone());
        self.learned.notify_one();
    }

    /// Waits until a new account is learned.
    pub(super) async fn learned(&self) {
        self.learned.notified().await;
    }

    /// Returns every known account.
    pub(super) fn all(&self) -> Vec<Credentials> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Returns whether both are the same account.
pub(super) fn is_same(one: &Credentials, other: &Credentials) -> bool {
    fn exposed(credentials: &Credentials) -> (&str, Option<&str>) {
        (credentials.api_key.expose_secret(), credentials.project_id.as_ref().map(|id| id.expose_secret()))
    }
    exposed(one) == exposed(other)
}
