//! Why the service gave no answer to pass on.

use std::time::Duration;

use http::{HeaderMap, HeaderValue, StatusCode, header};
use porthole_contract::{ErrorCode, Failure};
use porthole_daemon::bearer::SERVICE_CHALLENGE;

/// Why the service gave no answer to pass on.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ServiceError {
    /// The connection was refused, or the service can't be reached.
    #[error("can't connect to the service")]
    NoConnection(#[source] reqwest::Error),
    /// No replica is known: the name of all has no address, or can't be looked up.
    #[error("PORTHOLE_SERVICE_PEERS has no address of a service")]
    Nowhere,
    /// The replica that has the call's session can't be reached.
    #[error("the server that ran this session can't be reached")]
    ReplicaGone(#[source] reqwest::Error),
    /// The connection ended too early.
    #[error("the connection broke before the service had answered")]
    Broken(#[source] reqwest::Error),
    /// The answer took too long.
    #[error("no answer within {0:?}")]
    Silent(Duration),
    /// A 401 about the worker's own key: the operator must fix it, another token of the caller would not.
    #[error("the service refuses the worker's key: PORTHOLE_SERVICE_KEY must be the same for both")]
    OurKey,
    /// A proxy's error page, a redirect, a sign-in form.
    #[error("an intermediary answered in the service's place, with status {status}")]
    Foreign {
        /// The answer's status.
        status: StatusCode,
        /// The answer's `Retry-After`, which a load balancer without a service may set.
        retry_after: Option<Duration>,
    },
    /// The service refused to open a WebSocket.
    #[error("the service refused: {0}")]
    Refused(ErrorCode),
    /// The service answered that it would accept no request.
    #[error("{0}")]
    NotReady(Failure),
}

impl ServiceError {
    pub(crate) fn code(&self) -> ErrorCode {
        match self {
            ServiceError::NotReady(failure) => failure.code,
            ServiceError::Refused(code) => *code,
            ServiceError::Silent(_) => ErrorCode::ServiceTimeout,
            ServiceError::ReplicaGone(_) => ErrorCode::SessionLost,
            _ => ErrorCode::ServiceUnavailable,
        }
    }

    /// Whether the request may have reached the service.
    pub(crate) fn was_sent(&self) -> bool {
        !matches!(self, Self::NoConnection(_) | Self::Nowhere | Self::ReplicaGone(_) | Self::OurKey)
    }

    pub(crate) fn of(error: reqwest::Error, timeout: Duration) -> Self {
        let error = error.without_url();
        match (error.is_connect(), error.is_timeout()) {
            (true, _) => Self::NoConnection(error),
            (false, true) => Self::Silent(timeout),
            (false, false) => Self::Broken(error),
        }
    }

    /// Classifies an answer that is not the contract's.
    pub(crate) fn refusal(status: StatusCode, headers: &HeaderMap) -> Self {
        let challenge = headers.get(header::WWW_AUTHENTICATE).map(HeaderValue::as_bytes);
        if status == StatusCode::UNAUTHORIZED && challenge == Some(SERVICE_CHALLENGE.as_bytes()) {
            return Self::OurKey;
        }
        let seconds = headers.get(header::RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
        Self::Foreign { status, retry_after: seconds.map(Duration::from_secs) }
    }
}

impl From<ServiceError> for Failure {
    fn from(error: ServiceError) -> Self {
        let failure = Failure::new(error.code(), error.to_string());
        match error {
            ServiceError::NotReady(failure) => failure,
            ServiceError::Foreign { retry_after: Some(wait), .. } => failure.retry_after(wait),
            _ => failure,
        }
    }
}
