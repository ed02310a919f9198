//! Starting a browser, with one more attempt where the first one dies.

use std::path::PathBuf;
use std::time::Duration;

use porthole_chromium::{Pipe, Process, Profile};
use porthole_daemon::logs::with_causes;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use super::endpoint::Endpoint;
use super::error::BrowserError;
use super::flags::{Options, Resolve, command_line};

/// Time for a browser to start, listen and answer, a second attempt after a failed first one included.
const START_TIMEOUT: Duration = Duration::from_secs(20);
/// Share of [`START_TIMEOUT`] for the first attempt; the second has the rest.
const FIRST_START_TIMEOUT: Duration = Duration::from_secs(10);
/// Folder for downloads within the profile's folder.
const DOWNLOADS: &str = "downloads";

/// Settings for starting browsers.
#[derive(Clone, Debug)]
pub(crate) struct Browsers {
    pub(crate) executable: PathBuf,
    pub(crate) profiles: PathBuf,
    pub(crate) resolve: Vec<Resolve>,
}

/// A running browser.
pub(crate) struct Browser {
    pub(crate) process: Process,
    pub(crate) endpoint: Endpoint,
    /// Held, never used; see the module's documentation.
    pub(crate) _pipe: Pipe,
}

impl Browsers {
    /// Starts a browser and waits until it answers. A start that crashes or hangs is repeated once, unless `over` is
    /// cancelled: about one Chromium start in a hundred crashes.
    pub(crate) async fn start(&self, options: Options, over: &CancellationToken) -> Result<Browser, BrowserError> {
        let until = Instant::now() + START_TIMEOUT;
        match self.start_once(options, Instant::now() + FIRST_START_TIMEOUT).await {
            Err(error) if error.is_worth_another_start() && !over.is_cancelled() => {
                tracing::warn!(error = with_causes(&error), "a browser died while it started; starting another");
                self.start_once(options, until).await
            }
            started => started,
        }
    }

    async fn start_once(&self, options: Options, until: Instant) -> Result<Browser, BrowserError> {
        let profile = Profile::create(&self.profiles).map_err(BrowserError::Start)?;
        let downloads = profile.path().join(DOWNLOADS);
        std::fs::create_dir(&downloads).map_err(BrowserError::Start)?;
        let flags = command_line(&self.executable, profile.path(), &self.resolve, options);
        let (process, pipe) = Process::start(&self.executable, flags, profile).map_err(BrowserError::Start)?;
        let stderr = process.stderr();
        let starting = async {
            let listens = stderr.endpoint().await.and_then(|url| Endpoint::parse(&url, downloads));
            let endpoint = listens.ok_or_else(|| BrowserError::Ended(stderr.last_lines()))?;
            // It may die right after it has printed its endpoint.
            endpoint.pages().await?;
            Ok(endpoint)
        };
        match timeout_at(until, starting).await.unwrap_or_else(|_| Err(BrowserError::Late(stderr.last_lines()))) {
            Ok(endpoint) => Ok(Browser { process, endpoint, _pipe: pipe }),
            Err(error) => {
                process.kill().await.remove().await;
                Err(error)
            }
        }
    }
}
