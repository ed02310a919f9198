//! Which processes belong to one that a test started: read from `/proc`, never guessed from a name alone.

use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::eventually::{eventually, so};

/// How long the system may take to tear down processes that have been killed: more than a moment where it is busy.
const GONE_WITHIN: Duration = Duration::from_secs(5);

/// A process that was seen alive. It is told from a later one with the same number by when it started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relative {
    /// Its number.
    pub pid: i32,
    /// Its parent's number.
    pub parent: i32,
    /// Its process group's number.
    pub group: i32,
    /// When it started, in clock ticks since the machine did.
    pub started_ticks: u64,
    /// Its command line.
    pub command: Vec<String>,
}

/// Waits until none of these processes is left, after they were killed or have been told to end.
///
/// # Panics
/// When one of them stays.
pub async fn expect_gone(family: &[Relative]) {
    eventually(GONE_WITHIN, async || {
        let left: Vec<&Relative> = family.iter().filter(|one| one.is_alive()).collect();
        so(left.is_empty(), format!("processes are left: {left:#?}"))
    })
    .await;
}

/// Every process that descends from `pid`, itself not among them.
#[must_use]
pub fn descendants_of(pid: i32) -> Vec<Relative> {
    let everybody = everybody();
    let mut family = Vec::new();
    let mut parents = BTreeSet::from([pid]);
    loop {
        let before = family.len();
        for relative in &everybody {
            if parents.contains(&relative.parent) && parents.insert(relative.pid) {
                family.push(relative.clone());
            }
        }
        if family.len() == before {
            return family;
        }
    }
}

/// Every process of one of these groups.
#[must_use]
pub fn members_of(groups: &BTreeSet<i32>) -> Vec<Relative> {
    everybody().into_iter().filter(|relative| groups.contains(&relative.group)).collect()
}

/// Every process whose command line mentions `text`.
#[must_use]
pub fn mentioning(text: &str) -> Vec<Relative> {
    everybody().into_iter().filter(|relative| relative.command.iter().any(|word| word.contains(text))).collect()
}

fn everybody() -> Vec<Relative> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter_map(Relative::read).collect()
}

impl Relative {
    /// Reads it from `/proc`; nothing for one that has ended, even when nobody has taken note of that yet.
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

    /// Whether it still runs.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        Self::read(self.pid).is_some_and(|now| now.started_ticks == self.started_ticks)
    }

    /// Whether it is Chromium, of whatever kind.
    #[must_use]
    pub fn is_chromium(&self) -> bool {
        self.command.first().is_some_and(|program| {
            let name = program.rsplit('/').next().unwrap_or(program);
            name.contains("chrom") || name.contains("headless")
        })
    }

    /// Whether it is a browser's main process.
    #[must_use]
    pub fn is_browser(&self) -> bool {
        self.is_chromium()
            && self.command.iter().any(|word| word.starts_with("--remote-debugging"))
            && !self.command.iter().any(|word| word.starts_with("--type="))
    }

    /// Whether it is a browser's renderer.
    #[must_use]
    pub fn is_renderer(&self) -> bool {
        self.command.iter().any(|word| word == "--type=renderer")
    }

    /// Has it stand still, unless it has ended.
    pub fn stop(&self) {
        if self.is_alive() {
            let _ = kill(Pid::from_raw(self.pid), Signal::SIGSTOP);
        }
    }

    /// Kills it, unless it has ended.
    pub fn kill(&self) {
        if self.is_alive() {
            // It may end between the look and the signal: that is what was wanted.
            let _ = kill(Pid::from_raw(self.pid), Signal::SIGKILL);
        }
    }
}
