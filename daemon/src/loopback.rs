//! Whether an address or a host is of this machine alone.

use std::net::{IpAddr, SocketAddr};

use url::Host;

/// Returns whether a socket is on a loopback address.
#[must_use]
pub fn is_loopback(addr: SocketAddr) -> bool {
    addr.ip().to_canonical().is_loopback()
}

/// Returns whether a URL's host is `localhost` or a loopback address, so that what is sent there stays on this machine.
/// Subdomains of `localhost` don't count: programs other than browsers may look them up by DNS.
#[must_use]
pub fn is_this_machine(host: &Host<impl AsRef<str>>) -> bool {
    match host {
        Host::Domain(name) => name.as_ref() == "localhost",
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => IpAddr::V6(*address).to_canonical().is_loopback(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stays_on_this_machine_is_loopback() {
        for (url, is) in [
            ("http://localhost", true),
            ("http://127.9.9.9", true),
            ("http://[::1]", true),
            ("http://[::ffff:127.0.0.1]", true),
            ("http://a.localhost", false),
            ("http://10.0.0.1", false),
            ("http://0.0.0.0", false),
        ] {
            assert_eq!(is_this_machine(&url::Url::parse(url).unwrap().host().unwrap()), is, "{url}");
        }
        assert!(is_loopback("[::ffff:127.0.0.1]:80".parse().unwrap()));
        assert!(!is_loopback("[::]:80".parse().unwrap()));
    }
}
