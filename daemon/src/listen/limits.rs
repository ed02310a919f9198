//! A listener's limits, and those of each kind of listener.

use std::time::Duration;

/// Connections of a main listener at once.
pub const CONNECTIONS_MAX: usize = 512;

/// A listener's limits of time and number.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Time from when a connection awaits a request to the end of the request's head; idle connections end after it.
    pub head_timeout: Duration,
    /// Time that a write may make no progress because the caller does not read.
    pub write_timeout: Duration,
    /// Plain connections at once. At this limit the connection that has waited longest for its caller is closed for a
    /// new one; if all are being answered, new callers wait in the accept queue.
    pub connections: usize,
    /// Plain connections at once from one client network; `None` if all callers come from one address. At this limit
    /// the network's longest waiting connection is closed for a new one; if all are being answered, the new one is
    /// refused.
    pub connections_by_address: Option<usize>,
    /// Upgraded connections at once.
    pub upgraded: usize,
    /// Upgraded connections at once from one client network.
    pub upgraded_by_address: Option<usize>,
    /// Time for requests in flight and upgraded connections once the drain has begun.
    pub drain: Duration,
}

impl Default for Limits {
    /// For callers from anywhere: one client network may use at most half of the connections.
    fn default() -> Self {
        Self {
            head_timeout: Duration::from_secs(10),
            write_timeout: Duration::from_secs(20),
            connections: CONNECTIONS_MAX,
            connections_by_address: Some(CONNECTIONS_MAX / 2),
            upgraded: 256,
            upgraded_by_address: Some(128),
            drain: Duration::from_secs(20),
        }
    }
}

impl Limits {
    /// Limits for a listener whose callers all come through our own proxy: none by address.
    #[must_use]
    pub fn behind_a_proxy() -> Self {
        Self { connections_by_address: None, upgraded_by_address: None, ..Self::default() }
    }

    /// Limits for an admin listener, which has few callers with short requests.
    #[must_use]
    pub fn admin() -> Self {
        Self {
            connections: 64,
            connections_by_address: Some(32),
            upgraded: 0,
            drain: Duration::from_secs(1),
            ..Self::default()
        }
    }
}
