//! One Chromium process, driven over its pipe, and its browser contexts.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use chromiumoxide_cdp::cdp::browser_protocol::browser::{BrowserContextId, GetVersionParams};
use chromiumoxide_cdp::cdp::browser_protocol::page::EnableParams as EnablePage;
use chromiumoxide_cdp::cdp::browser_protocol::target::{
    AttachToTargetParams, CreateBrowserContextParams, CreateTargetParams, DisposeBrowserContextParams,
};
use chromiumoxide_cdp::cdp::js_protocol::runtime::GetIsolateIdParams;
use porthole_chromium::{Process, Profile, StderrTail};
use porthole_contract::limits::CONNECT_TIMEOUT;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::busy::InUse;
use super::defence::Defence;
use super::kind::BrowserKind;
use super::noise::{Made, Noise, Visiting};
use super::options::Setup;
use super::tenants::Tenant;
use super::{disk, flags};
use crate::cdp::{Bounds, CdpError, Connection, Session, connect_pipe};
use crate::guard::egress::{Egress, Peers};
use crate::guard::{Judge, Network};
use crate::provider::downloads::{behavior, make_folder};
use crate::provider::{Budget, Downloads, FrameLock, Lease, LeaseRequest, ProviderError, Purpose, popups};
use crate::telemetry::{BlockedMetrics, LeaseMetrics};

/// The folder within a profile that has the folders of downloads.
const DOWNLOADS: &str = "porthole-downloads";
/// How long the disposal of a context may take before the browser is retired.
const DISPOSE_TIMEOUT: Duration = Duration::from_secs(5);
/// How much longer it may take in a browser in quarantine.
const DISPOSE_TIMEOUT_NOISY: Duration = Duration::from_secs(55);
/// How much longer it may take in a browser of sessions before that is killed: other sessions would wait in it for as long as
/// they last, beside a page that has no session any more.
const DISPOSE_TIMEOUT_OF_SESSIONS: Duration = Duration::from_secs(15);
/// How long a warm page may take to answer before another is made instead: about as long as making one takes on a busy
/// machine.
const BLANK_ANSWER_TIMEOUT: Duration = Duration::from_millis(300);
/// How long a browser may take to answer the readiness check.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(1);
/// The most blocked hosts named in a page's log line; a page can name thousands.
const HOSTS_LOGGED_MAX: usize = 16;

/// A running browser. Dropping it ends the process.
pub(super) struct Browser {
    connection: Connection,
    /// Routes the windows of its pages to their leases; `None` if its pages may not open any.
    popups: Option<popups::Router>,
    /// The lock under which its pages draw by `begin_frame`; `None` if they draw by themselves.
    frame_lock: Option<FrameLock>,
    /// The processes whose connections its pages' egresses accept.
    peers: Peers,
    kill: CancellationToken,
    /// Set when it makes no new pages and its warm pages are unusable. It ends with its last lease.
    retired: AtomicBool,
    /// Set when another browser makes new pages in its place. Its warm pages stay usable; it ends with its last page.
    relieved: AtomicBool,
    /// Cancelled when it is in quarantine: pages that it is making for other sandboxes are made by another browser.
    quarantined: CancellationToken,
    /// The id of its process group.
    group: u32,
    /// Where its pages' downloads are written: inside its profile folder.
    downloads: PathBuf,
    /// How many pages it has made.
    pages_made: AtomicU64,
    /// Its visits, and when one was found noisy.
    pub(super) noise: Arc<Noise>,
    since: Instant,
}

/// Why a browser could not be started.
#[derive(Clone, Debug, thiserror::Error)]
pub(super) enum LaunchError {
    /// The profile folder or the process can't be created.
    #[error("{0}")]
    NotStarted(String),
    /// It ended before its first answer.
    #[error("the local browser ended while it started")]
    Died,
    /// It started but did not answer in time.
    #[error("the local browser did not answer in time")]
    Silent,
}

impl LaunchError {
    /// Returns whether another start may succeed.
    pub(super) fn is_worth_another_start(&self) -> bool {
        matches!(self, Self::Died | Self::Silent)
    }
}

impl From<LaunchError> for ProviderError {
    fn from(error: LaunchError) -> Self {
        match error {
            LaunchError::NotStarted(_) | LaunchError::Died => Self::Unavailable(error.to_string()),
            LaunchError::Silent => Self::TimedOut,
        }
    }
}

/// Starts a browser and waits for its first answer.
pub(super) async fn launch(
    executable: &Path,
    kind: BrowserKind,
    setup: &Setup,
    tasks: &TaskTracker,
    metrics: &LeaseMetrics,
) -> Result<Browser, LaunchError> {
    let not_started = |what: &str, error: std::io::Error| LaunchError::NotStarted(format!("{what}: {error}"));
    let profile = Profile::create(&setup.options.profiles)
        .map_err(|error| not_started("a profile folder can't be made", error))?;
    let without_sandbox = nix::unistd::geteuid().is_root();
    if without_sandbox {
        tracing::warn!("running as root: Chromium's own sandbox is off; run the service as another user to have it");
    }
    let flags = flags::command_line(executable, kind, profile.path(), &setup.weakness, without_sandbox);
    let (profile_folder, downloads) = (profile.path().to_owned(), profile.path().join(DOWNLOADS));
    let (process, pipe) = Process::start(executable, flags, profile)
        .map_err(|error| not_started(&format!("{} can't be started", executable.display()), error))?;
    let connection = connect_pipe(pipe.reader, pipe.writer, Bounds::default(), metrics.cdp().clone());
    let (pid, stderr) = (process.id(), process.stderr());
    let kill = CancellationToken::new();
    let disk = disk::fills(profile_folder, downloads.clone());
    tasks.spawn(keep(process, connection.clone(), kill.clone(), disk, metrics.clone()));
    // The browser leads its own process group. One that is gone already has no peers.
    let checks_peers = setup.weakness.leaves(Defence::PeerCheck);
    let peers = if checks_peers { Peers::of_group(pid) } else { Peers::anyone() };
    let browser = Browser {
        connection,
        popups: (kind == BrowserKind::Session).then(popups::Router::default),
        frame_lock: (kind == BrowserKind::BeginFrame).then(FrameLock::default),
        peers,
        kill,
        retired: AtomicBool::new(false),
        relieved: AtomicBool::new(false),
        quarantined: CancellationToken::new(),
        group: pid,
        downloads,
        pages_made: AtomicU64::new(0),
        noise: Arc::default(),
        since: Instant::now(),
    };
    // A browser that does not answer is dropped here, which ends its process.
    let product = browser.first_answer(&stderr).await?;
    if let Some(router) = browser.popups.clone() {
        tasks.spawn(router.run(browser.connection.browser().attach_to_pages()));
    }
    tracing::info!(pid, product, ?kind, "a local browser is ready");
    Ok(browser)
}

/// Waits until the browser ends, is told to end, closes its pipe or fills the disk; then kills its processes and removes its
/// profile.
async fn keep(
    mut process: Process,
    connection: Connection,
    kill: CancellationToken,
    fills_disk: impl Future<Output = u64>,
    metrics: LeaseMetrics,
) {
    metrics.browser_started();
    let pid = process.id();
    let why: Cow<'static, str> = tokio::select! {
        status = process.ended() => status.map_or("waiting for its process failed".into(), |status| format!("it ended with {status}").into()),
        reason = connection.closed() => reason,
        () = kill.cancelled() => "the service ended it".into(),
        written = fills_disk => {
            tracing::error!(pid, written, "pages downloaded more than the browser's limit; the browser is ended");
            "it filled the disk".into()
        }
    };
    // What holds the token sees that the browser has ended.
    kill.cancel();
    let profile = process.kill().await;
    metrics.browser_ended();
    tracing::info!(pid, %why, "a local browser is gone");
    profile.remove().await;
}

impl Browser {
    /// Waits until the browser says which product it is. `stderr` is logged where it does not.
    async fn first_answer(&self, stderr: &StderrTail) -> Result<String, LaunchError> {
        let pid = self.group;
        match timeout(CONNECT_TIMEOUT, self.connection.browser().call(&GetVersionParams::default())).await {
            Ok(Ok(version)) => Ok(version.product),
            Ok(Err(error)) => {
                tracing::warn!(pid, %error, stderr = stderr.last_lines(), "the local browser died while it started");
                Err(LaunchError::Died)
            }
            Err(_) => {
                tracing::warn!(pid, stderr = stderr.last_lines(), "the local browser did not answer in time");
                Err(LaunchError::Silent)
            }
        }
    }

    pub(super) fn is_alive(&self) -> bool {
        !self.connection.is_closed() && !self.kill.is_cancelled() && !self.retired.load(Ordering::Relaxed)
    }

    /// Returns whether it makes new pages.
    pub(super) fn gives_pages(&self) -> bool {
        self.is_alive() && !self.relieved.load(Ordering::Relaxed)
    }

    /// Returns how many pages it has made.
    pub(super) fn pages_made(&self) -> u64 {
        self.pages_made.load(Ordering::Relaxed)
    }

    /// Returns the id of its process group.
    pub(super) fn group(&self) -> u32 {
        self.group
    }

    /// Returns its connection.
    pub(super) fn connection(&self) -> Connection {
        self.connection.clone()
    }

    /// Returns the time since its start.
    pub(super) fn age(&self) -> Duration {
        self.since.elapsed()
    }

    /// Stops new pages: another browser makes them from now on. Existing pages, warm ones too, stay usable.
    pub(super) fn relieve(&self) {
        self.relieved.store(true, Ordering::Relaxed);
    }

    /// Stops pages that are being made for sandboxes other than those of the quarantine.
    pub(super) fn quarantine(&self) {
        self.quarantined.cancel();
    }

    /// Waits until it is in quarantine.
    pub(super) async fn in_quarantine(&self) {
        self.quarantined.cancelled().await;
    }

    /// Stops new pages and makes its warm pages unusable. Leased pages continue; the process ends with the last one.
    pub(super) fn retire(&self) {
        self.retired.store(true, Ordering::Relaxed);
    }

    /// Ends the process; [`keep`] cleans up.
    pub(super) fn kill(&self) {
        self.kill.cancel();
    }

    /// Checks that the browser answers a command in time.
    pub(super) async fn answers(&self) -> Result<(), CdpError> {
        match timeout(ANSWER_TIMEOUT, self.connection.browser().call(&GetVersionParams::default())).await {
            Ok(answer) => answer.map(drop),
            Err(_) => Err(CdpError::Closed("the browser does not answer".into())),
        }
    }

    /// Creates a blank page in a context of its own.
    pub(super) async fn blank(
        self: &Arc<Self>,
        setup: &Setup,
        judge: &Judge,
        tasks: &TaskTracker,
        metrics: &LeaseMetrics,
    ) -> Result<Blank, ProviderError> {
        let root = self.connection.browser();
        let has = |defence| setup.weakness.leaves(defence);
        let guard = setup.weakness.guard(&judge.guard);
        let egress = Egress::open(guard, setup.options.egress.clone(), self.peers.clone())
            .map_err(|error| ProviderError::Unavailable(format!("the page's way out can't be opened: {error}")))?;
        let egress = Arc::new(egress);
        let mut made = Made::begin();
        let create = CreateBrowserContextParams {
            dispose_on_detach: Some(true),
            proxy_server: has(Defence::ContextProxy).then(|| format!("http://{}", egress.addr())),
            proxy_bypass_list: has(Defence::LoopbackRule).then(|| "<-loopback>".to_owned()),
            ..Default::default()
        };
        let context = root.call(&create).await?.browser_context_id;
        let held = HeldContext {
            browser: Arc::clone(self),
            context: context.clone(),
            egress: Arc::clone(&egress),
            blocked: judge.blocked.clone(),
            tasks: tasks.clone(),
            metrics: metrics.clone(),
            leased: None,
            visiting: None,
            tenant: None,
            folder: None,
        };

        let mut target = CreateTargetParams::new("about:blank");
        target.browser_context_id = has(Defence::OwnContext).then(|| context.clone());
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
pub(super) struct Blank {
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
    pub(super) fn is_usable(&self) -> bool {
        self.held.browser.is_alive()
    }

    /// Returns whether its browser still makes new pages. If not, a page of the new browser should replace this one.
    pub(super) fn is_fresh(&self) -> bool {
        self.held.browser.gives_pages()
    }

    /// Returns whether this browser made it.
    pub(super) fn is_of(&self, browser: &Arc<Browser>) -> bool {
        Arc::ptr_eq(&self.held.browser, browser)
    }

    /// Returns whether its renderer answers: the renderer or the whole browser can die before an event reports it.
    pub(super) async fn answers(&self) -> bool {
        // An evaluation would have the page's main world made for it, which takes 3 ms.
        let asked = self.page.call(&GetIsolateIdParams::default());
        matches!(timeout(BLANK_ANSWER_TIMEOUT, asked).await, Ok(Ok(_)))
    }

    /// Leases the page. `in_use` is dropped with the lease, `tenant` when the disposal is confirmed.
    pub(super) fn lease(self, request: &LeaseRequest, in_use: Option<InUse>, tenant: Option<Tenant>) -> Lease {
        let Self { page, target_id, egress, mut popups, mut held, made } = self;
        held.leased = Some((request.purpose, Instant::now()));
        held.metrics.created(request.purpose.page_use());
        if let Budget::PerDocument { lease_factor } = request.budget {
            egress.set_lease_factor(lease_factor);
        }
        let downloads = (request.purpose == Purpose::Session).then(|| held.downloads());
        let frame_lock = held.browser.frame_lock.clone();
        let opened = popups.as_mut().and_then(popups::Routed::take);
        let sandbox = request.sandbox.as_ref().filter(|_| request.purpose != Purpose::Session);
        held.visiting = sandbox
            .zip(page.id())
            .map(|(sandbox, session)| held.browser.noise.visit(Arc::clone(sandbox), made, Arc::clone(session)));
        held.tenant = tenant;
        let release = move |watchers| drop((watchers, popups, held, in_use));
        Lease::new(request.purpose, page, target_id, Network::Egress(egress), release)
            .with_frame_lock(frame_lock)
            .with_popups(opened)
            .with_downloads(downloads)
            .prepared()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.kill.cancel();
    }
}

/// A browser context that is disposed of when dropped, and counted until the browser has confirmed it.
struct HeldContext {
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
            let mut disposed = pin!(disposed);
            let mut answer = timeout(DISPOSE_TIMEOUT, &mut disposed).await;
            if answer.is_err() && browser.quarantined.is_cancelled() {
                // Its pages keep it busy, and it gives way to others besides.
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
                browser.retire();
            }
            if is_overdue && browser.popups.is_some() && timeout(DISPOSE_TIMEOUT_OF_SESSIONS, disposed).await.is_err() {
                tracing::error!("a browser of sessions did not dispose of a page: it is killed with its sessions");
                browser.kill();
            }
            if let Some(folder) = folder {
                tokio::spawn(disk::remove(folder, browser.kill.clone()));
            }
            if let Some((purpose, since)) = leased {
                metrics.ended(purpose.page_use(), since.elapsed(), confirmed);
            }
        });
    }
}

impl HeldContext {
    /// Lets its pages download into a folder of its own.
    fn downloads(&mut self) -> Downloads {
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
