//! A Prometheus that scrapes a stack and evaluates the shortened rules.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use nix::sys::signal::Signal;
use porthole_tests::caller::http_client;
use porthole_tests::eventually::{eventually, so};
use porthole_tests::executable::binary;
use porthole_tests::process::Process;
use porthole_tests::stack::{Home, Stack};
use serde_json::Value;

use crate::hurried::{RULES, alerts, hurried};

/// Limit for Prometheus to start, to scrape both targets, and to load the rules.
const READY_WITHIN: Duration = Duration::from_secs(30);
/// Limit for an alert to fire while its cause lasts: the slowest rule must hold for ten seconds over a range of ten,
/// and a leaked session is known a minute after it was created.
const FIRING_WITHIN: Duration = Duration::from_secs(110);
/// With a second for a minute, this is four times the compose stack's interval: a busy machine keeps up with it.
const SCRAPE_INTERVAL: &str = "1s";

/// A Prometheus process that scrapes one stack. Dropping this ends it.
pub(crate) struct Prometheus {
    process: Process,
    url: String,
    http: reqwest::Client,
    home: Home,
}

impl Prometheus {
    /// Starts Prometheus with this stack's worker and service as targets.
    pub(crate) async fn watching(stack: &Stack) -> Self {
        let home = Home::new();
        let file = |name: &str, text: String| {
            let path = home.home().join(name);
            fs::write(&path, text).unwrap();
            path.to_str().unwrap().to_owned()
        };
        let rules = file("alerts.yml", hurried(RULES));
        let job = |name: &str, addr| format!("  - job_name: {name}\n    static_configs: [{{targets: ['{addr}']}}]\n");
        let config = |rules: &str| {
            format!(
                "global: {{scrape_interval: {SCRAPE_INTERVAL}, scrape_timeout: {SCRAPE_INTERVAL}, evaluation_interval: 250ms}}\n\
                 rule_files: [{rules}]\nscrape_configs:\n{}{}",
                job("porthole-worker", stack.worker.admin),
                job("porthole-service", stack.service.admin),
            )
        };
        let path = file("prometheus.yml", config(""));
        let arguments = [
            format!("--config.file={path}"),
            format!("--storage.tsdb.path={}", home.home().join("data").display()),
            "--web.listen-address=127.0.0.1:0".to_owned(),
        ];
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let process = Process::spawn_program(&executable(), &arguments, &home.environment());
        let url = eventually(READY_WITHIN, async || {
            let said = process.stderr();
            let line = said.iter().find(|line| line.contains("msg=\"Listening on\""));
            let addr = line.and_then(|line| line.split_once("address=")).map(|(_, addr)| addr.trim().to_owned());
            addr.map(|addr| format!("http://{addr}")).ok_or_else(|| said.join("\n"))
        })
        .await;
        let prometheus = Self { process, url, http: http_client(), home };
        // The rules are loaded after both targets are up: before that, `PortholeDown` could fire for either.
        eventually(READY_WITHIN, async || {
            let up = prometheus.query("sum(up)").await;
            so(up == Some(2.0), format!("{up:?} targets are up"))
        })
        .await;
        fs::write(prometheus.home.home().join("prometheus.yml"), config(&rules)).unwrap();
        prometheus.process.signal(Signal::SIGHUP);
        eventually(READY_WITHIN, async || {
            let rules = prometheus.get("rules").await;
            so(rules["data"]["groups"][0]["rules"].is_array(), format!("no rules: {rules:#}"))
        })
        .await;
        prometheus
    }

    /// Waits until each alert of `must` has fired at some time, and asserts that no other has fired except those of
    /// `may`, which share the cause.
    pub(crate) async fn expect_firing(&self, must: &[&str], may: &[&str]) {
        assert!(must.iter().chain(may).all(|name| alerts().contains(name)), "{must:?} {may:?}");
        eventually(FIRING_WITHIN, async || {
            let fired = self.fired().await;
            let missing: Vec<_> = must.iter().filter(|name| !fired.contains(**name)).collect();
            so(missing.is_empty(), format!("{missing:?} do not fire; {fired:?} did; {:#}", self.get("alerts").await))
        })
        .await;
        let others: Vec<_> =
            self.fired().await.into_iter().filter(|name| !must.iter().chain(may).any(|known| known == name)).collect();
        assert!(others.is_empty(), "{others:?} fired, too: {:#}", self.get("alerts").await);
    }

    /// Returns the alerts that have fired within the last five minutes, whether they still do or not.
    async fn fired(&self) -> BTreeSet<String> {
        let found = self.ask("count_over_time(ALERTS{alertstate=\"firing\"}[5m])").await;
        let results = found["data"]["result"].as_array().cloned().unwrap_or_default();
        results.iter().filter_map(|one| one["metric"]["alertname"].as_str().map(str::to_owned)).collect()
    }

    /// Evaluates an expression now and returns the value of its first series.
    pub(crate) async fn query(&self, expression: &str) -> Option<f64> {
        let found = self.ask(expression).await;
        found["data"]["result"][0]["value"][1].as_str()?.parse().ok()
    }

    /// Asserts that Prometheus evaluates every rule without an error.
    pub(crate) async fn expect_sound_rules(&self) {
        let found = self.get("rules").await;
        let rules = found["data"]["groups"][0]["rules"].as_array().cloned().unwrap_or_default();
        assert_eq!(rules.len(), alerts().len(), "{found:#}");
        assert!(rules.iter().all(|rule| rule["health"] == "ok"), "{found:#}");
    }

    /// Asserts that Prometheus understands an expression.
    pub(crate) async fn expect_sound(&self, expression: &str) {
        let found = self.ask(expression).await;
        assert_eq!(found["status"], "success", "{expression}: {found:#}");
    }

    async fn ask(&self, expression: &str) -> Value {
        let url =
            reqwest::Url::parse_with_params(&format!("{}/api/v1/query", self.url), [("query", expression)]).unwrap();
        let answer = self.http.get(url).send().await.unwrap();
        serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap_or_default()
    }

    async fn get(&self, path: &str) -> Value {
        let answer = self.http.get(format!("{}/api/v1/{path}", self.url)).send().await.unwrap();
        serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap_or_default()
    }
}

/// Returns the executable that `deploy/tools prometheus` put into the target folder, or else the system's.
fn executable() -> PathBuf {
    let target = binary("porthole-service").ancestors().nth(2).unwrap().to_owned();
    let ours = target.join("tools/prometheus/usr/bin/prometheus");
    let of_system = PathBuf::from("/usr/bin/prometheus");
    let found = [ours, of_system].into_iter().find(|path| path.exists());
    found.expect("Prometheus is missing: run `deploy/tools prometheus` first")
}
