//! `make bench-round-trips`: the number of round trips to a remote browser that a screenshot takes, for Porthole,
//! Playwright and Puppeteer in one run over the emulator. It asserts no times.
//!
//! Round trips are the slope of the time from the socket's upgrade to the picture between two network delays. Taking
//! the least time at each delay excludes the noise of a busy machine; the times shown are medians. The drivers take
//! turns, so that noise affects all of them. Needs Node, npm and its registry.

use std::process::Stdio;
use std::thread::available_parallelism;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use http::Method;
use porthole_tests::emulator::EmulatorOptions;
use porthole_tests::eventually::so;
use porthole_tests::{Emulator, Remote, Reply, Stack, eventually};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

/// The drivers that Porthole is compared with: the newest versions that support Node 20.
const PACKAGES: [&str; 2] = ["playwright-core@1.65.1", "puppeteer-core@24.43.1"];
const SCRIPT: &str = include_str!("round_trips.mjs");

/// Delays in each direction, in milliseconds: so far apart that the noise of a busy machine is small beside one round
/// trip.
const NEAR_MS: u64 = 50;
const FAR_MS: u64 = 250;
/// Pictures of each driver at each delay, unless an argument gives another number.
const RUNS: usize = 5;
/// The time limit of one job on Node.
const JOB_WITHIN: Duration = Duration::from_secs(120);
/// The time limit for an ended session to disappear, on a busy machine.
const QUIET_WITHIN: Duration = Duration::from_secs(60);
/// The longest session timeout that may be requested: the guest's browser lasts for the whole run.
const SESSION_SECONDS_MAX: u64 = 21_600;

const WIDTH: u32 = 390;
const HEIGHT: u32 = 844;
const PAGE: &str = "<!doctype html><title>t</title><style>body{background:#0a6}</style><p>words<img width=50 height=50 \
    src='data:image/svg+xml,<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1 1\"><circle r=\"1\"/></svg>'>";

/// A line of the table.
struct Row<'a> {
    driver: &'a str,
    job: &'static str,
    way: Way<'a>,
    near: Vec<Run>,
    far: Vec<Run>,
}

enum Way<'a> {
    Porthole { stack: &'a Stack, fields: Value },
    Node { driver: &'static str, intercept: bool, url: String },
}

/// The times of one picture.
#[derive(Clone, Copy)]
struct Run {
    /// From the upgrade of the driver's WebSocket.
    from_upgrade: Duration,
    /// From the request, including the creation of the session if there is one.
    whole: Duration,
}

#[tokio::main]
async fn main() {
    let runs = std::env::args().nth(1).map_or(RUNS, |runs| runs.parse().expect("how many runs: a number"));
    assert!(runs > 0, "at least one run is needed");
    let remote = Box::pin(Remote::with(EmulatorOptions::new(), &[])).await;
    let guest = Box::pin(guest(&remote.emulator)).await;
    let mut node = Node::start(&remote.emulator).await;
    let mut rows = rows(&remote.stack, &guest);

    for run in 1..=runs {
        for each_way_ms in [NEAR_MS, FAR_MS] {
            eprintln!("run {run} of {runs}, {each_way_ms} ms each way");
            remote.emulator.faults(json!({"connect": {"delay": {"each_way_ms": each_way_ms}}})).await;
            for row in &mut rows {
                let took = row.way.take(&remote.emulator, &mut node).await;
                let column = if each_way_ms == NEAR_MS { &mut row.near } else { &mut row.far };
                column.push(took);
            }
            remote.emulator.clear_faults().await;
        }
    }
    show(&rows, runs, &node.chromium);
    node.end().await;
}

/// Starts a stack whose pages are guest contexts in a browser of the emulator.
async fn guest(emulator: &Emulator) -> Stack {
    let body = json!({"projectId": emulator.project_id(), "keepAlive": true, "timeout": SESSION_SECONDS_MAX});
    Stack::with()
        .as_shipped()
        .setting("PORTHOLE_PROVIDER", "cdp")
        .setting("PORTHOLE_CDP_URL", &create(emulator, &body).await)
        .start()
        .await
}

/// Creates a remote session and returns its connect URL.
async fn create(emulator: &Emulator, body: &Value) -> String {
    let (status, session) = emulator.call(Method::POST, "/v1/sessions", Some(body)).await;
    assert_eq!(status, 201, "{session}");
    session["connectUrl"].as_str().expect("where to connect").to_owned()
}

fn rows<'a>(remote: &'a Stack, guest: &'a Stack) -> Vec<Row<'a>> {
    let row = |driver, job, way| Row { driver, job, way, near: Vec::new(), far: Vec::new() };
    let mut rows = Vec::new();
    for (driver, stack) in [("Porthole, `browserbase`", remote), ("Porthole, `cdp`", guest)] {
        let page = stack.site.html(PAGE);
        let redirect = stack.site.page(Reply::redirect(302, &page));
        let framed = stack.site.html(&format!("{PAGE}<iframe src='{page}'></iframe>"));
        for (job, url, until) in [
            ("`load`", &page, "load"),
            ("`settled`", &page, "settled"),
            ("`load`, a redirect", &redirect, "load"),
            ("`load`, an iframe", &framed, "load"),
        ] {
            let viewport = json!({"width": WIDTH, "height": HEIGHT});
            let fields = json!({"url": url, "viewport": viewport, "format": "png", "wait": {"until": until}});
            rows.push(row(driver, job, Way::Porthole { stack, fields }));
        }
    }
    let url = remote.site.html(PAGE);
    for (name, driver) in PACKAGES.into_iter().zip(["playwright", "puppeteer"]) {
        for (job, intercept) in [("`load`, nothing intercepted", false), ("`load`, requests intercepted", true)] {
            rows.push(row(name, job, Way::Node { driver, intercept, url: url.clone() }));
        }
    }
    rows
}

impl Way<'_> {
    /// Takes the picture once and waits until its session or context is gone.
    async fn take(&self, emulator: &Emulator, node: &mut Node) -> Run {
        let upgraded_before = upgrades(emulator).len();
        let started = Instant::now();
        let (whole, ended) = match self {
            Self::Porthole { stack, fields } => {
                let answer = stack.screenshot(fields.clone()).await;
                let (whole, ended) = (started.elapsed(), SystemTime::now());
                assert_eq!(answer.warnings(), Vec::<String>::new());
                let picture = answer.picture();
                picture.expect_size(WIDTH, HEIGHT);
                assert!(!picture.is_blank(), "{fields} gave a blank picture");
                stack.expect_idle(QUIET_WITHIN).await;
                (whole, ended)
            }
            Self::Node { driver, intercept, url } => {
                let body = json!({"projectId": emulator.project_id()});
                let connect_url = create(emulator, &body).await;
                let job = json!({"driver": driver, "connectUrl": connect_url, "url": url, "intercept": intercept});
                let picture = node.work(&job).await;
                let (whole, ended) = (started.elapsed(), SystemTime::now());
                assert_eq!((&picture["width"], &picture["height"]), (&json!(WIDTH), &json!(HEIGHT)), "{picture}");
                assert_eq!(picture["intercepted"], u32::from(*intercept), "{picture}");
                (whole, ended)
            }
        };
        let upgrades = upgrades(emulator).split_off(upgraded_before);
        let [upgraded] = upgrades[..] else { panic!("{} connections for one picture", upgrades.len()) };
        eventually(QUIET_WITHIN, async || {
            let ledger = emulator.ledger().await;
            // The guest's browser keeps running.
            so(ledger["totals"]["running"] == 1, format!("sessions run: {ledger:#}"))
        })
        .await;
        Run { from_upgrade: since(upgraded, ended), whole }
    }
}

/// Returns the times of the clients' WebSocket upgrades from the emulator's log, since midnight (UTC).
fn upgrades(emulator: &Emulator) -> Vec<Duration> {
    let lines = emulator.process.stderr();
    let events = lines.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    events
        .filter(|event| event["message"] == "a client has connected")
        .map(|event| time_of_day(event["timestamp"].as_str().expect("a log line has its time")))
        .collect()
}

/// Parses the time of day in a timestamp such as `2026-11-21T10:20:53.123456Z`.
fn time_of_day(timestamp: &str) -> Duration {
    let time = timestamp.split_once('T').expect("a date and a time").1.trim_end_matches('Z');
    let seconds = time.split(':').fold(0.0, |sum, part| sum * 60.0 + part.parse::<f64>().expect("a number"));
    Duration::from_secs_f64(seconds)
}

/// Returns the duration from a time of day until a moment less than a day later.
fn since(from: Duration, until: SystemTime) -> Duration {
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    let until = until.duration_since(UNIX_EPOCH).expect("a clock that is set").as_secs_f64() % DAY.as_secs_f64();
    let until = Duration::from_secs_f64(until);
    if until < from { until + DAY - from } else { until - from }
}

/// One Node process with both drivers loaded, so that no measurement includes its start.
struct Node {
    child: Child,
    stdin: ChildStdin,
    stdout: Lines<BufReader<ChildStdout>>,
    chromium: String,
}

impl Node {
    /// Installs the drivers in the emulator's folder, which is removed with the emulator, and starts Node.
    async fn start(emulator: &Emulator) -> Self {
        let folder = emulator.home.home();
        std::fs::write(folder.join("package.json"), r#"{"private":true,"type":"module"}"#).expect("a file");
        std::fs::write(folder.join("round_trips.mjs"), SCRIPT).expect("a file");
        eprintln!("npm installs {}", PACKAGES.join(", "));
        let installed = Command::new("npm")
            .args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"])
            .args(PACKAGES)
            .current_dir(&folder)
            .stdin(Stdio::null())
            // Standard output is reserved for the table.
            .stdout(Stdio::null())
            .status()
            .await
            .expect("npm is installed");
        assert!(installed.success(), "npm could not install the drivers: {installed}");
        let mut child = Command::new("node")
            .arg("round_trips.mjs")
            .current_dir(&folder)
            // Without proxy variables: everything is on loopback.
            .env_clear()
            .envs(emulator.home.environment())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("node is installed");
        let stdin = child.stdin.take().expect("standard input is piped");
        let stdout = BufReader::new(child.stdout.take().expect("standard output is piped")).lines();
        Self { child, stdin, stdout, chromium: "of unknown version".to_owned() }
    }

    /// Takes one picture.
    async fn work(&mut self, job: &Value) -> Value {
        self.stdin.write_all(format!("{job}\n").as_bytes()).await.expect("node is running");
        let line = timeout(JOB_WITHIN, self.stdout.next_line()).await.expect("a picture in time");
        let line = line.expect("text").expect("node is running; its error is printed above");
        let picture: Value = serde_json::from_str(&line).expect("JSON");
        if let Some(version) = picture["chromium"].as_str() {
            version.clone_into(&mut self.chromium);
        }
        picture
    }

    async fn end(mut self) {
        drop(self.stdin);
        let _ = timeout(JOB_WITHIN, self.child.wait()).await;
    }
}

fn show(rows: &[Row<'_>], runs: usize, chromium: &str) {
    println!("| driver | job | round trips | ms from the upgrade | ms with the session's creation |");
    println!("|---|---|---|---|---|");
    for Row { driver, job, way, near, far } in rows {
        let least = |runs: &[Run]| runs.iter().map(|run| run.from_upgrade).min().expect("there was a run");
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let trip_ms = (2 * (FAR_MS - NEAR_MS)) as f64;
        let trips = (ms(least(far)) - ms(least(near))) / trip_ms;
        let upgrade_ms = ms(median(near.iter().map(|run| run.from_upgrade)));
        let whole_ms = ms(median(near.iter().map(|run| run.whole)));
        // A guest's browser is already running.
        let is_guest = matches!(way, Way::Porthole { stack, .. } if stack.of_service["PORTHOLE_PROVIDER"] == "cdp");
        let whole = if is_guest { "-".to_owned() } else { format!("{whole_ms:.0}") };
        println!("| {driver} | {job} | {trips:.1} | {upgrade_ms:.0} | {whole} |");
    }
    let cores = available_parallelism().map_or(0, usize::from);
    println!(
        "\nThe browser's page (a guest: a page of its own) at {WIDTH}x{HEIGHT}, a PNG of the viewport; runs: {runs}, taking \
         turns; {cores} cores, Chromium {chromium}.\n\
         Round trips: (least time with {FAR_MS} ms each way - least time with {NEAR_MS} ms) / {trip_ms} ms. Times: medians \
         with {NEAR_MS} ms each way.\n\
         Porthole judges the document and its redirects before they are requested; Playwright and Puppeteer intercept \
         only in the rows that say so (`page.route`, `setRequestInterception`), and then every request.",
        trip_ms = 2 * (FAR_MS - NEAR_MS),
    );
}

/// Returns the median; of two middle values, the larger.
fn median(times: impl Iterator<Item = Duration>) -> Duration {
    let mut times: Vec<Duration> = times.collect();
    times.sort_unstable();
    times[times.len() / 2]
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}
