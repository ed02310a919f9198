//! The comma-separated lists of the operator's settings about targets: their entries, and why one is invalid.

use std::net::{IpAddr, Ipv4Addr};

use ipnet::{IpNet, Ipv4Net};

/// An invalid entry of one of these settings. The text names the accepted form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// An entry of `PORTHOLE_ALLOW_TARGETS`.
    #[error(
        "{entry:?} is not a target: write host, host:port, an address, address:port (IPv6 in brackets) or a CIDR such as \
         10.0.0.0/8"
    )]
    Target {
        /// The entry.
        entry: String,
    },
    /// A port of an entry.
    #[error("{entry:?} has no valid port: write a number from 1 to 65535 after the colon, or no colon")]
    Port {
        /// The entry.
        entry: String,
    },
    /// IPv6 without brackets: the start of its port is ambiguous.
    #[error("{entry:?} has too many colons: write IPv6 addresses in brackets, [fd00::1] or [fd00::1]:8080")]
    Brackets {
        /// The entry.
        entry: String,
    },
    /// `PORTHOLE_ALLOW_TARGETS_FROM`.
    #[error("{entry:?} is not accepted: write document or any")]
    From {
        /// The value.
        entry: String,
    },
    /// A CIDR.
    #[error("{entry:?} is not a CIDR: write an address, a slash and a prefix length, such as 10.0.0.0/8 or fd00::/8")]
    Cidr {
        /// The entry.
        entry: String,
    },
    /// An entry of `PORTHOLE_RESOLVE`.
    #[error("{entry:?} is not a name and an address: write host=address, such as intranet.example.com=10.1.2.3")]
    Answer {
        /// The entry.
        entry: String,
    },
}

pub(super) fn entries(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|entry| !entry.is_empty())
}

/// Reads a range and normalises it like the addresses that are compared with it: without host bits, and IPv4-mapped
/// IPv6 as IPv4.
pub(super) fn cidr(entry: &str) -> Result<IpNet, PolicyError> {
    const MAPPED_BITS: u8 = 96;
    let range: IpNet = entry
        .parse()
        .or_else(|_| entry.parse::<IpAddr>().map(IpNet::from))
        .map_err(|_| PolicyError::Cidr { entry: entry.to_owned() })?;
    let range = range.trunc();
    let mapped: Option<Ipv4Addr> = match range {
        IpNet::V6(range) if range.prefix_len() >= MAPPED_BITS => range.network().to_ipv4_mapped(),
        _ => None,
    };
    match mapped.map(|address| Ipv4Net::new(address, range.prefix_len() - MAPPED_BITS)) {
        Some(Ok(range)) => Ok(range.into()),
        _ => Ok(range),
    }
}
