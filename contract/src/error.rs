//! The error taxonomy: every code with its HTTP status, whether a retry can help, and the sentence shown to people.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::json::Invalid;
use crate::session::ErrorContext;

/// Builds [`ErrorCode`] and its table in one place, so that no code can lack a column.
macro_rules! error_codes {
    ($($(#[doc = $doc:literal])+ $variant:ident, $name:literal, $status:literal, $retryable:literal, $message:literal;)+) => {
        /// What went wrong. The names are fixed: clients in other languages rely on them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum ErrorCode {
            $($(#[doc = $doc])+ #[serde(rename = $name)] $variant,)+
        }

        impl ErrorCode {
            /// Every code, in the contract's order.
            pub const ALL: &'static [ErrorCode] = &[$(ErrorCode::$variant),+];

            /// Returns the code's name on the wire.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(ErrorCode::$variant => $name),+ }
            }

            /// Returns the HTTP status of this code.
            #[must_use]
            pub const fn status(self) -> u16 {
                match self { $(ErrorCode::$variant => $status),+ }
            }

            /// Returns whether the same request may succeed later.
            #[must_use]
            pub const fn retryable(self) -> bool {
                match self { $(ErrorCode::$variant => $retryable),+ }
            }

            /// Returns the sentence shown to people, for example on a card.
            #[must_use]
            pub const fn message(self) -> &'static str {
                match self { $(ErrorCode::$variant => $message),+ }
            }

            /// Returns the code with this name, if any.
            #[must_use]
            pub fn from_name(name: &str) -> Option<ErrorCode> {
                match name { $($name => Some(ErrorCode::$variant),)+ _ => None }
            }
        }
    };
}

error_codes! {
    /// The request is malformed; details name the field.
    InvalidRequest, "INVALID_REQUEST", 400, false, "The request isn't valid";
    /// Not an absolute `http` or `https` URL, or one that carries a user name or password.
    InvalidUrl, "INVALID_URL", 400, false, "The URL couldn't be reached";
    /// The key or token is missing or not valid here.
    Unauthorized, "UNAUTHORIZED", 401, false, "This sandbox isn't yours, or its token has expired";
    /// A private, reserved or special address or name, however spelt or reached, or a restricted port.
    BlockedTarget, "BLOCKED_TARGET", 403, false, "This URL points to a private or local network and can't be accessed";
    /// A web page of another origin called the worker.
    OriginNotAllowed, "ORIGIN_NOT_ALLOWED", 403, false, "This site may not use the browser service";
    /// No such route.
    NotFound, "NOT_FOUND", 404, false, "There is nothing here";
    /// The route exists, with another method.
    MethodNotAllowed, "METHOD_NOT_ALLOWED", 405, false, "There is nothing here";
    /// The request's body is over the limit.
    RequestTooLarge, "REQUEST_TOO_LARGE", 413, false, "The request is too large";
    /// No step of the size cap's ladder was small enough.
    ImageTooLarge, "IMAGE_TOO_LARGE", 422, false, "The screenshot was too large to capture";
    /// The extracted text is empty or only white space.
    EmptyExtraction, "EMPTY_EXTRACTION", 422, false, "No readable text was found on the page";
    /// No element matches.
    SelectorNotFound, "SELECTOR_NOT_FOUND", 422, false, "Nothing on the page matches the selector";
    /// The caller sent too many requests.
    RateLimited, "RATE_LIMITED", 429, true, "Too many requests - try again shortly";
    /// No permit is free and the queue is full.
    Overloaded, "OVERLOADED", 503, true, "The browser service is busy - try again shortly";
    /// The service is draining.
    ShuttingDown, "SHUTTING_DOWN", 503, true, "The browser service is restarting - try again";
    /// Browserbase was requested, but no credentials are set.
    BrowserbaseNotConfigured, "BROWSERBASE_NOT_CONFIGURED", 503, false, "Browser service isn't configured - contact your admin";
    /// The browser did not answer its first command.
    SessionCreateFailed, "SESSION_CREATE_FAILED", 502, true, "Couldn't start a browser session - try again";
    /// The browser provider's own limit.
    ProviderRateLimited, "PROVIDER_RATE_LIMITED", 429, true, "Too many browser sessions at once - try again shortly";
    /// The browser, its renderer or the connection to it died.
    BrowserCrashed, "BROWSER_CRASHED", 502, true, "The browser stopped while loading the page - try again";
    /// The page couldn't be loaded; details contain the `net::` error name.
    NavigationFailed, "NAVIGATION_FAILED", 502, false, "The page couldn't be loaded";
    /// The page did not reach `DOMContentLoaded` in time.
    NavigationTimeout, "NAVIGATION_TIMEOUT", 504, true, "The page took too long to load";
    /// The deadline of the request, or of its capture, passed.
    DeadlineExceeded, "DEADLINE_EXCEEDED", 504, true, "The request took too long";
    /// Worker only: the service can't be reached.
    ServiceUnavailable, "SERVICE_UNAVAILABLE", 502, true, "The sandbox service can't be reached";
    /// Worker only: the service did not answer.
    ServiceTimeout, "SERVICE_TIMEOUT", 504, true, "The sandbox service did not answer";
    /// A fault in Porthole itself.
    Internal, "INTERNAL", 500, true, "Something went wrong - try again";
    /// No session of this sandbox has that handle: it ended, or it never was.
    SessionNotFound, "SESSION_NOT_FOUND", 404, false, "This browser session has ended - open the page again";
    /// The session's browser died, or its replica is gone.
    SessionLost, "SESSION_LOST", 410, false, "The browser session was lost - open the page again";
    /// The replica or the sandbox has all the sessions that it may have, or the session all its tabs.
    SessionLimit, "SESSION_LIMIT", 429, true, "Too many browser sessions are open - close one or try again shortly";
    /// The call needs a session and named none.
    NoPage, "NO_PAGE", 409, false, "No page is open yet - open one first";
    /// The ref's element is gone, changed, or in another document; or the ref was never given.
    StaleRef, "STALE_REF", 409, false, "The page has changed - look at it again";
    /// No element matches the target.
    ElementNotFound, "ELEMENT_NOT_FOUND", 422, false, "Nothing on the page matches";
    /// The element is there and not rendered.
    NotVisible, "NOT_VISIBLE", 422, false, "The element can't be seen";
    /// The element stayed disabled.
    NotEnabled, "NOT_ENABLED", 422, false, "The element is disabled";
    /// The element takes no text, or is read-only.
    NotEditable, "NOT_EDITABLE", 422, false, "Nothing can be typed there";
    /// Another element would get the input; details name it.
    Covered, "COVERED", 422, false, "Something else covers the element";
    /// The input arrived and the page did not keep it.
    NoEffect, "NO_EFFECT", 422, false, "The page did not accept the input";
    /// The input did not reach the element.
    DispatchFailed, "DISPATCH_FAILED", 502, false, "The input could not be delivered";
    /// The browser could not be asked to send input.
    CdpAttachFailed, "CDP_ATTACH_FAILED", 502, true, "The browser could not be reached";
    /// The element never stood still, or what was waited for did not come.
    Timeout, "TIMEOUT", 504, false, "The element was not ready in time";
    /// A dialog is open, and nothing but an answer to it goes on.
    DialogOpen, "DIALOG_OPEN", 409, false, "A dialog holds the page - answer it first";
    /// A viewer has control.
    ControlHeld, "CONTROL_HELD", 409, true, "A person is using this browser - try again shortly";
    /// The worker's `PORTHOLE_BROWSER_TOOLS` is off.
    ToolsDisabled, "TOOLS_DISABLED", 403, false, "Browser tools are switched off";
}

impl ErrorCode {
    /// Returns whether it comes before anything was done, so that a call that acts may be sent again. After any other failure
    /// it may have acted: a click that ran out of time may have happened.
    #[must_use]
    pub const fn refuses_before_acting(self) -> bool {
        use ErrorCode as Code;
        matches!(
            self,
            Code::RateLimited
                | Code::Overloaded
                | Code::ShuttingDown
                | Code::SessionCreateFailed
                | Code::ProviderRateLimited
                | Code::ServiceUnavailable
                | Code::SessionLimit
                | Code::ControlHeld
                | Code::CdpAttachFailed
        )
    }

    /// Returns whether the operator should investigate. Errors caused by a caller, a page or its site don't count:
    /// callers choose the pages.
    #[must_use]
    pub const fn operators_concern(self) -> bool {
        use ErrorCode as Code;
        match self {
            Code::InvalidRequest
            | Code::InvalidUrl
            | Code::Unauthorized
            | Code::BlockedTarget
            | Code::OriginNotAllowed
            | Code::NotFound
            | Code::MethodNotAllowed
            | Code::RequestTooLarge
            | Code::RateLimited
            | Code::SessionNotFound
            | Code::SessionLimit
            | Code::NoPage
            | Code::DialogOpen
            | Code::ControlHeld
            | Code::ToolsDisabled => false,
            Code::ImageTooLarge
            | Code::EmptyExtraction
            | Code::SelectorNotFound
            | Code::NavigationFailed
            | Code::NavigationTimeout
            | Code::StaleRef
            | Code::ElementNotFound
            | Code::NotVisible
            | Code::NotEnabled
            | Code::NotEditable
            | Code::Covered
            | Code::NoEffect
            | Code::DispatchFailed
            | Code::Timeout => false,
            Code::Overloaded
            | Code::ShuttingDown
            | Code::BrowserbaseNotConfigured
            | Code::SessionCreateFailed
            | Code::ProviderRateLimited
            | Code::BrowserCrashed
            | Code::DeadlineExceeded
            | Code::ServiceUnavailable
            | Code::ServiceTimeout
            | Code::SessionLost
            | Code::CdpAttachFailed
            | Code::Internal => true,
        }
    }
}

// Implemented by hand: the derive reads the variants' names before the macro has renamed them.
impl utoipa::PartialSchema for ErrorCode {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
        utoipa::openapi::ObjectBuilder::new()
            .schema_type(utoipa::openapi::schema::Type::String)
            .enum_values(Some(Self::ALL.iter().map(|code| code.name())))
            .description(Some("What went wrong. The names are fixed: clients in other languages rely on them."))
            .into()
    }
}

impl ToSchema for ErrorCode {}

impl std::fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// A failed request: its code, and details for debugging.
///
/// `details` never holds a key, a token, a connect URL, or an address that DNS gave.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{code}: {details}")]
pub struct Failure {
    /// What went wrong.
    pub code: ErrorCode,
    /// Details for debugging.
    pub details: String,
    /// Whether the same request may succeed later.
    pub retryable: bool,
    /// How long to wait before a retry, if known.
    pub retry_after: Option<Duration>,
    /// Where in a session it failed; none outside sessions.
    pub context: Option<Box<ErrorContext>>,
}

impl Failure {
    /// Returns a failure with this code, retryable if the code is.
    pub fn new(code: ErrorCode, details: impl Into<String>) -> Self {
        Self { code, details: details.into(), retryable: code.retryable(), retry_after: None, context: None }
    }

    /// Overrides whether a retry may succeed.
    #[must_use]
    pub fn retryable(mut self, retryable: bool) -> Self {
        self.retryable = retryable;
        self
    }

    /// Sets how long to wait before a retry.
    #[must_use]
    pub fn retry_after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// The same, with where in a session it failed.
    #[must_use]
    pub fn in_session(mut self, context: ErrorContext) -> Self {
        self.context = Some(Box::new(context));
        self
    }

    /// How long to wait in whole seconds, rounded up, as the `Retry-After` header has it.
    #[must_use]
    pub fn retry_after_seconds(&self) -> Option<u64> {
        self.retry_after.map(|wait| wait.as_millis().div_ceil(1000).try_into().unwrap_or(u64::MAX))
    }

    /// Returns the response body for this failure.
    pub fn answer(&self, request_id: impl Into<String>) -> ErrorAnswer {
        ErrorAnswer {
            ok: false,
            error: self.code,
            message: self.code.message().to_owned(),
            details: self.details.clone(),
            retryable: self.retryable,
            retry_after_ms: self.retry_after.map(|wait| wait.as_millis().try_into().unwrap_or(u64::MAX)),
            request_id: request_id.into(),
            context: self.context.clone().unwrap_or_default(),
        }
    }
}

impl From<Invalid> for Failure {
    fn from(invalid: Invalid) -> Self {
        Failure::new(ErrorCode::InvalidRequest, invalid.to_string())
    }
}

/// The body of every answer that is not a success.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ErrorAnswer {
    /// Always false.
    pub ok: bool,
    /// What went wrong.
    pub error: ErrorCode,
    /// A sentence to show to people, for example on a card.
    pub message: String,
    /// Details for debugging.
    #[serde(default)]
    pub details: String,
    /// Whether the same request may succeed later.
    pub retryable: bool,
    /// How long to wait before a retry, in milliseconds, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// This request's id.
    #[serde(default)]
    pub request_id: String,
    /// Where in a session it failed.
    #[serde(flatten)]
    #[schema(inline)]
    pub context: Box<ErrorContext>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back_as_its_code() {
        for code in ErrorCode::ALL {
            assert_eq!(ErrorCode::from_name(code.name()), Some(*code));
            assert_eq!(serde_json::to_value(code).unwrap(), code.name());
        }
        assert_eq!(ErrorCode::from_name("NO_SUCH_CODE"), None);
    }

    #[test]
    fn retry_after_is_rounded_up_to_whole_seconds() {
        let failure = Failure::new(ErrorCode::Overloaded, "full").retry_after(Duration::from_millis(1001));
        assert_eq!(failure.retry_after_seconds(), Some(2));
        assert_eq!(failure.answer("r").retry_after_ms, Some(1001));
    }
}
