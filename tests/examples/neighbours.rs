//! How long a second sandbox waits beside each kind of hostile page.
//!
//! `make bench-neighbours [BENCH="--seconds 6 --only console"]`. For each kind one sandbox visits such a page
//! repeatedly, one visit at a time, while another takes pictures of a small page, one at a time. Before each kind the
//! second sandbox is measured alone. The first row is a page that only keeps a processor busy, as the baseline:
//! sandboxes share the processors as well as the browser. Prints Markdown. The machine should be otherwise idle.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a program that is run manually")]

use std::time::{Duration, Instant};

use porthole_tests::neighbours::{BUSY, NEIGHBOURS, Neighbour};
use porthole_tests::{Caller, Stack, owner};
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// Length of each measurement, unless `--seconds` is given.
const LENGTH: Duration = Duration::from_secs(5);
/// How long a hostile page is kept after its load, in milliseconds of real time.
const KEPT_MS: u32 = 3_000;
/// Pause between two pictures, so that the service can prepare the next page.
const PAUSE: Duration = Duration::from_millis(30);

struct Measured {
    times: Vec<Duration>,
    failed: usize,
}

impl Measured {
    fn ms(&mut self, percent: usize) -> f64 {
        self.times.sort_unstable();
        let at = (self.times.len() * percent / 100).min(self.times.len().saturating_sub(1));
        self.times.get(at).copied().unwrap_or_default().as_secs_f64() * 1_000.0
    }
}

async fn measure(caller: &Caller, url: &str, length: Duration) -> Measured {
    let (mut measured, until) = (Measured { times: Vec::new(), failed: 0 }, Instant::now() + length);
    while Instant::now() < until {
        let answer = caller.screenshot(json!({"url": url, "wait": {"until": "load"}})).await;
        measured.times.push(answer.took);
        measured.failed += usize::from(answer.code().is_some());
        tokio::time::sleep(PAUSE).await;
    }
    measured
}

async fn beside(stack: &Stack, neighbour: Neighbour, quiet: &str, length: Duration) {
    let sandbox_id = "sb-of-the-other-owner".to_owned();
    let other = Caller { owner_token: owner::SECOND.token(&sandbox_id, 3600), sandbox_id, ..stack.caller() };
    let mut alone = measure(&other, quiet, length).await;
    let (url, hostile, end) = (stack.site.html(&neighbour.html()), stack.caller(), CancellationToken::new());
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
        "| {} | {:.0} | {:.0} | {:.0} | {:.0} | {:.2} | {:.2} | {} | {} |",
        neighbour.name,
        alone.ms(50),
        alone.ms(95),
        with.ms(50),
        with.ms(95),
        with.ms(50) / alone.ms(50),
        with.ms(95) / alone.ms(95),
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
    println!(
        "| beside | alone p50 ms | p95 | beside p50 | p95 | p50 x | p95 x | failed | the hostile page's own end |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for neighbour in [BUSY].into_iter().chain(NEIGHBOURS) {
        if neighbour.name.contains(&only) {
            beside(&stack, neighbour, &quiet, length).await;
        }
    }
}
