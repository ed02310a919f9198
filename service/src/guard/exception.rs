//! `PORTHOLE_ALLOW_TARGETS`: the private targets that the operator opens. Reads the entries and decides what each one
//! opens.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use url::Host;

use super::entries::{PolicyError, cidr, entries};
use super::name;

/// Private targets that are let through. An entry lifts the private, reserved and name rules. The rules for schemes,
/// userinfo, restricted ports, `PORTHOLE_DENY_CIDRS` and Porthole's own listeners stay in force.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowTargets(Vec<AllowTarget>);

/// One exception. Its `Display` form is the entry as an operator would write it, for the warning at start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllowTarget {
    /// A URL with this name; its addresses are not judged.
    Name {
        /// The name, without a trailing dot.
        host: String,
        /// The only port that is opened; `None` opens all.
        port: Option<u16>,
    },
    /// A URL with this literal address, but no name that resolves to it.
    Address {
        /// The address.
        address: IpAddr,
        /// The only port that is opened; `None` opens all.
        port: Option<u16>,
    },
    /// Every address in this range, under any name.
    Range(IpNet),
}

// === impl AllowTargets ===

impl AllowTargets {
    /// Reads the comma-separated list.
    pub fn parse(list: &str) -> Result<AllowTargets, PolicyError> {
        entries(list).map(str::parse).collect::<Result<_, _>>().map(AllowTargets)
    }

    /// Opens every address under every name.
    pub(super) fn everything() -> AllowTargets {
        let all = [IpNet::from(Ipv4Net::default()), IpNet::from(Ipv6Net::default())];
        AllowTargets(all.map(AllowTarget::Range).to_vec())
    }

    /// Returns each entry, for the log.
    pub fn iter(&self) -> impl Iterator<Item = &AllowTarget> {
        self.0.iter()
    }

    /// Returns the names that entries open.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|entry| match entry {
            AllowTarget::Name { host, .. } => Some(host.as_str()),
            _ => None,
        })
    }

    /// Returns whether this name may be visited at that port. Its addresses are not judged.
    pub(super) fn opens_name(&self, host: &str, port: u16) -> bool {
        let host = name::without_root(host);
        self.0.iter().any(|entry| match entry {
            AllowTarget::Name { host: name, port: only } => name == host && only.is_none_or(|only| only == port),
            _ => false,
        })
    }

    /// Returns whether a URL that names this address literally may be visited at that port.
    pub(super) fn opens_literal(&self, literal: IpAddr, port: u16) -> bool {
        self.0.iter().any(|entry| match entry {
            AllowTarget::Address { address, port: only } => *address == literal && only.is_none_or(|only| only == port),
            _ => false,
        })
    }

    /// Returns whether this address may be dialled under any name.
    pub(super) fn opens_dialled(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|entry| matches!(entry, AllowTarget::Range(range) if range.contains(&address)))
    }

    /// Returns whether any entry is a range, so that a private name can't be refused before its addresses are known.
    pub(super) fn has_ranges(&self) -> bool {
        self.0.iter().any(|entry| matches!(entry, AllowTarget::Range(_)))
    }
}

impl FromStr for AllowTargets {
    type Err = PolicyError;

    fn from_str(list: &str) -> Result<Self, Self::Err> {
        Self::parse(list)
    }
}

// === impl AllowTarget ===

impl FromStr for AllowTarget {
    type Err = PolicyError;

    fn from_str(entry: &str) -> Result<Self, Self::Err> {
        let entry = entry.trim();
        let wrong = || PolicyError::Target { entry: entry.to_owned() };
        if entry.contains('/') {
            return cidr(entry).map(AllowTarget::Range).map_err(|_| wrong());
        }
        if let Some(rest) = entry.strip_prefix('[') {
            let (address, rest) = rest.split_once(']').ok_or_else(wrong)?;
            let address: Ipv6Addr = address.parse().map_err(|_| wrong())?;
            let port = match rest.strip_prefix(':') {
                Some(port) => Some(port_of(entry, port)?),
                None if rest.is_empty() => None,
                None => return Err(wrong()),
            };
            return Ok(AllowTarget::Address { address: address.into(), port });
        }
        let (host, port) = match entry.split_once(':') {
            Some((_, port)) if port.contains(':') => {
                return Err(PolicyError::Brackets { entry: entry.to_owned() });
            }
            Some((host, port)) => (host, Some(port_of(entry, port)?)),
            None => (entry, None),
        };
        // Hosts are parsed like those of URLs, so that an entry and a URL can't mean different things.
        match Host::parse(host).map_err(|_| wrong())? {
            Host::Ipv4(address) => Ok(AllowTarget::Address { address: address.into(), port }),
            Host::Ipv6(_) => Err(wrong()),
            Host::Domain(name) if name::is_host_name(&name) => {
                Ok(AllowTarget::Name { host: name::without_root(&name).to_owned(), port })
            }
            Host::Domain(_) => Err(wrong()),
        }
    }
}

impl fmt::Display for AllowTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let port = match self {
            AllowTarget::Name { host, port } => {
                f.write_str(host)?;
                port
            }
            AllowTarget::Address { address: IpAddr::V4(address), port } => {
                write!(f, "{address}")?;
                port
            }
            AllowTarget::Address { address: IpAddr::V6(address), port } => {
                write!(f, "[{address}]")?;
                port
            }
            AllowTarget::Range(range) => return write!(f, "{range}"),
        };
        port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

fn port_of(entry: &str, port: &str) -> Result<u16, PolicyError> {
    let digits = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    port.parse().ok().filter(|port| digits && *port != 0).ok_or_else(|| PolicyError::Port { entry: entry.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exceptions_are_read_and_written_alike() {
        let list = "demo:8080, example.internal,10.1.2.3:8080,10.1.2.4,[fd00::1]:80,[fd00::2],10.0.0.0/8,fd00::/8,";
        let read = AllowTargets::parse(list).unwrap();
        let written: Vec<String> = read.iter().map(ToString::to_string).collect();
        assert_eq!(
            written,
            [
                "demo:8080",
                "example.internal",
                "10.1.2.3:8080",
                "10.1.2.4",
                "[fd00::1]:80",
                "[fd00::2]",
                "10.0.0.0/8",
                "fd00::/8"
            ]
        );
        assert_eq!(AllowTargets::parse(&written.join(",")).unwrap(), read);
        assert_eq!(AllowTargets::parse(" , ").unwrap(), AllowTargets::default());
    }

    #[test]
    fn an_entry_is_read_as_a_url_would_be() {
        for (entry, meant) in [
            ("DEMO.", "demo"),
            ("bücher.example", "xn--bcher-kva.example"),
            ("127.1:80", "127.0.0.1:80"),
            ("10.1.2.3/8", "10.0.0.0/8"),
        ] {
            assert_eq!(entry.parse::<AllowTarget>().unwrap().to_string(), meant);
        }
    }

    #[test]
    fn a_wrong_exception_is_refused_and_named() {
        for entry in [
            "http://demo",
            "demo:",
            "demo:0",
            "demo:65536",
            "demo:+80",
            "demo:http",
            "*.example.com",
            "fd00::1",
            "::1:8080",
            "[fd00::1",
            "[fd00::1]8080",
            "[10.0.0.1]",
            "[fe80::1%eth0]",
            "10.0.0.0/33",
            "10.0.0.0/8:80",
            "user@demo",
            "a..b",
            "256.1.1.1",
            "a b",
        ] {
            let error = AllowTargets::parse(&format!("ok,{entry}")).unwrap_err();
            assert!(error.to_string().contains(entry), "{entry}: {error}");
        }
    }
}
