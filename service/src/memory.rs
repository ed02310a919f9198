//! Measures whether the machine is short of memory: in the control groups of this process, and on the host.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

/// How long one measurement is valid: it reads some small files of `/proc`, and memory does not fill up much faster.
const FRESH_FOR: Duration = Duration::from_millis(200);
/// Usual upper size of the files read here.
const FILE_BYTES: usize = 4 * 1024;
/// Where control groups (version 2) are.
const CGROUPS: &str = "/sys/fs/cgroup";

/// Measures memory in use and compares it with the limit.
#[derive(Debug)]
pub(crate) struct Memory {
    /// The limit, in percent; at 100 nothing is measured.
    percent_max: u8,
    /// The process's own control group and its ancestors. Empty where there are none.
    groups: Vec<PathBuf>,
    last: Mutex<Option<(Instant, Option<u8>)>>,
}

impl Memory {
    pub(crate) fn new(percent_max: u8) -> Self {
        let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        Self { percent_max, groups: groups(&own), last: Mutex::default() }
    }

    /// Returns the memory in use, in percent, if it is above the limit.
    pub(crate) fn pressed(&self) -> Option<u8> {
        if self.percent_max >= 100 {
            return None;
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let used = match *last {
            Some((looked, used)) if looked.elapsed() < FRESH_FOR => used,
            _ => {
                let used = self.used_percent();
                *last = Some((Instant::now(), used));
                used
            }
        };
        used.filter(|used| *used > self.percent_max)
    }

    /// Returns the bytes that there are for this process: of the host, or of a control group that has fewer.
    pub(crate) fn total_bytes(&self) -> u64 {
        let host = text("/proc/meminfo").and_then(|text| field(&text, "MemTotal:")).map(|kilobytes| kilobytes * 1024);
        let limits = self.groups.iter().filter_map(|group| text(group.join("memory.max"))?.trim().parse().ok());
        limits.chain(host).min().unwrap_or(u64::MAX)
    }

    /// Returns the highest usage among the host and the control groups.
    fn used_percent(&self) -> Option<u8> {
        let host = text("/proc/meminfo").and_then(|text| of_host(&text));
        self.groups.iter().filter_map(|group| of_group(group)).chain(host).max()
    }
}

/// Returns the control group named in `/proc/self/cgroup` and its ancestors, without the root: it has no limit.
fn groups(own: &str) -> Vec<PathBuf> {
    let Some(path) = own.lines().find_map(|line| line.strip_prefix("0::/")) else { return Vec::new() };
    // In a container the path may be the host's, and our own group is the root of what is mounted there.
    let around = Path::new(path).ancestors().map(|group| Path::new(CGROUPS).join(group));
    around.filter(|group| group.join("memory.max").exists()).collect()
}

fn of_group(group: &Path) -> Option<u8> {
    let number = |file: &str| text(group.join(file))?.trim().parse::<u64>().ok();
    // `max`, which stands for no limit, is not a number.
    let limit = number("memory.max")?;
    let stat = text(group.join("memory.stat")).unwrap_or_default();
    // The kernel drops inactive page cache when memory is needed: it does not count as in use.
    let idle_files = field(&stat, "inactive_file").unwrap_or_default();
    percent(number("memory.current")?.saturating_sub(idle_files), limit)
}

fn of_host(meminfo: &str) -> Option<u8> {
    let (total, available) = (field(meminfo, "MemTotal:")?, field(meminfo, "MemAvailable:")?);
    percent(total.saturating_sub(available), total)
}

/// Reads a small file of the kernel at once: such files report no size beforehand.
fn text(path: impl AsRef<Path>) -> Option<String> {
    let mut text = String::with_capacity(FILE_BYTES);
    File::open(path).ok()?.read_to_string(&mut text).ok()?;
    Some(text)
}

fn field(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().next()?.parse().ok())
}

fn percent(used: u64, of: u64) -> Option<u8> {
    let percent = u128::from(used) * 100 / u128::from(of).max(1);
    Some(u8::try_from(percent).unwrap_or(u8::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hosts_memory_is_what_is_available() {
        let meminfo = "MemTotal:       16000000 kB\nMemFree:          100000 kB\nMemAvailable:    4000000 kB\n";
        assert_eq!(of_host(meminfo), Some(75));
        assert_eq!(of_host("MemTotal: 1 kB"), None);
    }

    #[test]
    fn a_groups_memory_is_without_its_idle_files() {
        let group = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| fs::write(group.path().join(file), text).unwrap();
        write("memory.max", "max\n");
        write("memory.current", "900\n");
        assert_eq!(of_group(group.path()), None);
        write("memory.max", "1000\n");
        assert_eq!(of_group(group.path()), Some(90));
        write("memory.stat", "anon 500\ninactive_file 300\nactive_file 100\n");
        assert_eq!(of_group(group.path()), Some(60));
    }

    #[test]
    fn only_usage_above_the_limit_is_pressure() {
        let (any, none) = (Memory::new(1), Memory::new(100));
        assert!(any.pressed().is_some_and(|used| used > 1), "this machine uses memory");
        assert_eq!(none.pressed(), None);
        assert!((1 << 20..1 << 60).contains(&none.total_bytes()));
    }
}
