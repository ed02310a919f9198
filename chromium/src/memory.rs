//! How much memory a browser's processes have for themselves.

use std::fs;
use std::path::Path;

use crate::group::processes_of_group;

/// The memory that the processes of a group have to themselves, in bytes: what is mapped from files (the executable,
/// mostly) is shared by all of them and left out. 0 for a group that is gone.
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
    fn a_group_is_found_and_one_that_is_gone_has_nothing() {
        let own = u32::try_from(getpgrp().as_raw()).unwrap();
        assert!(memory_of_group(own) > 100 * 1024, "this test runs in its own group");
        assert_eq!(memory_of_group(u32::MAX), 0);
    }
}
