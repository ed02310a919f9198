//! The errors of a request, as users of the library see them. `answer` reads answers.

use std::fmt;
use std::time::Duration;

use porthole_contract::session::{ErrorContext, Event, SnapshotAnswer};
use porthole_contract::{ErrorAnswer, ErrorCode};
use serde_json::{Value, json};

/// The code of an answer. Codes that this version doesn't know are kept unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Code {
    /// A code of the contract.
    Known(ErrorCode),
    /// A code of a newer version.
    Other(String),
}

impl Code {
    /// Returns the code of that name.
    #[must_use]
    pub fn of_name(name: &str) -> Self {
        ErrorCode::from_name(name).map_or_else(|| Code::Other(name.to_owned()), Code::Known)
    }

    /// Returns the code's name on the wire.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Code::Known(code) => code.name(),
            Code::Other(name) => name,
        }
    }
}

impl PartialEq<ErrorCode> for Code {
    fn eq(&self, other: &ErrorCode) -> bool {
        *self == Code::Known(*other)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An error answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// The error code.
    pub code: Code,
    /// The sentence for a person, ready to be shown on a card.
    pub message: String,
    /// More detail, for debugging; may be empty.
    pub details: String,
    /// Whether the same request may succeed later.
    pub retryable: bool,
    /// The wait before a retry, if the answer has one.
    pub retry_after: Option<Duration>,
    /// The request's id; empty when the answer has none.
    pub request_id: String,
    /// The answer's HTTP status.
    pub status: u16,
    /// Where in a session it failed: its handle, its tab, events, and a snapshot if one was asked for.
    pub context: ErrorContext,
}

/// Why a request failed, after its retries. None of these holds a key or a token.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Porthole answered with an error.
    #[error("{}: {}{}", .0.code, .0.message, Remarks(.0))]
    Refused(Box<Refusal>),
    /// The connection could not be made, or was lost before the answer was complete.
    #[error("can't reach {url}: {cause}")]
    Connection {
        /// The worker or listener: scheme, host, port.
        url: String,
        /// The innermost cause.
        cause: String,
    },
    /// The answer was not complete in time.
    #[error("{url} did not answer within {} s", after.as_secs_f64())]
    Timeout {
        /// The worker or listener: scheme, host, port.
        url: String,
        /// The time limit of one attempt.
        after: Duration,
    },
    /// A call to a session was sent and its answer never came. It may have acted, so it must not be repeated blindly.
    #[error("{url} gave no answer to a call that may have acted: {cause}")]
    Unanswered {
        /// The worker: scheme, host, port.
        url: String,
        /// The innermost cause.
        cause: String,
    },
    /// An answer that is not Porthole's, such as a proxy's error page. Not retried: it does not say `retryable`.
    #[error("{url} answered HTTP {status}, but not as Porthole does: {reason}")]
    UnexpectedAnswer {
        /// The worker or listener: scheme, host, port.
        url: String,
        /// The answer's HTTP status.
        status: u16,
        /// How the answer differs.
        reason: String,
        /// The request's id; empty when the answer has none.
        request_id: String,
    },
}

/// Formats the part of a refusal's line after its sentence: ` (details; request …)`, or nothing.
struct Remarks<'a>(&'a Refusal);

impl fmt::Display for Remarks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Refusal { details, request_id, .. } = self.0;
        match (details.is_empty(), request_id.is_empty()) {
            (true, true) => Ok(()),
            (false, true) => write!(f, " ({details})"),
            (true, false) => write!(f, " (request {request_id})"),
            (false, false) => write!(f, " ({details}; request {request_id})"),
        }
    }
}

impl Error {
    /// Returns the code: the answer's own, or the contract's nearest if Porthole did not answer
    /// (`SERVICE_UNAVAILABLE` without a connection, `SERVICE_TIMEOUT` out of time, `INTERNAL` for a foreign answer).
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Error::Refused(refusal) => refusal.code.clone(),
            Error::Connection { .. } | Error::Unanswered { .. } => Code::Known(ErrorCode::ServiceUnavailable),
            Error::Timeout { .. } => Code::Known(ErrorCode::ServiceTimeout),
            Error::UnexpectedAnswer { .. } => Code::Known(ErrorCode::Internal),
        }
    }

    /// Returns the sentence for a person, without the code.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self {
            Error::Refused(refusal) => refusal.message.clone(),
            Error::Connection { .. } | Error::Unanswered { .. } => ErrorCode::ServiceUnavailable.message().to_owned(),
            Error::Timeout { .. } => ErrorCode::ServiceTimeout.message().to_owned(),
            Error::UnexpectedAnswer { .. } => "The answer wasn't Porthole's".to_owned(),
        }
    }

    /// Returns more detail, for debugging; may be empty.
    #[must_use]
    pub fn details(&self) -> String {
        match self {
            Error::Refused(refusal) => refusal.details.clone(),
            other => other.to_string(),
        }
    }

    /// Returns whether the same request may succeed later: the answer says so, or there was no answer.
    #[must_use]
    pub fn retryable(&self) -> bool {
        match self {
            Error::Refused(refusal) => refusal.retryable,
            Error::Connection { .. } | Error::Timeout { .. } => true,
            Error::Unanswered { .. } | Error::UnexpectedAnswer { .. } => false,
        }
    }

    /// Returns the wait before a retry, if the answer has one.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Error::Refused(refusal) => refusal.retry_after,
            _ => None,
        }
    }

    /// Returns the request's id, if there was an answer with one.
    #[must_use]
    pub fn request_id(&self) -> Option<&str> {
        match self {
            Error::Refused(refusal) => Some(refusal.request_id.as_str()),
            Error::UnexpectedAnswer { request_id, .. } => Some(request_id.as_str()),
            Error::Connection { .. } | Error::Timeout { .. } | Error::Unanswered { .. } => None,
        }
        .filter(|id| !id.is_empty())
    }

    /// Returns where in a session it failed, if the answer says so.
    #[must_use]
    pub fn context(&self) -> Option<&ErrorContext> {
        match self {
            Error::Refused(refusal) => Some(&refusal.context),
            _ => None,
        }
    }

    /// Returns what else happened in the session since its last call.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        self.context().and_then(|context| context.events.as_deref()).unwrap_or_default()
    }

    /// Returns the snapshot that the failed call asked for.
    #[must_use]
    pub fn snapshot(&self) -> Option<&SnapshotAnswer> {
        self.context()?.snapshot.as_ref()
    }

    /// Returns the failure as the contract's error answer, even if no such answer was received. A code of a newer version
    /// becomes `INTERNAL`, and the details name it.
    #[must_use]
    pub fn error_answer(&self) -> ErrorAnswer {
        let details = self.details();
        let (error, details) = match self.code() {
            Code::Known(code) => (code, details),
            Code::Other(name) => (ErrorCode::Internal, format!("{name}: {details}")),
        };
        ErrorAnswer {
            ok: false,
            error,
            message: self.sentence(),
            details,
            retryable: self.retryable(),
            retry_after_ms: self.retry_after().map(|wait| wait.as_millis().try_into().unwrap_or(u64::MAX)),
            request_id: self.request_id().unwrap_or_default().to_owned(),
            context: Box::new(self.context().cloned().unwrap_or_default()),
        }
    }

    /// Returns the failure in the shape of the contract's error answer, even if no such answer was received.
    #[must_use]
    pub fn answer(&self) -> Value {
        let mut answer = json!({
            "ok": false,
            "error": self.code().name(),
            "message": self.sentence(),
            "details": self.details(),
            "retryable": self.retryable(),
            "request_id": self.request_id().unwrap_or_default(),
        });
        if let Some(wait) = self.retry_after() {
            answer["retry_after_ms"] = json!(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
        }
        if let Some(Value::Object(context)) = self.context().map(|context| json!(context)) {
            for (field, value) in context {
                answer[field] = value;
            }
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(details: &str, request_id: &str) -> Error {
        Error::Refused(Box::new(Refusal {
            code: Code::of_name("NAVIGATION_TIMEOUT"),
            message: "The page took too long to load".to_owned(),
            details: details.to_owned(),
            retryable: true,
            retry_after: Some(Duration::from_millis(2500)),
            request_id: request_id.to_owned(),
            status: 504,
            context: ErrorContext::default(),
        }))
    }

    #[test]
    fn a_refusal_is_formatted_with_and_without_remarks() {
        let line = "NAVIGATION_TIMEOUT: The page took too long to load";
        assert_eq!(refusal("", "").to_string(), line);
        assert_eq!(refusal("after 15 s", "").to_string(), format!("{line} (after 15 s)"));
        assert_eq!(refusal("", "r-1").to_string(), format!("{line} (request r-1)"));
        assert_eq!(refusal("after 15 s", "r-1").to_string(), format!("{line} (after 15 s; request r-1)"));
    }

    #[test]
    fn every_failure_has_the_shape_of_an_error_answer() {
        let answer = refusal("after 15 s", "r-1").answer();
        assert_eq!(answer["error"], "NAVIGATION_TIMEOUT");
        assert_eq!(answer["retry_after_ms"], 2500);
        assert_eq!(answer["request_id"], "r-1");
        let unreachable = Error::Connection { url: "http://127.0.0.1:1".to_owned(), cause: "refused".to_owned() };
        let answer: porthole_contract::ErrorAnswer = serde_json::from_value(unreachable.answer()).unwrap();
        assert_eq!((answer.error, answer.retryable), (ErrorCode::ServiceUnavailable, true));
        assert_eq!(answer, unreachable.error_answer());
    }

    #[test]
    fn unknown_codes_keep_their_name() {
        assert_eq!(Code::of_name("NEWER_CODE"), Code::Other("NEWER_CODE".to_owned()));
        assert_eq!(Code::of_name("NEWER_CODE").name(), "NEWER_CODE");
        assert_eq!(Code::of_name("INTERNAL"), ErrorCode::Internal);
    }
}
