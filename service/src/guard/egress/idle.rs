//! A clock that strikes when nothing has moved for a while.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep};

/// Strikes once there was no progress for its limit. Noting progress is cheap: the timer itself is moved only when it
/// has run out.
#[derive(Debug)]
pub(super) struct IdleClock {
    limit: Duration,
    moved: Instant,
    timer: Pin<Box<Sleep>>,
}

// === impl IdleClock ===

impl IdleClock {
    pub(super) fn new(limit: Duration) -> IdleClock {
        IdleClock { limit, moved: Instant::now(), timer: Box::pin(sleep(limit)) }
    }

    /// Something moved.
    pub(super) fn progress(&mut self) {
        self.moved = Instant::now();
    }

    /// Ready when it strikes; the task is woken for that.
    pub(super) fn poll_struck(&mut self, cx: &mut Context<'_>) -> Poll<()> {
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
