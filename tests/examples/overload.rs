//! Overload: a stack receives ten times its capacity for a minute and must keep its throughput.
//!
//! `make bench-overload [SECONDS=60] [FACTOR=10]`, or `target/debug/examples/overload [seconds] [factor]`. It
//! measures the capacity with twice as many callers as permits, so that half of them queue. Then several clients send
//! requests at that rate times the factor, without waiting for answers. Prints a table; exits with 1 if a mark is
//! missed. The generator runs on the same machine, which should be otherwise idle.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a program that is run manually")]

use std::collections::BTreeMap;
use std::fs;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use porthole_tests::{Caller, Stack};
use serde_json::{Value, json};
use tokio::task::JoinSet;

/// Number of clients, each with its own key; the queue is shared fairly between them.
const CLIENTS: usize = 4;
const WARM_UP: Duration = Duration::from_secs(5);
const AT_CAPACITY: Duration = Duration::from_secs(20);
/// The marks that must be reached.
const GOODPUT_MIN: f64 = 0.9;
const REFUSAL_MEDIAN_MAX: Duration = Duration::from_millis(50);
const RECOVERY_MAX: Duration = Duration::from_secs(2);

/// The outcomes of requests: the time of each, by code.
type Outcomes = BTreeMap<String, Vec<Duration>>;

#[derive(Clone)]
struct Bench {
    callers: Arc<Vec<Caller>>,
    url: Arc<str>,
    outcomes: Arc<Mutex<Outcomes>>,
}

impl Bench {
    /// Sends one request from one of the clients; returns whether it succeeded.
    async fn ask(&self, number: usize) -> bool {
        let caller = &self.callers[number];
        let began = Instant::now();
        let request = caller.request(http::Method::POST, "/browser-screenshot");
        let fields = json!({"url": &*self.url});
        let code = match request.json(&caller.body("/browser-screenshot", fields)).send().await {
            Err(_) => "no answer".to_owned(),
            Ok(answer) if answer.status().is_success() => match answer.bytes().await {
                Ok(_) => "OK".to_owned(),
                Err(_) => "half an answer".to_owned(),
            },
            Ok(answer) => match answer.json::<Value>().await {
                Ok(body) => body["error"].as_str().unwrap_or("no code").to_owned(),
                Err(_) => "no JSON".to_owned(),
            },
        };
        let succeeded = code == "OK";
        self.outcomes.lock().unwrap().entry(code).or_default().push(began.elapsed());
        succeeded
    }

    fn take(&self) -> Outcomes {
        std::mem::take(&mut *self.outcomes.lock().unwrap())
    }

    /// Runs callers with one request each at a time (a closed loop); returns successes per second.
    async fn closed(&self, callers: usize, length: Duration) -> f64 {
        let until = Instant::now() + length;
        let mut asking = JoinSet::new();
        for number in 0..callers {
            let bench = self.clone();
            asking.spawn(async move {
                let mut succeeded = 0_u32;
                while Instant::now() < until {
                    // A request that ends later does not count.
                    succeeded += u32::from(bench.ask(number % CLIENTS).await && Instant::now() < until);
                }
                succeeded
            });
        }
        let succeeded: u32 = asking.join_all().await.into_iter().sum();
        self.take();
        f64::from(succeeded) / length.as_secs_f64()
    }

    /// Sends requests at a rate without waiting for answers (an open loop); returns successes per second meanwhile.
    async fn open(&self, a_second: f64, length: Duration) -> f64 {
        let (began, mut asking, mut number) = (Instant::now(), JoinSet::new(), 0);
        while began.elapsed() < length {
            tokio::time::sleep(Duration::from_millis(5)).await;
            while (number as f64) < began.elapsed().as_secs_f64() * a_second {
                let bench = self.clone();
                asking.spawn(async move { bench.ask(number % CLIENTS).await });
                number += 1;
            }
            while asking.try_join_next().is_some() {}
        }
        // Requests still in flight don't count.
        let succeeded = self.outcomes.lock().unwrap().get("OK").map_or(0, Vec::len);
        asking.detach_all();
        succeeded as f64 / length.as_secs_f64()
    }
}

/// Resident memory of service and worker, in MB.
fn resident_mb(stack: &Stack) -> f64 {
    let of = |pid: i32| {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let kilobytes = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.split_whitespace().next());
        kilobytes.and_then(|text| text.parse::<f64>().ok()).unwrap_or_default() / 1000.0
    };
    of(stack.service.process.pid()) + of(stack.worker.process.pid())
}

fn percentile(times: &mut [Duration], percent: usize) -> Duration {
    times.sort_unstable();
    let at = (times.len() * percent / 100).min(times.len().saturating_sub(1));
    times.get(at).copied().unwrap_or_default()
}

#[tokio::main]
async fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse().expect("a number"));
    let (seconds, factor) = (arguments.next().unwrap_or(60.0), arguments.next().unwrap_or(10.0));
    let permits = 2 * thread::available_parallelism().map_or(1, usize::from);
    // One key more than the load uses, for a newcomer afterwards.
    let keys: Vec<String> = (0..=CLIENTS).map(|n| format!("client-key-of-the-overload-bench-{n:04}")).collect();
    let stack = Stack::with()
        .as_shipped()
        .setting("PORTHOLE_MAX_CONCURRENT", &permits.to_string())
        .setting("PORTHOLE_RATE_LIMIT", "4294967295")
        .setting("PORTHOLE_CLIENT_KEYS", &keys.join(","))
        .setting("PORTHOLE_LOG", "warn,porthole_daemon=error,porthole_daemon::listen=info")
        .start()
        .await;
    let http = reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(85)).build().unwrap();
    let callers = keys.into_iter().map(|key| Caller { http: http.clone(), bearer: Some(key), ..stack.caller() });
    let url = stack.site.html("<title>busy</title><body style='background:#abc'><h1>Busy</h1><p>A small page.");
    let bench = Bench { callers: Arc::new(callers.collect()), url: url.into(), outcomes: Arc::default() };

    bench.closed(permits, WARM_UP).await;
    let capacity = bench.closed(2 * permits, AT_CAPACITY).await;
    let before_mb = resident_mb(&stack);

    let peak_mb = async {
        let mut peak = 0.0_f64;
        let until = Instant::now() + Duration::from_secs_f64(seconds);
        while Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(250)).await;
            peak = peak.max(resident_mb(&stack));
        }
        peak
    };
    let rate = capacity * factor;
    let (goodput, peak_mb) = tokio::join!(bench.open(rate, Duration::from_secs_f64(seconds)), peak_mb);
    let mut outcomes = bench.take();

    let ended = Instant::now();
    while !bench.ask(CLIENTS).await {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let recovery = ended.elapsed();
    stack.expect_idle(Duration::from_secs(30)).await;
    let idle = ended.elapsed();
    let after_mb = resident_mb(&stack);
    // The capacity is measured before and after, because other load on the machine may change it.
    bench.take();
    let capacity_after = bench.closed(2 * permits, AT_CAPACITY).await;
    let mean = f64::midpoint(capacity, capacity_after);

    let mut refused = outcomes.remove("OVERLOADED").unwrap_or_default();
    let mut served = outcomes.remove("OK").unwrap_or_default();
    let (refusal_median, refusal_p99) = (percentile(&mut refused, 50), percentile(&mut refused, 99));
    let share = goodput / mean;
    println!(
        "{permits} permits, {CLIENTS} clients, {seconds} s at {factor} x capacity ({rate:.0} requests a second)\n"
    );
    println!("| | |\n|---|---|");
    println!("| at capacity, successes a second | {capacity:.1} before, {capacity_after:.1} after |");
    println!("| under overload, successes a second | {goodput:.1} ({share:.2} of that) |");
    println!("| served, median and p99 | {:.0?}, {:.0?} |", percentile(&mut served, 50), percentile(&mut served, 99));
    println!("| answered OVERLOADED | {} times |", refused.len());
    println!("| time to an OVERLOADED, median and p99 | {refusal_median:.1?}, {refusal_p99:.0?} |");
    println!("| other answers | {:?} |", outcomes.iter().map(|(code, times)| (code, times.len())).collect::<Vec<_>>());
    println!("| memory of service and worker: before, peak, after | {before_mb:.0}, {peak_mb:.0}, {after_mb:.0} MB |");
    println!("| a newcomer is served after the load's end within | {recovery:.1?} |");
    println!("| the service is idle after the load's end within | {idle:.1?} |");
    let marks = [
        ("goodput", share >= GOODPUT_MIN),
        ("refusals", refusal_median <= REFUSAL_MEDIAN_MAX && !refused.is_empty()),
        ("recovery", recovery <= RECOVERY_MAX),
        ("no other answers", outcomes.is_empty()),
    ];
    let missed: Vec<&str> = marks.iter().filter(|(_, holds)| !holds).map(|(name, _)| *name).collect();
    if missed.is_empty() {
        return ExitCode::SUCCESS;
    }
    println!("\nmissed: {}", missed.join(", "));
    ExitCode::FAILURE
}
