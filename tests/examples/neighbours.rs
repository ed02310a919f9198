//! How long a second sandbox waits beside each kind of hostile page.
//!
//! `make bench-neighbours [BENCH="--seconds 10 --only console,theme"]`. For each kind one sandbox visits such a page
//! repeatedly, one visit at a time, while another takes a picture of a small page and reads it in turn. Pictures of the
//! viewport are drawn in a browser of their own; a text comes from the browser that the hostile page is in. Before each
//! kind the second sandbox is measured alone. The first two rows are baselines: an ordinary page, and one that only keeps
//! a processor busy, for sandboxes share the processors as well as the browser. Prints Markdown. The machine should be
//! otherwise idle.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a program that is run manually")]

use std::time::{Duration, Instant};

use porthole_tests::neighbours::{BUSY, NEIGHBOURS, Neighbour, ORDINARY};
use porthole_tests::{Caller, Stack, owner};
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// Length of each measurement, unless `--seconds` is given.
const LENGTH: Duration = Duration::from_secs(8);
/// How long a hostile page is kept after its load, in milliseconds of real time.
const KEPT_MS: u32 = 3_000;
/// Pause between two requests, so that the service can prepare the next page.
const PAUSE: Duration = Duration::from_millis(30);

#[derive(Default)]
struct Times(Vec<Duration>);

impl Times {
    fn ms(&mut self, percent: usize) -> f64 {
        self.0.sort_unstable();
        let at = (self.0.len() * percent / 100).min(self.0.len().saturating_sub(1));
        self.0.get(at).copied().unwrap_or_default().as_secs_f64() * 1_000.0
    }

    /// Returns the cells of a row: p50 and p95 alone, beside the hostile page, and as multiples.
    fn cells(alone: &mut Self, beside: &mut Self) -> String {
        let [a, b] = [50, 95].map(|percent| (alone.ms(percent), beside.ms(percent)));
        format!("{:.0}, {:.0} | {:.0}, {:.0} | {:.2}, {:.2}", a.0, b.0, a.1, b.1, a.1 / a.0, b.1 / b.0)
    }
}

#[derive(Default)]
struct Measured {
    pictures: Times,
    texts: Times,
    failed: usize,
}

async fn measure(caller: &Caller, url: &str, length: Duration) -> Measured {
    let (mut measured, until) = (Measured::default(), Instant::now() + length);
    while Instant::now() < until {
        let wait = json!({"until": "load"});
        let picture = caller.screenshot(json!({"url": url, "wait": wait})).await;
        measured.pictures.0.push(picture.took);
        tokio::time::sleep(PAUSE).await;
        let text = caller.extract(json!({"url": url, "wait": wait})).await;
        measured.texts.0.push(text.took);
        measured.failed += [picture, text].iter().filter(|answer| answer.code().is_some()).count();
        tokio::time::sleep(PAUSE).await;
    }
    measured
}

/// Returns a caller that owns the sandbox of this name.
fn owner_of(stack: &Stack, sandbox_id: String) -> Caller {
    Caller { owner_token: owner::SECOND.token(&sandbox_id, 3600), sandbox_id, ..stack.caller() }
}

async fn beside(stack: &Stack, hostile: Caller, neighbour: Neighbour, quiet: &str, length: Duration) {
    let other = owner_of(stack, "sb-of-the-other-owner".to_owned());
    let mut alone = measure(&other, quiet, length).await;
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
    let mut with = measure(&other, quiet, length).await;
    end.cancel();
    let codes = visits.await.unwrap();
    println!(
        "| {} | {} | {} | {} | {} |",
        neighbour.name,
        Times::cells(&mut alone.pictures, &mut with.pictures),
        Times::cells(&mut alone.texts, &mut with.texts),
        with.failed,
        codes.iter().map(|(code, times)| format!("{code} x {times}")).collect::<Vec<_>>().join(", "),
    );
}

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let (mut length, mut only) = (LENGTH, String::new());
    while let Some(name) = arguments.next() {
        let value = arguments.next().expect("a value");
        match name.as_str() {
            "--seconds" => length = Duration::from_secs_f64(value.parse().expect("a number")),
            "--only" => only = value,
            _ => panic!("--seconds or --only, not {name}"),
        }
    }
    let stack = Stack::with()
        .setting("PORTHOLE_MAX_CONCURRENT", "4")
        .setting("PORTHOLE_LOG", "error,porthole_daemon::listen=info")
        .start()
        .await;
    let quiet = stack.site.html("<title>quiet</title><body style='background:#abc'><h1>Quiet</h1><p>A small page.");
    measure(&stack.caller(), &quiet, length).await;
    println!("| beside | pictures alone | beside it | × | texts alone | beside it | × | failed | its own ends |");
    println!("|---|---|---|---|---|---|---|---|---|");
    for (number, neighbour) in [ORDINARY, BUSY].into_iter().chain(NEIGHBOURS).enumerate() {
        if only.split(',').any(|part| neighbour.name.contains(part)) {
            // A sandbox of its own for each kind: what was found out about one must not help beside the next.
            let hostile = owner_of(&stack, format!("sb-hostile-{number}"));
            beside(&stack, hostile, neighbour, &quiet, length).await;
        }
    }
}
