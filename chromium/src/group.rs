//! The processes of a process group, as the system knows them: a browser's, whose first process leads a group of its own.

use std::fs;

use nix::unistd::{Pid, getpgid};

/// The group that a process belongs to, by its leader's id; none for a process that is gone.
#[must_use]
pub fn group_of(process: u32) -> Option<u32> {
    let process = Pid::from_raw(process.try_into().ok()?);
    getpgid(Some(process)).ok()?.as_raw().try_into().ok()
}

/// The processes of the group that `leader` leads. Goes through all processes of the machine; none without `/proc`.
pub fn processes_of_group(leader: u32) -> impl Iterator<Item = u32> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.filter(move |process| group_of(*process) == Some(leader))
}
