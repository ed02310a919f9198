//! Measures the anonymous memory of a browser's processes, and ends one that holds too much.

use std::fs;
use std::path::Path;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::group::{group_of, processes};

/// The anonymous memory of a group's processes.
#[derive(Clone, Copy, Debug)]
pub struct GroupMemory {
    /// The group's leader.
    pub leader: u32,
    /// The sum of all, in bytes.
    pub bytes: u64,
    /// The process that has most.
    pub largest: u32,
    /// How much that has, in bytes.
    pub largest_bytes: u64,
}

/// Returns the anonymous memory of a group's processes, in bytes. File mappings (mostly the executable) are shared by
/// all of them and left out. 0 if the group has ended.
#[must_use]
pub fn memory_of_group(leader: u32) -> u64 {
    memory_of_groups(&[leader]).first().map_or(0, |group| group.bytes)
}

/// Measures these groups in one pass; those that have ended are left out.
#[must_use]
pub fn memory_of_groups(leaders: &[u32]) -> Vec<GroupMemory> {
    let mut groups: Vec<GroupMemory> = Vec::new();
    for process in processes() {
        let Some(leader) = group_of(process).filter(|leader| leaders.contains(leader)) else { continue };
        let Some(bytes) = own_bytes(process) else { continue };
        match groups.iter_mut().find(|group| group.leader == leader) {
            Some(group) => {
                group.bytes += bytes;
                if bytes > group.largest_bytes {
                    (group.largest, group.largest_bytes) = (process, bytes);
                }
            }
            None => groups.push(GroupMemory { leader, bytes, largest: process, largest_bytes: bytes }),
        }
    }
    groups
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
        let measured = memory_of_groups(&[shell.id()]);
        assert_eq!(measured.iter().map(|group| group.largest).collect::<Vec<_>>(), [shell.id()]);
        assert_eq!(measured[0].bytes, measured[0].largest_bytes);
        assert!(end_of_group(shell.id(), shell.id()));
        assert!(!shell.wait().unwrap().success());
    }
}
