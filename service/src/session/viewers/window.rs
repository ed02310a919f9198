//! How many frames may be unanswered by one viewer, so that no backlog builds up between it and us.
//!
//! A viewer that acknowledges frames has at most two unacknowledged. For other viewers the answers to our pings show
//! which frames have arrived: two may be unanswered, and more if the connection has a long delay but is not slow. If
//! frames arrive late the viewer's quality goes down; it goes up again when they arrive in time.

use std::collections::VecDeque;
use std::time::Duration;

use porthole_contract::limits::LIVE_FRAMES_HELD_MAX;
use tokio::time::Instant;

/// Most frames under way on a line that is long and not slow.
const UNDER_WAY_MAX: usize = 32;
/// How much later than on an idle line a frame may arrive before the line counts as slow.
const JITTER: Duration = Duration::from_millis(20);
/// A viewer that has answered no ping for this long after its first frame answers none.
const FIRST_ANSWER_WITHIN: Duration = Duration::from_secs(1);
/// How much later than on an idle line a frame may arrive before its quality goes down.
const LATE: Duration = Duration::from_millis(150);
/// The least time between two changes of quality.
const QUALITY_PAUSE: Duration = Duration::from_millis(500);
/// What is left of the quality when it goes down, what is added when it comes back, and its least share of what is asked
/// for, in percent.
const QUALITY_DOWN: u32 = 75;
const QUALITY_UP: u32 = 10;
const QUALITY_LEAST: u32 = 30;

/// The frames under way to one viewer.
#[derive(Debug, Default)]
pub(super) struct Window {
    under_way: VecDeque<(u64, Instant)>,
    told_by: ToldBy,
    /// The shortest time from a frame to the answer that it has arrived.
    shortest: Option<Duration>,
    /// The latest such time.
    latest: Option<Duration>,
    /// When the first frame went out.
    first_at: Option<Instant>,
    quality: Quality,
}

/// What a line takes of the quality that its viewer asks for.
#[derive(Debug)]
struct Quality {
    percent: u32,
    changed_at: Option<Instant>,
}

impl Default for Quality {
    fn default() -> Self {
        Self { percent: 100, changed_at: None }
    }
}

/// What tells that a frame has arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ToldBy {
    /// Nothing so far.
    #[default]
    Nothing,
    /// Answers to pings.
    Pongs,
    /// The viewer's own acknowledgements.
    Acks,
}

impl Window {
    /// A frame goes out.
    pub(super) fn sent(&mut self, seq: u64, now: Instant) {
        if self.under_way.len() == UNDER_WAY_MAX {
            self.under_way.pop_front();
        }
        self.under_way.push_back((seq, now));
        self.first_at.get_or_insert(now);
    }

    /// The viewer has acknowledged this frame.
    pub(super) fn acknowledged(&mut self, seq: u64, now: Instant) {
        self.told_by = ToldBy::Acks;
        if let Some((_, sent)) = self.under_way.iter().find(|(other, _)| *other == seq) {
            let took = now - *sent;
            self.shortest = Some(self.shortest.map_or(took, |shortest| shortest.min(took)));
            self.judge(took, now);
        }
        self.under_way.retain(|(other, _)| *other > seq);
    }

    /// The viewer has answered the ping that followed this frame.
    pub(super) fn answered(&mut self, seq: u64, now: Instant) {
        let sent = self.under_way.iter().find(|(other, _)| *other == seq).map(|(_, sent)| *sent);
        let Some(took) = sent.map(|sent| now - sent).filter(|_| self.told_by != ToldBy::Acks) else { return };
        self.shortest = Some(self.shortest.map_or(took, |shortest| shortest.min(took)));
        self.latest = Some(took);
        self.told_by = ToldBy::Pongs;
        self.under_way.retain(|(other, _)| *other > seq);
        self.judge(took, now);
    }

    /// The quality that the line takes, of what the viewer asks for.
    pub(super) fn quality(&self, asked: u32) -> u32 {
        (asked * self.quality.percent / 100).max(1)
    }

    fn judge(&mut self, took: Duration, now: Instant) {
        let quality = &mut self.quality;
        if quality.changed_at.is_some_and(|at| now < at + QUALITY_PAUSE) {
            return;
        }
        let is_late = took > self.shortest.unwrap_or_default() * 2 + LATE;
        let percent = match is_late {
            true => (quality.percent * QUALITY_DOWN / 100).max(QUALITY_LEAST),
            false => (quality.percent + QUALITY_UP).min(100),
        };
        if percent != quality.percent {
            *quality = Quality { percent, changed_at: Some(now) };
        }
    }

    /// Whether another frame may go out now.
    pub(super) fn is_open(&self, now: Instant) -> bool {
        let has_room = self.under_way.len() < LIVE_FRAMES_HELD_MAX;
        match self.told_by {
            // Until it is known whether the viewer answers pings at all, no more than a slow line can take.
            ToldBy::Nothing => has_room || self.first_at.is_none_or(|first| now >= first + FIRST_ANSWER_WITHIN),
            ToldBy::Acks => has_room,
            ToldBy::Pongs if has_room => true,
            ToldBy::Pongs => {
                let (shortest, latest) = (self.shortest.unwrap_or_default(), self.latest.unwrap_or_default());
                let patience = shortest * 3 / 2 + JITTER;
                // Frames that wait for one another on the line take longer than the line alone.
                let is_filled = latest > shortest * 5 / 4 + JITTER;
                let oldest = self.under_way.front();
                !is_filled
                    && self.under_way.len() < UNDER_WAY_MAX
                    && oldest.is_some_and(|(_, sent)| now < *sent + patience)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn a_viewer_that_acknowledges_has_two_under_way() {
        let (mut window, now) = (Window::default(), Instant::now());
        for seq in [1, 2] {
            assert!(window.is_open(now), "frame {seq}");
            window.sent(seq, now);
        }
        window.acknowledged(1, now + MS);
        assert!(window.is_open(now));
        window.sent(3, now);
        window.answered(3, now + MS);
        assert!(!window.is_open(now), "an answer to a ping does not stand for an acknowledgement");
        window.acknowledged(3, now + MS);
        assert!(window.is_open(now));
    }

    #[test]
    fn a_viewer_that_never_answers_gets_two_frames_and_after_a_second_all() {
        let (mut window, start) = (Window::default(), Instant::now());
        window.sent(1, start);
        window.sent(2, start);
        assert!(!window.is_open(start + MS * 999));
        for seq in 3..100 {
            assert!(window.is_open(start + MS * 1_000));
            window.sent(seq, start + MS * 1_000);
        }
    }

    #[test]
    fn a_long_line_is_filled_and_a_slow_one_is_not() {
        let (mut window, start) = (Window::default(), Instant::now());
        window.sent(1, start);
        window.answered(1, start + MS * 200);
        let mut now = start + MS * 200;
        for seq in 2..=14 {
            assert!(window.is_open(now), "frame {seq}");
            window.sent(seq, now);
            now += MS * 16;
        }
        // The answer to frame 2 is overdue: the line can't take so much.
        now = start + MS * 200 + MS * 400;
        assert!(!window.is_open(now));
        window.answered(13, now);
        assert!(window.is_open(now));
        window.sent(15, now);
        window.answered(15, now + MS * 440);
        window.sent(16, now + MS * 440);
        window.sent(17, now + MS * 440);
        assert!(!window.is_open(now + MS * 440), "a frame takes its time on this line: two are enough");
    }

    #[test]
    fn a_viewer_that_stops_reading_gets_no_more() {
        let (mut window, start) = (Window::default(), Instant::now());
        window.sent(1, start);
        window.answered(1, start + MS);
        window.sent(2, start + MS * 2);
        window.sent(3, start + MS * 3);
        assert!(!window.is_open(start + MS * 100));
    }

    #[test]
    fn quality_goes_down_while_frames_are_late_and_comes_back() {
        let (mut window, mut now) = (Window::default(), Instant::now());
        let mut frame = |seq: u64, takes: u32| {
            window.sent(seq, now);
            now += MS * takes;
            window.answered(seq, now);
            now += MS * 500;
            window.quality(80)
        };
        assert_eq!(frame(1, 20), 80);
        assert_eq!((frame(2, 400), frame(3, 400)), (60, 44));
        let lowest = (4..20).map(|seq| frame(seq, 400)).min();
        assert_eq!(lowest, Some(24), "30 % of 80");
        assert_eq!((20..40).map(|seq| frame(seq, 30)).max(), Some(80));
    }
}
