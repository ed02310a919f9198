//! The addresses of this host. Traffic to one of them never leaves the host: it goes over `lo`, past every firewall rule
//! for an outside interface, so no page may reach one, whatever the port.
//!
//! The kernel is asked at each judgement; nothing is remembered, since addresses come and go (DHCP, IPv6 privacy
//! addresses, tunnels). Public addresses that a NAT elsewhere holds for this host can't be seen from here: these are what
//! `PORTHOLE_DENY_CIDRS` is for.

use std::fmt;
use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::Arc;

use ipnet::IpNet;
use nix::errno::Errno;
use nix::ifaddrs::getifaddrs;

use super::address::block;
use super::policy::DenyCidrs;

/// Addresses that no host can have (RFC 1112 class E, RFC 6666 discard). A socket that can be bound to one shows that the
/// kernel lets any address be bound (`net.ipv4.ip_nonlocal_bind`), and then binding proves nothing.
const NEVER_ASSIGNED: (Ipv4Addr, Ipv6Addr) = (Ipv4Addr::new(240, 0, 0, 1), Ipv6Addr::new(0x100, 0, 0, 0, 0, 0, 0, 1));

/// Knows which addresses this host has. Clones are the same.
#[derive(Clone)]
pub struct HostAddresses(Source);

#[derive(Clone)]
enum Source {
    Kernel,
    /// A test's.
    Given(Arc<dyn Fn(IpAddr) -> bool + Send + Sync>),
}

// === impl HostAddresses ===

impl HostAddresses {
    /// Addresses by this function instead of the kernel's word, for tests.
    #[must_use]
    pub fn given(has: impl Fn(IpAddr) -> bool + Send + Sync + 'static) -> HostAddresses {
        HostAddresses(Source::Given(Arc::new(has)))
    }

    /// Whether packets to this address stay on this host. Any doubt counts as yes.
    ///
    /// The answer is that of the kernel's `local` routing table, so it covers addresses of every interface and routes
    /// such as `ip route add local 198.51.100.0/24 dev lo`, which belong to no interface.
    #[must_use]
    pub fn has(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        match &self.0 {
            Source::Given(has) => has(address),
            Source::Kernel => {
                address.is_loopback()
                    || address.is_unspecified()
                    || (is_bindable(address) && (!any_is_bindable(address.is_ipv4()) || is_of_an_interface(address)))
            }
        }
    }
}

impl Default for HostAddresses {
    /// This host, by the kernel's word.
    fn default() -> Self {
        HostAddresses(Source::Kernel)
    }
}

impl fmt::Debug for HostAddresses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Source::Kernel => "HostAddresses(kernel)",
            Source::Given(_) => "HostAddresses(given)",
        })
    }
}

/// Public networks that this host is in and that the operator does not deny, for the warning at start. Their other
/// members may trust a neighbour more than they trust the internet.
#[must_use]
pub fn undenied_networks(deny: &DenyCidrs) -> Vec<IpNet> {
    undenied(interface_networks().unwrap_or_default(), deny)
}

fn undenied(networks: Vec<IpNet>, deny: &DenyCidrs) -> Vec<IpNet> {
    let mut undenied: Vec<IpNet> = networks
        .into_iter()
        .filter(|network| block(network.addr()).is_none())
        .map(|network| network.trunc())
        .filter(|network| !deny.covers(network))
        .collect();
    undenied.sort();
    undenied.dedup();
    undenied
}

/// Whether a socket can be bound to this address. No packet leaves.
fn is_bindable(address: IpAddr) -> bool {
    match UdpSocket::bind(SocketAddr::new(address, 0)) {
        Ok(_) => true,
        Err(error) => {
            let no_such_family = error.raw_os_error() == Some(Errno::EAFNOSUPPORT as i32);
            error.kind() != ErrorKind::AddrNotAvailable && !no_such_family
        }
    }
}

/// Whether binding proves nothing in this family.
fn any_is_bindable(ipv4: bool) -> bool {
    is_bindable(if ipv4 { NEVER_ASSIGNED.0.into() } else { NEVER_ASSIGNED.1.into() })
}

fn is_of_an_interface(address: IpAddr) -> bool {
    interface_networks().is_none_or(|networks| networks.iter().any(|network| network.addr() == address))
}

/// The address of each interface with its prefix length; `None` where the kernel does not say.
fn interface_networks() -> Option<Vec<IpNet>> {
    let ip = |storage: &nix::sys::socket::SockaddrStorage| -> Option<IpAddr> {
        let v4 = storage.as_sockaddr_in().map(|address| IpAddr::from(address.ip()));
        v4.or_else(|| storage.as_sockaddr_in6().map(|address| address.ip().into()))
    };
    let interfaces = getifaddrs().ok()?;
    let network = |interface: nix::ifaddrs::InterfaceAddress| {
        let address = ip(interface.address.as_ref()?)?;
        let whole = if address.is_ipv4() { 32 } else { 128 };
        let prefix = interface.netmask.as_ref().and_then(ip).and_then(|mask| ipnet::ip_mask_to_prefix(mask).ok());
        IpNet::new(address, prefix.unwrap_or(whole)).ok()
    };
    Some(interfaces.filter_map(network).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn the_kernel_knows_the_hosts_addresses() {
        let host = HostAddresses::default();
        for own in ["127.0.0.1", "127.9.9.9", "::1", "0.0.0.0", "::", "::ffff:127.0.0.1"] {
            assert!(host.has(ip(own)), "{own}");
        }
        for interface in interface_networks().unwrap() {
            // An address whose duplicate detection is under way is not usable yet.
            if interface.addr().is_ipv4() {
                assert!(host.has(interface.addr()), "{interface}");
            }
        }
        for other in ["93.184.216.34", "2606:4700:4700::1111", "240.0.0.1"] {
            assert!(!host.has(ip(other)), "{other}");
        }
    }

    #[test]
    fn public_networks_that_nobody_denies_are_named_once() {
        let networks =
            ["93.184.215.14/24", "93.184.215.15/24", "10.1.2.3/8", "2a00:1450::5/64", "fe80::1/64", "1.1.1.1/32"];
        let networks: Vec<IpNet> = networks.iter().map(|network| network.parse().unwrap()).collect();
        let named = |deny: &str| -> Vec<String> {
            let named = undenied(networks.clone(), &DenyCidrs::parse(deny).unwrap());
            named.iter().map(ToString::to_string).collect()
        };
        assert_eq!(named(""), ["1.1.1.1/32", "93.184.215.0/24", "2a00:1450::/64"]);
        assert_eq!(named("93.184.0.0/16,2a00:1450::/32,1.1.1.1"), Vec::<String>::new());
        assert_eq!(named("93.184.215.14/32,1.0.0.0/8,2a00:1450::/64"), ["93.184.215.0/24"], "a part is not the whole");
    }
}
