//! One Chromium process: started in its own process group, driven over a pipe, gone without a trace.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use chromiumoxide_cdp::cdp::browser_protocol::browser::{
    BrowserContextId, GetVersionParams, SetDownloadBehaviorBehavior, SetDownloadBehaviorParams,
};
use chromiumoxide_cdp::cdp::browser_protocol::page::EnableParams as EnablePage;
use chromiumoxide_cdp::cdp::browser_protocol::target::{
    AttachToTargetParams, CreateBrowserContextParams, CreateTargetParams, DisposeBrowserContextParams,
};
use command_fds::{CommandFdExt as _, FdMapping};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use porthole_contract::limits::CONNECT_TIMEOUT;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::profile::Profile;
use super::{LocalOptions, flags};
use crate::cdp::{CdpError, Connection, MESSAGE_MAX_BYTES, connect_pipe};
use crate::guard::egress::{Egress, EgressLimits, Peers};
use crate::guard::{Judge, Network};
use crate::provider::{Lease, ProviderError};
use crate::telemetry::{BlockedMetrics, SessionMetrics};

/// The descriptors that `--remote-debugging-pipe` reads from and writes to.
const BROWSER_READS_FD: i32 = 3;
const BROWSER_WRITES_FD: i32 = 4;
/// How long a context may take to be gone before the browser gets no more of them.
const DISPOSE_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a browser may take to answer whether it lives.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);
/// How much of what the browser last said is kept, to tell why it did not start.
const LAST_LINES: usize = 8;
const LINE_MAX_CHARS: usize = 300;
/// How often the removal of a profile is tried while the browser's last children still write into it.
const REMOVE_TRIES: u32 = 20;
const REMOVE_EVERY: Duration = Duration::from_millis(50);

/// A browser that runs. Dropping it ends the process.
pub(super) struct Browser {
    connection: Connection,
    /// Whose connections its pages' ways out serve.
    peers: Peers,
    kill: CancellationToken,
    /// Set when it gives no new pages: it ends with its last lease.
    retired: AtomicBool,
}

/// Starts a browser and waits for its first answer.
pub(super) async fn launch(
    executable: &Path,
    options: &LocalOptions,
    tasks: &TaskTracker,
    metrics: &SessionMetrics,
) -> Result<Browser, ProviderError> {
    let unavailable = |what: &str, error: std::io::Error| ProviderError::Unavailable(format!("{what}: {error}"));
    let profile =
        Profile::create(&options.profiles).map_err(|error| unavailable("a profile folder can't be made", error))?;
    let without_sandbox = nix::unistd::geteuid().is_root();
    if without_sandbox {
        tracing::warn!("running as root: Chromium's own sandbox is off; run the service as another user to have it");
    }
    let (connection, mut child) = spawn(executable, &profile, without_sandbox)
        .map_err(|error| unavailable(&format!("{} can't be started", executable.display()), error))?;
    let last_lines = Arc::new(Mutex::new(VecDeque::new()));
    if let Some(stderr) = child.stderr.take() {
        tasks.spawn(keep_last_lines(stderr, Arc::clone(&last_lines)));
    }
    let kill = CancellationToken::new();
    let pid = child.id();
    tasks.spawn(keep(child, profile, connection.clone(), kill.clone(), metrics.clone()));
    // The browser leads its own process group. One that is gone already has no peers.
    let peers = Peers::of_group(pid.unwrap_or_default());
    let browser = Browser { connection, peers, kill, retired: AtomicBool::new(false) };
    let first = timeout(CONNECT_TIMEOUT, browser.connection.browser().call(&GetVersionParams::default())).await;
    match first {
        Ok(Ok(version)) => {
            tracing::info!(pid, product = version.product, "a local browser is ready");
            Ok(browser)
        }
        Ok(Err(error)) => {
            let said = last_lines.lock().map(|lines| Vec::from(lines.clone()).join("; ")).unwrap_or_default();
            tracing::error!(pid, %error, said, "the local browser did not start");
            Err(ProviderError::Unavailable("the local browser ended while it started".to_owned()))
        }
        Err(_) => Err(ProviderError::TimedOut),
    }
}

fn spawn(executable: &Path, profile: &Profile, without_sandbox: bool) -> std::io::Result<(Connection, Child)> {
    let (ours_out, theirs_in) = pipe::pipe()?;
    let (theirs_out, ours_in) = pipe::pipe()?;
    let mut command = Command::new(executable);
    command
        .args(flags::command_line(executable, profile.path(), without_sandbox))
        // Nothing of our environment is the browser's business; what it writes goes where it is removed.
        .env_clear()
        .env("HOME", profile.path())
        .env("TMPDIR", profile.path())
        .env("PATH", "/usr/bin:/bin")
        .env("LANG", "C.UTF-8")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .fd_mappings(vec![
            FdMapping { parent_fd: theirs_in.into_blocking_fd()?, child_fd: BROWSER_READS_FD },
            FdMapping { parent_fd: theirs_out.into_blocking_fd()?, child_fd: BROWSER_WRITES_FD },
        ])
        .map_err(std::io::Error::other)?;
    let child = command.spawn()?;
    // The command holds our copies of the browser's ends: as long as they live, no end of the pipe is noticed.
    drop(command);
    Ok((connect_pipe(ours_in, ours_out, MESSAGE_MAX_BYTES), child))
}

/// Keeps a browser's process: when it ended, when it shall end or when its pipe closed, nothing of it remains.
async fn keep(
    mut child: Child,
    profile: Profile,
    connection: Connection,
    kill: CancellationToken,
    metrics: SessionMetrics,
) {
    metrics.browser_started();
    let group = child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw);
    let why: Cow<'static, str> = tokio::select! {
        status = child.wait() => status.map_or("its process is lost".into(), |status| format!("it ended with {status}").into()),
        reason = connection.closed() => reason,
        () = kill.cancelled() => "it was told to end".into(),
    };
    if let Some(group) = group
        && let Err(error) = killpg(group, Signal::SIGKILL)
    {
        tracing::debug!(%error, "the browser's process group is gone already");
    }
    drop(child.wait().await);
    metrics.browser_ended();
    tracing::info!(pid = group.map(Pid::as_raw), %why, "a local browser is gone");
    remove(profile).await;
}

/// Removes the profile; the browser's children may need a moment to be gone.
async fn remove(profile: Profile) {
    let path = profile.path().to_owned();
    for _ in 0..REMOVE_TRIES {
        match tokio::fs::remove_dir_all(&path).await {
            Ok(()) => return,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
            Err(_) => tokio::time::sleep(REMOVE_EVERY).await,
        }
    }
    tracing::warn!(folder = %path.display(), "a profile folder can't be removed; the next start tries again");
}

async fn keep_last_lines(stderr: tokio::process::ChildStderr, kept: Arc<Mutex<VecDeque<String>>>) {
    let mut lines = BufReader::new(stderr).split(b'\n');
    while let Ok(Some(line)) = lines.next_segment().await {
        let line: String = String::from_utf8_lossy(&line).chars().take(LINE_MAX_CHARS).collect();
        tracing::trace!(line, "the local browser said");
        if let Ok(mut kept) = kept.lock() {
            if kept.len() == LAST_LINES {
                kept.pop_front();
            }
            kept.push_back(line);
        }
    }
}

impl Browser {
    pub(super) fn is_alive(&self) -> bool {
        !self.connection.is_closed() && !self.kill.is_cancelled() && !self.retired.load(Ordering::Relaxed)
    }

    /// Gives no new pages. Those that are leased are finished in peace; with the last of them the process ends.
    pub(super) fn retire(&self) {
        self.retired.store(true, Ordering::Relaxed);
    }

    /// Ends the process; its keeper cleans up.
    pub(super) fn kill(&self) {
        self.kill.cancel();
    }

    /// Asks the browser something, to see that it lives.
    pub(super) async fn answers(&self) -> Result<(), CdpError> {
        match timeout(ANSWER_TIMEOUT, self.connection.browser().call(&GetVersionParams::default())).await {
            Ok(answer) => answer.map(drop),
            Err(_) => Err(CdpError::Closed("the browser does not answer".into())),
        }
    }

    /// A page in a context of its own.
    pub(super) async fn lease(
        self: &Arc<Self>,
        limits: &EgressLimits,
        judge: &Judge,
        tasks: &TaskTracker,
        metrics: &SessionMetrics,
    ) -> Result<Lease, ProviderError> {
        let root = self.connection.browser();
        let egress = Egress::open(judge.guard.clone(), limits.clone(), self.peers.clone())
            .map_err(|error| ProviderError::Unavailable(format!("the page's way out can't be opened: {error}")))?;
        let egress = Arc::new(egress);
        let create = CreateBrowserContextParams {
            dispose_on_detach: Some(true),
            proxy_server: Some(format!("http://{}", egress.addr())),
            proxy_bypass_list: Some("<-loopback>".to_owned()),
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
            since: Instant::now(),
        };
        metrics.created();

        let mut downloads = SetDownloadBehaviorParams::new(SetDownloadBehaviorBehavior::Deny);
        downloads.browser_context_id = Some(context.clone());
        let downloads = root.call(&downloads);
        let mut target = CreateTargetParams::new("about:blank");
        target.browser_context_id = Some(context);
        let target = root.call(&target).await?.target_id;
        let mut attach = AttachToTargetParams::new(target.clone());
        attach.flatten = Some(true);
        let session = root.call(&attach).await?.session_id;
        let page = self.connection.session(session.inner().as_str());
        // A target exists before its renderer does, and what is sent meanwhile reaches the page only after its first
        // navigation: too late for whoever wants to see that navigation.
        page.call(&EnablePage::default()).await?;
        downloads.await?;
        Ok(Lease::new(page, target.inner().clone(), Network::Egress(egress), move || drop(held)))
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
    metrics: SessionMetrics,
    since: Instant,
}

impl Drop for HeldContext {
    fn drop(&mut self) {
        self.keep_books();
        // Sent at once, from wherever the lease was dropped; only the confirmation is waited for.
        let root = self.browser.connection.browser();
        let disposed = root.call(&DisposeBrowserContextParams::new(self.context.clone()));
        let (browser, metrics, since) = (Arc::clone(&self.browser), self.metrics.clone(), self.since);
        self.tasks.spawn(async move {
            let confirmed = match timeout(DISPOSE_TIMEOUT, disposed).await {
                Ok(Ok(_)) => true,
                // A browser that is gone took its contexts with it.
                Ok(Err(error)) => error.is_gone(),
                Err(_) => false,
            };
            if !confirmed {
                tracing::error!("a browser context could not be disposed of: the browser takes no new pages");
                browser.retire();
            }
            metrics.ended(since.elapsed(), confirmed);
        });
    }
}

impl HeldContext {
    /// What the page was refused is counted, and told in one line.
    fn keep_books(&self) {
        let report = self.egress.report();
        for (reason, count) in &report.blocked {
            self.blocked.blocked(reason, *count);
        }
        if report.blocked_requests() > 0 || report.over_budget > 0 || report.foreign > 0 {
            let hosts: Vec<String> = report
                .dials
                .iter()
                .filter(|dial| dial.outcome.is_refusal())
                .map(|dial| dial.host.to_string())
                .collect();
            tracing::info!(
                blocked = report.blocked_requests(),
                ?hosts,
                over_budget = report.over_budget,
                foreign = report.foreign,
                "a page was refused some of what it asked for"
            );
        }
    }
}
