//! Names that never belong to the public internet. Their addresses are judged elsewhere, so a local name that is
//! missing here is still refused by its addresses.

use std::fmt;

/// Longest name that DNS can hold, in bytes of its text form (RFC 1035, 2.3.4).
const NAME_MAX_BYTES: usize = 253;
/// Longest label, in bytes.
const LABEL_MAX_BYTES: usize = 63;

/// Why a name does not belong to the public internet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LocalName {
    /// `localhost` and the names under it.
    Localhost,
    /// A cloud's metadata service.
    Metadata,
    /// No dot: only a search list or a local network resolves it.
    SingleLabel,
    /// Under a suffix that the public DNS does not have.
    Suffix,
}

/// Completes the sentence "localhost is …".
impl fmt::Display for LocalName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LocalName::Localhost => "a name of the local host",
            LocalName::Metadata => "a name of a cloud metadata service",
            LocalName::SingleLabel => "a name without a domain",
            LocalName::Suffix => "a name of a local or private network",
        })
    }
}

/// Names of clouds' metadata services. The names under them count too.
pub(super) const METADATA: &[&str] = &[
    "metadata.google.internal",
    "metadata.goog",
    "metadata",
    "instance-data",
    "metadata.tencentyun.com",
    "rancher-metadata",
];

/// Suffixes that are never public.
pub(super) const SUFFIXES: &[&str] = &[
    "local",       // RFC 6762
    "internal",    // ICANN board resolution 2024.07.29.06
    "home.arpa",   // RFC 8375
    "onion",       // RFC 7686
    "alt",         // RFC 9476
    "svc",         // Kubernetes services
    "localdomain", // Names that distributions give the local host
    "localdomain4",
    "localdomain6",
    // RFC 6762, appendix G: in use on private networks, and not delegated.
    "intranet",
    "private",
    "corp",
    "home",
    "lan",
];

/// Removes all trailing dots, for comparison with the tables: `localhost..` is as local as `localhost`.
#[must_use]
pub fn bare(name: &str) -> &str {
    name.trim_end_matches('.')
}

/// Removes one trailing dot (the DNS root), for comparison with the operator's settings.
#[must_use]
pub fn without_root(name: &str) -> &str {
    name.strip_suffix('.').unwrap_or(name)
}

/// Returns why this name is not public; `None` if it is judged by its addresses. Expects lower-case ASCII, as the URL
/// parser returns it.
#[must_use]
pub fn local(name: &str) -> Option<LocalName> {
    let name = bare(name);
    if is_localhost(name) {
        Some(LocalName::Localhost)
    } else if METADATA.iter().any(|entry| is_or_is_under(name, entry)) {
        Some(LocalName::Metadata)
    } else if !name.contains('.') {
        Some(LocalName::SingleLabel)
    } else if SUFFIXES.iter().any(|suffix| is_or_is_under(name, suffix)) {
        Some(LocalName::Suffix)
    } else {
        None
    }
}

/// Returns whether this is `localhost` or a name under it: always loopback (RFC 6761, 6.3).
#[must_use]
pub fn is_localhost(name: &str) -> bool {
    is_or_is_under(bare(name), "localhost")
}

/// Returns whether a host can have this name: letters, digits, `-` and `_` in labels that DNS can hold.
///
/// The URL standard accepts more (`a;b.example`, `a..b`). No such name resolves, but parsers disagree about them.
#[must_use]
pub fn is_host_name(name: &str) -> bool {
    let name = without_root(name);
    name.len() <= NAME_MAX_BYTES
        && name.split('.').all(|label| {
            (1..=LABEL_MAX_BYTES).contains(&label.len())
                && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        })
}

fn is_or_is_under(name: &str, suffix: &str) -> bool {
    name.strip_suffix(suffix).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_names_are_known_with_and_without_dots_at_their_end() {
        for (name, expected) in [
            ("localhost", LocalName::Localhost),
            ("app.localhost", LocalName::Localhost),
            ("a.b.localhost", LocalName::Localhost),
            ("metadata", LocalName::Metadata),
            ("metadata.google.internal", LocalName::Metadata),
            ("metadata.goog", LocalName::Metadata),
            ("instance-data", LocalName::Metadata),
            ("metadata.tencentyun.com", LocalName::Metadata),
            ("rancher-metadata", LocalName::Metadata),
            ("db", LocalName::SingleLabel),
            ("printer.local", LocalName::Suffix),
            ("vault.internal", LocalName::Suffix),
            ("nas.home.arpa", LocalName::Suffix),
            ("host.localdomain", LocalName::Suffix),
            ("host.localdomain4", LocalName::Suffix),
            ("host.localdomain6", LocalName::Suffix),
            ("kubernetes.default.svc", LocalName::Suffix),
            ("api.default.svc.cluster.local", LocalName::Suffix),
            ("abc.onion", LocalName::Suffix),
            ("router.lan", LocalName::Suffix),
        ] {
            for dots in ["", ".", ".."] {
                assert_eq!(local(&format!("{name}{dots}")), Some(expected), "{name}{dots}");
            }
        }
    }

    #[test]
    fn names_that_only_look_local_are_judged_by_their_addresses() {
        for name in
            ["localhost.example.com", "notlocalhost.com", "mylocal.net", "internal.example.com", "metadata.example.org"]
        {
            assert_eq!(local(name), None, "{name}");
        }
    }

    #[test]
    fn names_that_dns_cannot_hold_are_not_host_names() {
        for good in ["example.com", "example.com.", "_dmarc.example.com", "xn--bcher-kva.example", "0.gravatar.com"] {
            assert!(is_host_name(good), "{good}");
        }
        let label = "a".repeat(64);
        let long = ["abc"; 64].join(".");
        for bad in ["", ".", "..", "a..b", ".a.b", "a.b..", "a;b.com", "a*b.com", "a b.com", &label, &long] {
            assert!(!is_host_name(bad), "{bad}");
        }
    }
}
