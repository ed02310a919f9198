//! A caller that knows only the wire: it sends JSON over HTTP and checks every answer against the contract's table.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode, header};
use porthole_contract::{ErrorCode, limits};
use reqwest::RequestBuilder;
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use crate::owner::{self, OwnerKey};
use crate::picture::Picture;

/// Longer than the worker's own limit: a request that reaches it has hung.
const ANSWER_WITHIN: Duration = Duration::from_secs(85);
/// Validity of owner tokens.
const TOKEN_SECONDS: i64 = 3600;

/// Builds a client for `http` URLs without proxy and without persistent connections, so that several runtimes can share it.
///
/// # Panics
/// Never: all its options are constants.
#[must_use]
pub fn http_client() -> reqwest::Client {
    reqwest::Client::builder()
        .no_proxy()
        // Reading the system's certificates takes a debug build a tenth of a second.
        .tls_certs_only([])
        .pool_max_idle_per_host(0)
        .redirect(reqwest::redirect::Policy::none())
        .timeout(ANSWER_WITHIN)
        .build()
        .expect("a client with constant options")
}

/// The owner of a sandbox, who calls the worker or the service directly.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The HTTP client.
    pub http: reqwest::Client,
    /// The prefix of every route's URL.
    pub base: String,
    /// The key presented as `Authorization: Bearer …`.
    pub bearer: Option<String>,
    /// The default sandbox of requests.
    pub sandbox_id: String,
    /// The sandbox's owner token.
    pub owner_token: String,
}

impl Caller {
    /// Returns the owner of a sandbox, without a key, who calls what listens at this URL.
    #[must_use]
    pub fn of(base: String) -> Self {
        Self::by(http_client(), base)
    }

    pub(crate) fn by(http: reqwest::Client, base: String) -> Self {
        let (sandbox_id, owner_token) = Default::default();
        let caller = Self { http, base, bearer: None, sandbox_id, owner_token };
        caller.owning("sb-of-the-tests", &owner::FIRST)
    }

    /// Returns the same caller as the owner of this sandbox, by a token of this key.
    #[must_use]
    pub fn owning(self, sandbox_id: &str, key: &OwnerKey) -> Self {
        let owner_token = key.token(sandbox_id, TOKEN_SECONDS);
        Self { sandbox_id: sandbox_id.to_owned(), owner_token, ..self }
    }

    /// Takes a screenshot.
    pub async fn screenshot(&self, fields: Value) -> Answer {
        self.post("/browser-screenshot", fields).await
    }

    /// Reads a page.
    pub async fn extract(&self, fields: Value) -> Answer {
        self.post("/browser-extract", fields).await
    }

    /// Posts JSON to a route. On `browser-*` and session routes, missing sandbox and token fields are added; `null` ones are
    /// removed.
    pub async fn post(&self, route: &str, fields: Value) -> Answer {
        self.send(self.request(Method::POST, route).json(&self.body(route, fields))).await
    }

    /// Posts these bytes unchanged, as JSON.
    pub async fn post_bytes(&self, route: &str, body: impl Into<reqwest::Body>) -> Answer {
        self.send(self.request(Method::POST, route).header(header::CONTENT_TYPE, "application/json").body(body)).await
    }

    /// Returns the body that [`Caller::post`] sends.
    #[must_use]
    pub fn body(&self, route: &str, fields: Value) -> Value {
        let Value::Object(mut fields) = fields else { return fields };
        if route.starts_with("/browser-") || route.starts_with("/session/") || route == "/tools/run" {
            for (name, value) in [("sandbox_id", &self.sandbox_id), ("owner_token", &self.owner_token)] {
                match fields.get(name) {
                    None => drop(fields.insert(name.to_owned(), json!(value))),
                    Some(Value::Null) => drop(fields.remove(name)),
                    Some(_) => {}
                }
            }
        }
        Value::Object(fields)
    }

    /// Builds a request to a route, with this caller's key.
    pub fn request(&self, method: Method, route: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}{route}", self.base));
        match &self.bearer {
            Some(key) => request.bearer_auth(key),
            None => request,
        }
    }

    /// Sends a request and reads the whole answer.
    ///
    /// # Panics
    /// When there is no answer.
    pub async fn send(&self, request: RequestBuilder) -> Answer {
        let started = Instant::now();
        let response = request.send().await.unwrap_or_else(|error| panic!("no answer: {error:?}"));
        let (status, headers) = (response.status(), response.headers().clone());
        let body = response.bytes().await.unwrap_or_else(|error| panic!("incomplete answer: {error:?}"));
        Answer { status, headers, body, took: started.elapsed() }
    }
}

/// A received answer.
#[derive(Clone)]
pub struct Answer {
    /// The HTTP status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
    /// Time from the request to the end of the answer.
    pub took: Duration,
}

impl std::fmt::Debug for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let body: String = String::from_utf8_lossy(&self.body).chars().take(1000).collect();
        write!(f, "{} after {:?}, {:#?}\n{body}", self.status, self.took, self.headers)
    }
}

impl Answer {
    /// Parses the body as JSON.
    ///
    /// # Panics
    /// When it is not JSON.
    #[must_use]
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("not JSON ({error}): {self:?}"))
    }

    /// Returns a header's value; empty if it is missing.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// Returns the error code; `None` for a success.
    #[must_use]
    pub fn code(&self) -> Option<String> {
        if self.status == StatusCode::OK { None } else { self.json()["error"].as_str().map(str::to_owned) }
    }

    /// Asserts that the answer took at most `limit`.
    ///
    /// # Panics
    /// When it took longer.
    #[track_caller]
    pub fn within(self, limit: Duration) -> Self {
        assert!(self.took <= limit, "took longer than {limit:?}: {self:?}");
        self
    }

    /// Asserts a success of a route of sessions with the fields that all of them have; returns its fields.
    ///
    /// # Panics
    /// When it is not a success of that shape.
    #[track_caller]
    pub fn expect_session(&self) -> Map<String, Value> {
        assert_eq!(self.status, StatusCode::OK, "{self:?}");
        let Value::Object(fields) = self.json() else { panic!("not an object: {self:?}") };
        assert_eq!(fields.get("ok"), Some(&json!(true)), "{self:?}");
        for (name, fits) in [
            ("session", Value::is_string as fn(&Value) -> bool),
            ("tab", Value::is_string),
            ("url", Value::is_string),
            ("title", Value::is_string),
            ("request_id", Value::is_string),
            ("timings_ms", Value::is_object),
            ("events", Value::is_array),
            ("warnings", Value::is_array),
        ] {
            assert!(fields.get(name).is_some_and(fits), "{name} is missing or of a wrong type: {self:?}");
        }
        fields
    }

    /// Asserts a success of a `browser-*` route with the fields that both routes have; returns its fields.
    ///
    /// # Panics
    /// When it is not a success of that shape.
    #[track_caller]
    pub fn expect_ok(&self) -> Map<String, Value> {
        assert_eq!(self.status, StatusCode::OK, "{self:?}");
        let Value::Object(fields) = self.json() else { panic!("not an object: {self:?}") };
        assert_eq!(fields.get("ok"), Some(&json!(true)), "{self:?}");
        for (name, fits) in [
            ("title", Value::is_string as fn(&Value) -> bool),
            ("final_url", Value::is_string),
            ("status_code", Value::is_u64),
            ("truncated", Value::is_boolean),
            ("blocked_requests", Value::is_u64),
            ("warnings", Value::is_array),
            ("timings_ms", Value::is_object),
        ] {
            assert!(fields.get(name).is_some_and(fits), "{name} is missing or of a wrong type: {self:?}");
        }
        self.expect_request_id();
        fields
    }

    /// Asserts a failure with this code and the status, message and retryability of the contract's table; returns its
    /// fields.
    ///
    /// # Panics
    /// When it is another answer.
    #[track_caller]
    pub fn expect_code(&self, name: &str) -> Map<String, Value> {
        let code = ErrorCode::from_name(name).expect("a code of the contract");
        let Value::Object(fields) = self.json() else { panic!("not an object: {self:?}") };
        assert_eq!(fields.get("error").and_then(Value::as_str), Some(name), "{self:?}");
        assert_eq!(self.status.as_u16(), code.status(), "{self:?}");
        assert_eq!(fields.get("ok"), Some(&json!(false)), "{self:?}");
        assert_eq!(fields.get("message"), Some(&json!(code.message())), "{self:?}");
        assert!(fields.get("details").is_some_and(Value::is_string), "no details: {self:?}");
        assert!(self.header("content-type").starts_with("application/json"), "{self:?}");
        // These depend on what happened: a call of a session that may have acted is not to be sent again.
        let is_unsure = matches!(
            code,
            ErrorCode::DeadlineExceeded
                | ErrorCode::BrowserCrashed
                | ErrorCode::Internal
                | ErrorCode::NavigationTimeout
        );
        if code != ErrorCode::NavigationFailed && !(is_unsure && fields.contains_key("session")) {
            assert_eq!(fields.get("retryable"), Some(&json!(code.retryable())), "{self:?}");
        }
        if let Some(wait_ms) = fields.get("retry_after_ms") {
            let wait_ms = wait_ms.as_u64().expect("whole milliseconds");
            assert_eq!(self.header("retry-after"), wait_ms.div_ceil(1000).to_string(), "{self:?}");
        }
        self.expect_request_id();
        fields
    }

    /// Asserts a failure whose details contain a text; returns its fields.
    ///
    /// # Panics
    /// When it is another answer.
    #[track_caller]
    pub fn expect_code_about(&self, name: &str, text: &str) -> Map<String, Value> {
        let fields = self.expect_code(name);
        let details = fields["details"].as_str().unwrap_or_default();
        assert!(details.contains(text), "details don't mention {text:?}: {self:?}");
        fields
    }

    /// Asserts a success, or a failure with one of these codes.
    ///
    /// # Panics
    /// When it is another answer.
    #[track_caller]
    pub fn expect_ok_or(&self, codes: &[&str]) {
        match self.code() {
            None => drop(self.expect_ok()),
            Some(code) => {
                assert!(codes.contains(&code.as_str()), "neither a success nor one of {codes:?}: {self:?}");
                self.expect_code(&code);
            }
        }
    }

    /// Asserts a failure with one of these codes, for cases in which the contract leaves the code to timing.
    ///
    /// # Panics
    /// When it is another answer.
    #[track_caller]
    pub fn expect_one_of(&self, codes: &[&str]) {
        let code = self.code().unwrap_or_else(|| panic!("a success instead of one of {codes:?}: {self:?}"));
        assert!(codes.contains(&code.as_str()), "not one of {codes:?}: {self:?}");
        self.expect_code(&code);
    }

    #[track_caller]
    fn expect_request_id(&self) {
        let id = self.header("x-request-id");
        assert!(!id.is_empty(), "no x-request-id: {self:?}");
        assert_eq!(self.json()["request_id"], id, "{self:?}");
    }

    /// Returns the text of a successful extract.
    ///
    /// # Panics
    /// When it is not a success.
    #[must_use]
    #[track_caller]
    pub fn content(&self) -> String {
        self.expect_ok()["content"].as_str().unwrap_or_else(|| panic!("no content: {self:?}")).to_owned()
    }

    /// Decodes the picture of a successful screenshot and checks it against the answer's fields.
    ///
    /// # Panics
    /// When there is no picture, or a field does not match it.
    #[must_use]
    #[track_caller]
    pub fn picture(&self) -> Picture {
        let fields = self.expect_ok();
        let base64 = fields["image_base64"].as_str().unwrap_or_else(|| panic!("no image: {self:?}"));
        let picture = Picture::decode(&STANDARD.decode(base64).expect("base64"));
        assert_eq!(fields["mime_type"], picture.format.to_mime_type());
        assert_eq!((&fields["width"], &fields["height"]), (&json!(picture.size().0), &json!(picture.size().1)));
        assert_eq!(fields["bytes"], picture.bytes);
        assert!(picture.bytes <= limits::IMAGE_MAX_BYTES, "{} bytes are over the cap", picture.bytes);
        picture
    }

    /// Returns the warnings of a success.
    ///
    /// # Panics
    /// When it is not a success, or a warning is not `code: sentence`.
    #[must_use]
    #[track_caller]
    pub fn warnings(&self) -> Vec<String> {
        let fields = self.expect_ok();
        let warnings = fields["warnings"].as_array().cloned().unwrap_or_default();
        warnings
            .iter()
            .map(|warning| {
                let warning = warning.as_str().expect("a string").to_owned();
                assert!(warning.split_once(": ").is_some(), "not `code: sentence`: {warning:?}");
                warning
            })
            .collect()
    }
}
