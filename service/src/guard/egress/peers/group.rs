//! The sockets that a process group holds, as `/proc` tells.

use std::collections::VecDeque;
use std::fs;
use std::net::SocketAddr;

use porthole_chromium::{group_of, processes_of_group};

use super::socket;

/// How many descriptors may be looked at without a thread for blocking work: some dozen microseconds.
const SOON_LOOKED_AT_MAX: usize = 64;
/// How many descriptors are remembered.
const REMEMBERED_MAX: usize = 4;

/// A process group, and where in it the latest sockets were found.
#[derive(Debug)]
pub(super) struct Group {
    leader: u32,
    /// The process that held the latest socket: in Chromium one process, the network service, holds all of them.
    likely: Option<u32>,
    /// Under which of its descriptors that was, the latest first: mostly the next one is there, too.
    remembered: VecDeque<u32>,
}

// === impl Group ===

impl Group {
    pub(super) fn new(leader: u32) -> Group {
        Group { leader, likely: None, remembered: VecDeque::new() }
    }

    /// Whether the process that held the latest socket holds the one at `peer` that is connected to `local`, too. Takes
    /// some dozen microseconds; `false` where that is not known, or not to be known as quickly.
    pub(super) fn soon_known_to_hold(&mut self, peer: SocketAddr, local: SocketAddr) -> bool {
        let Some(likely) = self.likely() else { return false };
        let Some(inode) = socket::soon_known_inode(peer, local) else { return false };
        self.remembered.iter().any(|descriptor| socket_at(likely, *descriptor) == Some(inode))
            || self.look_into(likely, inode, SOON_LOOKED_AT_MAX)
    }

    /// Whether any process of the group holds it. Goes through all processes of the machine, if need be.
    pub(super) fn holds(&mut self, peer: SocketAddr, local: SocketAddr) -> bool {
        let Some(inode) = socket::inode(peer, local) else { return false };
        let likely = self.likely();
        likely.is_some_and(|process| self.look_into(process, inode, usize::MAX)) || self.look_into_others(likely, inode)
    }

    /// The process that held the latest socket, if it still is one of the group.
    fn likely(&self) -> Option<u32> {
        self.likely.filter(|process| group_of(*process) == Some(self.leader))
    }

    fn look_into_others(&mut self, seen: Option<u32>, inode: u64) -> bool {
        let mut members = processes_of_group(self.leader).filter(|process| Some(*process) != seen);
        members.any(|process| self.look_into(process, inode, usize::MAX))
    }

    /// Looks at as many of a process's descriptors, from the highest on: most are older than the socket asked for.
    fn look_into(&mut self, process: u32, inode: u64, looked_at_max: usize) -> bool {
        let mut descriptors = descriptors_of(process);
        descriptors.sort_unstable_by(|a, b| b.cmp(a));
        descriptors.truncate(looked_at_max);
        let Some(found) = descriptors.into_iter().find(|descriptor| socket_at(process, *descriptor) == Some(inode))
        else {
            return false;
        };
        self.remembered.retain(|known| *known != found);
        self.remembered.push_front(found);
        self.remembered.truncate(REMEMBERED_MAX);
        self.likely = Some(process);
        true
    }
}

/// A process's descriptors; none if it is gone or another user's.
fn descriptors_of(process: u32) -> Vec<u32> {
    let Ok(listed) = fs::read_dir(format!("/proc/{process}/fd")) else { return Vec::new() };
    listed.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// The inode of the socket that a descriptor stands for, if it does.
fn socket_at(process: u32, descriptor: u32) -> Option<u64> {
    let link = fs::read_link(format!("/proc/{process}/fd/{descriptor}")).ok()?;
    link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::net::{TcpListener, TcpStream};
    use std::process::Command;

    use super::*;

    /// Set for a process that has no descriptors but those of one test.
    const ALONE: &str = "PORTHOLE_TEST_ALONE";

    #[test]
    fn a_socket_is_found_in_its_own_group_only() {
        // Other tests of this process open thousands of descriptors meanwhile.
        let mut alone = Command::new(env::current_exe().unwrap());
        alone.args(["--exact", "guard::egress::peers::group::tests::alone", "--ignored", "--nocapture"]);
        let output = alone.env(ALONE, "1").output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{said}");
    }

    #[test]
    #[ignore = "runs in a process of its own, started by another test"]
    fn alone() {
        assert!(env::var_os(ALONE).is_some(), "only in a process of its own");
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let local = listener.local_addr().unwrap();
        let first = TcpStream::connect(local).unwrap();
        let own = group_of(std::process::id()).unwrap();
        assert_eq!(group_of(u32::MAX), None);
        let mut group = Group::new(own);
        assert!(group.holds(first.local_addr().unwrap(), local));
        assert_eq!(group.likely, Some(std::process::id()));
        let second = TcpStream::connect(local).unwrap();
        assert!(group.soon_known_to_hold(second.local_addr().unwrap(), local), "opened after the first look");
        let third = TcpStream::connect(local).unwrap();
        assert!(group.holds(third.local_addr().unwrap(), local));
        let mut other = Group::new(own + 1);
        assert!(!other.holds(first.local_addr().unwrap(), local));
        other.likely = Some(std::process::id());
        assert!(!other.soon_known_to_hold(first.local_addr().unwrap(), local), "a process of another group");
        let fourth = TcpStream::connect(local).unwrap();
        let gone = second.local_addr().unwrap();
        drop(second);
        assert!(!Group::new(own).holds(gone, local), "closed: nobody's");
        let _later: Vec<_> = (0..=SOON_LOOKED_AT_MAX).map(|_| TcpStream::connect(local).unwrap()).collect();
        assert!(!group.soon_known_to_hold(fourth.local_addr().unwrap(), local), "too many to look at at once");
        assert!(group.soon_known_to_hold(third.local_addr().unwrap(), local), "but this one is where the latest was");
        assert!(group.holds(fourth.local_addr().unwrap(), local));
    }
}
