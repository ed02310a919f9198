//! Asking an admin listener, the worker's or the service's: its metrics, and whether it is ready. No retries, no key.

use std::fmt;
use std::time::Duration;

use http::HeaderMap;
use porthole_contract::routes::{API_METRICS, READYZ};
use serde_json::Value;

use crate::builder::{BuildError, base_url, http_client};
use crate::client::send;
use crate::error::Error;

/// An admin listener answers from memory; the worker's `/readyz` asks its service first.
const ADMIN_TIMEOUT: Duration = Duration::from_secs(5);

/// The most characters of a reason that are told.
const REASON_MAX_CHARS: usize = 300;

/// An admin listener.
#[derive(Clone)]
pub struct Admin {
    http: reqwest::Client,
    base: String,
}

/// Whether a request would be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// It would.
    Ready,
    /// It would not, and why, as the process says.
    NotReady(String),
}

impl fmt::Debug for Admin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Admin").field("url", &self.base).finish_non_exhaustive()
    }
}

impl Admin {
    /// The admin listener at `url`, as `http://127.0.0.1:9787`.
    ///
    /// # Errors
    /// [`BuildError`] for a URL that can't be used.
    pub fn new(url: &str) -> Result<Self, BuildError> {
        let base = base_url(url)?;
        let http = http_client(&base, HeaderMap::new(), ADMIN_TIMEOUT)?;
        Ok(Self { http, base: base.as_str().trim_end_matches('/').to_owned() })
    }

    /// Where it is, without a slash at its end.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.base
    }

    /// What `/api/metrics` says, in the shape of [`Metrics`](crate::Metrics), fields that this version doesn't know
    /// included.
    ///
    /// # Errors
    /// [`Error`] when it can't be reached or answers something else.
    pub async fn metrics(&self) -> Result<Value, Error> {
        let answer = send(self.http.get(format!("{}{API_METRICS}", self.base)), &self.base, ADMIN_TIMEOUT).await?;
        answer.read(&self.base)
    }

    /// What `/readyz` says.
    ///
    /// # Errors
    /// [`Error`] when it can't be reached.
    pub async fn readiness(&self) -> Result<Readiness, Error> {
        let answer = send(self.http.get(format!("{}{READYZ}", self.base)), &self.base, ADMIN_TIMEOUT).await?;
        if answer.status == 200 {
            return Ok(Readiness::Ready);
        }
        Ok(Readiness::NotReady(reason(&answer.body)))
    }
}

/// The reason in a `/readyz` answer, be it JSON or text.
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
