//! The end of a process in two steps: the drain, in which what has begun may end, and the hurry, in which it may not.

use tokio_util::sync::CancellationToken;

/// How a process is told to end. Clones are told together.
#[derive(Clone, Debug, Default)]
pub struct Shutdown {
    /// Cancelled when no new request is taken any more.
    pub drain: CancellationToken,
    /// Cancelled when requests in flight are given up: they are answered so, and what they hold is cleaned up.
    pub hurry: CancellationToken,
}

impl From<CancellationToken> for Shutdown {
    /// One that only its own time limit hurries.
    fn from(drain: CancellationToken) -> Self {
        Self { drain, hurry: CancellationToken::new() }
    }
}
