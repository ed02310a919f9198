//! A stub resolver that follows the system's files: `/etc/hosts` first, then the servers of `/etc/resolv.conf`, with
//! its search list and options. It does what glibc's `getaddrinfo` does with `hosts: files dns`, but as a future:
//! dropping a look-up closes its sockets and leaves nothing behind, where `getaddrinfo` keeps a thread until it gives
//! up. Look-ups share no state, and nothing is cached.
//!
//! [`files`] reads the two files, [`exchange`] sends one question to one server.

mod exchange;
mod files;
#[cfg(test)]
mod tests;

use std::net::{IpAddr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::Duration;

use simple_dns::TYPE;

use self::exchange::Failure;
pub(super) use self::files::{Servers, SystemFiles};

/// Longest wait for one server's answer; `resolv.conf` may set less. With its default of 5 s, a dead first server
/// would use up the whole time of a look-up.
const ATTEMPT_TIMEOUT_MAX: Duration = Duration::from_secs(2);

/// Why there are no addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DnsError {
    /// The name does not exist or has no address.
    NotFound,
    /// No server gave an answer.
    Silent,
}

/// Looks up the addresses of this name.
pub(super) async fn look_up(files: &SystemFiles, host: &str) -> Result<Vec<IpAddr>, DnsError> {
    let (hosts, servers) = files.read();
    if let Some(addresses) = hosts.addresses(host) {
        return Ok(addresses.to_vec());
    }
    let mut was_silent = false;
    for name in servers.names(host) {
        let (v4, v6) = tokio::join!(ask(&servers, &name, TYPE::A), ask(&servers, &name, TYPE::AAAA));
        was_silent |= v4 == Err(DnsError::Silent) || v6 == Err(DnsError::Silent);
        let (v4, v6) = (v4.unwrap_or_default(), v6.unwrap_or_default());
        if !(v4.is_empty() && v6.is_empty()) {
            return Ok(in_order(v4, v6));
        }
    }
    Err(if was_silent { DnsError::Silent } else { DnsError::NotFound })
}

/// Asks the servers in order, then all of them again for each further attempt.
async fn ask(servers: &Arc<Servers>, name: &str, kind: TYPE) -> Result<Vec<IpAddr>, DnsError> {
    let timeout = servers.timeout.min(ATTEMPT_TIMEOUT_MAX);
    for _ in 0..servers.attempts {
        for server in &servers.addresses {
            match exchange::ask(*server, name, kind, timeout).await {
                Ok(addresses) => return Ok(addresses),
                Err(Failure::NoSuchName) => return Err(DnsError::NotFound),
                Err(Failure::Unusable(why)) => tracing::debug!(%server, why, "a DNS server gave no usable answer"),
            }
        }
    }
    Err(DnsError::Silent)
}

/// Orders the addresses: IPv6 before IPv4 if this host has a route to it (RFC 6724, rules 1 and 6).
fn in_order(v4: Vec<IpAddr>, v6: Vec<IpAddr>) -> Vec<IpAddr> {
    let first_v6 = v6.first().copied();
    if first_v6.is_some_and(has_route) { [v6, v4].concat() } else { [v4, v6].concat() }
}

/// Returns whether the kernel has a route to this address. Connecting a UDP socket sends nothing.
fn has_route(address: IpAddr) -> bool {
    const ANY_PORT: u16 = 443;
    UdpSocket::bind((Ipv6Addr::UNSPECIFIED, 0))
        .and_then(|socket| socket.connect(SocketAddr::new(address, ANY_PORT)))
        .is_ok()
}
