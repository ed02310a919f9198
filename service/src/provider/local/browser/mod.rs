//! One Chromium process, driven over its pipe: whether it makes pages, and when it ends.
//!
//! `launch` starts it, `blank` makes its pages, `context` holds their browser contexts until these are disposed of.

mod blank;
mod context;
mod launch;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use chromiumoxide_cdp::cdp::browser_protocol::browser::GetVersionParams;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

pub(super) use self::blank::Blank;
pub(super) use self::launch::{LaunchError, launch};
use super::noise::Noise;
use crate::cdp::{CdpError, Connection};
use crate::guard::egress::Peers;
use crate::provider::{FrameLock, popups};

/// How long a browser may take to answer the readiness check.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(1);

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
    /// The id of its process group, which is that of its process, too.
    group: u32,
    /// Where its pages' downloads are written: inside its profile folder.
    downloads: PathBuf,
    /// How many pages it has made.
    pages_made: AtomicU64,
    /// Its visits, and when one was found noisy.
    pub(super) noise: Arc<Noise>,
    since: Instant,
}

impl Browser {
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

    /// Ends the process; the task that [`launch`] spawned cleans up.
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
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.kill.cancel();
    }
}
