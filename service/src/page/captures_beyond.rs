//! The pictures of more than the viewport that are taken of a page: for each it has the size of the picture meanwhile.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// A page's.
#[derive(Debug, Default)]
pub(super) struct CapturesBeyond(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    under_way: usize,
    ended: Option<Instant>,
}

/// Counts a picture until it is dropped.
pub(super) struct Taking<'a>(&'a CapturesBeyond);

impl CapturesBeyond {
    /// One is taken now.
    pub(super) fn begin(&self) -> Taking<'_> {
        self.known().under_way += 1;
        Taking(self)
    }

    /// Whether one is being taken, or was within this time.
    pub(super) fn are_taken(&self, within: Duration) -> bool {
        let known = self.known();
        known.under_way > 0 || known.ended.is_some_and(|ended| ended.elapsed() < within)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Taking<'_> {
    fn drop(&mut self) {
        let mut known = self.0.known();
        known.under_way -= 1;
        known.ended = Some(Instant::now());
    }
}
