//! What a page that is drawn by `begin_frame` keeps from frame to frame: its clock, the frame lock and the timer.

use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Sleep, sleep};

use crate::provider::FrameLock;

/// Time limit of one frame. A page whose script hangs within its frame would hold up all other pages.
pub(super) const FRAME_TIMEOUT: Duration = Duration::from_secs(2);
/// Difference between the times of two frames while the clock stands still: no two may have the same time.
const FRAME_LATER_MS: f64 = 0.01;

/// The state of a page that is drawn by `begin_frame`.
#[derive(Debug)]
pub(super) struct FrameControl {
    pub(super) frame_lock: FrameLock,
    clock: Mutex<Clock>,
    /// The timer of [`FRAME_TIMEOUT`], one for all frames: a new timer that ends before all others wakes the runtime.
    pub(super) limit: tokio::sync::Mutex<Pin<Box<Sleep>>>,
}

/// The page's virtual time, in the browser's count of milliseconds.
#[derive(Clone, Copy, Debug, Default)]
struct Clock {
    /// When the clock first ran ahead; `None` before that.
    base_ms: Option<f64>,
    /// How far it has run since.
    passed_ms: f64,
    /// How many frames were drawn: each is [`FRAME_LATER_MS`] later than the one before.
    frames: u32,
}

impl FrameControl {
    pub(super) fn new(frame_lock: FrameLock) -> Self {
        Self { frame_lock, clock: Mutex::default(), limit: tokio::sync::Mutex::new(Box::pin(sleep(FRAME_TIMEOUT))) }
    }

    /// Records that the page's clock, which started at `base_ms`, has run ahead by `by_ms`.
    pub(super) fn passed(&self, base_ms: f64, by_ms: u32) {
        let mut clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        clock.base_ms.get_or_insert(base_ms);
        clock.passed_ms += f64::from(by_ms);
    }

    /// Returns the time of the next frame; `None` stands for real time.
    pub(super) fn frame_time_ms(&self) -> Option<f64> {
        let mut clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        clock.frames += 1;
        clock.base_ms.map(|base| base + clock.passed_ms + f64::from(clock.frames) * FRAME_LATER_MS)
    }
}
