//! Finds the sockets that a process group holds, in `/proc`.

use std::collections::{HashSet, VecDeque};
use std::fs;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use porthole_chromium::{group_of, processes_of_group};

use super::socket;

/// Descriptors that may be inspected without a thread for blocking work: takes a few dozen microseconds.
const QUICK_DESCRIPTORS_MAX: usize = 64;
/// Number of remembered descriptors.
const REMEMBERED_MAX: usize = 4;
/// How long the sockets that a search came by count as the process's. Chromium opens hundreds of connections at once for
/// a page with as many hosts: one search finds all of them. The kernel gives an inode number a second time only after
/// four billion others.
const SEEN_FOR: Duration = Duration::from_secs(1);

/// A process group, and where in it the latest sockets were found.
#[derive(Debug)]
pub(super) struct Group {
    leader: u32,
    /// The process that held the latest socket: in Chromium one process, the network service, holds all of them.
    likely: Option<u32>,
    /// The descriptors under which it held sockets, latest first: the next socket mostly reuses one of them.
    remembered: VecDeque<u32>,
    /// The inodes of all sockets that the latest search came by in that process, and when it began.
    seen: Option<(Instant, HashSet<u64>)>,
}

// === impl Group ===

impl Group {
    pub(super) fn new(leader: u32) -> Group {
        Group { leader, likely: None, remembered: VecDeque::new(), seen: None }
    }

    /// Returns whether the process that held the latest socket also holds the one at `peer` that is connected to
    /// `local`. Takes a few dozen microseconds; `false` also if that can't be determined so quickly.
    pub(super) fn quickly_holds(&mut self, peer: SocketAddr, local: SocketAddr) -> bool {
        let Some(likely) = self.likely() else { return false };
        let Some(inode) = socket::diagnosed_inode(peer, local) else { return false };
        self.has_seen(inode)
            || self.remembered.iter().any(|descriptor| socket_at(likely, *descriptor) == Some(inode))
            || self.look_into(likely, inode, QUICK_DESCRIPTORS_MAX)
    }

    /// Returns whether any process of the group holds the socket. Searches all processes of the machine if necessary.
    pub(super) fn holds(&mut self, peer: SocketAddr, local: SocketAddr) -> bool {
        let Some(inode) = socket::inode(peer, local) else { return false };
        let likely = self.likely();
        likely.is_some_and(|process| self.look_into(process, inode, usize::MAX)) || self.look_into_others(likely, inode)
    }

    fn has_seen(&self, inode: u64) -> bool {
        self.seen.as_ref().is_some_and(|(begun, inodes)| begun.elapsed() < SEEN_FOR && inodes.contains(&inode))
    }

    /// Returns the process that held the latest socket, if it is still in the group.
    fn likely(&self) -> Option<u32> {
        self.likely.filter(|process| group_of(*process) == Some(self.leader))
    }

    fn look_into_others(&mut self, seen: Option<u32>, inode: u64) -> bool {
        let mut members = processes_of_group(self.leader).filter(|process| Some(*process) != seen);
        members.any(|process| self.look_into(process, inode, usize::MAX))
    }

    /// Searches up to `descriptors_max` of a process's descriptors, from the highest on: most others are older than the
    /// socket.
    fn look_into(&mut self, process: u32, inode: u64, descriptors_max: usize) -> bool {
        let begun = Instant::now();
        let mut descriptors = descriptors_of(process);
        descriptors.sort_unstable_by(|a, b| b.cmp(a));
        descriptors.truncate(descriptors_max);
        let sockets: Vec<(u32, u64)> = descriptors
            .into_iter()
            .filter_map(|descriptor| Some((descriptor, socket_at(process, descriptor)?)))
            .collect();
        let Some((found, _)) = sockets.iter().copied().find(|(_, of)| *of == inode) else { return false };
        self.remembered.retain(|known| *known != found);
        self.remembered.push_front(found);
        self.remembered.truncate(REMEMBERED_MAX);
        self.seen = Some((begun, sockets.into_iter().map(|(_, inode)| inode).collect()));
        self.likely = Some(process);
        true
    }
}

/// Returns a process's descriptors; none if it has ended or belongs to another user.
fn descriptors_of(process: u32) -> Vec<u32> {
    let Ok(listed) = fs::read_dir(format!("/proc/{process}/fd")) else { return Vec::new() };
    listed.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// Returns the inode of the socket behind a descriptor, if it is a socket.
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
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && stdout.contains("1 passed"), "{stdout}");
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
        assert!(group.quickly_holds(second.local_addr().unwrap(), local), "opened after the first look");
        let third = TcpStream::connect(local).unwrap();
        assert!(group.holds(third.local_addr().unwrap(), local));
        let mut other = Group::new(own + 1);
        assert!(!other.holds(first.local_addr().unwrap(), local));
        other.likely = Some(std::process::id());
        assert!(!other.quickly_holds(first.local_addr().unwrap(), local), "a process of another group");
        let fourth = TcpStream::connect(local).unwrap();
        let gone = second.local_addr().unwrap();
        drop(second);
        assert!(!Group::new(own).holds(gone, local), "a closed socket has no holder");
        let later: Vec<_> = (0..=QUICK_DESCRIPTORS_MAX).map(|_| TcpStream::connect(local).unwrap()).collect();
        assert!(!group.quickly_holds(fourth.local_addr().unwrap(), local), "too many descriptors for the quick search");
        assert!(group.quickly_holds(third.local_addr().unwrap(), local), "but this one has a remembered descriptor");
        assert!(group.holds(fourth.local_addr().unwrap(), local));
        for stream in &later {
            assert!(group.quickly_holds(stream.local_addr().unwrap(), local), "the last search came by it");
        }
        let (begun, seen) = group.seen.take().unwrap();
        assert!(seen.len() > QUICK_DESCRIPTORS_MAX, "{seen:?}");
        group.seen = Some((begun.checked_sub(SEEN_FOR).unwrap(), seen));
        assert!(!group.has_seen(socket::inode(fourth.local_addr().unwrap(), local).unwrap()), "too long ago");
    }
}
