//! How long a second sandbox waits beside each kind of hostile page.
//!
//! `make bench-neighbours [BENCH="--seconds 4 --only console,theme --trace"]`. For each kind one sandbox visits such a
//! page repeatedly, one visit at a time, while another takes a picture of a small page and reads it in turn, for 12 s.
//! Pictures of the viewport are drawn by `begin_frame`; a text comes from the kind of browser that the hostile page is
//! in. Just before each kind the second sandbox is measured alone, as long. The first two rows are baselines: an ordinary
//! page, and one that only keeps a processor busy, for sandboxes share the processors as well as the browser. Prints
//! Markdown; all kinds take a quarter of an hour. With `--sessions` both have a session: the hostile one navigates to its
//! page again and again, while the other clicks a button and takes a snapshot in turn; `--session-browsers 4` gives each a browser. `--trace` tells of each slow request
//! beside a hostile page, and `--executables FOLDER` measures the service and worker of another commit. The machine should
//! be otherwise idle.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a program that is run manually")]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use porthole_tests::agent::{Agent, reference, tree};
use porthole_tests::neighbours::{BUSY, NEIGHBOURS, Neighbour, ORDINARY};
use porthole_tests::{Caller, Stack, owner};
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// Length of each measurement, unless `--seconds` is given.
const LENGTH: Duration = Duration::from_secs(12);
/// How long a hostile page is kept after its load, in milliseconds of real time.
const KEPT_MS: u32 = 3_000;
/// Pause between two requests, so that the service can prepare the next page.
const PAUSE: Duration = Duration::from_millis(30);
/// The second sandbox's page.
const QUIET: &str = "<title>quiet</title><body style='background:#abc'><h1>Quiet</h1><p>A small page.<p>
    <button onclick='this.nextElementSibling.value++'>More</button><output>0</output>";
/// The multiple of the p95 alone that is wanted beside any page.
const WANTED: f64 = 1.5;

/// When each request began, since the measurement's start, how long it took, and on what by the service's account.
#[derive(Default)]
struct Times(Vec<(Duration, Duration, String)>);

impl Times {
    fn ms(&self, percent: usize) -> f64 {
        let mut took: Vec<Duration> = self.0.iter().map(|(_, took, _)| *took).collect();
        took.sort_unstable();
        let at = (took.len() * percent / 100).min(took.len().saturating_sub(1));
        took.get(at).copied().unwrap_or_default().as_secs_f64() * 1_000.0
    }

    /// Returns the p95 as a multiple of that alone.
    fn multiple(&self, alone: &Self) -> f64 {
        self.ms(95) / alone.ms(95)
    }

    /// Returns the cells of a row: p50 and p95 alone, beside the hostile page, and as multiples.
    fn cells(alone: &Self, beside: &Self) -> String {
        let [a, b] = [50, 95].map(|percent| (alone.ms(percent), beside.ms(percent)));
        format!("{:.0}, {:.0} | {:.0}, {:.0} | {:.2}, {:.2}", a.0, b.0, a.1, b.1, a.1 / a.0, b.1 / b.0)
    }

    /// Lists those that took more than wanted.
    fn slow(&self, alone: &Self) -> String {
        let most = Duration::from_secs_f64(alone.ms(95) * WANTED / 1_000.0);
        let slow = self.0.iter().filter(|(_, took, _)| *took > most);
        let told = |(at, took, phases): &(Duration, Duration, String)| {
            format!("{} ms at {:.1} s {phases}", took.as_millis(), at.as_secs_f64())
        };
        slow.map(told).collect::<Vec<_>>().join(", ")
    }
}

/// The two kinds of requests that are measured in turn: pictures and texts, or clicks and snapshots.
#[derive(Default)]
struct Measured {
    kinds: [Times; 2],
    failed: usize,
}

/// What the second sandbox does.
enum Quiet {
    /// Visits this page for a picture and a text.
    Visits(Box<Caller>, String),
    /// Clicks in a session, whose button has this ref, and takes snapshots.
    Session(Box<Agent>, String),
}

impl Quiet {
    async fn measure(&self, length: Duration) -> Measured {
        match self {
            Self::Visits(caller, url) => visits(caller, url, length).await,
            Self::Session(agent, button) => calls(agent, button, length).await,
        }
    }
}

async fn calls(agent: &Agent, button: &str, length: Duration) -> Measured {
    let (mut measured, start) = (Measured::default(), Instant::now());
    while start.elapsed() < length {
        for (kind, route) in ["click", "snapshot"].into_iter().enumerate() {
            let (fields, at) = (if kind == 0 { json!({"ref": button}) } else { json!({}) }, start.elapsed());
            let answer = agent.call(route, fields).await;
            measured.kinds[kind].0.push((at, answer.took, answer.json()["timings_ms"].to_string()));
            measured.failed += usize::from(answer.code().is_some());
            tokio::time::sleep(PAUSE).await;
        }
    }
    measured
}

async fn visits(caller: &Caller, url: &str, length: Duration) -> Measured {
    let (mut measured, start) = (Measured::default(), Instant::now());
    while start.elapsed() < length {
        let (wait, at) = (json!({"until": "load"}), start.elapsed());
        let picture = caller.screenshot(json!({"url": url, "wait": wait})).await;
        measured.kinds[0].0.push((at, picture.took, picture.json()["timings_ms"].to_string()));
        tokio::time::sleep(PAUSE).await;
        let at = start.elapsed();
        let text = caller.extract(json!({"url": url, "wait": wait})).await;
        measured.kinds[1].0.push((at, text.took, text.json()["timings_ms"].to_string()));
        measured.failed += [picture, text].iter().filter(|answer| answer.code().is_some()).count();
        tokio::time::sleep(PAUSE).await;
    }
    measured
}

/// Returns a caller that owns the sandbox of this name.
fn owner_of(stack: &Stack, sandbox_id: String) -> Caller {
    Caller { owner_token: owner::SECOND.token(&sandbox_id, 3600), sandbox_id, ..stack.caller() }
}

/// Visits the hostile page again and again; returns how often each visit ended how.
async fn hostile_visits(hostile: Caller, url: String, ended: CancellationToken) -> BTreeMap<String, u32> {
    let mut codes = BTreeMap::<String, u32>::new();
    while !ended.is_cancelled() {
        let wait = json!({"until": "load", "delay_ms": KEPT_MS});
        let answer = hostile.extract(json!({"url": url, "wait": wait, "timeout_ms": 10_000})).await;
        *codes.entry(answer.code().unwrap_or_else(|| "OK".to_owned())).or_default() += 1;
    }
    codes
}

/// The same in a session, in another one where it is lost.
async fn hostile_session(hostile: Caller, url: String, ended: CancellationToken) -> BTreeMap<String, u32> {
    let (mut codes, mut session) = (BTreeMap::<String, u32>::new(), None::<String>);
    while !ended.is_cancelled() {
        let answer =
            hostile.post("/session/navigate", json!({"url": url, "session": session, "timeout_ms": 10_000})).await;
        *codes.entry(answer.code().unwrap_or_else(|| "OK".to_owned())).or_default() += 1;
        session = answer.json()["session"].as_str().map(str::to_owned);
        tokio::select! {
            () = tokio::time::sleep(Duration::from_millis(KEPT_MS.into())) => {}
            () = ended.cancelled() => {}
        }
    }
    if let Some(session) = session {
        hostile.post("/session/close", json!({"session": session})).await;
    }
    codes
}

/// Measures one kind and prints its row; returns the multiples of the p95 of both kinds of requests.
async fn beside(
    stack: &Stack,
    hostile: Caller,
    neighbour: Neighbour,
    quiet: &Quiet,
    arguments: &Arguments,
) -> [f64; 2] {
    let alone = quiet.measure(arguments.length).await;
    let (url, end) = (stack.site.html(&neighbour.html()), CancellationToken::new());
    let ended = end.clone();
    let visits = match quiet {
        Quiet::Visits(..) => tokio::spawn(hostile_visits(hostile, url, ended)),
        Quiet::Session(..) => tokio::spawn(hostile_session(hostile, url, ended)),
    };
    let with = quiet.measure(arguments.length).await;
    end.cancel();
    let codes = visits.await.unwrap();
    println!(
        "| {} | {} | {} | {} | {} |",
        neighbour.name,
        Times::cells(&alone.kinds[0], &with.kinds[0]),
        Times::cells(&alone.kinds[1], &with.kinds[1]),
        with.failed,
        codes.iter().map(|(code, times)| format!("{code} x {times}")).collect::<Vec<_>>().join(", "),
    );
    let pairs = [0, 1].map(|kind| (&alone.kinds[kind], &with.kinds[kind]));
    if arguments.is_traced {
        for ((alone, with), of) in pairs.into_iter().zip(arguments.kinds()) {
            println!("\nslow {of}: {}\n", with.slow(alone));
        }
    }
    pairs.map(|(alone, with)| with.multiple(alone))
}

struct Arguments {
    length: Duration,
    only: String,
    is_traced: bool,
    has_sessions: bool,
    session_browsers: Option<String>,
    executables: Option<PathBuf>,
}

impl Arguments {
    fn read() -> Self {
        let mut words = std::env::args().skip(1);
        let mut read = Self {
            length: LENGTH,
            only: String::new(),
            is_traced: false,
            has_sessions: false,
            session_browsers: None,
            executables: None,
        };
        while let Some(word) = words.next() {
            let mut value = || words.next().expect("a value");
            match word.as_str() {
                "--seconds" => read.length = Duration::from_secs_f64(value().parse().expect("a number")),
                "--only" => read.only = value(),
                "--trace" => read.is_traced = true,
                "--sessions" => read.has_sessions = true,
                "--session-browsers" => read.session_browsers = Some(value()),
                "--executables" => read.executables = Some(value().into()),
                _ => panic!("--seconds, --only, --sessions, --session-browsers, --trace or --executables, not {word}"),
            }
        }
        read
    }

    /// What is measured.
    fn kinds(&self) -> [&'static str; 2] {
        if self.has_sessions { ["clicks", "snapshots"] } else { ["pictures", "texts"] }
    }
}

#[tokio::main]
async fn main() {
    let arguments = Arguments::read();
    let stack = Stack::with()
        .as_shipped()
        .setting("PORTHOLE_MAX_CONCURRENT", "4")
        .setting("PORTHOLE_LOG", "error,porthole_daemon::listen=info");
    let stack = match &arguments.session_browsers {
        Some(browsers) => stack.setting("PORTHOLE_SESSION_BROWSERS", browsers),
        None => stack,
    };
    let stack = match &arguments.executables {
        Some(folder) => stack.executables(folder),
        None => stack,
    };
    let stack = Box::pin(stack.start()).await;
    let url = stack.site.html(QUIET);
    let other = owner_of(&stack, "sb-of-the-other-owner".to_owned());
    visits(&stack.caller(), &url, arguments.length).await;
    let quiet = if arguments.has_sessions {
        let (agent, answer) = Agent::at(other, &url).await;
        Quiet::Session(Box::new(agent), reference(&tree(&answer), "More"))
    } else {
        Quiet::Visits(Box::new(other), url)
    };
    let [first, second] = arguments.kinds();
    println!("| beside | {first} alone | beside it | × | {second} alone | beside it | × | failed | its own ends |");
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut within = [[0, 0]; 2];
    for (number, neighbour) in [ORDINARY, BUSY].into_iter().chain(NEIGHBOURS).enumerate() {
        if arguments.only.split(',').any(|part| neighbour.name.contains(part)) {
            // A sandbox of its own for each kind: what was found out about one must not help beside the next.
            let hostile = owner_of(&stack, format!("sb-hostile-{number}"));
            let multiples = beside(&stack, hostile, neighbour, &quiet, &arguments).await;
            for ([kept, all], multiple) in within.iter_mut().zip(multiples) {
                *kept += u32::from(multiple <= WANTED);
                *all += 1;
            }
        }
    }
    for ([kept, all], of) in within.into_iter().zip(arguments.kinds()) {
        println!("\nThe p95 of {of} is within {WANTED} × of its own alone beside {kept} of {all} pages.");
    }
}
