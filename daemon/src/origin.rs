//! Web origins, and the origins whose pages may call.
//!
//! A request without an `Origin` comes from no web page, or is a `GET` to the page's own origin, and is allowed here.
//! [`web_pages`](crate::web_pages) refuses the remaining case, a page whose name was bound to a loopback address.

use std::net::Ipv6Addr;
use std::sync::Arc;

use http::{HeaderMap, HeaderValue, header};
use porthole_contract::ErrorCode;
use url::{Host, Url};

use crate::answer::Refused;

/// A web origin: scheme, host and port, as a browser writes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    scheme: String,
    host: Host<String>,
    port: Option<u16>,
}

impl Origin {
    /// Parses `scheme://host` or `scheme://host:port`, with or without a trailing slash; drops a default port.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let url = Url::parse(text).ok()?;
        let bare = matches!(url.path(), "" | "/")
            && url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none();
        // For schemes of app shells (capacitor://localhost) the URL parser keeps the case of the host.
        let host = Host::parse(&url.host_str()?.to_ascii_lowercase()).ok()?;
        let named = !matches!(&host, Host::Domain(name) if name.is_empty());
        (bare && named).then(|| Self { scheme: url.scheme().to_owned(), host, port: url.port() })
    }
}

/// Whether this is `localhost`, a subdomain of it, or a loopback address. Browsers resolve none of them by DNS.
pub(crate) fn is_loopback_name(host: &Host<String>) -> bool {
    match host {
        Host::Domain(name) => name == "localhost" || name.ends_with(".localhost"),
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => *address == Ipv6Addr::LOCALHOST,
    }
}

/// The origins that may call.
#[derive(Clone, Debug)]
pub struct Origins(Arc<[Origin]>);

impl Origins {
    /// Allows these origins; if there are none, every loopback origin.
    #[must_use]
    pub fn new(allowed: Vec<Origin>) -> Self {
        Self(allowed.into())
    }

    /// Checks the request's origin, and returns the value to echo; `None` for a request without an origin.
    ///
    /// # Errors
    /// `ORIGIN_NOT_ALLOWED`, also for a repeated `Origin`.
    pub fn judge<'a>(&self, headers: &'a HeaderMap) -> Result<Option<&'a HeaderValue>, Refused> {
        let mut values = headers.get_all(header::ORIGIN).iter();
        let Some(value) = values.next() else { return Ok(None) };
        let single = values.next().is_none();
        let origin = value.to_str().ok().filter(|_| single).and_then(Origin::parse);
        if origin.is_some_and(|origin| self.allow(&origin)) {
            Ok(Some(value))
        } else {
            Err(Refused::new(ErrorCode::OriginNotAllowed, "origin: is not allowed by the operator"))
        }
    }

    fn allow(&self, origin: &Origin) -> bool {
        if self.0.is_empty() { is_loopback_name(&origin.host) } else { self.0.contains(origin) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(allowed: &[&str], origin: &str) -> bool {
        let origins = Origins::new(allowed.iter().map(|text| Origin::parse(text).unwrap()).collect());
        let headers = HeaderMap::from_iter([(header::ORIGIN, HeaderValue::from_str(origin).unwrap())]);
        origins.judge(&headers).is_ok()
    }

    #[test]
    fn without_a_list_only_loopback_origins_are_allowed() {
        for origin in [
            "http://localhost",
            "http://localhost:3000",
            "https://LOCALHOST",
            "http://app.localhost:8080",
            "http://127.0.0.1:5173",
            "http://127.255.0.9",
            "http://[::1]:3000",
            "capacitor://localhost",
        ] {
            assert!(allows(&[], origin), "{origin}");
        }
        for origin in [
            "null",
            "",
            "https://example.com",
            "http://localhost.example.com",
            "http://notlocalhost",
            "http://127.0.0.1.example.com",
            "http://128.0.0.1",
            "http://0.0.0.0",
            "http://[::]",
            "http://192.168.0.1",
            "http://user@localhost",
            "http://localhost/path",
            "http://localhost?x",
            "file://",
            "localhost",
        ] {
            assert!(!allows(&[], origin), "{origin}");
        }
    }

    #[test]
    fn a_list_allows_its_origins_only() {
        let list = ["https://chat.example.com", "http://localhost:3000/", "capacitor://App"];
        for origin in
            ["https://chat.example.com", "https://CHAT.example.com:443", "http://localhost:3000", "capacitor://app"]
        {
            assert!(allows(&list, origin), "{origin}");
        }
        for origin in [
            "http://chat.example.com",
            "https://chat.example.com:8443",
            "https://example.com",
            "https://x.chat.example.com",
            "http://localhost",
            "http://127.0.0.1:3000",
        ] {
            assert!(!allows(&list, origin), "{origin}");
        }
    }

    #[test]
    fn a_repeated_origin_is_refused() {
        let value = HeaderValue::from_static("http://localhost");
        let headers = HeaderMap::from_iter([(header::ORIGIN, value.clone())]);
        assert!(matches!(Origins::new(Vec::new()).judge(&headers), Ok(Some(_))));
        let mut twice = headers;
        twice.append(header::ORIGIN, value);
        assert!(Origins::new(Vec::new()).judge(&twice).is_err());
        assert!(matches!(Origins::new(Vec::new()).judge(&HeaderMap::new()), Ok(None)));
    }
}
