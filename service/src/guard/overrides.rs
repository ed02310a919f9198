//! `PORTHOLE_RESOLVE`: addresses of names, answered before DNS is asked.

use std::collections::HashMap;
use std::net::IpAddr;
use std::str::FromStr;

use url::Host;

use super::entries::{PolicyError, entries};
use super::name;

/// Addresses of names, answered before DNS is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResolveOverrides(HashMap<String, Vec<IpAddr>>);

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

#[cfg(test)]
mod tests {
    use super::*;

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
