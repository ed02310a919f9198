//! Measures the memory of a browser's processes, and ends one that holds too much.
//!
//! Each process has anonymous memory of its own. What Chromium's processes share (pictures, pipes, messages) is in memory files:
//! mapped, or held by a descriptor alone. File mappings, mostly the executable, are left out.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::group::{group_of, processes};

/// The memory of a group's processes.
#[derive(Clone, Copy, Debug)]
pub struct GroupMemory {
    /// The group's leader.
    pub leader: u32,
    /// The sum of all, in bytes; what they share is counted once, as far as that can be told.
    pub bytes: u64,
    /// The process that has most. Where another one has nearly as much as the leader, as both ends of a pipe do, it is that one.
    pub largest: u32,
    /// How much that has, in bytes.
    pub largest_bytes: u64,
}

/// What shared memory is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shared {
    /// What a process has mapped.
    Mapped,
    /// Also what it holds by descriptors, each of which is looked at.
    Held,
}

/// Descriptors looked at of one process.
const DESCRIPTORS_MAX: usize = 20_000;
const MEMORY_FILE: &[u8] = b"/memfd:";
/// Of a memory file's `st_blocks`, in bytes.
const BLOCK_BYTES: u64 = 512;

/// A memory file's device and number, with its size in bytes.
type MemoryFiles = HashMap<(u64, u64), u64>;

/// The memory of one process, in bytes.
#[derive(Debug, Default)]
struct ProcessMemory {
    anonymous: u64,
    mapped: u64,
    held: MemoryFiles,
}

/// What is known of a group so far.
struct Group {
    leader: u32,
    leaders_bytes: u64,
    anonymous: u64,
    mapped_max: u64,
    held: MemoryFiles,
    /// The process that has most, but for the leader.
    other: Option<(u32, u64)>,
}

/// Returns the memory of a group's processes, in bytes; see [`Shared::Mapped`]. 0 if the group has ended.
#[must_use]
pub fn memory_of_group(leader: u32) -> u64 {
    memory_of_groups(&[leader], Shared::Mapped).first().map_or(0, |group| group.bytes)
}

/// Measures these groups in one pass; those that have ended are left out.
#[must_use]
pub fn memory_of_groups(leaders: &[u32], shared: Shared) -> Vec<GroupMemory> {
    let mut groups: Vec<Group> = Vec::new();
    for process in processes() {
        let Some(leader) = group_of(process).filter(|leader| leaders.contains(leader)) else { continue };
        let Some(memory) = ProcessMemory::of(process, shared) else { continue };
        let at = groups.iter().position(|group| group.leader == leader).unwrap_or_else(|| {
            groups.push(Group::new(leader));
            groups.len() - 1
        });
        groups[at].add(process, memory);
    }
    groups.iter().map(Group::measured).collect()
}

/// Ends a process at once if it is one of this group. Returns whether it is.
#[must_use]
pub fn end_of_group(leader: u32, process: u32) -> bool {
    let Ok(id) = i32::try_from(process) else { return false };
    group_of(process) == Some(leader) && kill(Pid::from_raw(id), Signal::SIGKILL).is_ok()
}

// === impl ProcessMemory ===

impl ProcessMemory {
    /// Reads what `/proc` tells of a process; `None` if it has ended.
    fn of(process: u32, shared: Shared) -> Option<Self> {
        let folder = Path::new("/proc").join(process.to_string());
        let status = fs::read_to_string(folder.join("status")).ok()?;
        let bytes = |field: &str| {
            let kilobytes = status.lines().find_map(|line| line.strip_prefix(field)?.split_whitespace().next());
            Some(kilobytes?.parse::<u64>().ok()? * 1024)
        };
        let held = if shared == Shared::Held { memory_files(folder.join("fd")) } else { MemoryFiles::new() };
        Some(Self { anonymous: bytes("RssAnon:")?, mapped: bytes("RssShmem:").unwrap_or_default(), held })
    }

    fn bytes(&self) -> u64 {
        self.anonymous + self.mapped.max(self.held.values().sum())
    }
}

/// Lists the memory files that a process holds; none if its descriptors can't be read.
fn memory_files(descriptors: PathBuf) -> MemoryFiles {
    let entries = fs::read_dir(descriptors).into_iter().flatten().take(DESCRIPTORS_MAX).flatten();
    let is_memory = |path: &PathBuf| {
        fs::read_link(path).is_ok_and(|link| link.as_os_str().as_encoded_bytes().starts_with(MEMORY_FILE))
    };
    let files = entries.map(|entry| entry.path()).filter(is_memory).filter_map(|path| fs::metadata(path).ok());
    files.map(|file| ((file.dev(), file.ino()), file.blocks() * BLOCK_BYTES)).collect()
}

// === impl Group ===

impl Group {
    fn new(leader: u32) -> Self {
        Self { leader, leaders_bytes: 0, anonymous: 0, mapped_max: 0, held: MemoryFiles::new(), other: None }
    }

    fn add(&mut self, process: u32, memory: ProcessMemory) {
        let bytes = memory.bytes();
        if process == self.leader {
            self.leaders_bytes = bytes;
        } else if self.other.is_none_or(|(_, most)| bytes > most) {
            self.other = Some((process, bytes));
        }
        self.anonymous += memory.anonymous;
        self.mapped_max = self.mapped_max.max(memory.mapped);
        self.held.extend(memory.held);
    }

    fn measured(&self) -> GroupMemory {
        let bytes = self.anonymous + self.mapped_max.max(self.held.values().sum());
        // Within a quarter.
        let other = self.other.filter(|(_, bytes)| *bytes >= self.leaders_bytes - self.leaders_bytes / 4);
        let (largest, largest_bytes) = other.unwrap_or((self.leader, self.leaders_bytes));
        GroupMemory { leader: self.leader, bytes, largest, largest_bytes }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::os::unix::process::CommandExt as _;
    use std::process::{Command, Stdio};

    use nix::sys::memfd::{MFdFlags, memfd_create};
    use nix::sys::signal::killpg;
    use nix::unistd::getpgrp;

    use crate::group::processes_of_group;

    use super::*;

    #[test]
    fn a_groups_memory_is_summed_and_a_missing_group_has_none() {
        let own = u32::try_from(getpgrp().as_raw()).unwrap();
        assert!(memory_of_group(own) > 100 * 1024, "this test runs in its own group");
        assert_eq!(memory_of_group(u32::MAX), 0);
    }

    #[test]
    fn shared_memory_counts_once_and_also_where_nothing_maps_it() {
        const BYTES: usize = 40 << 20;
        let file: fs::File = memfd_create(c"shared-memory-region", MFdFlags::empty()).unwrap().into();
        (&file).write_all(&vec![1; BYTES]).unwrap();
        // Each holds it by its standard input.
        let holder = || file.try_clone().unwrap();
        let mut shell = Command::new("sh");
        shell.args(["-c", "sleep 100; :"]).stdin(holder()).process_group(0);
        let mut shell = shell.spawn().unwrap();
        drop(file);
        let group = |shared| memory_of_groups(&[shell.id()], shared)[0];
        while processes_of_group(shell.id()).count() < 2 {
            std::thread::yield_now();
        }
        let [mapped, held] = [Shared::Mapped, Shared::Held].map(group);
        let bytes = u64::try_from(BYTES).unwrap();
        assert!(mapped.bytes < bytes, "{mapped:?}");
        assert!((bytes..2 * bytes).contains(&held.bytes), "{held:?}");
        // Both hold it, and the leader is not the one to end.
        assert_ne!(held.largest, held.leader);
        killpg(Pid::from_raw(shell.id().try_into().unwrap()), Signal::SIGKILL).unwrap();
        shell.wait().unwrap();
    }

    #[test]
    fn a_process_is_ended_only_in_its_own_group() {
        let mut shell = Command::new("sh");
        let mut shell = shell.args(["-c", "read -r line"]).stdin(Stdio::piped()).process_group(0).spawn().unwrap();
        let own = u32::try_from(getpgrp().as_raw()).unwrap();
        assert!(!end_of_group(own, shell.id()));
        let measured = memory_of_groups(&[shell.id()], Shared::Held);
        assert_eq!(measured.iter().map(|group| group.largest).collect::<Vec<_>>(), [shell.id()]);
        assert_eq!(measured[0].bytes, measured[0].largest_bytes);
        assert!(end_of_group(shell.id(), shell.id()));
        assert!(!shell.wait().unwrap().success());
    }
}
