//! What the soak has seen: answers by what they were, memory over time, and whatever must not have been.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use crate::process::Process;

/// How many violations are kept; what comes after is only counted.
const VIOLATIONS_KEPT: usize = 20;
/// The share of the samples that is left out at the front: caches fill.
const WARMING_UP: f64 = 0.3;

/// Kept by all of it at once.
#[derive(Debug)]
pub struct Books {
    seed: u64,
    started: Instant,
    pages: Mutex<Pages>,
}

#[derive(Debug, Default)]
struct Pages {
    /// By what was asked: what was answered, how often.
    answers: BTreeMap<&'static str, BTreeMap<String, u64>>,
    /// Of successes: how long they took.
    took: Vec<Duration>,
    /// Of those who were told that there is no place: how long that took.
    turned_away: Vec<Duration>,
    faults: BTreeMap<&'static str, u64>,
    violations: Vec<String>,
    violations_untold: u64,
    /// The running service's, since it was last started.
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
            Some("OVERLOADED") => pages.turned_away.push(took),
            Some(_) => {}
        }
        let said = code.unwrap_or_else(|| "ok".to_owned());
        *pages.answers.entry(asked).or_default().entry(said).or_default() += 1;
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
            pages.violations_untold += 1;
        }
    }

    /// What a service said of its sessions before it ended.
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
        if pages.violations_untold > 0 {
            pages.violations.push(format!("and {} more", pages.violations_untold));
        }
        pages.took.sort();
        pages.turned_away.sort();
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

/// What a soak came to. It prints as a table.
#[derive(Debug)]
pub struct Report {
    /// What must not have been; nothing, if all is well.
    pub violations: Vec<String>,
    /// By what was asked: what was answered (`ok`, a code, or `(left)`), how often.
    pub answers: BTreeMap<&'static str, BTreeMap<String, u64>>,
    seed: u64,
    duration: Duration,
    pages: Pages,
}

impl Report {
    /// How many successes there were of what was asked.
    #[must_use]
    pub fn ok(&self, asked: &str) -> u64 {
        self.answers.get(asked).and_then(|said| said.get("ok")).copied().unwrap_or_default()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MB: f64 = 1e6;
        let pages = &self.pages;
        writeln!(f, "soak of {:?}, seed {}", self.duration, self.seed)?;
        writeln!(f, "\n| asked | answered |\n|---|---|")?;
        for (asked, said) in &self.answers {
            let said: Vec<String> = said.iter().map(|(code, count)| format!("{code} {count}")).collect();
            writeln!(f, "| {asked} | {} |", said.join(", "))?;
        }
        let faults: Vec<String> = pages.faults.iter().map(|(what, count)| format!("{what} {count}")).collect();
        writeln!(f, "\nfaults: {}", faults.join(", "))?;
        let [p50, p95, p99] = [50, 95, 99].map(|percent| percentile(&pages.took, percent).as_millis());
        writeln!(f, "successes: {}, p50 {p50} ms, p95 {p95} ms, p99 {p99} ms", pages.took.len())?;
        let [p50, p99] = [50, 99].map(|percent| percentile(&pages.turned_away, percent).as_millis());
        writeln!(f, "OVERLOADED: {}, p50 {p50} ms, p99 {p99} ms", pages.turned_away.len())?;
        for (name, samples) in [("service", &pages.service), ("worker", &pages.worker)] {
            let settled = settled(samples);
            let last = settled.last().map_or(0.0, |sample| sample.1) / MB;
            let seconds = settled.first().zip(settled.last()).map_or(0.0, |(first, last)| last.0 - first.0);
            let slope = slope(settled) * 3600.0 / MB;
            writeln!(f, "{name}: {last:.1} MB at the end, {slope:+.1} MB an hour over the last {seconds:.0} s")?;
        }
        writeln!(f, "service and browsers: {:.0} MB at most (resident, shared pages counted often)", {
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

/// The least squares' line's slope: bytes a second.
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

/// What a process holds in memory; nothing for one that is gone.
fn resident_bytes(pid: i32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let kilobytes =
        status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.split_whitespace().next()?.parse().ok());
    kilobytes.map_or(0, |kilobytes: u64| kilobytes * 1024)
}

/// How many files and sockets a process holds open.
pub(super) fn open_files(pid: i32) -> usize {
    fs::read_dir(format!("/proc/{pid}/fd")).map_or(0, Iterator::count)
}
