//! Finds the inode of a socket by the two addresses of its connection.
//!
//! The kernel's socket diagnostics answer this for one connection in a few microseconds. `/proc/net/tcp` takes
//! milliseconds on a large machine, even with few connections, and is read where diagnostics are forbidden.

use std::fs;
use std::net::{SocketAddr, SocketAddrV4};
use std::os::fd::AsRawFd as _;

use nix::sys::socket::{AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType, recv, send, socket};

// include/uapi/linux/{netlink,sock_diag,inet_diag}.h: numbers in host byte order, ports and addresses in network byte
// order.
const SOCK_DIAG_BY_FAMILY: u16 = 20;
const NLM_F_REQUEST: u16 = 1;
const AF_INET: u8 = 2;
const IPPROTO_TCP: u8 = 6;
const REQUEST_BYTES: u32 = 72;
const HEADER_BYTES: usize = 16;
const MESSAGE_TYPE_AT: usize = 4;
/// Offset of `idiag_inode` of `struct inet_diag_msg`, counted from the netlink header.
const INODE_AT: usize = HEADER_BYTES + 4 + 48 + 16;
const ANSWER_MAX_BYTES: usize = 1024;

/// Returns the inode of the socket at `peer` that is connected to `local`; `None` if it no longer exists.
pub(super) fn inode(peer: SocketAddr, local: SocketAddr) -> Option<u64> {
    let (SocketAddr::V4(peer), SocketAddr::V4(local)) = (peer, local) else { return None };
    match diagnosed(peer, local) {
        Ok(inode) => inode,
        Err(_) => listed(&fs::read_to_string("/proc/net/tcp").ok()?, peer, local),
    }
    .filter(|inode| *inode != 0)
}

/// Returns the same by the kernel's diagnostics alone, which are fast. `None` also where they are forbidden.
pub(super) fn diagnosed_inode(peer: SocketAddr, local: SocketAddr) -> Option<u64> {
    let (SocketAddr::V4(peer), SocketAddr::V4(local)) = (peer, local) else { return None };
    diagnosed(peer, local).ok()?.filter(|inode| *inode != 0)
}

/// Asks the kernel. An error means that the question failed; `None` means that there is no such socket.
fn diagnosed(peer: SocketAddrV4, local: SocketAddrV4) -> nix::Result<Option<u64>> {
    let netlink = socket(AddressFamily::Netlink, SockType::Raw, SockFlag::SOCK_CLOEXEC, SockProtocol::NetlinkSockDiag)?;
    send(netlink.as_raw_fd(), &request(peer, local), MsgFlags::empty())?;
    let mut answer = [0; ANSWER_MAX_BYTES];
    // The kernel answers before `send` returns, so there is no need to wait.
    let length = recv(netlink.as_raw_fd(), &mut answer, MsgFlags::MSG_DONTWAIT)?;
    let answer = &answer[..length];
    let number = |at: usize| Some(u32::from_ne_bytes(answer.get(at..at + 4)?.try_into().ok()?));
    let kind = answer.get(MESSAGE_TYPE_AT..MESSAGE_TYPE_AT + 2).and_then(|kind| kind.try_into().ok());
    if kind.map(u16::from_ne_bytes) == Some(SOCK_DIAG_BY_FAMILY) {
        return Ok(number(INODE_AT).map(u64::from));
    }
    // `NLMSG_ERROR`: the error number, negative.
    const ENOENT: u32 = (-(nix::errno::Errno::ENOENT as i32)).cast_unsigned();
    if number(HEADER_BYTES) == Some(ENOENT) { Ok(None) } else { Err(nix::errno::Errno::ENOTSUP) }
}

fn request(peer: SocketAddrV4, local: SocketAddrV4) -> Vec<u8> {
    const ADDRESS_REST: [u8; 12] = [0; 12];
    let mut request = Vec::new();
    // struct nlmsghdr
    request.extend(REQUEST_BYTES.to_ne_bytes());
    request.extend(SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    request.extend(NLM_F_REQUEST.to_ne_bytes());
    request.extend([0; 8]);
    // struct inet_diag_req_v2: family, protocol, extensions, states
    request.extend([AF_INET, IPPROTO_TCP, 0, 0]);
    request.extend(u32::MAX.to_ne_bytes());
    // struct inet_diag_sockid: ports, addresses, any interface, no cookie
    request.extend(peer.port().to_be_bytes());
    request.extend(local.port().to_be_bytes());
    for address in [peer.ip(), local.ip()] {
        request.extend(address.octets());
        request.extend(ADDRESS_REST);
    }
    request.extend([0; 4]);
    request.extend([0xff; 8]);
    request
}

/// Looks the connection up in the text of `/proc/net/tcp`.
fn listed(table: &str, peer: SocketAddrV4, local: SocketAddrV4) -> Option<u64> {
    /// Fields between the second address and the inode.
    const FIELDS_BETWEEN: usize = 6;
    let hex =
        |address: &SocketAddrV4| format!("{:08X}:{:04X}", u32::from_ne_bytes(address.ip().octets()), address.port());
    let (peer, local) = (hex(&peer), hex(&local));
    table.lines().find_map(|line| {
        let mut fields = line.split_ascii_whitespace();
        let ours = fields.nth(1) == Some(peer.as_str()) && fields.next() == Some(local.as_str());
        ours.then(|| fields.nth(FIELDS_BETWEEN)?.parse().ok()).flatten()
    })
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, TcpListener, TcpStream};
    use std::os::fd::AsFd as _;

    use super::*;

    fn v4(address: SocketAddr) -> SocketAddrV4 {
        match address {
            SocketAddr::V4(address) => address,
            SocketAddr::V6(address) => panic!("{address}"),
        }
    }

    #[test]
    fn both_ways_find_the_inode_that_the_descriptor_has() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let local = v4(listener.local_addr().unwrap());
        let stream = TcpStream::connect(local).unwrap();
        let peer = v4(stream.local_addr().unwrap());
        let link = fs::read_link(format!("/proc/self/fd/{}", stream.as_fd().as_raw_fd())).unwrap();
        let expected = link.to_str().unwrap()["socket:[".len()..].trim_end_matches(']').parse().ok();
        assert_eq!(inode(peer.into(), local.into()), expected);
        let table = fs::read_to_string("/proc/net/tcp").unwrap();
        assert_eq!(listed(&table, peer, local), expected);
        // If this machine has diagnostics, they must agree, and find no socket that does not exist.
        if let Ok(found) = diagnosed(peer, local) {
            assert_eq!(found, expected);
            assert_eq!(diagnosed_inode(peer.into(), local.into()), expected);
            let absent = SocketAddrV4::new(Ipv4Addr::new(127, 77, 0, 1), 9);
            assert_eq!(diagnosed(absent, local), Ok(None));
        }
    }
}
