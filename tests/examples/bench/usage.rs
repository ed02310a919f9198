//! Processor time and memory of processes, read from `/proc`.

use std::fs;
use std::time::Duration;

use porthole_tests::family::descendants_of;
use tokio::time::sleep;

use super::contender::Contender;

/// Ticks of processor time per second: `USER_HZ`, the same on every Linux machine.
const TICKS_PER_SECOND: f64 = 100.0;
/// Interval and number of the memory samples.
const SAMPLE_EVERY: Duration = Duration::from_millis(100);
const SAMPLES: usize = 10;

/// Processor time used by a contender and by this process, which drives it, without the site's thread.
pub(crate) struct Usage {
    ticks: i64,
}

impl Usage {
    pub(crate) fn of(contender: &Contender<'_>) -> Self {
        let own = ticks("/proc/self/stat").unwrap_or(0) - site_ticks();
        Self { ticks: own + of_family(&contender.roots()) }
    }

    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    pub(crate) fn cpu_ms_since(&self, before: &Self) -> f64 {
        (self.ticks - before.ticks) as f64 * 1_000.0 / TICKS_PER_SECOND
    }
}

/// Returns the ticks of these processes and all their descendants, including those that have ended and were waited for.
pub(crate) fn of_family(roots: &[i32]) -> i64 {
    family(roots).into_iter().filter_map(|pid| ticks(&format!("/proc/{pid}/stat"))).sum()
}

fn family(roots: &[i32]) -> Vec<i32> {
    roots.iter().flat_map(|root| descendants_of(*root).into_iter().map(|one| one.pid).chain([*root])).collect()
}

/// Returns the sum of utime, stime, cutime and cstime.
fn ticks(stat: &str) -> Option<i64> {
    let stat = fs::read_to_string(stat).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    fields.get(11..15)?.iter().map(|field| field.parse::<i64>().ok()).sum()
}

/// Returns the ticks of the site's thread, which runs in this process and serves every contender.
fn site_ticks() -> i64 {
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let of_site = tasks.filter(|task| {
        fs::read_to_string(task.path().join("comm")).is_ok_and(|name| name.trim() == porthole_tests::site::THREAD)
    });
    of_site.filter_map(|task| ticks(task.path().join("stat").to_str()?)).sum()
}

/// Returns the largest sampled memory of a contender: the proportional set size of its processes.
pub(crate) async fn peak_mb(contender: &Contender<'_>) -> f64 {
    let mut peak_mb = 0.0_f64;
    for _ in 0..SAMPLES {
        peak_mb = peak_mb.max(memory_mb(&contender.roots()));
        sleep(SAMPLE_EVERY).await;
    }
    peak_mb
}

/// Returns the proportional set size of these processes and all their descendants, in MB.
pub(crate) fn memory_mb(roots: &[i32]) -> f64 {
    family(roots).into_iter().filter_map(pss_kb).sum::<f64>() / 1_000.0
}

/// Returns the proportional set size of one process, in kB.
pub(crate) fn pss_kb(pid: i32) -> Option<f64> {
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let line = rollup.lines().find(|line| line.starts_with("Pss:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
