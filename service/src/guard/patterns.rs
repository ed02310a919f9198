//! Wildcard patterns of URLs that name a private host literally, for a browser that can intercept matching requests
//! only. A pattern may match too much, since every match is judged, but never too little.

use super::name;

/// Prefixes of IPv4 literals that contain addresses that are not public. The browser canonicalises literals such as
/// `0x7f.1` before it matches them.
const IPV4_PREFIXES: &[&str] = &[
    "0.", "10.", "100.", "127.", "168.63.", "169.254.", "172.1?.", "172.2?.", "172.3?.", "192.0.", "192.31.",
    "192.52.", "192.88.", "192.168.", "192.175.", "198.18.", "198.19.", "198.51.", "203.0.", "22?.", "23?.", "24?.",
    "25?.",
];

/// Returns the patterns, with `*` for any text and `?` for one character.
pub(super) fn private_url_patterns() -> Vec<String> {
    let mut patterns = Vec::new();
    // With and without a user name before the host.
    for before in ["*://", "*://*@"] {
        patterns.extend(IPV4_PREFIXES.iter().map(|prefix| format!("{before}{prefix}*")));
        // Every IPv6 literal.
        patterns.push(format!("{before}[*"));
    }
    let whole =
        name::METADATA.iter().chain(["localhost"].iter()).map(|name| (*name, &["*://", "*://*.", "*://*@"][..]));
    // A suffix alone is not a host name: a dot precedes it.
    let suffixes = name::SUFFIXES.iter().map(|name| (*name, &["*://*."][..]));
    for (name, before) in whole.chain(suffixes) {
        patterns.extend(patterns_of(name, before));
    }
    patterns
}

/// Returns the patterns of the URLs with exactly this name.
pub(super) fn patterns_of_name(name: &str) -> Vec<String> {
    patterns_of(name, &["*://", "*://*@"]).collect()
}

fn patterns_of(name: &str, before: &[&str]) -> impl Iterator<Item = String> {
    // A path, a port, or the dot of the DNS root.
    let all = move |before: &&str| ["/*", ":*", ".*"].map(|after| format!("{before}{name}{after}"));
    before.iter().flat_map(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::{Guard, HostAddresses, Policy, Refusal};

    /// Returns whether the pattern matches, as Chromium's `base::MatchPattern` does.
    fn matches(pattern: &[u8], text: &[u8]) -> bool {
        let Some((first, rest)) = pattern.split_first() else { return text.is_empty() };
        let after = text.split_first();
        match first {
            b'*' => matches(rest, text) || after.is_some_and(|(_, after)| matches(pattern, after)),
            b'?' => after.is_some_and(|(_, after)| matches(rest, after)),
            literal => after.is_some_and(|(t, after)| t == literal && matches(rest, after)),
        }
    }

    fn is_stopped(url: &str) -> bool {
        private_url_patterns().iter().any(|pattern| matches(pattern.as_bytes(), url.as_bytes()))
    }

    #[test]
    fn every_literal_address_that_is_refused_is_stopped() {
        // Saves half a million questions to the kernel.
        let guard = Guard::new(Policy { host: HostAddresses::given(|_| false), ..Policy::default() });
        let mut refused = 0;
        for first in 0..=255u32 {
            for second in 0..=255u32 {
                for (third, fourth) in [(0, 1), (2, 1), (63, 16), (113, 5), (129, 16), (196, 9), (255, 255)] {
                    let url = format!("http://{first}.{second}.{third}.{fourth}/x");
                    if matches!(guard.judge_url(&url), Err(Refusal::Blocked(_))) {
                        refused += 1;
                        assert!(is_stopped(&url), "{url}");
                    }
                }
            }
        }
        assert!(refused > 10_000, "{refused}");
    }

    #[test]
    fn names_and_ipv6_literals_are_stopped_whatever_follows() {
        for url in [
            "http://localhost/",
            "https://localhost:8443/x",
            "http://a.localhost/",
            "http://localhost./",
            "http://metadata.google.internal/computeMetadata/v1/",
            "http://printer.local:631/",
            "http://user:word@localhost/",
            "http://user@10.0.0.1/",
            "http://[::1]/",
            "ws://[fd00::1]:1/",
        ] {
            assert!(is_stopped(url), "{url}");
        }
    }

    #[test]
    fn public_urls_are_not_stopped() {
        for url in [
            "https://example.com/",
            "https://www.example.com/a/b?c=d#e",
            "https://cdn.example.net/localhost.js",
            "https://local.example.com/",
            "https://93.184.215.14/",
            "https://internal.example.org:8443/x",
        ] {
            assert!(!is_stopped(url), "{url}");
        }
    }
}
