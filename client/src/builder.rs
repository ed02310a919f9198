//! Builds a client: the worker's URL and key, time limits, and the parts that tests replace.

use std::fmt;
use std::future::Future;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use porthole_contract::limits::CLIENT_TIMEOUT;
use reqwest::redirect::Policy;
use secrecy::{ExposeSecret, SecretString};
use url::{Host, Url};

use crate::client::{Client, Parts};
use crate::metrics::Counters;
use crate::retry::{self, OnRetry, Randomness, Retry, Sleeper};

/// The URL of a worker with default settings.
pub const DEFAULT_URL: &str = "http://127.0.0.1:8787";

/// The time limit for connecting. It is part of the attempt's time limit.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Why a client can't be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The URL is invalid, or a worker can't have it.
    #[error("the URL {0}")]
    Url(String),
    /// The key has characters that a header can't carry.
    #[error("the key may only hold visible ASCII characters")]
    Key,
    /// The HTTP client can't be built, for example because the system's certificates can't be read.
    #[error("the HTTP client can't be built: {0}")]
    Http(String),
}

/// Builds a [`Client`].
#[derive(Clone)]
pub struct ClientBuilder {
    url: String,
    key: Option<SecretString>,
    timeout: Duration,
    sleeper: Sleeper,
    clock: Arc<dyn Fn() -> Instant + Send + Sync>,
    randomness: Randomness,
    on_retry: OnRetry,
}

impl Default for ClientBuilder {
    fn default() -> Self {
        Self {
            url: DEFAULT_URL.to_owned(),
            key: None,
            timeout: CLIENT_TIMEOUT,
            sleeper: retry::tokio_sleeper(),
            clock: Arc::new(Instant::now),
            randomness: retry::system_randomness(),
            on_retry: Arc::new(retry::log_retry),
        }
    }
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The URL is not validated yet and may hold a password.
        f.debug_struct("ClientBuilder").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}

impl Client {
    /// Starts a [`ClientBuilder`] with its defaults. Defined here, because `client` does not depend on its builder.
    #[must_use]
    pub fn builder() -> ClientBuilder {
        ClientBuilder::default()
    }
}

impl ClientBuilder {
    /// Sets the worker's URL: an absolute `http` or `https` URL, with a path if a reverse proxy puts one before the
    /// worker's routes. Default [`DEFAULT_URL`].
    ///
    /// Requests to a loopback name or address never use a proxy. All others follow the proxy variables (`HTTPS_PROXY`,
    /// `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`), since users may be behind a proxy.
    #[must_use]
    pub fn url(mut self, url: impl Into<String>) -> Self {
        self.url = url.into();
        self
    }

    /// Sets the client key, for a worker that requires one.
    #[must_use]
    pub fn key(mut self, key: SecretString) -> Self {
        self.key = Some(key);
        self
    }

    /// Sets the time limit of one attempt. Default 90 s: longer than every limit behind the worker, so that the failing
    /// component answers before the client gives up.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Replaces tokio's timer for the waits between attempts.
    #[must_use]
    pub fn sleeper<F, S>(mut self, sleeper: F) -> Self
    where
        F: Fn(Duration) -> S + Send + Sync + 'static,
        S: Future<Output = ()> + Send + 'static,
    {
        self.sleeper = Arc::new(move |wait| Box::pin(sleeper(wait)));
        self
    }

    /// Replaces the system clock for measuring latencies.
    #[must_use]
    pub fn clock(mut self, clock: impl Fn() -> Instant + Send + Sync + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Replaces the operating system as the source of jitter: numbers from 0 up to 1.
    #[must_use]
    pub fn randomness(mut self, randomness: impl Fn() -> f64 + Send + Sync + 'static) -> Self {
        self.randomness = Arc::new(randomness);
        self
    }

    /// Sets a callback that is called before every wait for a retry, instead of logging a debug line.
    #[must_use]
    pub fn on_retry(mut self, on_retry: impl Fn(&Retry<'_>) + Send + Sync + 'static) -> Self {
        self.on_retry = Arc::new(on_retry);
        self
    }

    /// Builds the client.
    ///
    /// # Errors
    /// [`BuildError`] for a URL or a key that can't be used, or when the HTTP client can't be built.
    pub fn build(self) -> Result<Client, BuildError> {
        let base = base_url(&self.url)?;
        let mut headers = HeaderMap::new();
        if let Some(key) = &self.key {
            headers.insert(AUTHORIZATION, bearer(key)?);
        }
        let http = http_client(&base, headers, self.timeout)?;
        Ok(Client::from_parts(Parts {
            http,
            base: base.as_str().trim_end_matches('/').to_owned(),
            timeout: self.timeout,
            sleeper: self.sleeper,
            clock: self.clock,
            randomness: self.randomness,
            on_retry: self.on_retry,
            counters: Counters::default(),
        }))
    }
}

/// Builds an HTTP client for `base`: no redirects, no proxy on loopback.
pub(crate) fn http_client(base: &Url, headers: HeaderMap, timeout: Duration) -> Result<reqwest::Client, BuildError> {
    let mut http = reqwest::Client::builder()
        .user_agent(concat!("porthole/", env!("CARGO_PKG_VERSION")))
        .default_headers(headers)
        .redirect(Policy::none())
        .connect_timeout(CONNECT_TIMEOUT.min(timeout))
        .timeout(timeout);
    if is_loopback(base) {
        http = http.no_proxy();
    }
    http.build().map_err(|error| BuildError::Http(error.to_string()))
}

/// Validates the URL of a worker or an admin listener.
pub(crate) fn base_url(text: &str) -> Result<Url, BuildError> {
    let refuse = |reason: &str| Err(BuildError::Url(reason.to_owned()));
    let Ok(url) = Url::parse(text.trim()) else {
        return refuse("must be absolute, such as http://127.0.0.1:8787");
    };
    if !matches!(url.scheme(), "http" | "https") {
        return refuse("must begin with http:// or https://");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return refuse("must not carry a user name or password");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return refuse("must not carry a query or a fragment");
    }
    Ok(url)
}

fn bearer(key: &SecretString) -> Result<HeaderValue, BuildError> {
    if !key.expose_secret().bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(BuildError::Key);
    }
    let mut value = HeaderValue::from_str(&format!("Bearer {}", key.expose_secret())).map_err(|_| BuildError::Key)?;
    value.set_sensitive(true);
    Ok(value)
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => IpAddr::V6(address).to_canonical().is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_urls_are_refused_with_the_reason() {
        for (url, reason) in [
            ("127.0.0.1:8787", "must be absolute"),
            ("localhost:8787", "must begin with http:// or https://"),
            ("ftp://localhost", "must begin with http:// or https://"),
            ("http://me:secret@localhost", "must not carry a user name or password"),
            ("http://localhost/?a=b", "must not carry a query"),
        ] {
            let error = Client::builder().url(url).build().unwrap_err().to_string();
            assert!(error.contains(reason), "{url}: {error}");
            assert!(!error.contains("secret"), "{error}");
        }
        let client = Client::builder().url(" https://example.com/porthole/ ").build().unwrap();
        assert_eq!(client.url(), "https://example.com/porthole");
    }

    #[test]
    fn loopback_is_recognised_in_every_spelling() {
        for (url, expected) in [
            ("http://localhost:1", true),
            ("http://a.localhost", true),
            ("http://127.8.0.1", true),
            ("http://[::1]:1", true),
            ("http://[::ffff:127.0.0.1]", true),
            ("http://localhost.example.com", false),
            ("http://10.0.0.1", false),
        ] {
            assert_eq!(is_loopback(&Url::parse(url).unwrap()), expected, "{url}");
        }
    }

    #[test]
    fn the_key_is_never_shown() {
        let builder = Client::builder().key(SecretString::from("k-very-secret"));
        let shown = format!("{builder:?} {:?}", builder.clone().build().unwrap());
        assert!(!shown.contains("k-very-secret"), "{shown}");
        let error = Client::builder().key(SecretString::from("two\nlines")).build().unwrap_err();
        assert!(matches!(error, BuildError::Key) && !error.to_string().contains("lines"));
    }
}
