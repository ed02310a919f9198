//! The sockets that a process group holds, as `/proc` tells.

use std::collections::HashSet;
use std::fs;
use std::net::SocketAddr;
use std::path::Path;

use super::socket;

/// A process group, and what was last found in it.
#[derive(Debug)]
pub(super) struct Group {
    leader: u32,
    /// The process that held the latest socket: in Chromium one process, the network service, holds all of them.
    likely: Option<u32>,
    /// Inodes of the sockets that it held. What is in here was the group's, and an inode is not used again while its
    /// socket is open, so that a hit needs no second look.
    held: HashSet<u64>,
}

// === impl Group ===

impl Group {
    pub(super) fn new(leader: u32) -> Group {
        Group { leader, likely: None, held: HashSet::new() }
    }

    /// Whether a process of the group holds the socket at `peer` that is connected to `local`.
    pub(super) fn holds(&mut self, peer: SocketAddr, local: SocketAddr) -> bool {
        let Some(inode) = socket::inode(peer, local) else { return false };
        if self.held.contains(&inode) {
            return true;
        }
        let likely = self.likely.filter(|process| group_of(*process) == Some(self.leader));
        likely.is_some_and(|process| self.look_into(process, inode)) || self.look_into_others(likely, inode)
    }

    fn look_into_others(&mut self, seen: Option<u32>, inode: u64) -> bool {
        let Ok(processes) = fs::read_dir("/proc") else { return false };
        let ids = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let leader = self.leader;
        let mut members = ids.filter(|process| Some(*process) != seen && group_of(*process) == Some(leader));
        members.any(|process| self.look_into(process, inode))
    }

    fn look_into(&mut self, process: u32, inode: u64) -> bool {
        let held = sockets_of(process);
        let found = held.contains(&inode);
        if found {
            (self.likely, self.held) = (Some(process), held);
        }
        found
    }
}

/// The group that a process belongs to.
fn group_of(process: u32) -> Option<u32> {
    let stat = fs::read(Path::new("/proc").join(process.to_string()).join("stat")).ok()?;
    // The second field is the program's name in parentheses, and may hold any bytes; then come state, parent, group.
    let after_name = stat.iter().rposition(|byte| *byte == b')')? + 1;
    std::str::from_utf8(&stat[after_name..]).ok()?.split_ascii_whitespace().nth(2)?.parse().ok()
}

/// The inodes of a process's sockets; none if it is gone or another user's.
fn sockets_of(process: u32) -> HashSet<u64> {
    let Ok(descriptors) = fs::read_dir(Path::new("/proc").join(process.to_string()).join("fd")) else {
        return HashSet::new();
    };
    let links = descriptors.flatten().filter_map(|descriptor| fs::read_link(descriptor.path()).ok());
    links.filter_map(|link| link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()).collect()
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
        assert!(group.holds(second.local_addr().unwrap(), local), "opened after the first look");
        let mut other = Group::new(own + 1);
        assert!(!other.holds(first.local_addr().unwrap(), local));
        let gone = second.local_addr().unwrap();
        drop(second);
        assert!(!Group::new(own).holds(gone, local), "closed: nobody's");
    }
}
