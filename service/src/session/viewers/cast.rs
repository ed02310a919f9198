//! One tab's screencast, for all viewers that watch it.
//!
//! Frames are acknowledged at the pace of the viewer who asks for most. The browser drops what it draws while three are
//! unacknowledged; if it may have dropped the last one before the page came to rest, the cast is begun anew, which
//! brings what the page shows. So it is after a change of the viewport: of a page that is resized just after a frame the
//! browser often sends none of its new size. A frame may be lost without any of these signs, so the cast of a page at
//! rest is also begun anew at intervals; a picture that viewers have already is not sent again.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use porthole_contract::Viewport;
use porthole_contract::limits::LIVE_FPS_MAX;
use tokio::sync::{Notify, watch};
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep_until};

use super::frame::Frame;
use crate::page::{CastFrame, CastOptions, FRAMES_UNDER_WAY_MAX, Page};

/// After the last acknowledgement: a page that has sent no frame by then is at rest.
const REST: Duration = Duration::from_millis(60);
/// After a new picture: if no frame has come by then, the cast is begun anew.
const LOOK_AFTER: Duration = Duration::from_secs(1);
/// How often the cast of a page that stays at rest is begun anew: a lost frame comes this much later, at most.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// Frames in a row whose picture is of another shape than their viewport, as the first ones after a resize may be; of a
/// browser that goes on with such frames they are shown as they are.
const MISSHAPEN_MAX: u32 = 10;

/// What the viewers of a tab ask for together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wish {
    pub(super) max_width: u32,
    pub(super) max_height: u32,
    pub(super) quality: u32,
    pub(super) max_fps: u32,
    /// The viewport's width and height, in CSS pixels; none in what one viewer asks for.
    pub(super) viewport: Option<(u32, u32)>,
}

/// The latest frame of a tab; each reader sees the latest that it can take.
pub(super) type Latest = watch::Receiver<Option<Arc<Frame>>>;

/// A running cast. Dropping it ends it.
#[derive(Debug)]
pub(super) struct Cast {
    /// Tells one cast of a tab from the next.
    pub(super) number: u64,
    /// How often the tab's renderer had died when it was begun.
    pub(super) crashes: u64,
    pub(super) latest: Latest,
    wish: watch::Sender<Wish>,
    hurry: Arc<Notify>,
    task: AbortHandle,
}

impl Wish {
    /// The larger of both in every respect.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            max_width: self.max_width.max(other.max_width),
            max_height: self.max_height.max(other.max_height),
            quality: self.quality.max(other.quality),
            max_fps: self.max_fps.max(other.max_fps),
            viewport: self.viewport,
        }
    }

    /// The browser sends no picture of which a side would be less than a pixel.
    pub(super) fn in_pixels_of(self, viewport: Viewport) -> Self {
        let (width, height) = (viewport.width.max(1), viewport.height.max(1));
        Self {
            max_width: self.max_width.max(width.div_ceil(height)),
            max_height: self.max_height.max(height.div_ceil(width)),
            viewport: Some((width, height)),
            ..self
        }
    }

    fn options(self) -> CastOptions {
        CastOptions { max_width: self.max_width, max_height: self.max_height, quality: self.quality }
    }

    /// The least time between two acknowledgements: none at the highest rate, which is the browser's own.
    fn interval(self) -> Duration {
        if self.max_fps >= LIVE_FPS_MAX { Duration::ZERO } else { Duration::from_secs(1) / self.max_fps.max(1) }
    }
}

impl Cast {
    /// Begins a cast. `seq` numbers the frames of the whole session.
    pub(super) fn begin(number: u64, page: Arc<Page>, wish: Wish, seq: Arc<AtomicU64>) -> Self {
        let (latest_of, latest) = watch::channel(None);
        let crashes = page.crashes();
        let (wish, wishes) = watch::channel(wish);
        let hurry = Arc::new(Notify::new());
        let task = tokio::spawn(run(page, wishes, latest_of, Arc::clone(&hurry), seq)).abort_handle();
        Self { number, crashes, latest, wish, hurry, task }
    }

    /// Sets what the viewers ask for.
    pub(super) fn wish(&self, wish: Wish) {
        self.wish.send_if_modified(|known| std::mem::replace(known, wish) != wish);
    }

    /// Lets the browser draw at once, after input.
    pub(super) fn hurry(&self) {
        self.hurry.notify_one();
    }
}

impl Drop for Cast {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn run(
    page: Arc<Page>,
    mut wishes: watch::Receiver<Wish>,
    latest: watch::Sender<Option<Arc<Frame>>>,
    hurry: Arc<Notify>,
    seq: Arc<AtomicU64>,
) {
    let mut wish = *wishes.borrow_and_update();
    let mut cast = page.screencast(wish.options());
    let mut unacknowledged: VecDeque<i64> = VecDeque::with_capacity(FRAMES_UNDER_WAY_MAX);
    let mut next_at = Instant::now();
    let mut nth = 0;
    // Since when the page seems at rest although a frame may be missing.
    let mut missing_since: Option<Instant> = None;
    let mut may_miss = false;
    let mut misshapen = 0;
    let mut look_at = next_at + LOOK_AFTER;
    // Whether frames are asked for that may show nothing new.
    let mut looking = false;
    loop {
        tokio::select! {
            biased;
            frame = cast.next() => {
                let Some(frame) = frame else { return };
                if has_shape_of_viewport(&frame) {
                    misshapen = 0;
                } else if misshapen < MISSHAPEN_MAX {
                    misshapen += 1;
                    cast.acknowledge(frame.number);
                    missing_since = Some(Instant::now());
                    continue;
                }
                missing_since = None;
                if looking && latest.borrow().as_ref().is_some_and(|known| known.is_as(&frame)) {
                    cast.acknowledge(frame.number);
                    continue;
                }
                looking = false;
                look_at = Instant::now() + LOOK_AFTER;
                unacknowledged.push_back(frame.number);
                may_miss |= unacknowledged.len() >= FRAMES_UNDER_WAY_MAX;
                nth += 1;
                let seq = seq.fetch_add(1, Ordering::Relaxed) + 1;
                latest.send_replace(Some(Arc::new(Frame::new(nth, seq, frame))));
            }
            () = hurry.notified() => {
                for number in unacknowledged.drain(..) {
                    cast.acknowledge(number);
                }
                next_at = Instant::now();
                missing_since = may_miss.then_some(next_at);
            }
            () = sleep_until(next_at), if !unacknowledged.is_empty() => {
                if let Some(number) = unacknowledged.pop_front() {
                    cast.acknowledge(number);
                }
                next_at = Instant::now() + wish.interval();
                missing_since = (may_miss && unacknowledged.is_empty()).then(Instant::now);
            }
            () = async { sleep_until(missing_since.unwrap_or_else(Instant::now) + REST).await }, if missing_since.is_some() => {
                (missing_since, may_miss) = (None, false);
                cast.restart(wish.options());
            }
            () = sleep_until(look_at), if unacknowledged.is_empty() => {
                looking = true;
                look_at = Instant::now() + LOOK_EVERY;
                cast.restart(wish.options());
            }
            changed = wishes.changed() => {
                if changed.is_err() {
                    return;
                }
                let before = std::mem::replace(&mut wish, *wishes.borrow_and_update());
                if before.options() != wish.options() || before.viewport != wish.viewport {
                    unacknowledged.clear();
                    cast.restart(wish.options());
                }
            }
        }
    }
}

/// Whether the picture shows the viewport that it is said to show: the same shape, to a pixel of either.
fn has_shape_of_viewport(frame: &CastFrame) -> bool {
    let ((width, height), (of_width, of_height)) = (frame.size, frame.viewport);
    let cross = |one: u32, other: u32| u64::from(one) * u64::from(other);
    cross(width, of_height).abs_diff(cross(height, of_width)) <= u64::from(of_width) + u64::from(of_height)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_viewport_has_a_picture() {
        let wish = Wish { max_width: 1280, max_height: 720, quality: 70, max_fps: 30, viewport: None };
        for (width, height) in [(3840, 1), (1, 2160), (1280, 720), (3840, 2160), (500, 900)] {
            let viewport = Viewport { width, height, ..Viewport::DESKTOP };
            let Wish { max_width, max_height, .. } = wish.in_pixels_of(viewport);
            let scale =
                (f64::from(max_width) / f64::from(width)).min(f64::from(max_height) / f64::from(height)).min(1.0);
            assert!(f64::from(width.min(height)) * scale >= 1.0, "{width}×{height} within {max_width}×{max_height}");
            let is_long = width / height > 1_000 || height / width > 700;
            assert_eq!((max_width, max_height) == (1280, 720), !is_long, "{width}×{height}");
        }
    }
}
