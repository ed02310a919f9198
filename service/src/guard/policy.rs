//! The operator's settings about targets: ranges to block, overrides of DNS answers, and exceptions (in a file of
//! their own). This file reads and queries the settings; the guard applies them.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr};
use std::str::FromStr;

use ipnet::{IpNet, Ipv4Net};
use url::Host;

use super::exception::AllowTargets;
use super::host::HostAddresses;
use super::listeners::OwnListeners;
use super::name;
use super::resolve::Resolver;

/// All of the operator's settings about targets.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// `PORTHOLE_ALLOW_TARGETS`.
    pub allow: AllowTargets,
    /// `PORTHOLE_ALLOW_TARGETS_FROM`.
    pub allow_from: AllowFrom,
    /// `PORTHOLE_DENY_CIDRS`.
    pub deny: DenyCidrs,
    /// `PORTHOLE_RESOLVE`.
    pub resolve: ResolveOverrides,
    /// The addresses that Porthole itself listens on.
    pub own: OwnListeners,
    /// Knows this host's addresses: from the kernel, or given by a test.
    pub host: HostAddresses,
    /// Resolves all other names: through the system, or through a test's DNS server.
    pub resolver: Resolver,
}

/// Which pages may use the exceptions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AllowFrom {
    /// The document that the caller named, its redirects, and subresources of documents that are on an exception.
    #[default]
    Document,
    /// Every page that is opened.
    Any,
}

/// More ranges to block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DenyCidrs(Vec<IpNet>);

/// Addresses of names, answered before DNS is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResolveOverrides(HashMap<String, Vec<IpAddr>>);

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

// === impl AllowFrom ===

impl AllowFrom {
    /// Reads `document` or `any`.
    pub fn parse(text: &str) -> Result<AllowFrom, PolicyError> {
        match text.trim() {
            "document" => Ok(AllowFrom::Document),
            "any" => Ok(AllowFrom::Any),
            _ => Err(PolicyError::From { entry: text.to_owned() }),
        }
    }
}

// === impl DenyCidrs ===

impl DenyCidrs {
    /// Reads the comma-separated list. An address without a prefix length is a range of one.
    pub fn parse(list: &str) -> Result<DenyCidrs, PolicyError> {
        entries(list).map(cidr).collect::<Result<_, _>>().map(DenyCidrs)
    }

    /// Returns whether the operator denies the whole of this network.
    pub(super) fn covers(&self, network: &IpNet) -> bool {
        self.0.iter().any(|range| range.contains(network))
    }

    /// Returns whether the operator denies this address.
    pub(super) fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|range| range.contains(&address))
    }
}

impl FromStr for DenyCidrs {
    type Err = PolicyError;

    fn from_str(list: &str) -> Result<Self, Self::Err> {
        Self::parse(list)
    }
}

// === impl ResolveOverrides ===

impl ResolveOverrides {
    /// Reads the comma-separated list. A name that occurs more than once has several addresses.
    pub fn parse(list: &str) -> Result<ResolveOverrides, PolicyError> {
        let mut answers: HashMap<String, Vec<IpAddr>> = HashMap::new();
        for entry in entries(list) {
            let wrong = || PolicyError::Answer { entry: entry.to_owned() };
            let (host, address) = entry.split_once('=').ok_or_else(wrong)?;
            let address = address.trim();
            let address = address.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(address);
            let address: IpAddr = address.parse().map_err(|_| wrong())?;
            match Host::parse(host.trim()) {
                Ok(Host::Domain(name)) if name::is_host_name(&name) => {
                    answers.entry(name::without_root(&name).to_owned()).or_default().push(address);
                }
                _ => return Err(wrong()),
            }
        }
        Ok(ResolveOverrides(answers))
    }

    /// Returns the addresses of this name, if it has an override.
    pub(super) fn answer(&self, host: &str) -> Option<&[IpAddr]> {
        self.0.get(name::without_root(host)).map(Vec::as_slice)
    }
}

impl FromStr for ResolveOverrides {
    type Err = PolicyError;

    fn from_str(list: &str) -> Result<Self, Self::Err> {
        Self::parse(list)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn denied_ranges_hold_mapped_addresses_too() {
        for list in ["1.2.3.0/24", "::ffff:1.2.3.0/120", "8.8.8.8,1.2.3.4"] {
            let deny = DenyCidrs::parse(list).unwrap();
            assert!(deny.contains("1.2.3.4".parse().unwrap()), "{list}");
            assert!(deny.contains("::ffff:1.2.3.4".parse().unwrap()), "{list}");
            assert!(!deny.contains("1.2.4.4".parse().unwrap()), "{list}");
        }
        for list in ["nonsense", "1.2.3.0/33", "1.2.3.0/", "/8", "example.com"] {
            assert!(DenyCidrs::parse(list).is_err(), "{list}");
        }
    }

    #[test]
    fn answers_before_dns_are_read() {
        let answers = ResolveOverrides::parse("A.example=10.1.2.3, b.example. = [fd00::1],a.example=::1").unwrap();
        assert_eq!(answers.answer("a.example."), Some(&["10.1.2.3".parse().unwrap(), "::1".parse().unwrap()][..]));
        assert_eq!(answers.answer("b.example"), Some(&["fd00::1".parse().unwrap()][..]));
        assert_eq!(answers.answer("c.example"), None);
        for list in
            ["a.example", "a.example=", "=1.2.3.4", "a.example=b.example", "1.2.3.4=5.6.7.8", "a.example=1.2.3.4:80"]
        {
            assert!(ResolveOverrides::parse(list).is_err(), "{list}");
        }
    }
}
