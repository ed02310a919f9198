//! Starting a browser: its process, its first answer, and the task that cleans up after it.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Instant;

use chromiumoxide_cdp::cdp::browser_protocol::browser::GetVersionParams;
use porthole_chromium::{Process, Profile, StderrTail};
use porthole_contract::limits::CONNECT_TIMEOUT;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::Browser;
use crate::cdp::{Bounds, Connection, connect_pipe};
use crate::guard::egress::Peers;
use crate::provider::local::defence::Defence;
use crate::provider::local::kind::BrowserKind;
use crate::provider::local::options::Setup;
use crate::provider::local::{disk, flags};
use crate::provider::{FrameLock, ProviderError, popups};
use crate::telemetry::LeaseMetrics;

/// The folder within a profile that has the folders of downloads.
const DOWNLOADS: &str = "porthole-downloads";

/// Why a browser could not be started.
#[derive(Clone, Debug, thiserror::Error)]
pub(in crate::provider::local) enum LaunchError {
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
    pub(in crate::provider::local) fn is_worth_another_start(&self) -> bool {
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
pub(in crate::provider::local) async fn launch(
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
}
