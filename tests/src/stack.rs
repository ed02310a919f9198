//! Service and worker as processes, with a fixture site beside them and a temp folder under them.

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

/// How long until a stack that was started takes requests.
const READY_WITHIN: Duration = Duration::from_secs(40);
/// What the folders' names begin with; the watchdog of [`crate::process`] removes only such.
const FOLDER_PREFIX: &str = "porthole-tests-";
/// How long an owner token of the harness is valid.
const TOKEN_SECONDS: i64 = 3600;

/// One of the two server processes, listening.
#[derive(Debug)]
pub struct Server {
    /// The process.
    pub process: Process,
    /// Where requests go.
    pub main: SocketAddr,
    /// Where metrics and health are.
    pub admin: SocketAddr,
}

impl Server {
    /// Starts one of the executables and waits until both of its listeners are bound.
    pub async fn start(executable: &str, environment: &Environment) -> Self {
        let mut process = Process::spawn(executable, &[], environment);
        let main = process.listening("main").await;
        let admin = process.listening("admin").await;
        Self { process, main, admin }
    }

    /// A URL of its main listener.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.main)
    }

    /// A URL of its admin listener.
    #[must_use]
    pub fn admin_url(&self, path: &str) -> String {
        format!("http://{}{path}", self.admin)
    }
}

/// A folder that a stack lives in: home and temp folder of its processes. It goes with its owner.
#[derive(Debug)]
pub struct Home(TempDir);

impl Home {
    /// A new one.
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

    /// `HOME` of its processes.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.0.path().join("home")
    }

    /// `TMPDIR` of its processes.
    #[must_use]
    pub fn temp(&self) -> PathBuf {
        self.0.path().join("tmp")
    }

    /// What is in [`Home::temp`].
    ///
    /// # Panics
    /// When it can't be read.
    #[must_use]
    pub fn left_in_temp(&self) -> BTreeSet<PathBuf> {
        std::fs::read_dir(self.temp()).expect("a folder").map(|entry| entry.expect("an entry").path()).collect()
    }

    /// The least that a process needs: where programs are, and these two folders.
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

/// Settings of a stack that is to be started.
#[derive(Debug, Default)]
pub struct Builder {
    settings: Vec<(String, String)>,
}

impl Builder {
    /// The same with one setting more, for both processes.
    #[must_use]
    pub fn setting(mut self, name: &str, value: &str) -> Self {
        self.settings.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Starts it and waits until the worker takes requests.
    ///
    /// # Panics
    /// When a process does not start or get ready.
    pub async fn start(self) -> Stack {
        let site = Site::start();
        let home = Home::new();
        let mut common = home.environment();
        for (name, value) in [
            ("PORTHOLE_SERVICE_ADDR", "127.0.0.1:0".to_owned()),
            ("PORTHOLE_SERVICE_ADMIN_ADDR", "127.0.0.1:0".to_owned()),
            ("PORTHOLE_WORKER_ADDR", "127.0.0.1:0".to_owned()),
            ("PORTHOLE_WORKER_ADMIN_ADDR", "127.0.0.1:0".to_owned()),
            // All tests are one caller to the worker.
            ("PORTHOLE_RATE_LIMIT", "100000".to_owned()),
            ("PORTHOLE_ALLOW_TARGETS", site.allow_targets()),
            ("PORTHOLE_RESOLVE", site.resolve()),
        ] {
            common.insert(name.to_owned(), value);
        }
        common.extend(self.settings);

        let mut of_service = common.clone();
        of_service
            .entry("PORTHOLE_OWNER_KEYS".to_owned())
            .or_insert_with(|| format!("{},{}", owner::FIRST.setting(), owner::SECOND.setting()));
        let service = Server::start("porthole-service", &of_service).await;

        let mut of_worker = common;
        of_worker.insert("PORTHOLE_SERVICE_URL".to_owned(), service.url(""));
        let worker = Server::start("porthole-worker", &of_worker).await;

        let stack = Stack { worker, service, site, of_service, of_worker, http: http_client(), home };
        eventually(READY_WITHIN, async || {
            let answer = stack.admin(&stack.worker, "/readyz").await;
            so(answer.status == StatusCode::OK, format!("not ready: {answer:?}\n{}", stack.logs().join("\n")))
        })
        .await;
        // For the end: whatever becomes of the service, its browser is known.
        let _ = stack.service.process.family();
        stack
    }
}

/// Service, worker, site and folder. Dropping it ends the processes, makes sure that nothing outlives them, and removes
/// the folder.
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
    /// The folder. Last, so that it goes after the processes that write there.
    pub home: Home,
}

impl Stack {
    /// Settings, to start with.
    #[must_use]
    pub fn with() -> Builder {
        Builder::default()
    }

    /// Starts one with no setting but what it needs.
    pub async fn start() -> Self {
        Self::with().start().await
    }

    /// The one that tests of a binary share while any of them runs; the last one ends it.
    ///
    /// Only for tests that leave it as they found it.
    pub async fn shared() -> Shared {
        static SHARED: tokio::sync::Mutex<Weak<Stack>> = tokio::sync::Mutex::const_new(Weak::new());
        let mut shared = SHARED.lock().await;
        if let Some(stack) = shared.upgrade() {
            return Shared(stack);
        }
        let stack = Arc::new(Box::pin(Self::with().setting("PORTHOLE_MAX_CONCURRENT", "4").start()).await);
        *shared = Arc::downgrade(&stack);
        Shared(stack)
    }

    /// A caller of the worker, who owns a sandbox.
    #[must_use]
    pub fn caller(&self) -> Caller {
        self.caller_of(self.worker.url("/api/sandbox"), self.of_worker.get("PORTHOLE_CLIENT_KEYS"))
    }

    /// A caller of the service itself, as the worker is one.
    #[must_use]
    pub fn service_caller(&self) -> Caller {
        self.caller_of(self.service.url(""), self.of_service.get("PORTHOLE_SERVICE_KEY"))
    }

    fn caller_of(&self, base: String, keys: Option<&String>) -> Caller {
        let sandbox_id = "sb-of-the-tests".to_owned();
        let owner_token = owner::FIRST.token(&sandbox_id, TOKEN_SECONDS);
        let bearer = keys.and_then(|keys| keys.split(',').next()).map(str::to_owned);
        Caller { http: self.http.clone(), base, bearer, sandbox_id, owner_token }
    }

    /// Takes a screenshot through the worker.
    pub async fn screenshot(&self, fields: Value) -> Answer {
        self.caller().screenshot(fields).await
    }

    /// Reads a page through the worker.
    pub async fn extract(&self, fields: Value) -> Answer {
        self.caller().extract(fields).await
    }

    /// What an admin route of one of the two answers.
    pub async fn admin(&self, server: &Server, path: &str) -> Answer {
        self.caller().send(self.http.get(server.admin_url(path))).await
    }

    /// The service's `/api/metrics`.
    pub async fn metrics(&self) -> Value {
        self.admin(&self.service, "/api/metrics").await.json()
    }

    /// Waits until no page is held by a request.
    ///
    /// # Panics
    /// When one still is after `within`.
    pub async fn expect_idle(&self, within: Duration) {
        eventually(within, async || {
            let pages = self.metrics().await["pages"].clone();
            so(pages["busy"] == 0 && pages["queued"] == 0, format!("pages are {pages}"))
        })
        .await;
    }

    /// Asserts that an ordinary request succeeds: whatever came before did no harm.
    ///
    /// # Panics
    /// When it fails.
    pub async fn expect_alive(&self) {
        let url = self.site.html("<title>alive</title><body>all is well");
        let answer = self.extract(serde_json::json!({"url": url})).await;
        assert_eq!(answer.content().trim(), "all is well");
    }

    /// The service's Chromium processes.
    #[must_use]
    pub fn chromium(&self) -> Vec<Relative> {
        self.service.process.family().into_iter().filter(Relative::is_chromium).collect()
    }

    /// Every log line of both processes so far.
    #[must_use]
    pub fn logs(&self) -> Vec<String> {
        [self.service.process.stderr(), self.worker.process.stderr()].concat()
    }
}

/// A test's share of the stack that a binary's tests have in common.
pub struct Shared(Arc<Stack>);

impl Deref for Shared {
    type Target = Stack;

    fn deref(&self) -> &Stack {
        &self.0
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // The stack may live on with others; it shows its last words itself only when it ends.
        if std::thread::panicking() && Arc::strong_count(&self.0) > 1 {
            self.worker.process.show_last_lines();
            self.service.process.show_last_lines();
        }
    }
}
