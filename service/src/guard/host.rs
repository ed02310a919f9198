//! The addresses of this host. Traffic to one of them never leaves the host: it goes over `lo` and bypasses firewall
//! rules for outside interfaces, so no page may reach one, on any port.
//!
//! Each judgement asks the kernel, since addresses change (DHCP, IPv6 privacy addresses, tunnels). Public addresses
//! that a NAT elsewhere maps to this host are not visible here; operators deny them with `PORTHOLE_DENY_CIDRS`.

use std::fmt;
use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::Arc;

use ipnet::IpNet;
use nix::errno::Errno;
use nix::ifaddrs::getifaddrs;

use super::address::block;
use super::deny::DenyCidrs;

/// Addresses that no host can have (RFC 1112 class E, RFC 6666 discard). If a socket can be bound to one, the kernel
/// allows binding to any address (`net.ipv4.ip_nonlocal_bind`), and binding proves nothing.
const NEVER_ASSIGNED: (Ipv4Addr, Ipv6Addr) = (Ipv4Addr::new(240, 0, 0, 1), Ipv6Addr::new(0x100, 0, 0, 0, 0, 0, 0, 1));

/// Knows which addresses this host has.
#[derive(Clone)]
pub struct HostAddresses(Source);

#[derive(Clone)]
enum Source {
    Kernel,
    /// Given by a test.
    Given(Arc<dyn Fn(IpAddr) -> bool + Send + Sync>),
}

// === impl HostAddresses ===

impl HostAddresses {
    /// Uses this function in place of the kernel, for tests.
    #[must_use]
    pub fn given(has: impl Fn(IpAddr) -> bool + Send + Sync + 'static) -> HostAddresses {
        HostAddresses(Source::Given(Arc::new(has)))
    }

    /// Returns whether packets to this address stay on this host; `true` in doubt.
    ///
    /// The answer follows the kernel's `local` routing table, so it covers addresses of every interface and routes
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
    /// Asks the kernel of this host.
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

/// Returns the public networks that this host belongs to and that the operator does not deny, for the warning at
/// start. Other members of such a network may trust this host more than they trust the internet.
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

/// Returns whether a socket can be bound to this address. No packet is sent.
fn is_bindable(address: IpAddr) -> bool {
    match UdpSocket::bind(SocketAddr::new(address, 0)) {
        Ok(_) => true,
        Err(error) => {
            let no_such_family = error.raw_os_error() == Some(Errno::EAFNOSUPPORT as i32);
            error.kind() != ErrorKind::AddrNotAvailable && !no_such_family
        }
    }
}

/// Returns whether this family allows binding to any address, so that binding proves nothing.
fn any_is_bindable(ipv4: bool) -> bool {
    is_bindable(if ipv4 { NEVER_ASSIGNED.0.into() } else { NEVER_ASSIGNED.1.into() })
}

fn is_of_an_interface(address: IpAddr) -> bool {
    interface_networks().is_none_or(|networks| networks.iter().any(|network| network.addr() == address))
}

/// Returns the address of each interface with its prefix length; `None` if the kernel does not list them.
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
    fn public_networks_that_are_not_denied_are_named_once() {
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
