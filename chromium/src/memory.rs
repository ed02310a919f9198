//! Measures the anonymous memory of a browser's processes.

use std::fs;
use std::path::Path;

use crate::group::processes_of_group;

/// Returns the anonymous memory of a group's processes, in bytes. File mappings (mostly the executable) are shared by
/// all of them and left out. 0 if the group has ended.
#[must_use]
pub fn memory_of_group(leader: u32) -> u64 {
    processes_of_group(leader).filter_map(own_bytes).sum()
}

fn own_bytes(process: u32) -> Option<u64> {
    let status = fs::read_to_string(Path::new("/proc").join(process.to_string()).join("status")).ok()?;
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("RssAnon:")?.split_whitespace().next());
    Some(kilobytes?.parse::<u64>().ok()? * 1024)
}

#[cfg(test)]
mod tests {
    use nix::unistd::getpgrp;

    use super::*;

    #[test]
    fn a_groups_memory_is_summed_and_a_missing_group_has_none() {
        let own = u32::try_from(getpgrp().as_raw()).unwrap();
        assert!(memory_of_group(own) > 100 * 1024, "this test runs in its own group");
        assert_eq!(memory_of_group(u32::MAX), 0);
    }
}
