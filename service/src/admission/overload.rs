//! Why a request is refused for lack of capacity, and when to try again.

use std::time::Duration;

/// Why a request got no permit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// All permits are taken and the queue is full.
    QueueFull,
    /// The queue was full, and the request gave way to a client with fewer requests in it.
    Displaced,
    /// The estimated wait is longer than the request's remaining time.
    TooLate,
    /// The request has waited until shortly before its deadline.
    WaitedOut,
    /// The machine is short of memory.
    Memory {
        /// Memory in use, in percent.
        used_percent: u8,
    },
}

/// A request without a permit, and when to try again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.sentence())]
pub struct Overloaded {
    /// Why.
    pub reason: Reason,
    /// The estimated wait for a permit, within 1 to 30 s.
    pub retry_after: Duration,
}

impl Overloaded {
    fn sentence(&self) -> &'static str {
        match self.reason {
            Reason::QueueFull => "all permits are taken and the queue is full",
            Reason::Displaced => "the queue is full, and callers with fewer requests in it come first",
            Reason::TooLate => "the wait for a permit would be longer than the request's time",
            Reason::WaitedOut => "no permit became free within the request's time",
            Reason::Memory { .. } => "the machine is short of memory",
        }
    }
}
