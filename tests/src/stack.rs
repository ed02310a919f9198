//! Service and worker as processes, with a fixture site and a temp folder.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::Duration;

use http::StatusCode;
use serde_json::Value;
use tempfile::TempDir;

use crate::caller::{Answer, Caller, http_client};
use crate::eventually::{eventually, so};
use crate::family::Relative;
use crate::owner;
use crate::process::{Environment, Process};
use crate::site::Site;

/// The time limit for a started stack to accept requests.
const READY_WITHIN: Duration = Duration::from_secs(40);
/// Prefix of the folders' names; the watchdog of [`crate::process`] removes only folders with it.
const FOLDER_PREFIX: &str = "porthole-tests-";

/// One of the two server processes, listening.
#[derive(Debug)]
pub struct Server {
    /// The process.
    pub process: Process,
    /// The address of its main listener.
    pub main: SocketAddr,
    /// The address of its admin listener: metrics and health.
    pub admin: SocketAddr,
}

impl Server {
    /// Starts one of the executables and waits until both of its listeners are bound.
    pub async fn start(executable: &str, environment: &Environment) -> Self {
        Self::of(Process::spawn(executable, &[], environment)).await
    }

    /// Waits until both listeners of this process are bound.
    async fn of(mut process: Process) -> Self {
        let main = process.listening("main").await;
        let admin = process.listening("admin").await;
        Self { process, main, admin }
    }

    /// Returns a URL of its main listener.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.main)
    }

    /// Returns a URL of its admin listener.
    #[must_use]
    pub fn admin_url(&self, path: &str) -> String {
        format!("http://{}{path}", self.admin)
    }
}

/// The folder of a stack, with the home and temp folder of its processes. It is removed when dropped.
#[derive(Debug)]
pub struct Home(TempDir);

impl Home {
    /// Creates the folder.
    ///
    /// # Panics
    /// When the disk is full.
    #[must_use]
    pub fn new() -> Self {
        let folder = tempfile::Builder::new().prefix(FOLDER_PREFIX).tempdir().expect("a temp folder");
        for part in ["home", "tmp"] {
            std::fs::create_dir(folder.path().join(part)).expect("a folder in it");
        }
        Self(folder)
    }

    /// Returns `HOME` of its processes.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.0.path().join("home")
    }

    /// Returns `TMPDIR` of its processes.
    #[must_use]
    pub fn temp(&self) -> PathBuf {
        self.0.path().join("tmp")
    }

    /// Returns the entries of [`Home::temp`].
    ///
    /// # Panics
    /// When it can't be read.
    #[must_use]
    pub fn left_in_temp(&self) -> BTreeSet<PathBuf> {
        std::fs::read_dir(self.temp()).expect("a folder").map(|entry| entry.expect("an entry").path()).collect()
    }

    /// Returns the minimal environment of a process: `PATH` and these two folders.
    #[must_use]
    pub fn environment(&self) -> Environment {
        let text = |path: &Path| path.to_str().expect("temp folders have readable names").to_owned();
        let path = std::env::var("PATH").unwrap_or_else(|_| "/usr/local/bin:/usr/bin:/bin".to_owned());
        Environment::from([
            ("PATH".to_owned(), path),
            ("HOME".to_owned(), text(&self.home())),
            ("TMPDIR".to_owned(), text(&self.temp())),
        ])
    }
}

impl Default for Home {
    fn default() -> Self {
        Self::new()
    }
}

/// Builds a stack from settings.
#[derive(Debug, Default)]
pub struct Builder {
    settings: Vec<(String, String)>,
    is_as_shipped: bool,
    executables: Option<PathBuf>,
}

/// What few requests need: a browser and its warm pages cost processor time, which is what tests wait for.
const LEAN: [(&str, &str); 2] = [("PORTHOLE_FRAMES", "off"), ("PORTHOLE_WARM_PAGES", "1")];

impl Builder {
    /// Adds a setting for both processes.
    #[must_use]
    pub fn setting(mut self, name: &str, value: &str) -> Self {
        self.settings.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Starts the second browser too, whose pages are drawn with `begin_frame`, as the service does by default.
    #[must_use]
    pub fn begin_frame(self) -> Self {
        self.setting("PORTHOLE_FRAMES", "auto")
    }

    /// Leaves browsers and warm pages at the service's own defaults, as a bench must.
    #[must_use]
    pub fn as_shipped(mut self) -> Self {
        self.is_as_shipped = true;
        self
    }

    /// Starts the service and the worker in this folder instead of those beside the test: those of another commit.
    #[must_use]
    pub fn executables(mut self, folder: &Path) -> Self {
        self.executables = Some(folder.to_owned());
        self
    }

    /// Starts the stack and waits until the worker is ready.
    ///
    /// # Panics
    /// When a process does not start or become ready.
    pub async fn start(self) -> Stack {
        let site = Site::start();
        let home = Home::new();
        let mut common = home.environment();
        for (name, value) in [
            ("PORTHOLE_SERVICE_ADDR", "127.0.0.1:0".to_owned()),
            ("PORTHOLE_SERVICE_ADMIN_ADDR", "127.0.0.1:0".to_owned()),
            ("PORTHOLE_WORKER_ADDR", "127.0.0.1:0".to_owned()),
            ("PORTHOLE_WORKER_ADMIN_ADDR", "127.0.0.1:0".to_owned()),
            // Sessions that tests leave open don't delay the end.
            ("PORTHOLE_SESSION_DRAIN_SECONDS", "0".to_owned()),
            // The worker counts all tests as one caller.
            ("PORTHOLE_RATE_LIMIT", "100000".to_owned()),
            ("PORTHOLE_ALLOW_TARGETS", site.allow_targets()),
            ("PORTHOLE_RESOLVE", site.resolve()),
        ] {
            common.insert(name.to_owned(), value);
        }
        if !self.is_as_shipped {
            common.extend(LEAN.map(|(name, value)| (name.to_owned(), value.to_owned())));
        }
        common.extend(self.settings);
        let server = async |name: &str, environment: &Environment| match &self.executables {
            Some(folder) => Server::of(Process::spawn_program(&folder.join(name), &[], environment)).await,
            None => Server::start(name, environment).await,
        };

        let mut of_service = common.clone();
        of_service
            .entry("PORTHOLE_OWNER_KEYS".to_owned())
            .or_insert_with(|| format!("{},{}", owner::FIRST.setting(), owner::SECOND.setting()));
        let service = server("porthole-service", &of_service).await;

        let mut of_worker = common;
        of_worker.insert("PORTHOLE_SERVICE_URL".to_owned(), service.url(""));
        let worker = server("porthole-worker", &of_worker).await;

        let stack = Stack { worker, service, site, of_service, of_worker, http: http_client(), home };
        eventually(READY_WITHIN, async || {
            let answer = stack.admin(&stack.worker, "/readyz").await;
            so(answer.status == StatusCode::OK, format!("not ready: {answer:?}\n{}", stack.logs().join("\n")))
        })
        .await;
        // Remembers the browser for the end, even if the service dies.
        let _ = stack.service.process.family();
        stack
    }
}

/// Service, worker, site and folder. Dropping it ends the processes and their descendants, and removes the folder.
pub struct Stack {
    /// The worker.
    pub worker: Server,
    /// The service.
    pub service: Server,
    /// The fixture site.
    pub site: Site,
    /// The service's settings.
    pub of_service: Environment,
    /// The worker's settings.
    pub of_worker: Environment,
    http: reqwest::Client,
    /// The folder. The last field, so that it is removed after the processes that write there have ended.
    pub home: Home,
}

impl Stack {
    /// Returns a builder.
    #[must_use]
    pub fn with() -> Builder {
        Builder::default()
    }

    /// Starts a stack with only the necessary settings.
    pub async fn start() -> Self {
        Self::with().start().await
    }

    /// Returns the stack that the tests of a binary share while any of them runs; the last one ends it.
    ///
    /// Only for tests that leave its state unchanged.
    pub async fn shared() -> Shared {
        static SHARED: tokio::sync::Mutex<Weak<Stack>> = tokio::sync::Mutex::const_new(Weak::new());
        let mut shared = SHARED.lock().await;
        if let Some(stack) = shared.upgrade() {
            return Shared(stack);
        }
        // Tests at the same time are one sandbox, and hold more sessions than a machine of two cores would.
        let stack = Self::with()
            .begin_frame()
            .setting("PORTHOLE_WARM_PAGES", "4")
            .setting("PORTHOLE_MAX_CONCURRENT", "4")
            .setting("PORTHOLE_MAX_SESSIONS", "64")
            .setting("PORTHOLE_MAX_SESSIONS_PER_SANDBOX", "64");
        let stack = Arc::new(Box::pin(stack.start()).await);
        *shared = Arc::downgrade(&stack);
        Shared(stack)
    }

    /// Returns a caller of the worker, with a sandbox.
    #[must_use]
    pub fn caller(&self) -> Caller {
        self.caller_of(self.worker.url("/api/sandbox"), self.of_worker.get("PORTHOLE_CLIENT_KEYS"))
    }

    /// Returns a caller of the service, as the worker is.
    #[must_use]
    pub fn service_caller(&self) -> Caller {
        self.caller_of(self.service.url(""), self.of_service.get("PORTHOLE_SERVICE_KEY"))
    }

    fn caller_of(&self, base: String, keys: Option<&String>) -> Caller {
        let bearer = keys.and_then(|keys| keys.split(',').next()).map(str::to_owned);
        Caller { bearer, ..Caller::by(self.http.clone(), base) }
    }

    /// Takes a screenshot through the worker.
    pub async fn screenshot(&self, fields: Value) -> Answer {
        self.caller().screenshot(fields).await
    }

    /// Reads a page through the worker.
    pub async fn extract(&self, fields: Value) -> Answer {
        self.caller().extract(fields).await
    }

    /// Requests an admin route of the service or the worker.
    pub async fn admin(&self, server: &Server, path: &str) -> Answer {
        self.caller().send(self.http.get(server.admin_url(path))).await
    }

    /// Returns the service's `/api/metrics`.
    pub async fn metrics(&self) -> Value {
        self.admin(&self.service, "/api/metrics").await.json()
    }

    /// Returns the value of a series of `/metrics`, named as in the text: `porthole_pages{state="busy"}`.
    ///
    /// # Panics
    /// When there is none, or it is no whole number.
    pub async fn metric(&self, server: &Server, series: &str) -> u64 {
        let answer = self.admin(server, "/metrics").await;
        let text = String::from_utf8_lossy(&answer.body);
        let value = text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' ')?.parse().ok());
        value.unwrap_or_else(|| panic!("no {series} in\n{text}"))
    }

    /// Waits until the service has leased this number of pages: one for each session and each request.
    ///
    /// # Panics
    /// When it still has another number of them after `within`.
    pub async fn expect_leased(&self, expected: i64, within: Duration) {
        eventually(within, async || {
            let sessions = self.metrics().await["sessions"].clone();
            let leased = sessions["created"].as_i64().zip(sessions["released"].as_i64()).map(|(all, back)| all - back);
            so(leased == Some(expected), format!("{leased:?} leases"))
        })
        .await;
    }

    /// Waits until no request holds a page or waits for one.
    ///
    /// # Panics
    /// When one still does after `within`.
    pub async fn expect_idle(&self, within: Duration) {
        eventually(within, async || {
            let pages = self.metrics().await["pages"].clone();
            so(pages["busy"] == 0 && pages["queued"] == 0, format!("pages are {pages}"))
        })
        .await;
    }

    /// Asserts that an ordinary request succeeds after the events of the test.
    ///
    /// # Panics
    /// When it fails.
    pub async fn expect_alive(&self) {
        let url = self.site.html("<title>alive</title><body>all is well");
        let answer = self.extract(serde_json::json!({"url": url})).await;
        assert_eq!(answer.content().trim(), "all is well");
    }

    /// Returns the service's Chromium processes.
    #[must_use]
    pub fn chromium(&self) -> Vec<Relative> {
        self.service.process.family().into_iter().filter(Relative::is_chromium).collect()
    }

    /// Returns every log line of both processes so far.
    #[must_use]
    pub fn logs(&self) -> Vec<String> {
        [self.service.process.stderr(), self.worker.process.stderr()].concat()
    }
}

/// A test's reference to the stack that the tests of a binary share.
pub struct Shared(Arc<Stack>);

impl Deref for Shared {
    type Target = Stack;

    fn deref(&self) -> &Stack {
        &self.0
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // Other tests may keep the stack running, and it prints its last log lines only when it ends.
        if std::thread::panicking() && Arc::strong_count(&self.0) > 1 {
            self.worker.process.show_last_lines();
            self.service.process.show_last_lines();
        }
    }
}
