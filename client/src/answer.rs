//! Reads answers leniently: unknown fields are ignored, and an answer that is not Porthole's becomes a typed error.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderMap;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use porthole_contract::routes::REQUEST_ID_HEADER;
use porthole_contract::{ErrorCode, ScreenshotResponse};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::{Code, Error, Refusal};

/// A received answer: status, headers, the whole body.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// Parses the typed answer. A 2xx status whose body has `"ok": false` is a failure.
    pub(crate) fn read<T: DeserializeOwned>(&self, url: &str) -> Result<T, Error> {
        #[derive(Deserialize)]
        struct Verdict {
            #[serde(default)]
            ok: Value,
        }

        let verdict = match self.body.trim_ascii_start().first() {
            // serde would parse an empty list as a struct of defaults.
            Some(b'{') => serde_json::from_slice::<Verdict>(&self.body).ok(),
            _ => None,
        };
        let Some(verdict) = verdict else {
            return Err(self.unexpected(url, self.why_not_json()));
        };
        if (200..300).contains(&self.status) && verdict.ok != Value::Bool(false) {
            // serde's message may quote a value, which may be a token: only the column is reported.
            return serde_json::from_slice(&self.body).map_err(|error| {
                let reason = format!("a field is missing or of another type, at column {}", error.column());
                self.unexpected(url, reason)
            });
        }
        Err(self.refusal().unwrap_or_else(|| self.unexpected(url, "its JSON has no \"error\"".to_owned())))
    }

    fn refusal(&self) -> Option<Error> {
        let body: Value = serde_json::from_slice(&self.body).ok()?;
        let code = Code::of_name(body["error"].as_str()?);
        let known = match code {
            Code::Known(code) => Some(code),
            Code::Other(_) => None,
        };
        let text = |field: &str| match &body[field] {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let message = match text("message") {
            empty if empty.is_empty() => known.unwrap_or(ErrorCode::Internal).message().to_owned(),
            message => message,
        };
        let request_id = match text("request_id") {
            empty if empty.is_empty() => self.request_id(),
            id => id,
        };
        Some(Error::Refused(Box::new(Refusal {
            message,
            details: text("details"),
            retryable: body["retryable"].as_bool().unwrap_or_else(|| known.is_some_and(ErrorCode::retryable)),
            retry_after: self.retry_after(&body),
            request_id,
            status: self.status,
            // Of a newer or broken shape: the failure itself matters more.
            context: serde_json::from_value(body).unwrap_or_default(),
            code,
        })))
    }

    /// Returns the longer of the waits in the body and the header. Of the header, only the form in seconds is read:
    /// Porthole sends no dates.
    fn retry_after(&self, body: &Value) -> Option<Duration> {
        let field = body["retry_after_ms"].as_u64().map(Duration::from_millis);
        let header = self.headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse().ok());
        field.max(header.map(Duration::from_secs))
    }

    fn request_id(&self) -> String {
        self.header(REQUEST_ID_HEADER).unwrap_or_default().to_owned()
    }

    fn header(&self, name: impl http::header::AsHeaderName) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    fn why_not_json(&self) -> String {
        match self.header(CONTENT_TYPE) {
            _ if (300..400).contains(&self.status) => "redirects are not followed".to_owned(),
            _ if self.body.is_empty() => "its body is empty".to_owned(),
            Some(content_type) => format!("its body is not a JSON object ({content_type})"),
            None => "its body is not a JSON object".to_owned(),
        }
    }

    fn unexpected(&self, url: &str, reason: String) -> Error {
        Error::UnexpectedAnswer { url: url.to_owned(), status: self.status, reason, request_id: self.request_id() }
    }
}

/// Decodes a screenshot's image.
///
/// # Errors
/// [`Error::UnexpectedAnswer`] when `image_base64` is not base64.
pub fn image_bytes(answer: &ScreenshotResponse) -> Result<Vec<u8>, Error> {
    STANDARD.decode(&answer.image_base64).map_err(|_| Error::UnexpectedAnswer {
        url: "the worker".to_owned(),
        status: 200,
        reason: "its image is not base64".to_owned(),
        request_id: answer.request_id.clone(),
    })
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use porthole_contract::{CreateResponse, ExtractResponse};

    use super::*;

    fn answer(status: u16, body: &str) -> Answer {
        Answer { status, headers: HeaderMap::new(), body: body.as_bytes().to_vec() }
    }

    fn failure(answer: &Answer) -> Error {
        answer.read::<CreateResponse>("http://w").unwrap_err()
    }

    fn refusal(answer: &Answer) -> Refusal {
        match failure(answer) {
            Error::Refused(refusal) => *refusal,
            other => panic!("{other}"),
        }
    }

    #[test]
    fn unknown_fields_are_ignored() {
        let body = r#"{"ok":true,"title":"T","final_url":"u","status_code":200,"content":"c","truncated":false,
            "format":"text","total_chars":1,"request_id":"r","timings_ms":{"paint":3},"blocked_requests":0,
            "warnings":[],"colour":"blue"}"#;
        let read: ExtractResponse = answer(200, body).read("http://w").unwrap();
        assert_eq!((read.content.as_str(), read.timings_ms.total), ("c", 0));
    }

    #[test]
    fn a_success_status_with_ok_false_is_a_failure() {
        let refusal = refusal(&answer(200, r#"{"ok":false,"error":"OVERLOADED","message":"busy","retryable":true}"#));
        assert_eq!(refusal.code, ErrorCode::Overloaded);
        assert!(refusal.retryable);
    }

    #[test]
    fn a_bare_error_takes_missing_fields_from_the_table() {
        let refusal = refusal(&answer(504, r#"{"error":"NAVIGATION_TIMEOUT"}"#));
        assert_eq!(refusal.message, "The page took too long to load");
        assert!(refusal.retryable);
        assert_eq!((refusal.details.as_str(), refusal.retry_after), ("", None));
    }

    #[test]
    fn an_unknown_code_and_its_retryability_are_kept() {
        let kept =
            refusal(&answer(418, r#"{"ok":false,"error":"TEAPOT","message":"m","retryable":true,"details":{"a":1}}"#));
        assert_eq!((kept.code.name(), kept.retryable, kept.details.as_str()), ("TEAPOT", true, r#"{"a":1}"#));
        assert!(!refusal(&answer(418, r#"{"ok":false,"error":"TEAPOT"}"#)).retryable);
    }

    #[test]
    fn a_sessions_context_is_read() {
        let body = r#"{"ok":false,"error":"STALE_REF","retryable":false,"session":"ses_1","tab":"t1",
            "events":[{"type":"navigated","tab":"t1","url":"https://a.example/"},{"type":"newer","x":1}],
            "snapshot":{"snapshot_id":"s2","tree":"- button \"Go\" [ref=@e3]","refs":{"@e3":{"role":"button","name":"Go"}},
                "element_count":1,"truncated":false,"chars":24}}"#;
        let error = failure(&answer(409, body));
        assert_eq!(error.context().unwrap().session.as_deref(), Some("ses_1"));
        assert_eq!(error.events().len(), 2);
        assert_eq!(error.snapshot().unwrap().snapshot_id, "s2");
        assert_eq!(error.answer()["snapshot"]["snapshot_id"], "s2");
        let broken = failure(&answer(409, r#"{"error":"STALE_REF","events":7}"#));
        assert_eq!((broken.code(), broken.events().len()), (Code::Known(ErrorCode::StaleRef), 0));
    }

    #[test]
    fn the_longer_retry_after_counts() {
        for (header, body_ms, expected_ms) in [("7", 2_000, 7_000), ("1", 2_500, 2_500), ("Fri, 01 Jan", 1, 1)] {
            let mut answer = answer(429, &format!(r#"{{"error":"RATE_LIMITED","retry_after_ms":{body_ms}}}"#));
            answer.headers.insert(RETRY_AFTER, HeaderValue::from_static(header));
            assert_eq!(refusal(&answer).retry_after, Some(Duration::from_millis(expected_ms)));
        }
    }

    #[test]
    fn foreign_answers_are_reported_with_their_status() {
        let mut html = answer(502, "<html>Bad Gateway</html>");
        html.headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html"));
        html.headers.insert(REQUEST_ID_HEADER, HeaderValue::from_static("r-9"));
        let error = failure(&html);
        assert_eq!(error.request_id(), Some("r-9"));
        assert!(!error.retryable());
        let line = error.to_string();
        assert_eq!(
            line,
            "http://w answered HTTP 502, but not as Porthole does: its body is not a JSON object (text/html)"
        );
        assert!(failure(&answer(302, "")).to_string().contains("redirects are not followed"));
        assert!(failure(&answer(500, "{}")).to_string().contains("no \"error\""));
        assert!(failure(&answer(200, "[]")).to_string().contains("not a JSON object"));
    }

    #[test]
    fn the_error_of_an_unreadable_success_does_not_quote_its_values() {
        let error = failure(&answer(200, r#"{"ok":true,"sandbox_id":7,"owner_token":"secret-token"}"#));
        assert!(matches!(error, Error::UnexpectedAnswer { status: 200, .. }));
        assert!(!format!("{error} {error:?}").contains("secret-token"));
    }
}
