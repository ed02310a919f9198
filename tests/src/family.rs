//! Finds the descendants of a process that a test started, from `/proc`, never by name alone.

use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::eventually::{eventually, so};

/// The time limit for the system to remove killed processes, on a busy machine.
const GONE_WITHIN: Duration = Duration::from_secs(5);

/// A process that was seen alive. Its start time tells it from a later process with the same id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relative {
    /// Its process id.
    pub pid: i32,
    /// Its parent's process id.
    pub parent: i32,
    /// Its process group.
    pub group: i32,
    /// Its start time, in clock ticks since boot.
    pub started_ticks: u64,
    /// Its command line.
    pub command: Vec<String>,
}

/// Waits until none of these processes is left, after they were killed or asked to end.
///
/// # Panics
/// When one of them is still alive in the end.
pub async fn expect_gone(family: &[Relative]) {
    eventually(GONE_WITHIN, async || {
        let left: Vec<&Relative> = family.iter().filter(|one| one.is_alive()).collect();
        so(left.is_empty(), format!("processes are left: {left:#?}"))
    })
    .await;
}

/// Returns all descendants of `pid`, without `pid` itself.
#[must_use]
pub fn descendants_of(pid: i32) -> Vec<Relative> {
    let all = all_processes();
    let mut family = Vec::new();
    let mut parents = BTreeSet::from([pid]);
    loop {
        let before = family.len();
        for relative in &all {
            if parents.contains(&relative.parent) && parents.insert(relative.pid) {
                family.push(relative.clone());
            }
        }
        if family.len() == before {
            return family;
        }
    }
}

/// Returns every process of these groups.
#[must_use]
pub fn members_of(groups: &BTreeSet<i32>) -> Vec<Relative> {
    all_processes().into_iter().filter(|relative| groups.contains(&relative.group)).collect()
}

/// Returns every process whose command line contains `text`.
#[must_use]
pub fn mentioning(text: &str) -> Vec<Relative> {
    all_processes().into_iter().filter(|relative| relative.command.iter().any(|word| word.contains(text))).collect()
}

fn all_processes() -> Vec<Relative> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter_map(Relative::read).collect()
}

impl Relative {
    /// Reads a process from `/proc`; `None` if it has ended, also for a zombie.
    fn read(pid: i32) -> Option<Self> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The second field is the name in parentheses, which may hold anything.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        let state = fields.next()?;
        if matches!(state, "Z" | "X") {
            return None;
        }
        let parent = fields.next()?.parse().ok()?;
        let group = fields.next()?.parse().ok()?;
        let started_ticks = fields.nth(16)?.parse().ok()?;
        let command = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
        // Chromium rewrites the command line of its children into one string, with blanks between the words.
        let command = String::from_utf8_lossy(&command)
            .split(['\0', ' '])
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect();
        Some(Self { pid, parent, group, started_ticks, command })
    }

    /// Returns whether the process is still running.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        Self::read(self.pid).is_some_and(|now| now.started_ticks == self.started_ticks)
    }

    /// Returns whether it is a Chromium process of any type.
    #[must_use]
    pub fn is_chromium(&self) -> bool {
        self.command.first().is_some_and(|program| {
            let name = program.rsplit('/').next().unwrap_or(program);
            name.contains("chrom") || name.contains("headless")
        })
    }

    /// Returns whether it is a browser's main process. A process that this one has just forked has its command line still.
    #[must_use]
    pub fn is_browser(&self) -> bool {
        self.is_chromium()
            && self.pid == self.group
            && self.command.iter().any(|word| word.starts_with("--remote-debugging"))
            && !self.command.iter().any(|word| word.starts_with("--type="))
    }

    /// Returns whether it is a renderer.
    #[must_use]
    pub fn is_renderer(&self) -> bool {
        self.command.iter().any(|word| word == "--type=renderer")
    }

    /// Returns whether it is a browser's network service, through which all its pages load.
    #[must_use]
    pub fn is_network_service(&self) -> bool {
        self.command.iter().any(|word| word == "--utility-sub-type=network.mojom.NetworkService")
    }

    /// Returns the nice value of its first thread; `None` if it has ended.
    #[must_use]
    pub fn nice(&self) -> Option<i32> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.pid)).ok()?;
        // Field 19 of `man 5 proc`; the first after the parentheses is field 3.
        stat.rsplit_once(')')?.1.split_whitespace().nth(16)?.parse().ok()
    }

    /// Stops it with SIGSTOP, unless it has ended.
    pub fn stop(&self) {
        if self.is_alive() {
            let _ = kill(Pid::from_raw(self.pid), Signal::SIGSTOP);
        }
    }

    /// Kills it, unless it has ended.
    pub fn kill(&self) {
        if self.is_alive() {
            // An error means that it ended between the check and the signal.
            let _ = kill(Pid::from_raw(self.pid), Signal::SIGKILL);
        }
    }
}
