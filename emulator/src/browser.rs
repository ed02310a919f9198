//! One session's browser: a Chromium process of its own, with one page in its default context.
//!
//! It has a debugging port on loopback, since every client connection needs its own connection to the browser. It also
//! has a debugging pipe that carries no messages: when this process ends, in any way, the pipe closes and the browser
//! exits.

use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper_util::rt::TokioIo;
use porthole_chromium::{Pipe, Process, Profile};
use porthole_daemon::logs::with_causes;
use serde::Deserialize;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::connection::BrowserSocket;
use crate::session::request::{BrowserSettings, Viewport};
use crate::settings::Resolve;

/// Time for a browser to start, listen and answer, a second attempt after a failed first one included.
const START_TIMEOUT: Duration = Duration::from_secs(20);
/// Share of [`START_TIMEOUT`] for the first attempt; the second has the rest.
const FIRST_START_TIMEOUT: Duration = Duration::from_secs(10);
/// Time for a listening browser to answer a request.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);
/// Largest list of targets that is read, in bytes.
const TARGETS_MAX_BYTES: usize = 4_000_000;
/// Largest WebSocket message that is relayed, in bytes.
pub(crate) const MESSAGE_MAX_BYTES: usize = 256 << 20;

/// Folder for downloads within the profile's folder.
const DOWNLOADS: &str = "downloads";
/// Browserbase's viewport when the request names none.
const VIEWPORT: Viewport = Viewport { width: 1288, height: 711 };

/// Flags of every browser.
const ALWAYS: &[&str] = &[
    // The port is for clients; the pipe ends the browser with this process.
    "--remote-debugging-port=0",
    "--remote-debugging-pipe",
    // No features for interactive use, and no traffic of the browser's own.
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-field-trial-config",
    "--disable-search-engine-choice-screen",
    "--disable-sync",
    "--disable-features=CertificateTransparencyComponentUpdater,DialMediaRouteProvider,MediaRouter,OptimizationHints,\
     Translate",
    "--metrics-recording-only",
    "--no-pings",
    "--password-store=basic",
    "--use-mock-keychain",
    // No window is visible, so background throttling would slow every page.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--mute-audio",
    "--disable-gpu",
    // A container's /dev/shm is often 64 MB; shared memory goes to the profile's folder, which is removed with it.
    "--disable-dev-shm-usage",
];

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

/// A connection to a browser.
pub(crate) struct Connected {
    pub(crate) socket: BrowserSocket,
    /// The folder that the session's downloads go to.
    pub(crate) downloads: PathBuf,
}

/// Where a browser is reached.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint {
    /// `127.0.0.1:port`.
    authority: String,
    /// `/devtools/browser/…`.
    path: String,
    /// The folder that the session's downloads go to, within the profile's.
    downloads: PathBuf,
}

/// Why a browser can't be started or reached.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BrowserError {
    #[error("the browser can't be started")]
    Start(#[source] std::io::Error),
    #[error("the browser exited during start-up: {0}")]
    Ended(String),
    #[error("the browser did not start in time: {0}")]
    Late(String),
    #[error("the browser can't be reached")]
    Unreachable(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// A page as the browser lists it.
#[derive(Debug, Deserialize)]
pub(crate) struct Target {
    pub(crate) id: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    #[serde(default)]
    pub(crate) title: String,
    #[serde(default)]
    pub(crate) url: String,
    #[serde(default, rename = "faviconUrl")]
    pub(crate) favicon_url: String,
}

impl Browsers {
    /// Starts a browser and waits until it answers. A start that crashes or hangs is repeated once, unless `over` is
    /// cancelled: about one Chromium start in a hundred crashes.
    pub(crate) async fn start(
        &self,
        settings: &BrowserSettings,
        over: &CancellationToken,
    ) -> Result<Browser, BrowserError> {
        let until = Instant::now() + START_TIMEOUT;
        match self.start_once(settings, Instant::now() + FIRST_START_TIMEOUT).await {
            Err(error) if error.is_worth_another_start() && !over.is_cancelled() => {
                tracing::warn!(error = with_causes(&error), "a browser died while it started; starting another");
                self.start_once(settings, until).await
            }
            started => started,
        }
    }

    async fn start_once(&self, settings: &BrowserSettings, until: Instant) -> Result<Browser, BrowserError> {
        let profile = Profile::create(&self.profiles).map_err(BrowserError::Start)?;
        let downloads = profile.path().join(DOWNLOADS);
        std::fs::create_dir(&downloads).map_err(BrowserError::Start)?;
        let flags = self.flags(settings, profile.path());
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

    fn flags(&self, settings: &BrowserSettings, profile: &Path) -> Vec<String> {
        let mut flags: Vec<String> = ALWAYS.iter().map(|flag| (*flag).to_owned()).collect();
        let is_shell =
            self.executable.file_name().is_some_and(|name| name.to_string_lossy().contains("headless-shell"));
        flags.push(if is_shell { "--headless" } else { "--headless=new" }.to_owned());
        if nix::unistd::geteuid().is_root() {
            flags.push("--no-sandbox".to_owned());
        }
        let Viewport { width, height } = settings.viewport.unwrap_or(VIEWPORT);
        flags.push(format!("--window-size={width},{height}"));
        if settings.ignores_certificate_errors() {
            flags.push("--ignore-certificate-errors".to_owned());
        }
        if !self.resolve.is_empty() {
            flags.push(format!("--host-resolver-rules={}", resolver_rules(&self.resolve)));
        }
        flags.push(format!("--user-data-dir={}", profile.display()));
        flags.push("about:blank".to_owned());
        flags
    }
}

fn resolver_rules(resolve: &[Resolve]) -> String {
    // The first matching rule applies, so the catch-all comes last.
    let named = resolve.iter().filter_map(|rule| match rule {
        Resolve::Name(name, address) if address.is_ipv6() => Some(format!("MAP {name} [{address}]")),
        Resolve::Name(name, address) => Some(format!("MAP {name} {address}")),
        Resolve::NoOther => None,
    });
    let mut rules: Vec<String> = named.collect();
    if resolve.contains(&Resolve::NoOther) {
        rules.extend(["EXCLUDE 127.0.0.1", "EXCLUDE localhost", "MAP * ~NOTFOUND"].map(str::to_owned));
    }
    rules.join(", ")
}

impl BrowserError {
    /// Whether another start may succeed; it can't if the system refuses to start the program.
    fn is_worth_another_start(&self) -> bool {
        match self {
            Self::Start(_) => false,
            Self::Ended(_) | Self::Late(_) | Self::Unreachable(_) => true,
        }
    }
}

impl Endpoint {
    fn parse(url: &str, downloads: PathBuf) -> Option<Self> {
        let url = Url::parse(url).ok()?;
        let authority = format!("{}:{}", url.host_str()?, url.port()?);
        Some(Self { authority, path: url.path().to_owned(), downloads })
    }

    /// Opens a new connection to the browser.
    pub(crate) async fn connect(&self) -> Result<Connected, BrowserError> {
        self.open(&self.path).await
    }

    /// A connection to one of its pages alone.
    pub(crate) async fn connect_page(&self, id: &str) -> Result<Connected, BrowserError> {
        self.open(&format!("/devtools/page/{id}")).await
    }

    async fn open(&self, path: &str) -> Result<Connected, BrowserError> {
        let connecting = async {
            let stream = self.dial().await?;
            let url = format!("ws://{}{path}", self.authority);
            let (socket, _) = tokio_tungstenite::client_async_with_config(url, stream, Some(websocket())).await?;
            Ok(Connected { socket, downloads: self.downloads.clone() })
        };
        within_time(connecting).await
    }

    /// Lists the browser's pages.
    pub(crate) async fn pages(&self) -> Result<Vec<Target>, BrowserError> {
        let asking = async {
            let (mut sender, connection) =
                hyper::client::conn::http1::handshake(TokioIo::new(self.dial().await?)).await?;
            let connection = tokio::spawn(connection);
            let request = http::Request::get("/json/list")
                .header(http::header::HOST, &self.authority)
                .body(Empty::<Bytes>::new())?;
            let response = sender.send_request(request).await?;
            let body = Limited::new(response.into_body(), TARGETS_MAX_BYTES).collect().await?.to_bytes();
            connection.abort();
            let targets: Vec<Target> = serde_json::from_slice(&body)?;
            Ok(targets.into_iter().filter(|target| target.kind == "page").collect())
        };
        within_time(asking).await
    }

    async fn dial(&self) -> std::io::Result<TcpStream> {
        let stream = TcpStream::connect(&self.authority).await?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }
}

async fn within_time<T>(
    asking: impl Future<Output = Result<T, Box<dyn std::error::Error + Send + Sync>>>,
) -> Result<T, BrowserError> {
    match timeout(ANSWER_TIMEOUT, asking).await {
        Ok(answer) => answer.map_err(BrowserError::Unreachable),
        Err(late) => Err(BrowserError::Unreachable(late.into())),
    }
}

/// Size limits of WebSockets, to clients and to browsers.
pub(crate) fn websocket() -> WebSocketConfig {
    WebSocketConfig::default().max_message_size(Some(MESSAGE_MAX_BYTES)).max_frame_size(Some(MESSAGE_MAX_BYTES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catch_all_rule_comes_last() {
        let rules = [Resolve::NoOther, Resolve::Name("a.test".to_owned(), [10, 0, 0, 1].into())];
        assert_eq!(
            resolver_rules(&rules),
            "MAP a.test 10.0.0.1, EXCLUDE 127.0.0.1, EXCLUDE localhost, MAP * ~NOTFOUND"
        );
    }
}
