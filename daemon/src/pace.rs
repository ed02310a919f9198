//! How fast frames may come. What comes faster waits in the other side's buffers.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// So many bytes count as one frame more.
const BYTES_PER_UNIT: usize = 2_000;

/// A bound on the frames of connections that share it, in units: a frame is one, and every 2 000 bytes are one more. What
/// was read beyond the bound is waited for afterwards.
#[derive(Debug)]
pub struct FramePace {
    per_second: f64,
    bucket: Mutex<Bucket>,
}

#[derive(Debug)]
struct Bucket {
    /// Below zero where more was read.
    left: f64,
    at: Instant,
}

impl FramePace {
    /// A bound of so many units a second, of which those of two seconds may come at once.
    #[must_use]
    pub fn new(per_second: u32) -> Self {
        let per_second = f64::from(per_second);
        Self { per_second, bucket: Mutex::new(Bucket { left: per_second * 2.0, at: Instant::now() }) }
    }

    /// Counts what was read; returns how long nothing may be read now.
    pub(crate) fn spend(&self, frames: f64, bytes: usize) -> Duration {
        #[expect(clippy::cast_precision_loss, reason = "a read has far fewer than 2^52 bytes")]
        let units = frames + bytes as f64 / BYTES_PER_UNIT as f64;
        let mut bucket = self.bucket.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let gained = now.saturating_duration_since(bucket.at).as_secs_f64() * self.per_second;
        bucket.left = (bucket.left + gained).min(self.per_second * 2.0) - units;
        bucket.at = now;
        Duration::try_from_secs_f64(-bucket.left / self.per_second).unwrap_or_default()
    }
}
