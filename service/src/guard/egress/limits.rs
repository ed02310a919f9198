//! What one page may use of its egress.

use std::time::Duration;

/// Limits of one egress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EgressLimits {
    /// Connections from the browser at once; more wait. Chromium opens at most 32 to a proxy, and 32 more for
    /// WebSockets.
    pub connections: usize,
    /// Requests and tunnels in all.
    pub requests: u64,
    /// Bytes in all, in both directions, counted on the connections to sites: `PORTHOLE_EGRESS_MAX_BYTES`.
    pub bytes: u64,
    /// Longest head of a request or an answer, in bytes: Chromium accepts heads of answers up to this size. At least
    /// 8192.
    pub head_bytes: usize,
    /// How long a connection from the browser may take to send a head, including its idle time between two requests.
    pub head_timeout: Duration,
    /// How long resolving a host and connecting to it may take together. Shorter than a navigation's timeout, so that
    /// the failure is known first.
    pub dial_timeout: Duration,
    /// How long a connection may be idle in both directions.
    pub idle_timeout: Duration,
}

// === impl EgressLimits ===

impl Default for EgressLimits {
    fn default() -> Self {
        EgressLimits {
            connections: 256,
            requests: 5_000,
            bytes: 50_000_000,
            head_bytes: 256 * 1024,
            head_timeout: Duration::from_secs(30),
            dial_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(30),
        }
    }
}
