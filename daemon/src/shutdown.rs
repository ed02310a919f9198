//! Shutdown in two steps: the drain lets requests in flight end; the hurry gives them up.

use tokio_util::sync::CancellationToken;

/// The tokens that shut a process down. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Shutdown {
    /// Cancelled when the drain begins: no new requests are accepted.
    pub drain: CancellationToken,
    /// Cancelled when requests in flight are given up: they are answered with `SHUTTING_DOWN` and release their
    /// resources.
    pub hurry: CancellationToken,
}

impl From<CancellationToken> for Shutdown {
    /// Makes a shutdown that only the drain's time limit hurries.
    fn from(drain: CancellationToken) -> Self {
        Self { drain, hurry: CancellationToken::new() }
    }
}
