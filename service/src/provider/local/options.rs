//! Options of the local provider, and all that its pools need.

use std::path::PathBuf;
use std::sync::Arc;

use porthole_chromium::ExecutableError;

use super::busy::Busy;
use super::defence::Weakness;
use super::started::Started;
use crate::cdp::Session;
use crate::guard::egress::EgressLimits;

/// When a browser counts as worn and is replaced.
#[derive(Clone, Copy, Debug)]
pub struct RecyclePolicy {
    /// The most pages that it makes.
    pub pages_max: u64,
    /// The most memory of all its processes together, in bytes.
    pub memory_max_bytes: u64,
    /// Memory in use on the machine, in percent, above which the page that uses most is ended; 100: never.
    pub memory_percent_max: u8,
}

/// Options of the local provider.
#[derive(Clone, Debug)]
pub struct LocalOptions {
    /// The browser's executable, or why there is none.
    pub executable: Result<PathBuf, ExecutableError>,
    /// The limits of each page's egress.
    pub egress: EgressLimits,
    /// How many browsers serve sessions at most. Sandboxes share one only where there are no more.
    pub session_browsers: usize,
    /// How many blank pages are kept ready for visits, in each of their browsers.
    pub warm_pages: usize,
    /// Whether pictures of the viewport are drawn by `begin_frame` if the browser supports it.
    pub begin_frame: bool,
    /// When a browser is replaced by a new one.
    pub recycle: RecyclePolicy,
    /// Where profile folders are made.
    pub profiles: PathBuf,
}

/// Setup commands sent to each new page, so that no request waits for them.
pub type Prepare = fn(&Session);

/// All that the pools need to start browsers and to make pages.
#[derive(Debug)]
pub(super) struct Setup {
    pub(super) options: LocalOptions,
    pub(super) prepare: Prepare,
    pub(super) weakness: Weakness,
    pub(super) busy: Arc<Busy>,
    pub(super) started: Started,
}
