//! Asks the admin listener of the worker or the service for metrics and readiness. No retries, no key.

use std::fmt;
use std::time::Duration;

use http::HeaderMap;
use porthole_contract::routes::{API_METRICS, CREATE, OPENAPI, READYZ, WORKER_PREFIX};
use serde_json::Value;

use crate::builder::{BuildError, base_url, http_client};
use crate::client::send;
use crate::error::Error;

/// An admin listener answers from memory; the worker's `/readyz` asks its service first.
const ADMIN_TIMEOUT: Duration = Duration::from_secs(5);

/// The longest reason that [`Readiness::NotReady`] keeps, in characters.
const REASON_MAX_CHARS: usize = 300;

/// Time for [`is_worker`]: it asks on this machine.
const IS_WORKER_TIMEOUT: Duration = Duration::from_secs(2);

/// Returns whether a worker answers at `url`, such as one that `porthole up` runs. No key is sent.
pub async fn is_worker(url: &str) -> bool {
    let Ok(base) = base_url(url) else { return false };
    let Ok(http) = http_client(&base, HeaderMap::new(), IS_WORKER_TIMEOUT) else { return false };
    let url = base.as_str().trim_end_matches('/');
    match send(http.get(format!("{url}{OPENAPI}")), url, IS_WORKER_TIMEOUT).await {
        Ok(answer) => {
            let document: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
            document["info"]["title"] == "Porthole" && !document["paths"][format!("{WORKER_PREFIX}{CREATE}")].is_null()
        }
        Err(_nobody) => false,
    }
}

/// A client of one admin listener.
#[derive(Clone)]
pub struct Admin {
    http: reqwest::Client,
    base: String,
}

/// Whether the process accepts requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// It does.
    Ready,
    /// It does not; the process's reason.
    NotReady(String),
}

impl fmt::Debug for Admin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Admin").field("url", &self.base).finish_non_exhaustive()
    }
}

impl Admin {
    /// Creates a client of the admin listener at `url`, such as `http://127.0.0.1:9787`.
    ///
    /// # Errors
    /// [`BuildError`] for a URL that can't be used.
    pub fn new(url: &str) -> Result<Self, BuildError> {
        let base = base_url(url)?;
        let http = http_client(&base, HeaderMap::new(), ADMIN_TIMEOUT)?;
        Ok(Self { http, base: base.as_str().trim_end_matches('/').to_owned() })
    }

    /// Returns the listener's URL without a trailing slash.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.base
    }

    /// Reads `/api/metrics`, in the shape of [`Metrics`](crate::Metrics), including fields that this version doesn't
    /// know.
    ///
    /// # Errors
    /// [`Error`] when the listener can't be reached or the answer has another shape.
    pub async fn metrics(&self) -> Result<Value, Error> {
        let answer = send(self.http.get(format!("{}{API_METRICS}", self.base)), &self.base, ADMIN_TIMEOUT).await?;
        answer.read(&self.base)
    }

    /// Reads `/readyz`.
    ///
    /// # Errors
    /// [`Error`] when the listener can't be reached.
    pub async fn readiness(&self) -> Result<Readiness, Error> {
        let answer = send(self.http.get(format!("{}{READYZ}", self.base)), &self.base, ADMIN_TIMEOUT).await?;
        if answer.status == 200 {
            return Ok(Readiness::Ready);
        }
        Ok(Readiness::NotReady(reason(&answer.body)))
    }
}

/// Returns the reason in a `/readyz` answer, which is JSON or text.
fn reason(body: &[u8]) -> String {
    let text = match serde_json::from_slice::<Value>(body) {
        Ok(json) => ["reason", "details", "message"]
            .iter()
            .find_map(|field| json[field].as_str().filter(|text| !text.is_empty()))
            .map(str::to_owned)
            .unwrap_or_default(),
        Err(_) => String::from_utf8_lossy(body).trim().to_owned(),
    };
    text.chars().take(REASON_MAX_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_found_in_json_and_in_text() {
        assert_eq!(reason(br#"{"ok":false,"reason":"no browser yet"}"#), "no browser yet");
        assert_eq!(reason(br#"{"details":"","message":"busy"}"#), "busy");
        assert_eq!(reason(b" draining\n"), "draining");
        assert_eq!(reason(b""), "");
    }
}
