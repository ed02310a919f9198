//! The lease: one page in one isolated browser context.
//!
//! Dropping it, for any reason, gives everything back. No other code releases a page.

use std::fmt;

use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::{DownloadReports, Downloads, FrameLock, Popups, Purpose, popups};
use crate::cdp::{Attached, Attachments, Session};
use crate::guard::{AllowHosts, Intercept, Network, PageGuard};

/// One leased page.
pub struct Lease {
    purpose: Purpose,
    page: Session,
    target_id: String,
    network: Network,
    hosts: Option<AllowHosts>,
    guard: Option<PageGuard>,
    frame_lock: Option<FrameLock>,
    is_prepared: bool,
    popups: Option<mpsc::Receiver<Box<Attached>>>,
    downloads: Option<Downloads>,
    download_reports: Option<DownloadReports>,
    watchers: JoinSet<()>,
    release: Option<Box<dyn FnOnce(JoinSet<()>) + Send>>,
}

impl Lease {
    /// Creates a lease, for `purpose`, of the page driven by `page`, whose target is `target_id` and whose requests
    /// leave by `network`. Dropping the lease calls `release` with the [watchers](Lease::watchers); it gives the page
    /// back without waiting.
    pub fn new(
        purpose: Purpose,
        page: Session,
        target_id: String,
        network: Network,
        release: impl FnOnce(JoinSet<()>) + Send + 'static,
    ) -> Self {
        Self {
            purpose,
            page,
            target_id,
            network,
            hosts: None,
            guard: None,
            frame_lock: None,
            is_prepared: false,
            popups: None,
            downloads: None,
            download_reports: None,
            watchers: JoinSet::new(),
            release: Some(Box::new(release)),
        }
    }

    /// Sets the frame lock of a page that draws by `begin_frame`.
    #[must_use]
    pub fn with_frame_lock(mut self, frame_lock: Option<FrameLock>) -> Self {
        self.frame_lock = frame_lock;
        self
    }

    /// Marks the page as having received its setup commands beforehand.
    #[must_use]
    pub fn prepared(mut self) -> Self {
        self.is_prepared = true;
        self
    }

    /// Lets the lease's pages reach these hosts only, before the first of them is opened. A remote browser must then ask
    /// about every request.
    pub fn restrict(&mut self, hosts: AllowHosts) {
        match &mut self.network {
            Network::Egress(egress) => egress.guard().restrict(hosts.clone()),
            Network::Remote(remote) => remote.intercept = Intercept::Everything,
        }
        self.hosts = Some(hosts);
    }

    /// Returns the only hosts that its pages may reach, if there is a list.
    #[must_use]
    pub fn hosts(&self) -> Option<&AllowHosts> {
        self.hosts.as_ref()
    }

    /// Returns the guard of its pages in a remote browser, which windows share with the page that opened them: an exception
    /// that one may use holds for the others, as it does on a local network.
    pub fn remote_guard(&mut self, new: impl FnOnce() -> PageGuard) -> PageGuard {
        self.guard.get_or_insert_with(new).clone()
    }

    /// Handles the windows that the page opens as the lease's purpose requires: closes them, or keeps them for
    /// [`Lease::take_popups`].
    pub(super) fn handle_popups(&mut self, popups: Attachments) {
        match self.purpose.popups() {
            Popups::Close => {
                self.watchers.spawn(popups::close_all(popups));
            }
            Popups::Adopt => {
                let (lease, opened) = popups::channel();
                self.popups = Some(opened);
                self.watchers.spawn(popups::hand_over(popups, lease));
            }
        }
    }

    /// Returns the purpose of the lease.
    #[must_use]
    pub fn purpose(&self) -> Purpose {
        self.purpose
    }

    /// Returns whether the page received its setup commands beforehand.
    #[must_use]
    pub fn is_prepared(&self) -> bool {
        self.is_prepared
    }

    /// Returns the lock under which the page draws by `begin_frame`; `None` if it draws by itself.
    #[must_use]
    pub fn frame_lock(&self) -> Option<&FrameLock> {
        self.frame_lock.as_ref()
    }

    /// Sets the channel that delivers the windows opened by the page.
    #[must_use]
    pub(super) fn with_popups(mut self, popups: Option<mpsc::Receiver<Box<Attached>>>) -> Self {
        self.popups = popups;
        self
    }

    /// Takes the channel of the windows that the page opens; `None` if the purpose closes them, and from the second
    /// call on. A window and its opener are halted until [`Attached::resume`].
    pub fn take_popups(&mut self) -> Option<mpsc::Receiver<Box<Attached>>> {
        self.popups.take()
    }

    /// Sets what is reported of the downloads of the lease's pages.
    #[must_use]
    pub(super) fn with_downloads(mut self, downloads: Option<Downloads>) -> Self {
        self.download_reports = downloads.as_ref().map(Downloads::reports);
        self.downloads = downloads;
        self
    }

    /// Returns where its pages report the downloads that they begin; `None` if the purpose has none.
    #[must_use]
    pub fn download_reports(&self) -> Option<&DownloadReports> {
        self.download_reports.as_ref()
    }

    /// Takes what is reported of the downloads of the lease's pages; `None` if the purpose has none, and from the second
    /// call on.
    pub fn take_downloads(&mut self) -> Option<Downloads> {
        self.downloads.take()
    }

    /// Returns the tasks that watch the page and judge its requests. On a remote network they run until the browser has
    /// released the page, since its requests must be judged until then.
    pub fn watchers(&mut self) -> &mut JoinSet<()> {
        &mut self.watchers
    }

    /// Returns how the page reaches the network.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Returns the page's target session.
    #[must_use]
    pub fn page(&self) -> &Session {
        &self.page
    }

    /// Returns the id of the page's target, which is also its main frame's id.
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
    use crate::cdp::{Bounds, Meter, connect_pipe};
    use crate::guard::RemoteNetwork;

    #[tokio::test]
    async fn a_lease_is_given_back_once_however_it_ends() {
        let released = Arc::new(AtomicU32::new(0));
        let lease = || {
            let connection = connect_pipe(tokio::io::empty(), tokio::io::sink(), Bounds::default(), Meter::default());
            let released = Arc::clone(&released);
            let network = Network::Remote(RemoteNetwork {
                intercept: Intercept::Everything,
                whole_browser: true,
                judges_addresses: true,
            });
            Lease::new(Purpose::Session, connection.session("S"), "T".to_owned(), network, move |_| {
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
