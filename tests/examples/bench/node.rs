//! The contenders on Node, installed by npm into a temp folder: Playwright, driven over standard input, and
//! browserless, an HTTP server.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use porthole_chromium::find_executable;
use porthole_tests::eventually::so;
use porthole_tests::stack::Home;
use porthole_tests::{Picture, eventually};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::contender::{Burst, HEIGHT, Job, Phases, WIDTH};
use super::floor::NAMES;

const PLAYWRIGHT: &str = "playwright-core@1.65.1";
/// browserless requires Node 24, which the npm package `node` provides.
const BROWSERLESS: [&str; 2] = ["@browserless.io/browserless@2.42.0", "node@24"];
const SCRIPT: &str = include_str!("node.mjs");
/// The time limit of a burst.
const JOB_WITHIN: Duration = Duration::from_secs(300);
/// The time limit for browserless to become ready.
const READY_WITHIN: Duration = Duration::from_secs(60);

pub(crate) struct Playwright {
    child: Child,
    pipes: Mutex<(ChildStdin, Lines<BufReader<ChildStdout>>)>,
    _home: Home,
}

impl Playwright {
    pub(crate) async fn start() -> Self {
        let home = Home::new();
        let folder = home.home();
        std::fs::write(folder.join("bench.mjs"), SCRIPT).expect("a file");
        install(&folder, &[PLAYWRIGHT]).await;
        let chromium = find_executable(None).expect("a Chromium");
        let sandbox = if nix::unistd::geteuid().is_root() { "none" } else { "sandbox" };
        let mut child = Command::new("node")
            .arg("bench.mjs")
            .args([chromium.as_os_str(), sandbox.as_ref(), NAMES.as_ref()])
            .current_dir(&folder)
            .env_clear()
            .envs(home.environment())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("node is installed");
        let stdin = child.stdin.take().expect("standard input is piped");
        let stdout = BufReader::new(child.stdout.take().expect("standard output is piped")).lines();
        Self { child, pipes: Mutex::new((stdin, stdout)), _home: home }
    }

    pub(crate) fn pid(&self) -> i32 {
        pid(&self.child)
    }

    pub(crate) async fn take(&self, job: &Job) -> Burst {
        let line = json!({
            "url": job.url, "until": job.until.word(), "shots": job.shots, "atOnce": job.at_once,
            "width": WIDTH, "height": HEIGHT,
        });
        let mut pipes = self.pipes.lock().await;
        pipes.0.write_all(format!("{line}\n").as_bytes()).await.expect("node is running");
        let line = timeout(JOB_WITHIN, pipes.1.next_line()).await.expect("pictures in time");
        let line = line.expect("text").expect("node is running; its error is printed above");
        let answer: Value = serde_json::from_str(&line).expect("JSON");
        let took_ms = answer["tookMs"].as_array().expect("times").iter().filter_map(Value::as_f64).collect();
        let picture = answer["picture"].as_str().expect("a picture");
        let picture = Picture::decode(&BASE64_STANDARD.decode(picture).expect("base64"));
        Burst { took_ms, picture, phases: Phases::new() }
    }

    pub(crate) async fn end(mut self) {
        drop(self.pipes);
        let _ = timeout(JOB_WITHIN, self.child.wait()).await;
    }
}

/// browserless. It starts a new browser for each shot, which its guide describes as a feature.
pub(crate) struct Browserless {
    child: Child,
    http: reqwest::Client,
    base: String,
    _home: Home,
}

impl Browserless {
    pub(crate) async fn start() -> Self {
        let home = Home::new();
        let folder = home.home();
        install(&folder, &BROWSERLESS).await;
        let modules = folder.join("node_modules");
        let build = modules.join("@browserless.io/browserless/build");
        // The full set of routes needs all its browsers; these two need only Chromium.
        let routes = folder.join("routes");
        std::fs::create_dir(&routes).expect("a folder");
        for route in ["chromium", "management"] {
            std::os::unix::fs::symlink(build.join("routes").join(route), routes.join(route)).expect("a link");
        }
        let node = modules.join("node/bin/node");
        let asks = "import('playwright-core').then(({chromium}) => console.log(chromium.executablePath()))";
        let answer = Command::new(&node)
            .args(["-e", asks])
            .current_dir(modules.join("@browserless.io/browserless"))
            .env_clear()
            .envs(home.environment())
            .output()
            .await
            .expect("node answers");
        let expected = String::from_utf8(answer.stdout).expect("a path").trim().to_owned();
        let expected = Path::new(&expected);
        std::fs::create_dir_all(expected.parent().expect("a folder")).expect("a folder");
        std::os::unix::fs::symlink(find_executable(None).expect("a Chromium"), expected).expect("a link");
        let port = {
            let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
            free.local_addr().expect("a bound address").port()
        };
        // It resolves one of its packages from the modules of its working directory.
        let child = Command::new(&node)
            .arg(build.join("index.js"))
            .current_dir(&folder)
            .env_clear()
            .envs(home.environment())
            .env("ROUTES", &routes)
            .env("PORT", port.to_string())
            .env("HOST", "127.0.0.1")
            .env("ALLOW_GET", "true")
            // Its debug log costs time and is not needed in production.
            .env("DEBUG", "-*")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("node starts");
        let http = reqwest::Client::builder().no_proxy().build().expect("a client with constant options");
        let base = format!("http://127.0.0.1:{port}");
        eventually(READY_WITHIN, async || {
            let answer = http.get(format!("{base}/active")).send().await;
            so(answer.is_ok_and(|answer| answer.status().is_success()), "browserless does not answer")
        })
        .await;
        Self { child, http, base, _home: home }
    }

    pub(crate) fn pid(&self) -> i32 {
        pid(&self.child)
    }

    pub(crate) async fn take(&self, job: &Job) -> Burst {
        Burst::of(job, async || self.shot(job).await).await
    }

    async fn shot(&self, job: &Job) -> Vec<u8> {
        let body = json!({
            "url": job.url, "gotoOptions": {"waitUntil": job.until.word()}, "options": {"type": "png"},
            "viewport": {"width": WIDTH, "height": HEIGHT, "isMobile": true, "hasTouch": true},
        });
        let answer = self.http.post(format!("{}/chromium/screenshot", self.base)).json(&body).send().await;
        let answer = answer.expect("an answer");
        let status = answer.status();
        let body = answer.bytes().await.expect("a whole answer");
        assert!(status.is_success(), "{status}: {}", String::from_utf8_lossy(&body));
        body.to_vec()
    }

    pub(crate) async fn end(mut self) {
        let _ = self.child.kill().await;
    }
}

fn pid(child: &Child) -> i32 {
    child.id().and_then(|pid| i32::try_from(pid).ok()).expect("the process is running")
}

async fn install(folder: &Path, packages: &[&str]) {
    eprintln!("npm installs {}", packages.join(", "));
    std::fs::write(folder.join("package.json"), r#"{"private":true,"type":"module"}"#).expect("a file");
    let installed = Command::new("npm")
        .args(["install", "--no-audit", "--no-fund", "--loglevel=error", "--omit=dev"])
        // The package `node` needs its install script; no other package's script runs.
        .args(if packages.contains(&"node@24") { [].as_slice() } else { ["--ignore-scripts"].as_slice() })
        .args(packages)
        .env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")
        .env("PUPPETEER_SKIP_DOWNLOAD", "1")
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .await
        .expect("npm is installed");
    assert!(installed.success(), "npm could not install: {installed}");
}
