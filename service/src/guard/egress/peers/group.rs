//! The sockets that a process group holds, as `/proc` tells.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use porthole_chromium::{group_of, processes_of_group};

use super::socket;

/// How many sockets may be looked through at once, without a thread for blocking work: some dozen microseconds.
const SOON_KNOWN_MAX: usize = 64;
/// How many descriptors are looked at before all of them are.
const DESCRIPTORS_MAX: usize = 4;

/// A process group, and what was last found in it.
#[derive(Debug)]
pub(super) struct Group {
    leader: u32,
    /// The process that held the latest socket: in Chromium one process, the network service, holds all of them.
    likely: Option<u32>,
    /// Inodes of the sockets that it held. What is in here was the group's, and an inode is not used again while its
    /// socket is open, so that a hit needs no second look.
    held: HashSet<u64>,
    /// Under which of its descriptors that was, the latest first: mostly the next one is there, too.
    descriptors: VecDeque<u32>,
}

// === impl Group ===

impl Group {
    pub(super) fn new(leader: u32) -> Group {
        Group { leader, likely: None, held: HashSet::new(), descriptors: VecDeque::new() }
    }

    /// Whether the process that held the latest socket holds the one at `peer` that is connected to `local`, too. Takes
    /// some dozen microseconds; `false` where that is not known, or not to be known as quickly.
    pub(super) fn soon_known_to_hold(&mut self, peer: SocketAddr, local: SocketAddr) -> bool {
        let Some(likely) = self.likely() else { return false };
        let Some(inode) = socket::soon_known_inode(peer, local) else { return false };
        let is_there =
            |descriptor: &u32| socket_at(&descriptors_of(likely).join(descriptor.to_string())) == Some(inode);
        self.held.contains(&inode)
            || self.descriptors.iter().any(is_there)
            || self.held.len() <= SOON_KNOWN_MAX && self.look_into(likely, inode)
    }

    /// Whether any process of the group holds it. Goes through all processes of the machine, if need be.
    pub(super) fn holds(&mut self, peer: SocketAddr, local: SocketAddr) -> bool {
        let Some(inode) = socket::inode(peer, local) else { return false };
        let likely = self.likely();
        likely.is_some_and(|process| self.look_into(process, inode)) || self.look_into_others(likely, inode)
    }

    /// The process that held the latest socket, if it still is one of the group.
    fn likely(&self) -> Option<u32> {
        self.likely.filter(|process| group_of(*process) == Some(self.leader))
    }

    fn look_into_others(&mut self, seen: Option<u32>, inode: u64) -> bool {
        let mut members = processes_of_group(self.leader).filter(|process| Some(*process) != seen);
        members.any(|process| self.look_into(process, inode))
    }

    fn look_into(&mut self, process: u32, inode: u64) -> bool {
        let held = sockets_of(process);
        let Some(descriptor) = held.get(&inode).copied() else { return false };
        self.descriptors.retain(|known| *known != descriptor);
        self.descriptors.push_front(descriptor);
        self.descriptors.truncate(DESCRIPTORS_MAX);
        (self.likely, self.held) = (Some(process), held.into_keys().collect());
        true
    }
}

/// A process's sockets, their descriptors by their inodes; none if it is gone or another user's.
fn sockets_of(process: u32) -> HashMap<u64, u32> {
    let Ok(descriptors) = fs::read_dir(descriptors_of(process)) else { return HashMap::new() };
    let sockets = descriptors
        .flatten()
        .filter_map(|entry| Some((socket_at(&entry.path())?, entry.file_name().to_str()?.parse().ok()?)));
    sockets.collect()
}

fn descriptors_of(process: u32) -> PathBuf {
    Path::new("/proc").join(process.to_string()).join("fd")
}

/// The inode of the socket that a descriptor stands for, if it does.
fn socket_at(descriptor: &Path) -> Option<u64> {
    fs::read_link(descriptor).ok()?.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn a_socket_is_found_in_its_own_group_only() {
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
        group.held = (0..).take(SOON_KNOWN_MAX + 1).collect();
        assert!(!group.soon_known_to_hold(fourth.local_addr().unwrap(), local), "too many to look through at once");
        assert!(group.soon_known_to_hold(third.local_addr().unwrap(), local), "but this one is where the latest was");
        assert!(group.holds(fourth.local_addr().unwrap(), local));
    }
}
