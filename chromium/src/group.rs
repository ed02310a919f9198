//! Process groups: a browser's first process leads a group of its own.

use std::fs;

use nix::unistd::{Pid, getpgid};

/// Returns the leader's id of a process's group; `None` if the process has ended.
#[must_use]
pub fn group_of(process: u32) -> Option<u32> {
    let process = Pid::from_raw(process.try_into().ok()?);
    getpgid(Some(process)).ok()?.as_raw().try_into().ok()
}

/// Lists the processes in `leader`'s group. Scans all processes of the machine; empty without `/proc`.
pub fn processes_of_group(leader: u32) -> impl Iterator<Item = u32> {
    processes().filter(move |process| group_of(*process) == Some(leader))
}

/// Lists all processes of the machine; empty without `/proc`.
pub(crate) fn processes() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}
