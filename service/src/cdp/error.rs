//! Errors of calls and connections. No variant carries an endpoint's address: connect URLs are secrets.

use std::borrow::Cow;

/// Why a call or the whole connection failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CdpError {
    /// The connection could not be made.
    #[error("connecting to the browser failed: {0}")]
    Connect(Cow<'static, str>),
    /// The connection is closed; every call on it ends with this.
    #[error("the connection to the browser is closed: {0}")]
    Closed(Cow<'static, str>),
    /// The session is detached: its target is gone.
    #[error("the browser's session is detached")]
    Detached,
    /// The browser refused the call.
    #[error("{method} failed: {message} ({code})")]
    Remote {
        /// The method that was called.
        method: Cow<'static, str>,
        /// The protocol's error code.
        code: i64,
        /// The browser's message.
        message: String,
    },
    /// The browser's answer is over the size cap of a message and was not kept.
    #[error("the answer to {method} is too large: {bytes} bytes")]
    TooLarge {
        /// The method that was called.
        method: Cow<'static, str>,
        /// The answer's length.
        bytes: usize,
    },
    /// The browser's answer is not of the expected shape.
    #[error("the answer to {method} can't be read: {reason}")]
    Unreadable {
        /// The method that was called.
        method: Cow<'static, str>,
        /// What was wrong with it.
        reason: String,
    },
}

impl CdpError {
    /// Returns whether the target or the whole browser is gone, so that no further call can succeed.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        matches!(self, CdpError::Closed(_) | CdpError::Detached | CdpError::Connect(_))
    }
}
