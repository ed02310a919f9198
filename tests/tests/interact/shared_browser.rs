//! A local Chromium and the sites that it may visit, which the tests of this binary share while any of them runs. Each has a
//! page in a context of its own, as sessions do.

use std::sync::{Arc, Weak};
use std::time::Duration;

use porthole_service::guard::{AllowTargets, Guard, Judge, Policy, ResolveOverrides};
use porthole_service::provider::{Lease, LeaseRequest, Provider};
use porthole_service::telemetry::{BlockedMetrics, LeaseMetrics};
use porthole_tests::Site;
use porthole_tests::site::SHOP;
use prometheus_client::registry::Registry;
use tokio::runtime::Runtime;
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::held_page::PATIENCE;
use crate::local;

/// The browser and its sites. The last test ends it.
pub(crate) struct SharedBrowser {
    /// The site that pages are put on; also under the name [`SHOP`].
    pub(crate) site: Site,
    /// A site of another origin.
    pub(crate) other: Site,
    pub(crate) judge: Judge,
    provider: Arc<dyn Provider>,
    /// Each test has a runtime of its own, which ends with it; the browser's connection lives in this one.
    runtime: Option<Runtime>,
    _profiles: tempfile::TempDir,
}

impl SharedBrowser {
    /// The one that runs, or a new one.
    pub(crate) async fn get() -> Arc<Self> {
        static SHARED: Mutex<Weak<SharedBrowser>> = Mutex::const_new(Weak::new());
        let mut shared = SHARED.lock().await;
        if let Some(browser) = shared.upgrade() {
            return browser;
        }
        let browser = Arc::new(Self::start());
        *shared = Arc::downgrade(&browser);
        browser
    }

    fn start() -> Self {
        let (site, other) = (Site::start(), Site::at("127.0.0.2".parse().unwrap()));
        let allowed = format!("{},{SHOP}:{},{}", site.addr(), site.addr().port(), other.addr());
        let policy = Policy {
            allow: AllowTargets::parse(&allowed).unwrap(),
            resolve: ResolveOverrides::parse(&site.resolve()).unwrap(),
            ..Policy::default()
        };
        let mut registry = Registry::default();
        let metrics = LeaseMetrics::register(&mut registry);
        let judge = Judge { guard: Guard::new(policy), blocked: BlockedMetrics::register(&mut registry) };
        let profiles = tempfile::tempdir().unwrap();
        let runtime = Runtime::new().unwrap();
        let inside = runtime.enter();
        let provider: Arc<dyn Provider> = Arc::new(local::provider(profiles.path(), &judge, &metrics));
        drop(inside);
        Self { site, other, judge, provider, runtime: Some(runtime), _profiles: profiles }
    }

    /// Leases a page as for a session.
    pub(crate) async fn lease(&self) -> Lease {
        let (provider, runtime) = (Arc::clone(&self.provider), self.runtime.as_ref().unwrap());
        let leasing = runtime.spawn(async move {
            let request = LeaseRequest::session(Duration::from_secs(3_600), None);
            timeout(PATIENCE, provider.lease(request)).await.unwrap().unwrap()
        });
        leasing.await.unwrap()
    }

    /// Opens a page whose tasks run in the browser's runtime: the browser ends in the last test, which may have but one thread, and
    /// waits for them.
    pub(crate) fn opens<T>(&self, open: impl FnOnce(&Judge) -> T) -> T {
        let _inside = self.runtime.as_ref().unwrap().enter();
        open(&self.judge)
    }

    /// Gives a page back. What is left to do outlives the test.
    pub(crate) fn release(&self, lease: Lease) {
        if let Some(runtime) = &self.runtime {
            runtime.spawn(async move { drop(lease) });
        }
    }
}

impl Drop for SharedBrowser {
    fn drop(&mut self) {
        let (provider, runtime) = (Arc::clone(&self.provider), self.runtime.take());
        // A runtime can't be waited for in another one.
        let ending = std::thread::spawn(move || {
            if let Some(runtime) = runtime {
                let _ended = runtime.block_on(async { timeout(PATIENCE, provider.end()).await });
            }
        });
        let _ended = ending.join();
    }
}
