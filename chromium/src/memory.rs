//! Measures the anonymous memory of a browser's processes, and ends one that holds too much.

use std::fs;
use std::path::Path;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::group::{group_of, processes, processes_of_group};

/// A process of a group, and its anonymous memory.
#[derive(Clone, Copy, Debug)]
pub struct ProcessMemory {
    /// Its group's leader.
    pub leader: u32,
    /// Its id.
    pub process: u32,
    /// In bytes.
    pub bytes: u64,
}

/// Returns the anonymous memory of a group's processes, in bytes. File mappings (mostly the executable) are shared by
/// all of them and left out. 0 if the group has ended.
#[must_use]
pub fn memory_of_group(leader: u32) -> u64 {
    processes_of_group(leader).filter_map(own_bytes).sum()
}

/// Returns the process of these groups that has most anonymous memory. `None` if all have ended.
#[must_use]
pub fn largest_of_groups(leaders: &[u32]) -> Option<ProcessMemory> {
    let members =
        processes().filter_map(|process| Some((group_of(process).filter(|leader| leaders.contains(leader))?, process)));
    let measured =
        members.filter_map(|(leader, process)| Some(ProcessMemory { leader, process, bytes: own_bytes(process)? }));
    measured.max_by_key(|one| one.bytes)
}

/// Ends a process at once if it is one of this group. Returns whether it is.
#[must_use]
pub fn end_of_group(leader: u32, process: u32) -> bool {
    let Ok(id) = i32::try_from(process) else { return false };
    group_of(process) == Some(leader) && kill(Pid::from_raw(id), Signal::SIGKILL).is_ok()
}

fn own_bytes(process: u32) -> Option<u64> {
    let status = fs::read_to_string(Path::new("/proc").join(process.to_string()).join("status")).ok()?;
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("RssAnon:")?.split_whitespace().next());
    Some(kilobytes?.parse::<u64>().ok()? * 1024)
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt as _;
    use std::process::{Command, Stdio};

    use nix::unistd::getpgrp;

    use super::*;

    #[test]
    fn a_groups_memory_is_summed_and_a_missing_group_has_none() {
        let own = u32::try_from(getpgrp().as_raw()).unwrap();
        assert!(memory_of_group(own) > 100 * 1024, "this test runs in its own group");
        assert_eq!(memory_of_group(u32::MAX), 0);
    }

    #[test]
    fn a_process_is_ended_only_in_its_own_group() {
        let mut shell = Command::new("sh");
        let mut shell = shell.args(["-c", "read -r line"]).stdin(Stdio::piped()).process_group(0).spawn().unwrap();
        let own = u32::try_from(getpgrp().as_raw()).unwrap();
        assert!(!end_of_group(own, shell.id()));
        assert_eq!(largest_of_groups(&[shell.id()]).map(|one| one.process), Some(shell.id()));
        assert!(end_of_group(shell.id(), shell.id()));
        assert!(!shell.wait().unwrap().success());
    }
}
