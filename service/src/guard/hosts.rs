//! The only hosts that a session may reach, where its caller named some. They narrow what the guard allows, and open
//! nothing.

use std::net::IpAddr;
use std::sync::Arc;

use url::Host;

use super::target::literal;

/// A list of hosts. Clones share it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowHosts(Arc<[Pattern]>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Pattern {
    /// This address.
    Address(IpAddr),
    /// This name.
    Name(String),
    /// Every name below this one.
    Below(String),
}

/// An entry that is neither a name nor an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("entry {at} is neither a host name nor an address")]
pub struct NotAHost {
    /// Its place in the list.
    pub at: usize,
}

impl AllowHosts {
    /// Reads names, names after `*.` for all that are below, and literal addresses, in or without brackets.
    ///
    /// # Errors
    /// [`NotAHost`].
    pub fn parse(entries: &[String]) -> Result<Self, NotAHost> {
        let patterns = entries.iter().enumerate().map(|(at, entry)| Pattern::parse(entry).ok_or(NotAHost { at }));
        Ok(Self(patterns.collect::<Result<_, _>>()?))
    }

    /// Whether the list has this host.
    #[must_use]
    pub fn allows(&self, host: &Host<String>) -> bool {
        if let Some(address) = literal(host) {
            return self.0.contains(&Pattern::Address(address.to_canonical()));
        }
        let host = host.to_string();
        let host = host.strip_suffix('.').unwrap_or(&host);
        self.0.iter().any(|pattern| match pattern {
            Pattern::Address(_) => false,
            Pattern::Name(name) => name == host,
            Pattern::Below(name) => host.strip_suffix(name.as_str()).is_some_and(|below| below.ends_with('.')),
        })
    }
}

impl Pattern {
    fn parse(entry: &str) -> Option<Self> {
        let bare = entry.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(entry);
        if let Ok(address) = bare.parse::<IpAddr>() {
            return Some(Self::Address(address.to_canonical()));
        }
        let (name, is_below) = entry.strip_prefix("*.").map_or((entry, false), |name| (name, true));
        match Host::parse(name.strip_suffix('.').unwrap_or(name)).ok()? {
            Host::Domain(name) if is_below => Some(Self::Below(name)),
            Host::Domain(name) => Some(Self::Name(name)),
            _ if is_below => None,
            host => literal(&host).map(|address| Self::Address(address.to_canonical())),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use super::*;
    use crate::guard::refusal::Blocked;
    use crate::guard::{Asker, Guard, PageGuard, Policy, Refusal};

    fn list(entries: &[&str]) -> Result<AllowHosts, NotAHost> {
        AllowHosts::parse(&entries.iter().map(|entry| (*entry).to_owned()).collect::<Vec<_>>())
    }

    fn allows(entries: &[&str], host: &str) -> bool {
        list(entries).unwrap().allows(&Host::parse(host).unwrap())
    }

    #[test]
    fn names_are_whole_and_those_below_need_a_star() {
        let entries = ["Example.com", "*.example.org", "bücher.example", "dotted.example."];
        for host in [
            "example.com",
            "EXAMPLE.com.",
            "a.example.org",
            "a.b.example.org",
            "xn--bcher-kva.example",
            "dotted.example",
        ] {
            assert!(allows(&entries, host), "{host}");
        }
        for host in ["a.example.com", "example.org", "badexample.org", "example.com.evil.example", "example.co", "com"]
        {
            assert!(!allows(&entries, host), "{host}");
        }
    }

    #[tokio::test]
    async fn a_page_is_judged_by_its_list_before_dns_is_asked() {
        let guard = Guard::asking(Policy::default(), |host: &str, port| {
            assert_eq!(host, "named.example");
            Ok(vec![SocketAddr::from(([93, 184, 216, 34], port))])
        });
        let page = PageGuard::new(guard);
        page.restrict(list(&["named.example"]).unwrap());
        let asker = Asker::default();
        for url in ["http://named.example/", "https://named.example:8443/x"] {
            assert!(page.judge(url, &asker).await.is_ok() && page.judge_url(url, &asker).is_ok(), "{url}");
        }
        for url in ["http://other.example/", "http://93.184.216.34/"] {
            let not_named = |refusal| matches!(refusal, Refusal::Blocked(Blocked::NotNamed { .. }));
            assert!(page.judge(url, &asker).await.is_err_and(not_named), "{url}");
            assert!(page.judge_url(url, &asker).is_err_and(not_named), "{url}");
            assert!(page.judge_host(url).is_err_and(not_named), "{url}");
        }
        let address = SocketAddr::from(([93, 184, 216, 34], 80));
        assert!(page.judge_address(&Host::Domain("other.example".to_owned()), address).is_err());
        assert!(page.judge_address(&Host::Domain("named.example".to_owned()), address).is_ok());
    }

    #[test]
    fn addresses_must_be_listed_and_have_many_spellings() {
        assert!(allows(&["192.0.2.1", "::1"], "192.0.2.1") && allows(&["0xc0.0.2.1"], "192.0.2.1"));
        assert!(allows(&["192.0.2.1"], "[::ffff:192.0.2.1]") && allows(&["[::1]"], "[::1]"));
        assert!(!allows(&["example.com"], "192.0.2.1") && !allows(&["::2"], "[::1]"));
        assert_eq!(list(&["fine.example", "*.192.0.2.1"]), Err(NotAHost { at: 1 }));
    }
}
