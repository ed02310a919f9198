//! Runs the Browserbase emulator as a process and calls its API for tests.

use std::path::PathBuf;
use std::time::Duration;

use http::Method;
use serde_json::Value;

use crate::eventually::{eventually, so};
use crate::process::Process;
use crate::stack::Home;

/// The API key and the project id that the emulator is started with.
const API_KEY: &str = "bb_live_key-of-the-tests";
const PROJECT_ID: &str = "7e57ab1e-0000-4000-8000-000000000001";
/// The time limit of an answer.
const ANSWER_WITHIN: Duration = Duration::from_secs(60);

/// Options of an emulator.
#[derive(Clone, Debug, Default)]
pub struct EmulatorOptions {
    tls: bool,
    settings: Vec<(String, String)>,
}

impl EmulatorOptions {
    /// Returns the defaults: limits that no test reaches, over plain `http` and `ws`.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Serves over `https` and `wss`.
    #[must_use]
    pub fn tls(self) -> Self {
        Self { tls: true, ..self }
    }

    /// Adds a setting.
    #[must_use]
    pub fn setting(mut self, name: &str, value: &str) -> Self {
        self.settings.push((name.to_owned(), value.to_owned()));
        self
    }
}

/// A running emulator. Dropping it ends it and all its browsers.
#[derive(Debug)]
pub struct Emulator {
    /// The process.
    pub process: Process,
    /// A client that trusts its certificate.
    pub http: reqwest::Client,
    url: String,
    ca_pem: Option<PathBuf>,
    /// The folder. The last field, so that it is removed after the process that writes there has ended.
    pub home: Home,
}

impl Emulator {
    /// Starts an emulator and waits until it listens.
    ///
    /// # Panics
    /// When it does not listen in time.
    pub async fn start(options: EmulatorOptions) -> Self {
        let home = Home::new();
        let ca_pem = options.tls.then(|| home.temp().join("emulator-ca.pem"));
        let mut environment = home.environment();
        let ca_file = ca_pem.as_ref().map(|path| path.to_str().expect("a readable name"));
        for (name, value) in [
            ("PORTHOLE_EMULATOR_ADDR", "127.0.0.1:0"),
            ("PORTHOLE_EMULATOR_API_KEYS", API_KEY),
            ("PORTHOLE_EMULATOR_PROJECTS", PROJECT_ID),
            ("PORTHOLE_EMULATOR_CONCURRENCY", "100"),
            ("PORTHOLE_EMULATOR_PER_MINUTE", "10000"),
            ("PORTHOLE_EMULATOR_TLS", if options.tls { "true" } else { "false" }),
            ("PORTHOLE_EMULATOR_CA_FILE", ca_file.unwrap_or_default()),
        ] {
            environment.insert(name.to_owned(), value.to_owned());
        }
        environment.extend(options.settings);
        let mut process = Process::spawn("porthole-emulator", &[], &environment);
        let addr = process.listening("main").await;
        let (scheme, authorities) = match &ca_pem {
            None => ("http", Vec::new()),
            Some(path) => {
                let pem = std::fs::read(path).expect("written before it listens");
                ("https", vec![reqwest::Certificate::from_pem(&pem).expect("a certificate")])
            }
        };
        let http = reqwest::Client::builder()
            .no_proxy()
            .pool_max_idle_per_host(0)
            .timeout(ANSWER_WITHIN)
            .tls_certs_merge(authorities)
            .build()
            .expect("a client with constant options");
        Self { process, http, url: format!("{scheme}://{addr}"), ca_pem, home }
    }

    /// Returns the base URL of its API, for `PORTHOLE_BROWSERBASE_URL`.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the API key that it accepts.
    #[must_use]
    pub fn api_key(&self) -> &'static str {
        API_KEY
    }

    /// Returns the id of its project.
    #[must_use]
    pub fn project_id(&self) -> &'static str {
        PROJECT_ID
    }

    /// Returns the path of its CA certificate, if it was started with TLS.
    #[must_use]
    pub fn ca_pem_path(&self) -> Option<&PathBuf> {
        self.ca_pem.as_ref()
    }

    /// Adds one fault or an array of them.
    ///
    /// # Panics
    /// When the emulator refuses them.
    pub async fn faults(&self, faults: Value) {
        let (status, answer) = self.call(Method::POST, "/__emulator/faults", Some(&faults)).await;
        assert_eq!(status, 201, "{faults} gave {answer}");
    }

    /// Removes all faults.
    ///
    /// # Panics
    /// When the emulator refuses.
    pub async fn clear_faults(&self) {
        let (status, answer) = self.call(Method::DELETE, "/__emulator/faults", None).await;
        assert_eq!(status, 200, "{answer}");
    }

    /// Returns the ledger: `totals`, `requests`, `sessions`.
    ///
    /// # Panics
    /// When it can't be read.
    pub async fn ledger(&self) -> Value {
        let (status, ledger) = self.call(Method::GET, "/__emulator/ledger", None).await;
        assert_eq!(status, 200, "{ledger}");
        ledger
    }

    /// Waits until no remote session runs, asserts that none was leaked, and returns the ledger.
    ///
    /// # Panics
    /// When a session still runs after `within`, or was leaked.
    pub async fn expect_all_given_back(&self, within: Duration) -> Value {
        let ledger = eventually(within, async || {
            let ledger = self.ledger().await;
            so(ledger["totals"]["running"] == 0, format!("sessions run: {ledger:#}"))?;
            Ok(ledger)
        })
        .await;
        assert_eq!(ledger["totals"]["leaked"], 0, "{ledger:#}");
        ledger
    }

    /// Sends a request with the API key; returns the answer's status and body.
    ///
    /// # Panics
    /// When there is no answer.
    pub async fn call(&self, method: Method, path: &str, body: Option<&Value>) -> (u16, Value) {
        let mut request = self.http.request(method, format!("{}{path}", self.url)).header("X-BB-API-Key", API_KEY);
        if let Some(body) = body {
            request = request.json(body);
        }
        let response = request.send().await.expect("an answer");
        let status = response.status().as_u16();
        let body = response.bytes().await.expect("a whole answer");
        (status, serde_json::from_slice(&body).unwrap_or_default())
    }
}
