//! Finds an endpoint's WebSocket URL: given by the operator, or reported by `/json/version`.
//!
//! The whole URL is a secret: commercial browser services take their token in it.

use std::time::Duration;

use reqwest::redirect::Policy;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use url::{Host, Url};

use crate::provider::ProviderError;

/// How long `/json/version` may take.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);
/// The largest answer to `/json/version` that is read.
const ANSWER_MAX_BYTES: usize = 64 * 1024;

/// A browser's endpoint: a `ws`, `wss`, `http` or `https` URL.
#[derive(Clone)]
pub struct Endpoint {
    url: SecretString,
    http: reqwest::Client,
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Endpoint").finish_non_exhaustive()
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Version {
    web_socket_debugger_url: SecretString,
}

impl Endpoint {
    /// Parses `ws://…`, `wss://…`, `http://…` or `https://…`; `None` for any other text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let url = Url::parse(text).ok()?;
        let is_known = matches!(url.scheme(), "ws" | "wss" | "http" | "https") && url.has_host();
        let http =
            reqwest::Client::builder().no_proxy().redirect(Policy::none()).timeout(ANSWER_TIMEOUT).build().ok()?;
        is_known.then(|| Self { url: text.to_owned().into(), http })
    }

    /// Returns the WebSocket's URL, asking the endpoint if it is an HTTP one.
    ///
    /// # Errors
    /// [`ProviderError::Unavailable`] if the endpoint does not report a usable one.
    pub(super) async fn websocket(&self) -> Result<SecretString, ProviderError> {
        let unavailable = |what: &str| ProviderError::Unavailable(format!("the browser's endpoint {what}"));
        let given = Url::parse(self.url.expose_secret()).map_err(|_| unavailable("is not a URL"))?;
        if matches!(given.scheme(), "ws" | "wss") {
            return Ok(self.url.clone());
        }
        let mut asked = given.clone();
        asked.path_segments_mut().map_err(|()| unavailable("is not a URL"))?.pop_if_empty().extend(["json", "version"]);
        let mut answer = self.http.get(asked).send().await.map_err(|_| unavailable("can't be reached"))?;
        if !answer.status().is_success() {
            return Err(unavailable(&format!("answered {} to /json/version", answer.status().as_u16())));
        }
        let mut body = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(|_| unavailable("broke off its answer"))? {
            body.extend_from_slice(&chunk);
            if body.len() > ANSWER_MAX_BYTES {
                return Err(unavailable("sent too large an answer to /json/version"));
            }
        }
        let version: Version = serde_json::from_slice(&body).map_err(|_| unavailable("reports no WebSocket URL"))?;
        let named = Url::parse(version.web_socket_debugger_url.expose_secret());
        let named = named.ok().filter(|named| matches!(named.scheme(), "ws" | "wss"));
        let named = named.ok_or_else(|| unavailable("reports no WebSocket URL"))?;
        Ok(reachable(named, &given).to_string().into())
    }
}

/// Makes the reported URL reachable from here: an unspecified address is replaced by the authority of the operator's
/// URL, and a missing query by that URL's query, which may hold the endpoint's token.
fn reachable(mut named: Url, given: &Url) -> Url {
    let is_unspecified = match named.host() {
        Some(Host::Ipv4(address)) => address.is_unspecified(),
        Some(Host::Ipv6(address)) => address.is_unspecified(),
        _ => false,
    };
    // Both URLs are of special schemes, so neither part is refused.
    if is_unspecified && named.set_host(given.host_str()).is_ok() {
        named.set_port(given.port_or_known_default()).unwrap_or_default();
    }
    if named.query().is_none() {
        named.set_query(given.query());
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        text.parse().unwrap()
    }

    #[test]
    fn four_schemes_are_endpoints() {
        for text in
            ["ws://127.0.0.1:9222/devtools/browser/1", "wss://a/?token=t", "http://a:3000", "https://a/path?token=t"]
        {
            assert!(Endpoint::parse(text).is_some(), "{text}");
        }
        for text in ["", "127.0.0.1:9222", "ftp://a/", "file:///a", "ws://"] {
            assert!(Endpoint::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn an_unspecified_address_is_replaced_by_the_operators() {
        let given = url("http://grid.example:3000/?token=t");
        let reached = |named: &str| reachable(url(named), &given).to_string();
        assert_eq!(reached("ws://0.0.0.0:3000/devtools/1"), "ws://grid.example:3000/devtools/1?token=t");
        assert_eq!(reached("ws://inside.example:1/x?k=1"), "ws://inside.example:1/x?k=1");
    }

    #[test]
    fn an_endpoint_is_never_shown() {
        let shown = format!("{:?}", Endpoint::parse("wss://a/?token=the-token").unwrap());
        assert!(!shown.contains("the-token"), "{shown}");
    }
}
