//! Client networks: the unit of limits and rates by address, and the trusted proxies that are exempt from them.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

use ipnet::IpNet;

/// Prefix length of one customer's IPv6 network (RFC 6177: a site gets a /64 or more).
const IPV6_NETWORK_BITS: u32 = 64;

/// One IPv4 address, or one IPv6 /64: a client with one address of a /64 can use all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClientNetwork(IpAddr);

impl ClientNetwork {
    /// Returns the network of this address. An IPv4-mapped IPv6 address counts as the IPv4 address.
    #[must_use]
    pub fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(address) => {
                let host_bits = Ipv6Addr::BITS - IPV6_NETWORK_BITS;
                IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> host_bits << host_bits))
            }
            address @ IpAddr::V4(_) => address,
        })
    }
}

impl fmt::Display for ClientNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Addresses of proxies that forward the requests of many callers.
#[derive(Clone, Debug, Default)]
pub struct TrustedProxies(Arc<[IpNet]>);

impl TrustedProxies {
    /// Reads one entry: an IP address, or a range in CIDR notation.
    #[must_use]
    pub fn parse(text: &str) -> Option<IpNet> {
        text.parse().ok().or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from))
    }

    /// Whether this is the address of a trusted proxy.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|range| range.contains(&address))
    }
}

impl FromIterator<IpNet> for TrustedProxies {
    fn from_iter<T: IntoIterator<Item = IpNet>>(ranges: T) -> Self {
        Self(ranges.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> ClientNetwork {
        ClientNetwork::of(text.parse().unwrap())
    }

    #[test]
    fn ipv4_counts_by_address_and_ipv6_by_its_first_64_bits() {
        assert_eq!(of("192.0.2.1"), of("::ffff:192.0.2.1"));
        assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:0:0:1"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_ne!(of("127.0.0.1"), of("127.0.0.2"));
        assert_eq!(of("2001:db8::7:1").to_string(), "2001:db8::");
    }

    #[test]
    fn proxies_are_addresses_and_ranges() {
        let proxies: TrustedProxies = ["127.0.0.1", "10.1.0.0/16", "2001:db8::/32"]
            .map(|text| TrustedProxies::parse(text).unwrap())
            .into_iter()
            .collect();
        for (address, trusted) in [
            ("127.0.0.1", true),
            ("::ffff:127.0.0.1", true),
            ("127.0.0.2", false),
            ("10.1.200.3", true),
            ("10.2.0.1", false),
            ("2001:db8:ff::1", true),
            ("::1", false),
        ] {
            assert_eq!(proxies.contains(address.parse().unwrap()), trusted, "{address}");
        }
        for wrong in ["localhost", "10.1.0.0/33", "", "10.1.0.0-10.2.0.0"] {
            assert!(TrustedProxies::parse(wrong).is_none(), "{wrong}");
        }
    }
}
