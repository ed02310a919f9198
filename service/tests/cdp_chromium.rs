//! The DevTools client against a real Chromium over a WebSocket. (Every end-to-end test drives one over the pipe.)

#![expect(clippy::unwrap_used, reason = "a step that fails is the test that fails")]

use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::page::EnableParams;
use chromiumoxide_cdp::cdp::browser_protocol::target::{
    AttachToTargetParams, CreateTargetParams, GetBrowserContextsParams,
};
use chromiumoxide_cdp::cdp::js_protocol::runtime::EvaluateParams;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use porthole_chromium::find_executable;
use porthole_service::cdp::{CdpError, Session, WebSocketOptions, connect_websocket};
use porthole_service::provider::cdp::{CdpOptions, CdpProvider, Endpoint};
use porthole_service::provider::{Frames, LeaseRequest, Provider as _};
use porthole_service::telemetry::LeaseMetrics;
use prometheus_client::registry::Registry;
use secrecy::{ExposeSecret as _, SecretString};
use tokio::time::timeout;

const PATIENCE: Duration = Duration::from_secs(20);

/// A browser with a debugging port that the system chose, killed and removed with its profile folder when dropped.
struct Chromium {
    process: Child,
    endpoint: SecretString,
    _profile: tempfile::TempDir,
}

impl Chromium {
    fn start() -> Self {
        let profile = tempfile::tempdir().unwrap();
        let mut command = Command::new(find_executable(None).unwrap());
        command
            .args(["--headless", "--remote-debugging-port=0", "--disable-background-networking"])
            .args(["--disable-component-update", "--disable-sync", "--disable-quic", "--no-first-run"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .env_clear()
            .env("HOME", profile.path())
            .env("TMPDIR", profile.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .process_group(0);
        if nix::unistd::geteuid().is_root() {
            command.arg("--no-sandbox");
        }
        let mut process = command.spawn().unwrap();
        let mut stderr = BufReader::new(process.stderr.take().unwrap()).lines().map_while(Result::ok);
        let endpoint = stderr.find_map(|line| line.strip_prefix("DevTools listening on ").map(SecretString::from));
        // Drains the rest, so that the pipe does not fill up.
        std::thread::spawn(move || stderr.for_each(drop));
        Self { process, endpoint: endpoint.expect("an endpoint"), _profile: profile }
    }

    fn kill(&mut self) {
        // Once it is reaped, its process id may belong to another process.
        if matches!(self.process.try_wait(), Ok(None)) {
            killpg(Pid::from_raw(self.process.id().try_into().unwrap()), Signal::SIGKILL).unwrap();
            self.process.wait().unwrap();
        }
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        self.kill();
    }
}

async fn page(root: &Session) -> Session {
    let target = root.call(&CreateTargetParams::new("about:blank")).await.unwrap().target_id;
    let mut attach = AttachToTargetParams::new(target);
    attach.flatten = Some(true);
    let session = root.call(&attach).await.unwrap().session_id;
    let page = root.connection().session(session.inner().as_str());
    page.call(&EnableParams::default()).await.unwrap();
    page
}

async fn evaluate(page: &Session, expression: &str) -> serde_json::Value {
    let call = page.call(&EvaluateParams::new(expression));
    timeout(PATIENCE, call).await.unwrap().unwrap().result.value.unwrap_or_default()
}

#[tokio::test]
async fn a_real_browser_is_driven_over_a_websocket() {
    let mut chromium = Chromium::start();
    let connection = connect_websocket(&chromium.endpoint, WebSocketOptions::default()).await.unwrap();
    let (one, other) =
        tokio::join!(async { page(&connection.browser()).await }, async { page(&connection.browser()).await });

    // Target sessions don't mix, and unawaited calls on one are carried out in order.
    let mut calls: Vec<_> = (0..50).map(|n| one.call(&EvaluateParams::new(format!("window.n = {n}")))).collect();
    assert_eq!(evaluate(&other, "typeof window.n").await, "undefined");
    let last = calls.pop().unwrap();
    drop(calls);
    timeout(PATIENCE, last).await.unwrap().unwrap();
    assert_eq!(evaluate(&one, "window.n").await, 49);

    // A target that a page creates is halted until it is resumed.
    let mut attachments = one.auto_attach();
    timeout(PATIENCE, attachments.confirmed()).await.unwrap().unwrap();
    let worker = "window.heard = null; const code = new Blob(['postMessage(7)']);
        new Worker(URL.createObjectURL(code)).onmessage = event => window.heard = event.data; 0";
    evaluate(&one, worker).await;
    let attached = timeout(PATIENCE, attachments.next()).await.unwrap().unwrap();
    assert_eq!((attached.kind.as_str(), attached.waiting), ("worker", true));
    assert_eq!(evaluate(&one, "window.heard").await, serde_json::Value::Null);
    attached.resume();
    let heard =
        "new Promise(done => { const look = () => window.heard ? done(window.heard) : setTimeout(look, 10); look() })";
    let mut wait = EvaluateParams::new(heard);
    wait.await_promise = Some(true);
    let heard = timeout(PATIENCE, one.call(&wait)).await.unwrap().unwrap();
    assert_eq!(heard.result.value, Some(7.into()));

    // A large answer arrives complete.
    assert_eq!(evaluate(&one, "'x'.repeat(20_000_000)").await.as_str().map(str::len), Some(20_000_000));

    // The browser's death fails a pending call at once.
    let mut never = EvaluateParams::new("new Promise(() => 0)");
    never.await_promise = Some(true);
    let waiting = one.call(&never);
    chromium.kill();
    assert!(matches!(timeout(PATIENCE, waiting).await.unwrap(), Err(CdpError::Closed(_))));
    timeout(PATIENCE, connection.closed()).await.unwrap();
}

#[tokio::test]
async fn a_browser_that_serves_http_gives_isolated_pages_and_gets_them_back() {
    let browser = Chromium::start();
    let websocket = browser.endpoint.expose_secret().to_owned();
    let authority = websocket.trim_start_matches("ws://").split('/').next().unwrap();
    let endpoint = Endpoint::parse(&format!("http://{authority}")).unwrap();
    let metrics = LeaseMetrics::register(&mut Registry::default());
    let provider = CdpProvider::new(CdpOptions { endpoint, egress: None }, metrics.clone());
    let watching = connect_websocket(&browser.endpoint, WebSocketOptions::default()).await.unwrap();
    let contexts = async || {
        let call = watching.browser().call(&GetBrowserContextsParams::default());
        call.await.unwrap().browser_context_ids.len()
    };
    assert_eq!(contexts().await, 0);
    let request = LeaseRequest::visit(Frames::Ordinary, PATIENCE, None);
    let first = timeout(PATIENCE, provider.lease(request.clone())).await.unwrap().unwrap();
    let second = timeout(PATIENCE, provider.lease(request)).await.unwrap().unwrap();
    assert_eq!(contexts().await, 2);
    let called = first.page().call(&EvaluateParams::new("document.URL")).await.unwrap();
    assert_eq!(called.result.value, Some("about:blank".into()));
    drop((first, second));
    timeout(PATIENCE, provider.end()).await.unwrap();
    assert_eq!(contexts().await, 0, "a context was left behind");
    assert_eq!((metrics.sessions().created, metrics.sessions().released, metrics.browsers()), (2, 2, 0));
}
