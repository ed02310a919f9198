//! Blank pages: how a browser makes one, and how it is leased.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::page::EnableParams as EnablePage;
use chromiumoxide_cdp::cdp::browser_protocol::target::{AttachToTargetParams, CreateTargetParams};
use chromiumoxide_cdp::cdp::js_protocol::runtime::GetIsolateIdParams;
use tokio::time::timeout;
use tokio_util::task::TaskTracker;

use super::Browser;
use super::context::HeldContext;
use crate::cdp::Session;
use crate::guard::egress::Egress;
use crate::guard::{Judge, Network};
use crate::provider::downloads::behavior;
use crate::provider::local::busy::InUse;
use crate::provider::local::defence::Defence;
use crate::provider::local::noise::Made;
use crate::provider::local::options::Setup;
use crate::provider::local::tenants::Tenant;
use crate::provider::{Budget, Lease, LeaseRequest, ProviderError, Purpose, popups};
use crate::telemetry::LeaseMetrics;

/// How long a warm page may take to answer before another is made instead: about as long as making one takes on a busy
/// machine.
const BLANK_ANSWER_TIMEOUT: Duration = Duration::from_millis(300);

impl Browser {
    /// Creates a blank page in a context of its own.
    pub(in crate::provider::local) async fn blank(
        self: &Arc<Self>,
        setup: &Setup,
        judge: &Judge,
        tasks: &TaskTracker,
        metrics: &LeaseMetrics,
    ) -> Result<Blank, ProviderError> {
        let root = self.connection.browser();
        let guard = setup.weakness.guard(&judge.guard);
        let egress = Egress::open(guard, setup.options.egress.clone(), self.peers.clone())
            .map_err(|error| ProviderError::Unavailable(format!("the page's way out can't be opened: {error}")))?;
        let egress = Arc::new(egress);
        let mut made = Made::begin();
        let held = HeldContext::create(self, &egress, setup, judge, tasks, metrics).await?;
        let context = held.id();

        let mut target = CreateTargetParams::new("about:blank");
        target.browser_context_id = setup.weakness.leaves(Defence::OwnContext).then(|| context.clone());
        target.enable_begin_frame_control = self.frame_lock.as_ref().map(|_| true);
        let target = root.call(&target).await?.target_id;
        let popups = self.popups.as_ref().map(|router| router.add(context.inner().clone(), target.inner().clone()));
        let mut attach = AttachToTargetParams::new(target.clone());
        attach.flatten = Some(true);
        let attach = root.call(&attach);
        let mut downloads = behavior(Some(context), None);
        // Visits have none, so their browsers report none.
        downloads.events_enabled = self.popups.is_some().then_some(true);
        let downloads = root.call(&downloads);
        let session = attach.await?.session_id;
        let page = self.connection.session(session.inner().as_str());
        // A target exists before its renderer does. Commands sent in between reach the page only after its first
        // navigation, too late to observe that navigation.
        page.call(&EnablePage::default()).await?;
        (setup.prepare)(&page);
        downloads.await?;
        made.end();
        self.pages_made.fetch_add(1, Ordering::Relaxed);
        Ok(Blank { page, target_id: target.inner().clone(), egress, popups, held, made })
    }
}

/// A blank page that is not leased yet, disposed of when dropped.
pub(in crate::provider::local) struct Blank {
    page: Session,
    target_id: String,
    egress: Arc<Egress>,
    /// The windows that the page opens; `None` if it may not open any.
    popups: Option<popups::Routed>,
    held: HeldContext,
    made: Made,
}

impl Blank {
    /// Returns whether its browser is alive and not retired.
    pub(in crate::provider::local) fn is_usable(&self) -> bool {
        self.held.browser().is_alive()
    }

    /// Returns whether its browser still makes new pages. If not, a page of the new browser should replace this one.
    pub(in crate::provider::local) fn is_fresh(&self) -> bool {
        self.held.browser().gives_pages()
    }

    /// Returns whether this browser made it.
    pub(in crate::provider::local) fn is_of(&self, browser: &Arc<Browser>) -> bool {
        Arc::ptr_eq(self.held.browser(), browser)
    }

    /// Returns whether its renderer answers: the renderer or the whole browser can die before an event reports it.
    pub(in crate::provider::local) async fn answers(&self) -> bool {
        // An evaluation would have the page's main world made for it, which takes 3 ms.
        let asked = self.page.call(&GetIsolateIdParams::default());
        matches!(timeout(BLANK_ANSWER_TIMEOUT, asked).await, Ok(Ok(_)))
    }

    /// Leases the page. `in_use` is dropped with the lease, `tenant` when the disposal is confirmed.
    pub(in crate::provider::local) fn lease(
        self,
        request: &LeaseRequest,
        in_use: Option<InUse>,
        tenant: Option<Tenant>,
    ) -> Lease {
        let Self { page, target_id, egress, mut popups, mut held, made } = self;
        if let Budget::PerDocument { lease_factor } = request.budget {
            egress.set_lease_factor(lease_factor);
        }
        let downloads = (request.purpose == Purpose::Session).then(|| held.downloads());
        let frame_lock = held.browser().frame_lock.clone();
        let opened = popups.as_mut().and_then(popups::Routed::take);
        let sandbox = request.sandbox.as_ref().filter(|_| request.purpose != Purpose::Session);
        let visiting = sandbox
            .zip(page.id())
            .map(|(sandbox, session)| held.browser().noise.visit(Arc::clone(sandbox), made, Arc::clone(session)));
        held.lease(request.purpose, visiting, tenant);
        let release = move |watchers| drop((watchers, popups, held, in_use));
        Lease::new(request.purpose, page, target_id, Network::Egress(egress), release)
            .with_frame_lock(frame_lock)
            .with_popups(opened)
            .with_downloads(downloads)
            .prepared()
    }
}
