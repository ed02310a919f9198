//! Decides whether an address belongs to the public internet, by tables. Nothing here knows URLs, names, settings or
//! DNS.
//!
//! IPv4 is judged by a list of special blocks; all other addresses are public. IPv6 is judged by 2000::/3, the only
//! range that may be public, minus its special blocks: most of IPv6 is unassigned, and an embedded IPv4 address could
//! bypass the IPv4 list. Sources: IANA IPv4 and IPv6 Special-Purpose Address Registries of 2025-10-09, the IANA
//! multicast and reserved spaces, and the clouds' own documents for metadata addresses.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{Ipv4Net, Ipv6Net};

/// Why an address does not belong to the public internet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Block {
    /// A cloud's metadata or host service.
    Metadata,
    /// The host itself.
    Loopback,
    /// "This network", or no address at all.
    Unspecified,
    /// RFC 1918.
    Private,
    /// IPv6 unique local addresses (RFC 4193), and the site-local addresses that they replaced.
    UniqueLocal,
    /// Carrier-grade NAT (RFC 6598).
    Shared,
    /// Valid on one link only.
    LinkLocal,
    /// Reserved for protocols: IETF assignments, AS112, AMT, segment routing, discard.
    Protocol,
    /// Reserved for examples in documentation.
    Documentation,
    /// Reserved for benchmarks of network devices.
    Benchmarking,
    /// Multicast.
    Multicast,
    /// Broadcast, and addresses reserved for future use.
    Reserved,
    /// IPv6 with an IPv4 address inside, or a relay between the two.
    EmbeddedIpv4,
    /// A public address that belongs to this host.
    ThisHost,
    /// In a range that the operator denies.
    Denied,
}

impl Block {
    /// Returns the label for metrics.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Block::Metadata => "metadata",
            Block::Loopback => "loopback",
            Block::Unspecified => "unspecified",
            Block::Private => "private",
            Block::UniqueLocal => "unique_local",
            Block::Shared => "shared",
            Block::LinkLocal => "link_local",
            Block::Protocol => "protocol",
            Block::Documentation => "documentation",
            Block::Benchmarking => "benchmarking",
            Block::Multicast => "multicast",
            Block::Reserved => "reserved",
            Block::EmbeddedIpv4 => "embedded_ipv4",
            Block::ThisHost => "this_host",
            Block::Denied => "denied",
        }
    }
}

/// Completes the sentence "10.0.0.1 is …".
impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Block::Metadata => "a cloud metadata address",
            Block::Loopback => "a loopback address",
            Block::Unspecified => "an unspecified address",
            Block::Private => "a private address",
            Block::UniqueLocal => "a private IPv6 address",
            Block::Shared => "an address of a provider's own network (carrier-grade NAT)",
            Block::LinkLocal => "a link-local address",
            Block::Protocol => "an address reserved for protocols",
            Block::Documentation => "an address reserved for documentation",
            Block::Benchmarking => "an address reserved for benchmarks",
            Block::Multicast => "a multicast address",
            Block::Reserved => "a reserved address",
            Block::EmbeddedIpv4 => "an IPv6 address with an IPv4 address inside",
            Block::ThisHost => "an address of this service's own host",
            Block::Denied => "an address that this service's operator denies",
        })
    }
}

/// Returns why this address is not public; `None` if it is public.
///
/// An IPv4-mapped address (`::ffff:0:0/96`) is dialled as its IPv4 address, so the IPv4 address is judged.
#[must_use]
pub fn block(address: IpAddr) -> Option<Block> {
    match address.to_canonical() {
        IpAddr::V4(address) => IPV4_SPECIAL.iter().find(|(net, _)| net.contains(&address)).map(|(_, block)| *block),
        IpAddr::V6(address) => block_v6(address),
    }
}

fn block_v6(address: Ipv6Addr) -> Option<Block> {
    if let Some((_, block)) = IPV6_SPECIAL.iter().find(|(net, _)| net.contains(&address)) {
        return Some(*block);
    }
    if !GLOBAL_UNICAST.contains(&address) {
        return Some(Block::Reserved);
    }
    carries_isatap(address).then_some(Block::EmbeddedIpv4)
}

/// Detects ISATAP (RFC 5214, 6.1): an interface identifier `::0:5efe:a.b.c.d`, with any universal and group bits.
fn carries_isatap(address: Ipv6Addr) -> bool {
    let [_, _, _, _, high, low, ..] = address.segments();
    high & !0x0300 == 0 && low == 0x5efe
}

const fn v4(a: u8, b: u8, c: u8, d: u8, prefix: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix)
}

const fn v6(segments: [u16; 8], prefix: u8) -> Ipv6Net {
    let [a, b, c, d, e, f, g, h] = segments;
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, d, e, f, g, h), prefix)
}

/// Every IPv4 block that is not public; the first match gives the reason.
const IPV4_SPECIAL: &[(Ipv4Net, Block)] = &[
    // Clouds' metadata and host services: AWS, GCP, Azure, OpenStack and others; ECS and EKS credentials; Oracle;
    // Alibaba; Azure's wire server, the only one in a public range.
    (v4(169, 254, 169, 254, 32), Block::Metadata),
    (v4(169, 254, 170, 2, 32), Block::Metadata),
    (v4(169, 254, 170, 23, 32), Block::Metadata),
    (v4(192, 0, 0, 192, 32), Block::Metadata),
    (v4(100, 100, 100, 200, 32), Block::Metadata),
    (v4(168, 63, 129, 16, 32), Block::Metadata),
    (v4(0, 0, 0, 0, 8), Block::Unspecified),         // RFC 791: this network
    (v4(10, 0, 0, 0, 8), Block::Private),            // RFC 1918
    (v4(100, 64, 0, 0, 10), Block::Shared),          // RFC 6598
    (v4(127, 0, 0, 0, 8), Block::Loopback),          // RFC 1122
    (v4(169, 254, 0, 0, 16), Block::LinkLocal),      // RFC 3927
    (v4(172, 16, 0, 0, 12), Block::Private),         // RFC 1918
    (v4(192, 0, 0, 0, 24), Block::Protocol),         // RFC 6890: IETF protocol assignments
    (v4(192, 0, 2, 0, 24), Block::Documentation),    // RFC 5737
    (v4(192, 31, 196, 0, 24), Block::Protocol),      // RFC 7535: AS112
    (v4(192, 52, 193, 0, 24), Block::Protocol),      // RFC 7450: AMT
    (v4(192, 88, 99, 0, 24), Block::EmbeddedIpv4),   // RFC 7526: 6to4 relays, deprecated
    (v4(192, 168, 0, 0, 16), Block::Private),        // RFC 1918
    (v4(192, 175, 48, 0, 24), Block::Protocol),      // RFC 7534: AS112, direct delegation
    (v4(198, 18, 0, 0, 15), Block::Benchmarking),    // RFC 2544
    (v4(198, 51, 100, 0, 24), Block::Documentation), // RFC 5737
    (v4(203, 0, 113, 0, 24), Block::Documentation),  // RFC 5737
    (v4(224, 0, 0, 0, 4), Block::Multicast),         // RFC 5771
    (v4(240, 0, 0, 0, 4), Block::Reserved),          // RFC 1112, with the limited broadcast address
];

/// The only part of IPv6 that may be public (RFC 4291, 2.4; IANA IPv6 address space).
const GLOBAL_UNICAST: Ipv6Net = v6([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);

/// Blocks within [`GLOBAL_UNICAST`] that are not public, and known blocks outside of it, where every address is
/// refused.
const IPV6_SPECIAL: &[(Ipv6Net, Block)] = &[
    // Within 2000::/3.
    (v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 32), Block::EmbeddedIpv4), // RFC 4380: Teredo
    (v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23), Block::Protocol), // RFC 2928: IETF protocol assignments, ORCHID among them
    (v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32), Block::Documentation), // RFC 3849
    (v6([0x2002, 0, 0, 0, 0, 0, 0, 0], 16), Block::EmbeddedIpv4), // RFC 3056: 6to4
    (v6([0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0], 48), Block::Protocol), // RFC 7534: AS112, direct delegation
    (v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20), Block::Documentation), // RFC 9637
    // Outside 2000::/3: refused in any case; the entries only give the reason.
    (v6([0, 0, 0, 0, 0, 0, 0, 0], 128), Block::Unspecified),
    (v6([0, 0, 0, 0, 0, 0, 0, 1], 128), Block::Loopback),
    (v6([0, 0, 0, 0, 0, 0, 0, 0], 96), Block::EmbeddedIpv4), // RFC 4291: IPv4-compatible, deprecated
    (v6([0, 0, 0, 0, 0xffff, 0, 0, 0], 96), Block::EmbeddedIpv4), // RFC 2765: IPv4-translated
    (v6([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96), Block::EmbeddedIpv4), // RFC 6052: NAT64
    (v6([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48), Block::EmbeddedIpv4), // RFC 8215: NAT64 of one network
    (v6([0x100, 0, 0, 0, 0, 0, 0, 0], 64), Block::Protocol), // RFC 6666: discard
    (v6([0x100, 0, 0, 1, 0, 0, 0, 0], 64), Block::Protocol), // RFC 9780: dummy prefix
    (v6([0x5f00, 0, 0, 0, 0, 0, 0, 0], 16), Block::Protocol), // RFC 9602: segment routing
    (v6([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254], 128), Block::Metadata), // AWS
    (v6([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23], 128), Block::Metadata), // AWS: EKS credentials
    (v6([0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254], 128), Block::Metadata), // GCP
    (v6([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7), Block::UniqueLocal), // RFC 4193
    (v6([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10), Block::LinkLocal), // RFC 4291
    (v6([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10), Block::UniqueLocal), // RFC 3879: site-local, deprecated
    (v6([0xff00, 0, 0, 0, 0, 0, 0, 0], 8), Block::Multicast), // RFC 4291
];

#[cfg(test)]
mod tests {
    use super::*;

    /// One row per block: first address, last address, label, and the neighbours before and after with whether each is
    /// public. Written by hand, so that it can't repeat a mistake of the tables above.
    const EDGES: &str = include_str!("../../tests/data/address-blocks.tsv");

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap_or_else(|_| panic!("{text} is an address"))
    }

    #[test]
    fn each_block_begins_and_ends_where_the_registry_says() {
        for row in EDGES.lines() {
            let [first, last, label, before, after] = row.split('\t').collect::<Vec<_>>()[..] else {
                panic!("five fields: {row}");
            };
            for inside in [first, last] {
                assert_eq!(block(ip(inside)).map(Block::label), Some(label), "{inside}");
            }
            for neighbour in [before, after].into_iter().filter(|neighbour| *neighbour != "-") {
                let (address, word) = neighbour.split_once(' ').unwrap();
                let expected = if block(ip(address)).is_none() { "public" } else { "special" };
                assert_eq!(word, expected, "{address}");
            }
        }
    }

    #[test]
    fn every_range_of_the_tables_has_its_edges_tested() {
        let edges: Vec<IpAddr> = EDGES.lines().flat_map(|row| row.split('\t').take(2)).map(ip).collect();
        let v4 =
            IPV4_SPECIAL.iter().map(|(net, _)| (net.prefix_len() == 32, net.network().into(), net.broadcast().into()));
        let v6 =
            IPV6_SPECIAL.iter().map(|(net, _)| (net.prefix_len() == 128, net.network().into(), net.broadcast().into()));
        for (single, first, last) in v4.chain(v6) {
            assert!(single || (edges.contains(&first) && edges.contains(&last)), "{first} to {last}");
        }
    }

    #[test]
    fn metadata_addresses_are_named_as_such() {
        for address in [
            "169.254.169.254",
            "169.254.170.2",
            "169.254.170.23",
            "fd00:ec2::254",
            "fd00:ec2::23",
            "fd20:ce::254",
            "100.100.100.200",
            "192.0.0.192",
            "168.63.129.16",
            "::ffff:169.254.169.254",
        ] {
            assert_eq!(block(ip(address)), Some(Block::Metadata), "{address}");
        }
    }

    #[test]
    fn a_mapped_address_is_judged_as_its_ipv4_address() {
        for octets in [[127, 0, 0, 1], [8, 8, 8, 8], [10, 0, 0, 0], [169, 254, 169, 254], [255, 255, 255, 255]] {
            let address = Ipv4Addr::from(octets);
            assert_eq!(block(address.to_ipv6_mapped().into()), block(address.into()), "{address}");
        }
    }

    #[test]
    fn every_other_form_with_ipv4_inside_is_refused_even_if_that_address_is_public() {
        for address in [
            "::8.8.8.8",
            "::ffff:0:8.8.8.8",
            "64:ff9b::8.8.8.8",
            "64:ff9b:1::8.8.8.8",
            "2002:808:808::1",
            "2001:0:808:808::1",
            "2001:0:4136:e378:8000:63bf:f7f7:f7f7",
            "2a00:1450::5efe:808:808",
        ] {
            assert_eq!(block(ip(address)), Some(Block::EmbeddedIpv4), "{address}");
        }
    }

    #[test]
    fn well_known_public_addresses_are_public() {
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "93.184.216.34",
            "208.67.222.222",
            "2606:4700:4700::1111",
            "2a00:1450:4001:80b::200e",
        ] {
            assert_eq!(block(ip(address)), None, "{address}");
        }
    }
}
