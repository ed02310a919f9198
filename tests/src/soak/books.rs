//! Records of the soak: answers by kind, memory over time, and violations.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use crate::process::Process;

/// Number of violations kept; further ones are only counted.
const VIOLATIONS_KEPT: usize = 20;
/// Share of the first samples that is ignored, because caches are filling.
const WARMING_UP: f64 = 0.3;

/// The records, shared by all tasks of the soak.
#[derive(Debug)]
pub struct Books {
    seed: u64,
    started: Instant,
    pages: Mutex<Pages>,
}

#[derive(Debug, Default)]
struct Pages {
    /// Number of answers by kind of request and code.
    answers: BTreeMap<&'static str, BTreeMap<String, u64>>,
    /// Times of successes.
    took: Vec<Duration>,
    /// Times of `OVERLOADED` answers.
    overloaded: Vec<Duration>,
    faults: BTreeMap<&'static str, u64>,
    violations: Vec<String>,
    violations_dropped: u64,
    /// Memory samples of the service since its last start: seconds and bytes.
    service: Vec<(f64, f64)>,
    service_pid: i32,
    worker: Vec<(f64, f64)>,
    tree_peak_bytes: f64,
    leaked: u64,
    files: (usize, usize),
}

impl Books {
    pub(super) fn new(seed: u64) -> Self {
        Self { seed, started: Instant::now(), pages: Mutex::default() }
    }

    pub(super) fn answer(&self, asked: &'static str, code: Option<String>, took: Duration) {
        let mut pages = self.pages();
        match code.as_deref() {
            None => pages.took.push(took),
            Some("OVERLOADED") => pages.overloaded.push(took),
            Some(_) => {}
        }
        let outcome = code.unwrap_or_else(|| "ok".to_owned());
        *pages.answers.entry(asked).or_default().entry(outcome).or_default() += 1;
    }

    pub(super) fn left(&self, asked: &'static str) {
        *self.pages().answers.entry(asked).or_default().entry("(left)".to_owned()).or_default() += 1;
    }

    pub(super) fn fault(&self, what: &'static str) {
        *self.pages().faults.entry(what).or_default() += 1;
    }

    pub(super) fn violation(&self, what: String) {
        let mut pages = self.pages();
        if pages.violations.len() < VIOLATIONS_KEPT {
            pages.violations.push(what);
        } else {
            pages.violations_dropped += 1;
        }
    }

    /// Counts the leaked sessions in a service's metrics, before it ends.
    pub(super) fn count_leaked(&self, metrics: &Value) {
        let leaked = metrics["sessions"]["leaked"].as_u64().unwrap_or_default();
        self.pages().leaked += leaked;
        if leaked > 0 {
            self.violation(format!("the service counts {leaked} leaked sessions"));
        }
    }

    pub(super) fn files(&self, before: usize, after: usize) {
        self.pages().files = (before, after);
    }

    #[expect(clippy::cast_precision_loss, reason = "memory is below 2^52 bytes")]
    pub(super) fn sample(&self, service: &Process, worker: &Process) {
        let at = self.started.elapsed().as_secs_f64();
        let (of_service, of_worker) = (resident_bytes(service.pid()) as f64, resident_bytes(worker.pid()) as f64);
        let tree: u64 = service.family().iter().map(|one| resident_bytes(one.pid)).sum();
        let mut pages = self.pages();
        if pages.service_pid != service.pid() {
            pages.service_pid = service.pid();
            pages.service.clear();
        }
        pages.service.push((at, of_service));
        pages.worker.push((at, of_worker));
        pages.tree_peak_bytes = pages.tree_peak_bytes.max(of_service + tree as f64);
    }

    pub(super) fn report(&self, duration: Duration) -> Report {
        let mut pages = std::mem::take(&mut *self.pages());
        if pages.violations_dropped > 0 {
            pages.violations.push(format!("and {} more", pages.violations_dropped));
        }
        pages.took.sort();
        pages.overloaded.sort();
        Report {
            seed: self.seed,
            duration,
            violations: std::mem::take(&mut pages.violations),
            answers: std::mem::take(&mut pages.answers),
            pages,
        }
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The result of a soak. It displays as tables.
#[derive(Debug)]
pub struct Report {
    /// Violations; empty if all is well.
    pub violations: Vec<String>,
    /// Number of answers by kind of request and outcome: `ok`, a code, or `(left)`.
    pub answers: BTreeMap<&'static str, BTreeMap<String, u64>>,
    seed: u64,
    duration: Duration,
    pages: Pages,
}

impl Report {
    /// Returns the number of successes of a kind of request.
    #[must_use]
    pub fn ok(&self, asked: &str) -> u64 {
        self.answers.get(asked).and_then(|outcomes| outcomes.get("ok")).copied().unwrap_or_default()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MB: f64 = 1e6;
        let pages = &self.pages;
        writeln!(f, "soak of {:?}, seed {}", self.duration, self.seed)?;
        writeln!(f, "\n| request | answers |\n|---|---|")?;
        for (asked, outcomes) in &self.answers {
            let outcomes: Vec<String> = outcomes.iter().map(|(code, count)| format!("{code} {count}")).collect();
            writeln!(f, "| {asked} | {} |", outcomes.join(", "))?;
        }
        let faults: Vec<String> = pages.faults.iter().map(|(what, count)| format!("{what} {count}")).collect();
        writeln!(f, "\nfaults: {}", faults.join(", "))?;
        let [p50, p95, p99] = [50, 95, 99].map(|percent| percentile(&pages.took, percent).as_millis());
        writeln!(f, "successes: {}, p50 {p50} ms, p95 {p95} ms, p99 {p99} ms", pages.took.len())?;
        let [p50, p99] = [50, 99].map(|percent| percentile(&pages.overloaded, percent).as_millis());
        writeln!(f, "OVERLOADED: {}, p50 {p50} ms, p99 {p99} ms", pages.overloaded.len())?;
        for (name, samples) in [("service", &pages.service), ("worker", &pages.worker)] {
            let settled = settled(samples);
            let last = settled.last().map_or(0.0, |sample| sample.1) / MB;
            let seconds = settled.first().zip(settled.last()).map_or(0.0, |(first, last)| last.0 - first.0);
            let slope = slope(settled) * 3600.0 / MB;
            writeln!(f, "{name}: {last:.1} MB at the end, {slope:+.1} MB per hour over the last {seconds:.0} s")?;
        }
        writeln!(f, "service and browsers: {:.0} MB at most (resident, shared pages counted more than once)", {
            pages.tree_peak_bytes / MB
        })?;
        writeln!(f, "open files of the service: {} before, {} after", pages.files.0, pages.files.1)?;
        writeln!(f, "leaked sessions: {}", pages.leaked)?;
        match self.violations.as_slice() {
            [] => writeln!(f, "violations: none"),
            violations => writeln!(f, "violations:\n- {}", violations.join("\n- ")),
        }
    }
}

fn percentile(sorted: &[Duration], percent: usize) -> Duration {
    sorted.get((sorted.len() * percent / 100).min(sorted.len().saturating_sub(1))).copied().unwrap_or_default()
}

#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "few samples")]
fn settled(samples: &[(f64, f64)]) -> &[(f64, f64)] {
    &samples[(samples.len() as f64 * WARMING_UP) as usize..]
}

/// Returns the slope of the least-squares line, in bytes per second.
#[expect(clippy::cast_precision_loss, reason = "few samples")]
fn slope(samples: &[(f64, f64)]) -> f64 {
    let count = samples.len() as f64;
    let sum = |of: fn(&(f64, f64)) -> f64| samples.iter().map(of).sum::<f64>() / count;
    let (mean_x, mean_y) = (sum(|sample| sample.0), sum(|sample| sample.1));
    let (above, below) = samples
        .iter()
        .fold((0.0, 0.0), |(above, below), (x, y)| (above + (x - mean_x) * (y - mean_y), below + (x - mean_x).powi(2)));
    if below > 0.0 { above / below } else { 0.0 }
}

/// Returns a process's resident memory in bytes; 0 if it has ended.
fn resident_bytes(pid: i32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let kilobytes =
        status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.split_whitespace().next()?.parse().ok());
    kilobytes.map_or(0, |kilobytes: u64| kilobytes * 1024)
}

/// Returns the number of open files and sockets of a process.
pub(super) fn open_files(pid: i32) -> usize {
    fs::read_dir(format!("/proc/{pid}/fd")).map_or(0, Iterator::count)
}
