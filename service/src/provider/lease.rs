//! The lease: one page in one isolated browser context, for one request.
//!
//! Dropping it, in whatever way, gives everything back. Nobody else releases anything.

use std::fmt;

use tokio::task::JoinSet;

use super::Turns;
use crate::cdp::Session;
use crate::guard::Network;

/// One page for one request.
pub struct Lease {
    page: Session,
    target_id: String,
    network: Network,
    turns: Option<Turns>,
    is_prepared: bool,
    watchers: JoinSet<()>,
    release: Option<Box<dyn FnOnce(JoinSet<()>) + Send>>,
}

impl Lease {
    /// A lease of the page driven by `page`, whose target is `target_id` and whose requests leave by `network`;
    /// `release` gives it back, without waiting, and has its [watchers](Lease::watchers) then.
    pub fn new(
        page: Session,
        target_id: String,
        network: Network,
        release: impl FnOnce(JoinSet<()>) + Send + 'static,
    ) -> Self {
        let release = Some(Box::new(release) as Box<_>);
        Self { page, target_id, network, turns: None, is_prepared: false, watchers: JoinSet::new(), release }
    }

    /// The same page, which draws only when told to where there are turns to do so.
    #[must_use]
    pub fn by_hand(mut self, turns: Option<Turns>) -> Self {
        self.turns = turns;
        self
    }

    /// The same page, which was told beforehand what every page is told.
    #[must_use]
    pub fn prepared(mut self) -> Self {
        self.is_prepared = true;
        self
    }

    /// Whether the page was told beforehand what every page is told.
    #[must_use]
    pub fn is_prepared(&self) -> bool {
        self.is_prepared
    }

    /// Whose turn it is to draw, where the page draws only when told to.
    #[must_use]
    pub fn turns(&self) -> Option<&Turns> {
        self.turns.as_ref()
    }

    /// The tasks that watch the page and judge what it asks for. Where the network is not ours they end only when the
    /// browser has let go of the page: what of it still runs meanwhile is nobody's otherwise.
    pub fn watchers(&mut self) -> &mut JoinSet<()> {
        &mut self.watchers
    }

    /// How the page reaches the network.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The page's session.
    #[must_use]
    pub fn page(&self) -> &Session {
        &self.page
    }

    /// The page's target, which is its main frame's id as well.
    #[must_use]
    pub fn target_id(&self) -> &str {
        &self.target_id
    }
}

impl fmt::Debug for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lease").field("target_id", &self.target_id).finish_non_exhaustive()
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(release) = self.release.take() {
            release(std::mem::take(&mut self.watchers));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use crate::cdp::connect_pipe;
    use crate::guard::{Intercept, RemoteNetwork};

    #[tokio::test]
    async fn a_lease_is_given_back_once_however_it_ends() {
        let released = Arc::new(AtomicU32::new(0));
        let lease = || {
            let connection = connect_pipe(tokio::io::empty(), tokio::io::sink(), 1024);
            let released = Arc::clone(&released);
            let network = Network::Remote(RemoteNetwork {
                intercept: Intercept::Everything,
                whole_browser: true,
                judges_addresses: true,
            });
            Lease::new(connection.session("S"), "T".to_owned(), network, move |_| {
                released.fetch_add(1, Ordering::Relaxed);
            })
        };
        drop(lease());
        assert_eq!(released.load(Ordering::Relaxed), 1, "dropped");
        let held = lease();
        let panicked = tokio::spawn(async move {
            let _held = held;
            panic!("a request that panics");
        });
        assert!(panicked.await.unwrap_err().is_panic());
        assert_eq!(released.load(Ordering::Relaxed), 2, "panicked");
        let held = lease();
        let cancelled = tokio::spawn(async move {
            let _held = held;
            std::future::pending::<()>().await;
        });
        cancelled.abort();
        assert!(cancelled.await.unwrap_err().is_cancelled());
        assert_eq!(released.load(Ordering::Relaxed), 3, "cancelled");
    }
}
