//! The browser context of one page, from its creation until the browser has confirmed its disposal.

use std::path::PathBuf;
use std::pin::pin;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use chromiumoxide_cdp::cdp::browser_protocol::browser::BrowserContextId;
use chromiumoxide_cdp::cdp::browser_protocol::target::{
    CreateBrowserContextParams, DisposeBrowserContextParams, DisposeBrowserContextReturns,
};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::Browser;
use crate::cdp::Call;
use crate::guard::Judge;
use crate::guard::egress::Egress;
use crate::provider::downloads::{behavior, make_folder};
use crate::provider::local::defence::Defence;
use crate::provider::local::disk;
use crate::provider::local::noise::Visiting;
use crate::provider::local::options::Setup;
use crate::provider::local::tenants::Tenant;
use crate::provider::{Downloads, ProviderError, Purpose};
use crate::telemetry::{BlockedMetrics, LeaseMetrics};

/// How long the disposal of a context may take before the browser is retired.
const DISPOSE_TIMEOUT: Duration = Duration::from_secs(5);
/// How much longer it may take in a browser in quarantine.
const DISPOSE_TIMEOUT_NOISY: Duration = Duration::from_secs(55);
/// How much longer it may take in a browser of sessions before that is killed: other sessions would wait in it for as long as
/// they last, beside a page that has no session any more.
const DISPOSE_TIMEOUT_OF_SESSIONS: Duration = Duration::from_secs(15);
/// The most blocked hosts named in a page's log line; a page can name thousands.
const HOSTS_LOGGED_MAX: usize = 16;

/// A browser context that is disposed of when dropped, and counted until the browser has confirmed it.
pub(super) struct HeldContext {
    browser: Arc<Browser>,
    context: BrowserContextId,
    egress: Arc<Egress>,
    blocked: BlockedMetrics,
    tasks: TaskTracker,
    metrics: LeaseMetrics,
    /// The purpose and start of its lease, once leased.
    leased: Option<(Purpose, Instant)>,
    /// Its visit, if it is leased for one: it counts until the disposal is confirmed.
    visiting: Option<Visiting>,
    /// Its sandbox's place among those of the pool, for as long.
    tenant: Option<Tenant>,
    /// Where its downloads are written, if it is leased and may have any.
    folder: Option<PathBuf>,
}

impl HeldContext {
    /// Creates a context in a browser, whose requests go through `egress`.
    pub(super) async fn create(
        browser: &Arc<Browser>,
        egress: &Arc<Egress>,
        setup: &Setup,
        judge: &Judge,
        tasks: &TaskTracker,
        metrics: &LeaseMetrics,
    ) -> Result<Self, ProviderError> {
        let has = |defence| setup.weakness.leaves(defence);
        let create = CreateBrowserContextParams {
            dispose_on_detach: Some(true),
            proxy_server: has(Defence::ContextProxy).then(|| format!("http://{}", egress.addr())),
            proxy_bypass_list: has(Defence::LoopbackRule).then(|| "<-loopback>".to_owned()),
            ..Default::default()
        };
        let context = browser.connection.browser().call(&create).await?.browser_context_id;
        tasks.spawn(end_if_unreached(Arc::downgrade(browser), Arc::downgrade(egress), egress.unreached()));
        Ok(Self {
            browser: Arc::clone(browser),
            context,
            egress: Arc::clone(egress),
            blocked: judge.blocked.clone(),
            tasks: tasks.clone(),
            metrics: metrics.clone(),
            leased: None,
            visiting: None,
            tenant: None,
            folder: None,
        })
    }

    /// Returns the browser that has it.
    pub(super) fn browser(&self) -> &Arc<Browser> {
        &self.browser
    }

    /// Returns its id.
    pub(super) fn id(&self) -> BrowserContextId {
        self.context.clone()
    }

    /// Notes that its page is leased. `visiting` and `tenant` are dropped when the disposal is confirmed.
    pub(super) fn lease(&mut self, purpose: Purpose, visiting: Option<Visiting>, tenant: Option<Tenant>) {
        self.leased = Some((purpose, Instant::now()));
        self.metrics.created(purpose.page_use());
        self.visiting = visiting;
        self.tenant = tenant;
    }

    /// Lets its pages download into a folder of its own.
    pub(super) fn downloads(&mut self) -> Downloads {
        match make_folder(&self.browser.downloads) {
            Ok(folder) => self.folder = Some(folder),
            Err(error) => tracing::warn!(%error, "a session can't keep downloads"),
        }
        Downloads::begin(self.browser.connection.browser(), Some(self.context.clone()), self.folder.clone())
    }

    /// Counts what the page's egress blocked and logs it in one line.
    fn report_blocked(&self) {
        let report = self.egress.report();
        for (reason, count) in &report.blocked {
            self.blocked.blocked(reason, *count);
        }
        if report.blocked_requests() > 0 || report.over_budget > 0 || report.foreign > 0 {
            let refused = report.dials.iter().filter(|dial| dial.outcome.is_refusal());
            let hosts: Vec<String> = refused.take(HOSTS_LOGGED_MAX).map(|dial| dial.host.to_string()).collect();
            tracing::info!(
                blocked = report.blocked_requests(),
                reasons = ?report.blocked,
                ?hosts,
                over_budget = report.over_budget,
                foreign = report.foreign,
                "some requests of a page were blocked"
            );
        }
    }
}

impl Drop for HeldContext {
    fn drop(&mut self) {
        self.report_blocked();
        // The command is sent here, synchronously; the task only waits for the confirmation.
        let root = self.browser.connection.browser();
        if self.folder.is_some() {
            // What its pages still ask for is written nowhere.
            root.call(&behavior(Some(self.context.clone()), None)).forget();
        }
        let disposed = root.call(&DisposeBrowserContextParams::new(self.context.clone()));
        let (browser, metrics, leased) = (Arc::clone(&self.browser), self.metrics.clone(), self.leased);
        let (folder, visiting, tenant) = (self.folder.take(), self.visiting.take(), self.tenant.take());
        visiting.iter().for_each(Visiting::leave);
        self.tasks.spawn(async move {
            let _kept = (visiting, tenant);
            let confirmed = browser.confirms_disposal(disposed).await;
            if let Some(folder) = folder {
                tokio::spawn(disk::remove(folder, browser.kill.clone()));
            }
            if let Some((purpose, since)) = leased {
                metrics.ended(purpose.page_use(), since.elapsed(), confirmed);
            }
        });
    }
}

/// Ends a browser once one of its pages does not reach its egress, since no other page of it does either: one of sessions at
/// once, so that these are known to be lost, another one with its last page.
async fn end_if_unreached(browser: Weak<Browser>, egress: Weak<Egress>, unreached: CancellationToken) {
    unreached.cancelled().await;
    let is_open = egress.strong_count() > 0;
    if let Some(browser) = browser.upgrade().filter(|browser| is_open && browser.is_alive()) {
        tracing::error!("a browser's network service crashed: the browser makes no new pages");
        browser.retire();
        if browser.popups.is_some() {
            browser.kill();
        }
    }
}

impl Browser {
    /// Waits until the disposal of a context is confirmed, and returns whether it was in time. If not, the browser is retired;
    /// one of sessions is killed if the confirmation stays out.
    async fn confirms_disposal(&self, disposed: Call<DisposeBrowserContextReturns>) -> bool {
        let mut disposed = pin!(disposed);
        let mut answer = timeout(DISPOSE_TIMEOUT, &mut disposed).await;
        if answer.is_err() && self.quarantined.is_cancelled() {
            // Its pages keep it busy, and it has a lower priority than other browsers.
            answer = timeout(DISPOSE_TIMEOUT_NOISY, &mut disposed).await;
        }
        let is_overdue = answer.is_err();
        let confirmed = match answer {
            Ok(Ok(_)) => true,
            // The contexts of a browser end with it.
            Ok(Err(error)) => error.is_gone(),
            Err(_) => false,
        };
        if !confirmed {
            tracing::error!("a browser context could not be disposed of: the browser makes no new pages");
            self.retire();
        }
        if is_overdue && self.popups.is_some() && timeout(DISPOSE_TIMEOUT_OF_SESSIONS, disposed).await.is_err() {
            tracing::error!("a browser of sessions did not dispose of a page: it is killed with its sessions");
            self.kill();
        }
        confirmed
    }
}
