//! Keeps web pages from calling listeners that are not for them: the service's and the admin listeners.
//!
//! A browser lets any page send requests to loopback addresses. It adds the page's `Origin` to all of them but a `GET`
//! to the page's own origin. A page gets our address as its own origin if its name is bound to that address after the
//! page was loaded (DNS rebinding); then the request's `Host` has that name.

use std::net::SocketAddr;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::header;
use porthole_contract::ErrorCode;
use url::Host;

use crate::answer::Refused;
use crate::loopback::is_loopback;
use crate::origin::{Origins, is_loopback_name};

/// The values of `Host` that a listener accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hosts {
    /// `localhost`, a subdomain of it, or a loopback address. Requests without a `Host`, which no browser sends, pass.
    Loopback,
    /// Any.
    Any,
}

impl Hosts {
    /// Returns the rule for a listener bound to `addr`. A listener beyond loopback can't know its names and addresses.
    #[must_use]
    pub fn of_listener(addr: SocketAddr) -> Self {
        if is_loopback(addr) { Self::Loopback } else { Self::Any }
    }

    /// Refuses a request whose `Host` is not allowed.
    ///
    /// # Errors
    /// `ORIGIN_NOT_ALLOWED`.
    pub fn judge(self, request: &Request) -> Result<(), Refused> {
        let details = "host: must be localhost or a loopback address, since this listener is on loopback";
        if self.allow(request) { Ok(()) } else { Err(Refused::new(ErrorCode::OriginNotAllowed, details)) }
    }

    fn allow(self, request: &Request) -> bool {
        let named = |authority: &str| host_of(authority).is_some_and(|host| is_loopback_name(&host));
        let mut hosts = request.headers().get_all(header::HOST).iter();
        let (host, second) = (hosts.next(), hosts.next());
        // A request target in absolute form overrides the header (RFC 9112, 3.2.2).
        let target = request.uri().authority().is_none_or(|authority| named(authority.as_str()));
        let header = host.is_none_or(|host| host.to_str().is_ok_and(named));
        self == Self::Any || (second.is_none() && target && header)
    }
}

/// Returns the host of `host` or `host:port`.
fn host_of(authority: &str) -> Option<Host<String>> {
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    };
    Host::parse(&host.to_ascii_lowercase()).ok()
}

/// Refuses requests of foreign web pages with `ORIGIN_NOT_ALLOWED`.
pub(crate) async fn refuse_web_pages(State(hosts): State<Hosts>, request: Request, next: Next) -> Response {
    if let Err(refused) = Origins::new(Vec::new()).judge(request.headers()) {
        return refused.into_response();
    }
    if let Err(refused) = hosts.judge(&request) {
        return refused.into_response();
    }
    next.run(request).await
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn allows(target: &str, hosts: &[&str]) -> bool {
        let mut request = http::Request::builder().uri(target);
        for host in hosts {
            request = request.header(header::HOST, *host);
        }
        Hosts::Loopback.allow(&request.body(Body::empty()).unwrap())
    }

    #[test]
    fn a_listener_on_loopback_requires_loopback_names() {
        for host in ["localhost", "LOCALHOST:9788", "a.localhost", "127.0.0.1:9788", "127.9.9.9", "[::1]:1", "[::1]"] {
            assert!(allows("/", &[host]), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "evil.example:9788",
            "localhost.evil.example",
            "notlocalhost",
            "127.0.0.1.evil.example:9788",
            "192.168.0.1",
            "0.0.0.0",
            "[::]",
            "[::1",
            "localhost@evil.example",
            "localhost/",
            "localhost, evil.example",
        ] {
            assert!(!allows("/", &[host]), "{host}");
        }
        assert!(allows("/", &[]), "HTTP/1.0 has no Host");
        assert!(!allows("/", &["localhost", "localhost"]), "two names");
        assert!(!allows("http://evil.example/", &["localhost"]), "the target overrides the header");
        assert!(allows("http://localhost/", &["localhost"]));
    }

    #[test]
    fn the_bound_address_selects_the_rule() {
        for (addr, hosts) in [
            ("127.0.0.1:1", Hosts::Loopback),
            ("[::1]:1", Hosts::Loopback),
            ("[::ffff:127.0.0.1]:1", Hosts::Loopback),
            ("0.0.0.0:1", Hosts::Any),
            ("[::]:1", Hosts::Any),
            ("192.0.2.1:1", Hosts::Any),
        ] {
            assert_eq!(Hosts::of_listener(addr.parse().unwrap()), hosts, "{addr}");
        }
    }
}
