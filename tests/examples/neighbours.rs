//! How long a second sandbox waits beside each kind of hostile page.
//!
//! `make bench-neighbours [BENCH="--seconds 4 --only console,theme --trace"]`. For each kind one sandbox visits such a
//! page repeatedly, one visit at a time, while another takes a picture of a small page and reads it in turn, for 12 s.
//! Pictures of the viewport are drawn by `begin_frame`; a text comes from the kind of browser that the hostile page is
//! in. Just before each kind the second sandbox is measured alone, as long. The first two rows are baselines: an ordinary
//! page, and one that only keeps a processor busy, for sandboxes share the processors as well as the browser. Prints
//! Markdown; all kinds take a quarter of an hour. `--trace` tells of each slow request beside a hostile page, and
//! `--executables FOLDER` measures the service and worker of another commit. The machine should be otherwise idle.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a program that is run manually")]

use std::path::PathBuf;
use std::time::{Duration, Instant};

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

#[derive(Default)]
struct Measured {
    pictures: Times,
    texts: Times,
    failed: usize,
}

async fn measure(caller: &Caller, url: &str, length: Duration) -> Measured {
    let (mut measured, start) = (Measured::default(), Instant::now());
    while start.elapsed() < length {
        let (wait, at) = (json!({"until": "load"}), start.elapsed());
        let picture = caller.screenshot(json!({"url": url, "wait": wait})).await;
        measured.pictures.0.push((at, picture.took, picture.json()["timings_ms"].to_string()));
        tokio::time::sleep(PAUSE).await;
        let at = start.elapsed();
        let text = caller.extract(json!({"url": url, "wait": wait})).await;
        measured.texts.0.push((at, text.took, text.json()["timings_ms"].to_string()));
        measured.failed += [picture, text].iter().filter(|answer| answer.code().is_some()).count();
        tokio::time::sleep(PAUSE).await;
    }
    measured
}

/// Returns a caller that owns the sandbox of this name.
fn owner_of(stack: &Stack, sandbox_id: String) -> Caller {
    Caller { owner_token: owner::SECOND.token(&sandbox_id, 3600), sandbox_id, ..stack.caller() }
}

/// Measures one kind and prints its row; returns the multiples of the p95 of pictures and texts.
async fn beside(stack: &Stack, hostile: Caller, neighbour: Neighbour, quiet: &str, arguments: &Arguments) -> [f64; 2] {
    let other = owner_of(stack, "sb-of-the-other-owner".to_owned());
    let alone = measure(&other, quiet, arguments.length).await;
    let (url, end) = (stack.site.html(&neighbour.html()), CancellationToken::new());
    let ended = end.clone();
    let visits = tokio::spawn(async move {
        let mut codes = std::collections::BTreeMap::<String, u32>::new();
        while !ended.is_cancelled() {
            let wait = json!({"until": "load", "delay_ms": KEPT_MS});
            let answer = hostile.extract(json!({"url": url, "wait": wait, "timeout_ms": 10_000})).await;
            *codes.entry(answer.code().unwrap_or_else(|| "OK".to_owned())).or_default() += 1;
        }
        codes
    });
    let with = measure(&other, quiet, arguments.length).await;
    end.cancel();
    let codes = visits.await.unwrap();
    println!(
        "| {} | {} | {} | {} | {} |",
        neighbour.name,
        Times::cells(&alone.pictures, &with.pictures),
        Times::cells(&alone.texts, &with.texts),
        with.failed,
        codes.iter().map(|(code, times)| format!("{code} x {times}")).collect::<Vec<_>>().join(", "),
    );
    if arguments.is_traced {
        println!("\nslow pictures: {}\n", with.pictures.slow(&alone.pictures));
        println!("slow texts: {}\n", with.texts.slow(&alone.texts));
    }
    [with.pictures.multiple(&alone.pictures), with.texts.multiple(&alone.texts)]
}

struct Arguments {
    length: Duration,
    only: String,
    is_traced: bool,
    executables: Option<PathBuf>,
}

impl Arguments {
    fn read() -> Self {
        let mut words = std::env::args().skip(1);
        let mut read = Self { length: LENGTH, only: String::new(), is_traced: false, executables: None };
        while let Some(word) = words.next() {
            let mut value = || words.next().expect("a value");
            match word.as_str() {
                "--seconds" => read.length = Duration::from_secs_f64(value().parse().expect("a number")),
                "--only" => read.only = value(),
                "--trace" => read.is_traced = true,
                "--executables" => read.executables = Some(value().into()),
                _ => panic!("--seconds, --only, --trace or --executables, not {word}"),
            }
        }
        read
    }
}

#[tokio::main]
async fn main() {
    let arguments = Arguments::read();
    let stack = Stack::with()
        .as_shipped()
        .setting("PORTHOLE_MAX_CONCURRENT", "4")
        .setting("PORTHOLE_LOG", "error,porthole_daemon::listen=info");
    let stack = match &arguments.executables {
        Some(folder) => stack.executables(folder),
        None => stack,
    };
    let stack = Box::pin(stack.start()).await;
    let quiet = stack.site.html("<title>quiet</title><body style='background:#abc'><h1>Quiet</h1><p>A small page.");
    measure(&stack.caller(), &quiet, arguments.length).await;
    println!("| beside | pictures alone | beside it | × | texts alone | beside it | × | failed | its own ends |");
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
    for ([kept, all], of) in within.into_iter().zip(["pictures", "texts"]) {
        println!("\nThe p95 of {of} is within {WANTED} × of its own alone beside {kept} of {all} pages.");
    }
}
