//! The part of Browserbase's REST API that the provider needs: create a remote session, release it, list running ones.
//! Answers are untrusted: their size is bounded, unknown fields are ignored, and messages are scrubbed before reuse.

use std::collections::BTreeMap;
use std::time::Duration;

use http::header::RETRY_AFTER;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use porthole_contract::limits::{CONNECT_TIMEOUT, SESSION_CREATE_TIMEOUT};
use reqwest::redirect::Policy;
use reqwest::{RequestBuilder, Response};
use secrecy::{ExposeSecret as _, SecretString};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use url::Url;

use super::scrub::scrubbed;
use crate::provider::Credentials;

/// The largest answer that is read: a list of all sessions that an account may run is a few hundred kilobytes.
const ANSWER_MAX_BYTES: usize = 4 * 1024 * 1024;
/// How long an answer may take, except the answer to a create.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest `Retry-After` that is passed on to our callers.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(3_600);
/// The longest session id that is accepted.
const ID_MAX_BYTES: usize = 128;

const KEY_HEADER: HeaderName = HeaderName::from_static("x-bb-api-key");
const RATE_RESET_HEADER: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// Why a request to the API failed.
#[derive(Clone, Debug, thiserror::Error)]
pub(super) enum ApiError {
    /// No answer arrived. `sent` tells whether the request may have reached Browserbase.
    #[error("Browserbase can't be reached")]
    Unreachable { sent: bool },
    /// No complete answer arrived in time.
    #[error("Browserbase did not answer in time")]
    TimedOut,
    /// Too many sessions, or too many creations a minute.
    #[error("{sentence}")]
    RateLimited { sentence: String, retry_after: Option<Duration> },
    /// Any other refusal, with Browserbase's message.
    #[error("Browserbase answered {}: {sentence}", .status.as_u16())]
    Refused { status: StatusCode, sentence: String },
    /// An answer of an unexpected shape.
    #[error("Browserbase's answer can't be read")]
    Unreadable,
}

impl ApiError {
    /// Returns whether Browserbase may have carried out the request despite the error.
    pub(super) fn may_have_happened(&self) -> bool {
        match self {
            ApiError::Unreachable { sent } => *sent,
            ApiError::TimedOut | ApiError::Unreadable => true,
            ApiError::Refused { status, .. } => status.is_server_error(),
            ApiError::RateLimited { .. } => false,
        }
    }
}

/// The API at one base URL.
#[derive(Clone, Debug)]
pub(super) struct Api {
    http: reqwest::Client,
    base: Url,
}

/// The request to create a session.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CreateSession<'a> {
    pub project_id: &'a str,
    /// Browserbase ends the session after this many seconds (60 to 21600).
    pub timeout: u64,
    pub keep_alive: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<&'a str>,
    pub proxies: bool,
    pub browser_settings: BrowserSettings,
    pub user_metadata: BTreeMap<&'static str, String>,
}

/// Browserbase's optional features for a session. Its defaults record, log, solve captchas and ignore certificate
/// errors; ours do none of these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BrowserSettings {
    /// Record the session's screen.
    pub record_session: bool,
    /// Log its requests.
    pub log_session: bool,
    /// Solve captchas.
    pub solve_captchas: bool,
    /// Load pages with an invalid certificate.
    pub ignore_certificate_errors: bool,
    /// Block advertisements.
    pub block_ads: bool,
}

/// The answer to a create.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Created {
    pub id: String,
    /// The DevTools URL of its browser. A secret: it holds a signing key.
    pub connect_url: SecretString,
}

/// One session of a list.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Listed {
    pub id: String,
    #[serde(default)]
    pub user_metadata: BTreeMap<String, serde_json::Value>,
}

#[derive(Deserialize)]
struct Status {
    status: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Release<'a> {
    project_id: &'a str,
    status: &'static str,
}

#[derive(Default, Deserialize)]
struct ErrorBody {
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    error: Option<String>,
}

impl Api {
    /// Creates a client of the API at `base`. Ignores proxy variables: they are meant for users, and a proxy would
    /// see the keys.
    ///
    /// # Errors
    /// [`reqwest::Error`] if TLS can't be set up.
    pub(super) fn new(base: Url) -> Result<Self, reqwest::Error> {
        let http = reqwest::Client::builder()
            .no_proxy()
            .redirect(Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .user_agent(concat!("porthole/", env!("CARGO_PKG_VERSION")))
            .build()?;
        Ok(Self { http, base })
    }

    pub(super) async fn create(
        &self,
        credentials: &Credentials,
        session: &CreateSession<'_>,
    ) -> Result<Created, ApiError> {
        let request = self.http.post(self.at(&["v1", "sessions"])).json(session).timeout(SESSION_CREATE_TIMEOUT);
        let created: Created = send(request, credentials).await?;
        if is_id(&created.id) { Ok(created) } else { Err(ApiError::Unreadable) }
    }

    /// Requests a session's end; succeeds when the end is confirmed or the session had already ended.
    pub(super) async fn release(&self, credentials: &Credentials, id: &str) -> Result<(), ApiError> {
        let project_id = credentials.project_id.as_ref().map_or("", |id| id.expose_secret());
        let url = self.at(&["v1", "sessions", id]);
        let body = Release { project_id, status: "REQUEST_RELEASE" };
        let request = self.http.post(url.clone()).json(&body).timeout(ANSWER_TIMEOUT);
        let refused = match send::<serde_json::Value>(request, credentials).await {
            Ok(_) => return Ok(()),
            Err(ApiError::Refused { status: StatusCode::NOT_FOUND, .. }) => return Ok(()),
            Err(refused @ ApiError::Refused { status, .. }) if status.is_client_error() => refused,
            Err(error) => return Err(error),
        };
        // Releasing a session that has already ended is refused, so its status decides.
        let status: Status = send(self.http.get(url).timeout(ANSWER_TIMEOUT), credentials).await?;
        if matches!(status.status.as_str(), "RUNNING" | "PENDING") { Err(refused) } else { Ok(()) }
    }

    /// Lists the running sessions whose metadata has `value` at `key`.
    pub(super) async fn running(
        &self,
        credentials: &Credentials,
        key: &str,
        value: &str,
    ) -> Result<Vec<Listed>, ApiError> {
        let mut url = self.at(&["v1", "sessions"]);
        url.query_pairs_mut()
            .append_pair("status", "RUNNING")
            .append_pair("q", &format!("user_metadata['{key}']:'{value}'"));
        let mut listed: Vec<Listed> = send(self.http.get(url).timeout(ANSWER_TIMEOUT), credentials).await?;
        listed.retain(|session| is_id(&session.id));
        Ok(listed)
    }

    fn at(&self, path: &[&str]) -> Url {
        let mut url = self.base.clone();
        // Every base is `http` or `https`, so its path can be extended.
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        url
    }
}

/// Returns whether this is a safe session id: it goes into paths and log lines.
fn is_id(id: &str) -> bool {
    (1..=ID_MAX_BYTES).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}

async fn send<T: DeserializeOwned>(request: RequestBuilder, credentials: &Credentials) -> Result<T, ApiError> {
    let mut key = HeaderValue::from_str(credentials.api_key.expose_secret()).map_err(|_| ApiError::Refused {
        status: StatusCode::UNAUTHORIZED,
        sentence: "the API key can't be sent in a header".to_owned(),
    })?;
    key.set_sensitive(true);
    let response = request.header(KEY_HEADER, key).send().await.map_err(|error| of_transport(&error))?;
    let (status, headers) = (response.status(), response.headers().clone());
    let body = bounded(response).await?;
    if status.is_success() {
        return serde_json::from_slice(&body).map_err(|_| ApiError::Unreadable);
    }
    let refusal: ErrorBody = serde_json::from_slice(&body).unwrap_or_default();
    let sentence = refusal.message.or(refusal.error).unwrap_or_default();
    let sentence = scrubbed(&sentence, credentials);
    Err(if status == StatusCode::TOO_MANY_REQUESTS {
        ApiError::RateLimited { sentence, retry_after: retry_after(&headers) }
    } else {
        ApiError::Refused { status, sentence }
    })
}

fn of_transport(error: &reqwest::Error) -> ApiError {
    if error.is_connect() {
        ApiError::Unreachable { sent: false }
    } else if error.is_timeout() {
        ApiError::TimedOut
    } else {
        ApiError::Unreachable { sent: true }
    }
}

async fn bounded(mut response: Response) -> Result<Vec<u8>, ApiError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| of_transport(&error))? {
        if body.len() + chunk.len() > ANSWER_MAX_BYTES {
            return Err(ApiError::Unreadable);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// Returns when to try again: `retry-after`, else the reset of the rate limit's window.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = |name: HeaderName| headers.get(name)?.to_str().ok()?.trim().parse::<u64>().ok();
    seconds(RETRY_AFTER).or_else(|| seconds(RATE_RESET_HEADER)).map(|s| Duration::from_secs(s).min(RETRY_AFTER_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_one_segment_of_a_path() {
        assert!(is_id("d6b8c2a0-0f5e-4a6e-9a57-0f1c2d3e4f5a"));
        for id in ["", "../projects", "a/b", "a?b", "a b", &"a".repeat(ID_MAX_BYTES + 1)] {
            assert!(!is_id(id), "{id}");
        }
    }

    #[test]
    fn a_base_with_a_path_keeps_it() {
        let at = |base: &str| Api::new(base.parse().unwrap()).unwrap().at(&["v1", "sessions", "a"]).to_string();
        assert_eq!(at("https://api.example.com"), "https://api.example.com/v1/sessions/a");
        assert_eq!(at("http://127.0.0.1:1/bb/"), "http://127.0.0.1:1/bb/v1/sessions/a");
    }

    #[test]
    fn retry_after_is_browserbases_up_to_a_maximum() {
        let wait = |pairs: &[(&'static str, &str)]| {
            let headers = pairs
                .iter()
                .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap()));
            retry_after(&headers.collect()).map(|wait| wait.as_secs())
        };
        assert_eq!(wait(&[("retry-after", "7"), ("x-ratelimit-reset", "9")]), Some(7));
        assert_eq!(wait(&[("retry-after", "soon"), ("x-ratelimit-reset", "9")]), Some(9));
        assert_eq!(wait(&[("retry-after", "99999999")]), Some(3_600));
        assert_eq!(wait(&[]), None);
    }
}
