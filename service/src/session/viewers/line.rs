//! How fast a viewer's line is, by the frames that have arrived, and what it takes of the picture that its viewer asks for.
//!
//! On a slow line a frame that shows the outcome of input waits for the one on the line before it, and then takes its own
//! time. So frames are made small enough to take a fixed time, in lower quality first and then in a smaller size. When
//! the page rests, the line has time for the whole picture.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

/// How long a frame of a page that moves may take on the line.
const FRAME_WITHIN: Duration = Duration::from_millis(45);
/// A line on which frames take longer than this is slow.
const SLOW: Duration = Duration::from_millis(25);
/// How much later than on an idle line any frame may arrive.
const JITTER: Duration = Duration::from_millis(5);
/// A viewer whose answers need less than this on an idle line is near: there a late answer rather tells of a busy viewer.
const NEAR: Duration = Duration::from_millis(20);
/// How much later the answers of a near viewer may be.
const BUSY: Duration = Duration::from_millis(150);
/// The coarsest picture of a near viewer: as large as it asks for.
const NEAR_STEP_MAX: usize = 2;
/// Frames that tell how fast the line is: the fastest of so many, since any of them may be late for another reason.
const SAMPLES: usize = 3;
/// The least time before the picture becomes coarser again, for frames of the new kind to arrive, or finer.
const COARSER_PAUSE: Duration = Duration::from_millis(500);
const FINER_PAUSE: Duration = Duration::from_secs(1);
/// A finer picture must need less than this share of the time that it may take, in percent, so that it stays.
const FINER_BELOW: u32 = 70;
/// How long a picture that fits stays before a finer one is tried, in case frames are late for another reason than their
/// size. Where that fits, the next one is tried after [`FINER_PAUSE`]; where not, after twice the time, up to the second.
const TRIES_FINER_AFTER: Duration = Duration::from_secs(3);
const TRIES_FINER_AFTER_MAX: Duration = Duration::from_secs(60);
/// A page without a new frame for this long rests.
const REST: Duration = Duration::from_millis(500);

/// A kind of picture, in percent of what the viewer asks for.
#[derive(Clone, Copy, Debug)]
struct Step {
    quality: u32,
    side: u32,
    /// About how many bytes it has (measured on the moving page of `make bench-live`).
    bytes: u32,
}

const STEPS: [Step; 7] = [
    Step { quality: 100, side: 100, bytes: 100 },
    Step { quality: 75, side: 100, bytes: 85 },
    Step { quality: 50, side: 100, bytes: 75 },
    Step { quality: 60, side: 75, bytes: 52 },
    Step { quality: 40, side: 75, bytes: 43 },
    Step { quality: 60, side: 50, bytes: 30 },
    Step { quality: 30, side: 50, bytes: 23 },
];

/// The line to one viewer.
#[derive(Debug)]
pub(super) struct Line {
    /// What the last frames took beyond an idle line's time, in seconds a byte.
    samples: VecDeque<f64>,
    /// The size of the last frame.
    bytes: usize,
    /// When all that was sent will have gone through, as far as is known.
    free_at: Option<Instant>,
    sent_at: Option<Instant>,
    step: usize,
    changed_at: Option<Instant>,
    /// How long it takes until a finer picture than is known to fit is tried: now, and after one that does not fit.
    tries_after: Duration,
    gives_up_for: Duration,
    is_near: bool,
    /// Whether the page rests, so that the picture is whole.
    rests: bool,
}

impl Default for Line {
    fn default() -> Self {
        Self {
            samples: VecDeque::with_capacity(SAMPLES),
            bytes: 0,
            free_at: None,
            sent_at: None,
            step: 0,
            changed_at: None,
            tries_after: TRIES_FINER_AFTER,
            gives_up_for: TRIES_FINER_AFTER,
            is_near: true,
            rests: false,
        }
    }
}

impl Line {
    /// A frame goes out.
    pub(super) fn sent(&mut self, bytes: usize, now: Instant) {
        // The frame that brings the whole picture is followed by none.
        if self.sent_at.is_some_and(|at| now < at + REST) {
            self.rests = false;
        }
        self.bytes = bytes;
        self.sent_at = Some(now);
        self.free_at = Some(self.free_at.map_or(now, |at| at.max(now)) + self.time_of(bytes));
    }

    /// A frame has arrived, so much later than an answer on an idle line, which takes `idle`.
    pub(super) fn arrived(&mut self, bytes: usize, later: Duration, idle: Duration, now: Instant) {
        if bytes == 0 {
            return;
        }
        self.is_near = idle < NEAR;
        let later = later.saturating_sub(if self.is_near { BUSY } else { JITTER });
        if self.samples.len() == SAMPLES {
            self.samples.pop_front();
        }
        #[expect(clippy::cast_precision_loss, reason = "a frame has fewer bytes than 2^52")]
        self.samples.push_back(later.as_secs_f64() / bytes as f64);
        if self.samples.len() == SAMPLES && !self.rests {
            self.adapt(bytes, now);
        }
    }

    fn adapt(&mut self, bytes: usize, now: Instant) {
        let takes = self.time_of(bytes).as_secs_f64().max(1e-6);
        // The share of the whole picture's bytes that the line takes.
        let taken = f64::from(STEPS[self.step].bytes) * FRAME_WITHIN.as_secs_f64() / takes;
        let last = if self.is_near { NEAR_STEP_MAX } else { STEPS.len() - 1 };
        let fits = |share: f64| STEPS[..last].iter().position(|step| f64::from(step.bytes) <= share).unwrap_or(last);
        let since = |pause: Duration| self.changed_at.is_none_or(|at| now >= at + pause);
        let (coarser, finer) = (fits(taken), fits(taken * f64::from(FINER_BELOW) / 100.0));
        let step = match () {
            () if coarser > self.step && since(COARSER_PAUSE) => {
                self.tries_after = self.gives_up_for;
                self.gives_up_for = (self.gives_up_for * 2).min(TRIES_FINER_AFTER_MAX);
                coarser
            }
            () if finer < self.step && since(FINER_PAUSE) => {
                (self.tries_after, self.gives_up_for) = (TRIES_FINER_AFTER, TRIES_FINER_AFTER);
                finer
            }
            () if self.step > 0 && takes <= FRAME_WITHIN.as_secs_f64() && since(self.tries_after) => {
                self.tries_after = FINER_PAUSE;
                self.step - 1
            }
            () => return,
        };
        (self.step, self.changed_at) = (step, Some(now));
    }

    /// How long so many bytes take on it; nothing until that is known.
    pub(super) fn time_of(&self, bytes: usize) -> Duration {
        if self.samples.len() < SAMPLES {
            return Duration::ZERO;
        }
        let fastest = self.samples.iter().copied().fold(f64::INFINITY, f64::min);
        #[expect(clippy::cast_precision_loss, reason = "a frame has fewer bytes than 2^52")]
        Duration::try_from_secs_f64(fastest * bytes as f64).unwrap_or_default()
    }

    /// How long the last frame takes on it.
    pub(super) fn frame_time(&self) -> Duration {
        self.time_of(self.bytes)
    }

    pub(super) fn is_slow(&self) -> bool {
        self.step > 0 || self.frame_time() > SLOW
    }

    /// When all that was sent has gone through.
    pub(super) fn free_at(&self) -> Option<Instant> {
        self.free_at
    }

    /// When the page counts as at rest, if no frame goes out before; `None` where that changes nothing. An idle line's
    /// answer takes `answers`, and a viewer may get its next frame only then.
    pub(super) fn rests_at(&self, answers: Duration) -> Option<Instant> {
        self.sent_at.filter(|_| self.step > 0 && !self.rests).map(|at| at + REST + answers * 2)
    }

    /// The page rests.
    pub(super) fn rest(&mut self) {
        self.rests = true;
    }

    /// The page is about to move, after input.
    pub(super) fn stir(&mut self) {
        self.rests = false;
    }

    /// The quality, and the sides in percent, of what is asked for.
    pub(super) fn takes(&self, quality: u32) -> (u32, u32) {
        let step = if self.rests { STEPS[0] } else { STEPS[self.step] };
        ((quality * step.quality / 100).max(1), step.side)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    /// Frames of a page that moves, on a line of so many bytes a millisecond; returns what it takes of quality 80 after each.
    fn frames(line: &mut Line, now: &mut Instant, bytes_a_ms: usize, count: usize) -> Vec<(u32, u32)> {
        let mut frame = |line: &mut Line| {
            let bytes = 16_000 * STEPS[line.step].bytes as usize / 100;
            line.sent(bytes, *now);
            *now += MS * u32::try_from(bytes / bytes_a_ms).unwrap();
            line.arrived(bytes, MS * u32::try_from(bytes / bytes_a_ms).unwrap(), MS * 200, *now);
            *now += MS * 200;
            line.takes(80)
        };
        (0..count).map(|_| frame(line)).collect()
    }

    #[test]
    fn the_picture_becomes_as_small_as_the_line_needs_and_comes_back() {
        let (mut line, mut now) = (Line::default(), Instant::now());
        assert!(frames(&mut line, &mut now, 4_000, 20).iter().all(|taken| *taken == (80, 100)));
        assert!(!line.is_slow());
        let taken = frames(&mut line, &mut now, 125, 10);
        assert_eq!(taken.last(), Some(&(48, 50)), "4.8 kB in 38 ms: {taken:?}");
        assert!(line.is_slow());
        assert_eq!(frames(&mut line, &mut now, 20, 20).last(), Some(&(24, 50)), "no smaller one");
        assert_eq!(frames(&mut line, &mut now, 4_000, 20).last(), Some(&(80, 100)));
    }

    #[test]
    fn a_finer_picture_is_tried_now_and_then_and_stays_where_frames_are_late_whatever_their_size() {
        let (mut line, mut now) = (Line::default(), Instant::now());
        frames(&mut line, &mut now, 125, 20);
        // Some 40 ms later than an idle line, as by a proxy that joins small packets.
        for _ in 0..100 {
            let bytes = 16_000 * STEPS[line.step].bytes as usize / 100;
            line.sent(bytes, now);
            line.arrived(bytes, MS * 40, MS * 200, now);
            now += MS * 100;
        }
        assert_eq!(line.takes(80), (80, 100));
        // On a line that is slow a finer one is given up, and tried ever more seldom.
        let (mut line, mut now) = (Line::default(), Instant::now());
        let taken = frames(&mut line, &mut now, 125, 600);
        let finer = taken.iter().skip(20).filter(|taken| **taken != (48, 50)).count();
        assert!((1..60).contains(&finer), "{finer} of 580 frames");
        assert!(line.gives_up_for > TRIES_FINER_AFTER * 4, "{:?}", line.gives_up_for);
    }

    #[test]
    fn two_late_frames_make_no_line_slow() {
        let (mut line, mut now) = (Line::default(), Instant::now());
        frames(&mut line, &mut now, 4_000, 5);
        frames(&mut line, &mut now, 10, 2);
        assert_eq!(line.takes(80), (80, 100));
        assert!(!line.is_slow());
    }

    #[test]
    fn a_near_viewer_that_is_busy_gets_pictures_of_its_size() {
        let (mut line, mut now) = (Line::default(), Instant::now());
        for (later, quality) in [(100, 80), (2_000, 40), (100, 80)] {
            for _ in 0..10 {
                line.sent(8_000, now);
                now += MS * 300;
                line.arrived(8_000, MS * later, MS, now);
            }
            assert_eq!(line.takes(80), (quality, 100), "{later} ms");
        }
    }

    #[test]
    fn a_page_at_rest_is_seen_whole_until_it_moves() {
        let (mut line, mut now) = (Line::default(), Instant::now());
        assert_eq!(line.rests_at(MS), None, "nothing was sent");
        let coarse = *frames(&mut line, &mut now, 125, 20).last().unwrap();
        let rests_at = line.rests_at(MS * 100).unwrap();
        line.rest();
        now = rests_at;
        assert_eq!((line.takes(80), line.rests_at(MS)), ((80, 100), None));
        line.sent(16_000, now);
        assert_eq!(line.takes(80), (80, 100), "the whole picture goes out");
        line.arrived(16_000, MS * 128, MS * 200, now + MS * 128);
        line.sent(16_000, now + MS * 300);
        assert_eq!(line.takes(80), coarse, "it moves again");
        line.rest();
        line.stir();
        assert_eq!(line.takes(80), coarse, "a person acts");
    }
}
