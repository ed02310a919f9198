//! `PORTHOLE_DENY_CIDRS`: more ranges that are blocked.

use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;

use super::entries::{PolicyError, cidr, entries};

/// More ranges to block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DenyCidrs(Vec<IpNet>);

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
}
