//! Web origins: whose pages may call, and what browsers are told about it (CORS).
//!
//! A request without an `Origin` comes from no web page and is not judged here. The `Host` header never decides
//! anything: a page whose name was bound to a loopback address writes what it likes there.

use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use porthole_contract::ErrorCode;
use porthole_contract::routes::{METADATA_HEADER_PREFIX, REQUEST_ID_HEADER};
use porthole_daemon::answer::Refused;
use url::{Host, Url};

/// What pages may send.
const ALLOWED_METHODS: &str = "GET, POST";
const ALLOWED_HEADERS: &str = "accept, authorization, content-type, traceparent, tracestate, x-request-id";
/// How long a browser may remember a preflight's answer, in seconds.
const MAX_AGE_SECONDS: &str = "600";
/// What a preflight's answer depends on.
const PREFLIGHT_VARY: &str = "Origin, Access-Control-Request-Method, Access-Control-Request-Headers";

/// A web origin: scheme, host and port, as a browser writes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    scheme: String,
    host: Host<String>,
    port: Option<u16>,
}

impl Origin {
    /// Reads `scheme://host` or `scheme://host:port`; a default port and a single slash at the end don't count.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let url = Url::parse(text).ok()?;
        let bare = matches!(url.path(), "" | "/")
            && url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none();
        // Schemes of app shells (capacitor://localhost) keep their host as it was written.
        let host = Host::parse(&url.host_str()?.to_ascii_lowercase()).ok()?;
        let named = !matches!(&host, Host::Domain(name) if name.is_empty());
        (bare && named).then(|| Self { scheme: url.scheme().to_owned(), host, port: url.port() })
    }

    /// Whether its host is a loopback name or address.
    fn is_loopback(&self) -> bool {
        match &self.host {
            Host::Domain(name) => name == "localhost" || name.ends_with(".localhost"),
            Host::Ipv4(address) => IpAddr::V4(*address).is_loopback(),
            Host::Ipv6(address) => *address == Ipv6Addr::LOCALHOST,
        }
    }
}

/// Which origins may call.
#[derive(Clone, Debug)]
pub(crate) struct Origins(Arc<[Origin]>);

impl Origins {
    /// These ones; with none, every loopback one.
    pub(crate) fn new(allowed: Vec<Origin>) -> Self {
        Self(allowed.into())
    }

    /// The request's origin as it is to be echoed, `None` for a request that has none.
    fn judge<'a>(&self, headers: &'a HeaderMap) -> Result<Option<&'a HeaderValue>, Refused> {
        let mut values = headers.get_all(header::ORIGIN).iter();
        let Some(value) = values.next() else { return Ok(None) };
        let single = values.next().is_none();
        let origin = value.to_str().ok().filter(|_| single).and_then(Origin::parse);
        if origin.is_some_and(|origin| self.allow(&origin)) {
            Ok(Some(value))
        } else {
            Err(Refused::new(ErrorCode::OriginNotAllowed, "origin: is not one that the operator allows"))
        }
    }

    fn allow(&self, origin: &Origin) -> bool {
        if self.0.is_empty() { origin.is_loopback() } else { self.0.contains(origin) }
    }
}

/// Refuses pages that may not call, answers preflights, and lets the pages that may call read the answer.
pub(crate) async fn judge_origin(State(origins): State<Origins>, request: Request, next: Next) -> Response {
    let (allowed, preflight) = match origins.judge(request.headers()) {
        Ok(origin) => (origin.cloned(), is_preflight(&request)),
        Err(refused) => return varied(refused.into_response()),
    };
    let Some(allowed) = allowed else { return varied(next.run(request).await) };
    let mut response = if preflight { preflight_answer() } else { next.run(request).await };
    let exposed = exposed(response.headers());
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, allowed);
    if !preflight {
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
    }
    varied(response)
}

fn is_preflight(request: &Request) -> bool {
    request.method() == Method::OPTIONS && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

fn preflight_answer() -> Response {
    let headers = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, ALLOWED_METHODS),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, ALLOWED_HEADERS),
        (header::ACCESS_CONTROL_MAX_AGE, MAX_AGE_SECONDS),
        (header::VARY, PREFLIGHT_VARY),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}

/// The answer's headers that a page may read beyond the few that it always may.
fn exposed(headers: &HeaderMap) -> HeaderValue {
    let always = [REQUEST_ID_HEADER, header::RETRY_AFTER.as_str()];
    let metadata = headers.keys().map(HeaderName::as_str).filter(|name| name.starts_with(METADATA_HEADER_PREFIX));
    let names: Vec<&str> = always.into_iter().chain(metadata).collect();
    HeaderValue::from_str(&names.join(", ")).expect("header names and commas are a header's value")
}

/// Caches must not give one origin's answer to another.
fn varied(mut response: Response) -> Response {
    if !response.headers().contains_key(header::VARY) {
        response.headers_mut().insert(header::VARY, HeaderValue::from_static("Origin"));
    }
    response
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
    fn a_list_allows_what_it_names_and_nothing_else() {
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
    fn two_origins_are_none() {
        let value = HeaderValue::from_static("http://localhost");
        let headers = HeaderMap::from_iter([(header::ORIGIN, value.clone())]);
        assert!(matches!(Origins::new(Vec::new()).judge(&headers), Ok(Some(_))));
        let mut twice = headers;
        twice.append(header::ORIGIN, value);
        assert!(Origins::new(Vec::new()).judge(&twice).is_err());
        assert!(matches!(Origins::new(Vec::new()).judge(&HeaderMap::new()), Ok(None)));
    }
}
