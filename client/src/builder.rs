//! Putting a client together: where the worker is, its key, time limits, and what tests replace.

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

/// Where a worker listens that nobody moved.
pub const DEFAULT_URL: &str = "http://127.0.0.1:8787";

/// How long a connection may take: a part of the attempt's own time limit.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Why a client can't be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The URL is none, or not such as a worker has.
    #[error("the URL {0}")]
    Url(String),
    /// The key has characters that no header can carry.
    #[error("the key may only hold visible ASCII characters")]
    Key,
    /// No HTTP client, as when the system's certificates can't be read.
    #[error("no HTTP client: {0}")]
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
        // The URL is not judged yet and may hold a password.
        f.debug_struct("ClientBuilder").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}

impl Client {
    /// Starts a [`ClientBuilder`] with its defaults. Here and not in `client`, which knows nothing of its builder.
    #[must_use]
    pub fn builder() -> ClientBuilder {
        ClientBuilder::default()
    }
}

impl ClientBuilder {
    /// Where the worker is: an absolute `http` or `https` URL, with a path if a reverse proxy puts one before the
    /// worker's routes. Default [`DEFAULT_URL`].
    ///
    /// A worker on a loopback name or address is always asked directly. Any other is asked as the proxy variables
    /// say (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`), since a person may sit behind one.
    #[must_use]
    pub fn url(mut self, url: impl Into<String>) -> Self {
        self.url = url.into();
        self
    }

    /// The client key that the worker asks for, if it does.
    #[must_use]
    pub fn key(mut self, key: SecretString) -> Self {
        self.key = Some(key);
        self
    }

    /// The time limit of one attempt. Default 90 s: longer than every limit behind the worker, so that the part that
    /// failed is the one that answers.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// What waits between attempts, instead of tokio's timer.
    #[must_use]
    pub fn sleeper<F, S>(mut self, sleeper: F) -> Self
    where
        F: Fn(Duration) -> S + Send + Sync + 'static,
        S: Future<Output = ()> + Send + 'static,
    {
        self.sleeper = Arc::new(move |wait| Box::pin(sleeper(wait)));
        self
    }

    /// What latencies are measured with, instead of the system's clock.
    #[must_use]
    pub fn clock(mut self, clock: impl Fn() -> Instant + Send + Sync + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Where jitter comes from, instead of the operating system: numbers from 0 up to 1.
    #[must_use]
    pub fn randomness(mut self, randomness: impl Fn() -> f64 + Send + Sync + 'static) -> Self {
        self.randomness = Arc::new(randomness);
        self
    }

    /// What is called before every wait for a retry, instead of a debug line.
    #[must_use]
    pub fn on_retry(mut self, on_retry: impl Fn(&Retry<'_>) + Send + Sync + 'static) -> Self {
        self.on_retry = Arc::new(on_retry);
        self
    }

    /// The client.
    ///
    /// # Errors
    /// [`BuildError`] for a URL or a key that can't be used, or when there is no HTTP client to be had.
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

/// An HTTP client for `base`: no redirects, no proxy on loopback.
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

/// Judges where something of Porthole's is said to be.
pub(crate) fn base_url(text: &str) -> Result<Url, BuildError> {
    let refuse = |reason: &str| Err(BuildError::Url(reason.to_owned()));
    let Ok(url) = Url::parse(text.trim()) else {
        return refuse("must be absolute, as http://127.0.0.1:8787");
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
    fn urls_that_no_worker_has_are_refused_by_what_is_wrong() {
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
    fn loopback_is_known_in_every_spelling() {
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
    fn the_key_shows_nowhere() {
        let builder = Client::builder().key(SecretString::from("k-very-secret"));
        let shown = format!("{builder:?} {:?}", builder.clone().build().unwrap());
        assert!(!shown.contains("k-very-secret"), "{shown}");
        let error = Client::builder().key(SecretString::from("two\nlines")).build().unwrap_err();
        assert!(matches!(error, BuildError::Key) && !error.to_string().contains("lines"));
    }
}
