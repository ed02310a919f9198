//! Host names of the emulator, and the web pages that may call it.
//!
//! To its browser, a page whose name was bound to a loopback address (DNS rebinding) has the emulator's own origin. Its
//! requests are recognised by their `Host`, which is the page's own name, and a foreign page's by their `Origin`.
//! Neither header is trusted for anything else: no URL in an answer is built from them.

use std::net::{IpAddr, SocketAddr};

use axum::extract::Request;
use http::uri::Authority;
use http::{HeaderMap, HeaderName, header};
use porthole_daemon::loopback::is_this_machine;
use url::{Host, Url};

/// The origin of a desktop Chromium's developer tools, in which `debuggerUrl` opens. No web page has it.
const DEVTOOLS: &str = "devtools://devtools";

/// The emulator's address and its further names.
#[derive(Debug)]
pub(crate) struct Reach {
    /// The names and addresses that the operator gave it.
    names: Vec<Host>,
    addr: SocketAddr,
}

impl Reach {
    /// For a listener at `addr` that also has these names and addresses.
    pub(crate) fn new(addr: SocketAddr, names: &[String]) -> Self {
        Self { names: names.iter().filter_map(|name| host(name)).collect(), addr }
    }

    /// Returns the authority for URLs to the emulator: the listener's own address. A listener on all addresses uses its
    /// first configured name, or else the loopback address.
    pub(crate) fn authority(&self) -> String {
        let ip = match self.addr.ip() {
            ip if !ip.is_unspecified() => ip,
            _ if !self.names.is_empty() => return format!("{}:{}", self.names[0], self.addr.port()),
            IpAddr::V4(_) => IpAddr::from([127, 0, 0, 1]),
            IpAddr::V6(_) => IpAddr::from([0, 0, 0, 0, 0, 0, 0, 1]),
        };
        SocketAddr::new(ip, self.addr.port()).to_string()
    }

    /// Checks that the request names one of our hosts, exactly once, and that its `Origin`, if any, is one of them.
    pub(super) fn admits(&self, request: &Request) -> Result<(), &'static str> {
        let target = request.uri().authority().is_none_or(|authority| self.is_ours(authority));
        let named = single(request.headers(), header::HOST)
            .is_ok_and(|host| host.and_then(|host| host.parse().ok()).is_some_and(|host| self.is_ours(&host)));
        if !target || !named {
            return Err("Host must be a loopback name or address, or one of PORTHOLE_EMULATOR_TLS_NAMES");
        }
        match single(request.headers(), header::ORIGIN) {
            Ok(None) => Ok(()),
            Ok(Some(origin)) if self.is_our_origin(origin) => Ok(()),
            _ => Err("Origin must be a loopback host or in PORTHOLE_EMULATOR_TLS_NAMES: foreign pages may not call"),
        }
    }

    fn is_ours(&self, authority: &Authority) -> bool {
        !authority.as_str().contains('@') && Host::parse(authority.host()).is_ok_and(|host| self.is_our_host(&host))
    }

    fn is_our_host(&self, host: &Host) -> bool {
        let own = self.addr.ip();
        is_this_machine(host) || (!own.is_unspecified() && *host == of_ip(own)) || self.names.contains(host)
    }

    fn is_our_origin(&self, origin: &str) -> bool {
        if origin == DEVTOOLS {
            return true;
        }
        let Ok(url) = Url::parse(origin) else { return false };
        let is_bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
        let is_web = matches!(url.scheme(), "http" | "https") && url.username().is_empty() && url.password().is_none();
        is_web && is_bare && url.host().is_some_and(|host| self.is_our_host(&host.to_owned()))
    }
}

/// Returns a header's only value, or `None` if it is missing. Several values are an error.
fn single(headers: &HeaderMap, name: HeaderName) -> Result<Option<&str>, ()> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(drop),
        _ => Err(()),
    }
}

/// Parses a name or an address, IPv6 without brackets.
pub(crate) fn host(text: &str) -> Option<Host> {
    text.parse().map(of_ip).or_else(|_| Host::parse(text)).ok()
}

fn of_ip(ip: IpAddr) -> Host {
    match ip {
        IpAddr::V4(ip) => Host::Ipv4(ip),
        IpAddr::V6(ip) => Host::Ipv6(ip),
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn reach(addr: &str, names: &[&str]) -> Reach {
        Reach::new(addr.parse().unwrap(), &names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
    }

    fn admits(reach: &Reach, hosts: &[&str], origins: &[&str]) -> bool {
        let mut request = Request::get("/v1/sessions").body(Body::empty()).unwrap();
        for (name, values) in [(header::HOST, hosts), (header::ORIGIN, origins)] {
            for value in values {
                request.headers_mut().append(&name, value.parse().unwrap());
            }
        }
        reach.admits(&request).is_ok()
    }

    #[test]
    fn only_loopback_hosts_and_configured_names_are_ours() {
        let here = reach("127.0.0.1:8789", &["Emulator.test", "10.0.0.7", "fd00::1"]);
        for host in [
            "127.0.0.1:8789",
            "127.0.0.1",
            "127.9.9.9:1",
            "localhost:8789",
            "LOCALHOST",
            "[::1]:8789",
            "emulator.test:443",
            "10.0.0.7:8789",
            "[fd00::1]",
        ] {
            assert!(admits(&here, &[host], &[]), "{host}");
        }
        for host in [
            "evil.test:8789",
            "localhost.evil.test",
            "127.0.0.1.evil.test:8789",
            "x.emulator.test",
            "user@localhost",
            "0.0.0.0:8789",
            "[::]",
            "192.168.0.1",
            "",
        ] {
            assert!(!admits(&here, &[host], &[]), "{host:?}");
        }
        assert!(!admits(&here, &[], &[]) && !admits(&here, &["localhost", "localhost"], &[]));
        assert!(admits(&reach("10.0.0.8:1", &[]), &["10.0.0.8:1"], &[]), "the listener's own address");
        assert!(!admits(&reach("0.0.0.0:1", &[]), &["0.0.0.0:1"], &[]));
    }

    #[test]
    fn a_target_in_absolute_form_is_judged_too() {
        let here = reach("127.0.0.1:8789", &[]);
        for (uri, is_admitted) in [("http://localhost/v1/sessions", true), ("http://evil.test/v1/sessions", false)] {
            let request = Request::get(uri).header(header::HOST, "localhost").body(Body::empty()).unwrap();
            assert_eq!(here.admits(&request).is_ok(), is_admitted, "{uri}");
        }
    }

    #[test]
    fn foreign_pages_may_not_call() {
        let here = reach("127.0.0.1:8789", &["emulator.test"]);
        let own = ["http://localhost:3000", "https://127.0.0.1", "http://[::1]:1", "https://emulator.test", DEVTOOLS];
        for origin in own {
            assert!(admits(&here, &["localhost"], &[origin]), "{origin}");
        }
        let foreign = [
            "null",
            "",
            "http://evil.test",
            "http://localhost.evil.test",
            "file://",
            "chrome-extension://localhost",
            "http://user@localhost",
            "http://localhost/path",
            "http://0.0.0.0:8789",
            "devtools://evil",
        ];
        for origin in foreign {
            assert!(!admits(&here, &["localhost"], &[origin]), "{origin:?}");
        }
        assert!(!admits(&here, &["localhost"], &["http://localhost", "http://localhost"]));
    }

    #[test]
    fn urls_name_the_listener_whatever_the_host_header_says() {
        for (addr, names, authority) in [
            ("127.0.0.1:8789", &["emulator.test"][..], "127.0.0.1:8789"),
            ("[::1]:8789", &[], "[::1]:8789"),
            ("10.0.0.8:1", &[], "10.0.0.8:1"),
            ("0.0.0.0:8789", &["emulator.test"], "emulator.test:8789"),
            ("0.0.0.0:8789", &[], "127.0.0.1:8789"),
            ("[::]:8789", &[], "[::1]:8789"),
            ("[::]:8789", &["fd00::1"], "[fd00::1]:8789"),
        ] {
            assert_eq!(reach(addr, names).authority(), authority);
        }
    }
}
