//! A timer that expires when a connection makes no progress.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep};

/// Expires after this long without progress. Recording progress is cheap: the timer itself is reset only when it
/// fires.
#[derive(Debug)]
pub(super) struct IdleTimer {
    limit: Duration,
    moved: Instant,
    timer: Pin<Box<Sleep>>,
}

// === impl IdleTimer ===

impl IdleTimer {
    pub(super) fn new(limit: Duration) -> IdleTimer {
        IdleTimer { limit, moved: Instant::now(), timer: Box::pin(sleep(limit)) }
    }

    /// Records progress.
    pub(super) fn progress(&mut self) {
        self.moved = Instant::now();
    }

    /// Returns ready when it has expired, and wakes the task then.
    pub(super) fn poll_expired(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            ready!(self.timer.as_mut().poll(cx));
            let deadline = self.moved + self.limit;
            if deadline <= Instant::now() {
                return Poll::Ready(());
            }
            self.timer.as_mut().reset(deadline);
        }
    }
}
