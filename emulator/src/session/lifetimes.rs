//! How long sessions live.

use std::time::Duration;

/// The longest that a session may live, in seconds. Browserbase's own limit.
pub(crate) const TIMEOUT_MAX_SECONDS: u64 = 21_600;

/// How sessions live.
#[derive(Clone, Debug)]
pub struct Lifetimes {
    /// Of a session that names no timeout.
    pub default: Duration,
    /// The least that may be named.
    pub min: Duration,
    /// Until the first connection.
    pub connect_within: Duration,
}
