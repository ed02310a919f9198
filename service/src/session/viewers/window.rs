//! How many frames may be unanswered by one viewer, so that no backlog builds up between it and us.
//!
//! A viewer that acknowledges frames has at most two unacknowledged. For other viewers the answers to our pings show
//! which frames have arrived: two may be unanswered, and more if the connection has a long delay but is not slow. On a
//! slow connection the frame that follows input would wait for those before it. So the connection is left idle half of
//! the time, and one of the two frames of a viewer that acknowledges is kept for after input.

use std::collections::VecDeque;
use std::time::Duration;

use porthole_contract::limits::LIVE_FRAMES_HELD_MAX;
use tokio::time::Instant;

use super::line::Line;

/// Most frames under way on a line that is long and not slow.
const UNDER_WAY_MAX: usize = 32;
/// How much later than on an idle line a frame may arrive before the line counts as slow.
const JITTER: Duration = Duration::from_millis(20);
/// A viewer that has answered no ping for this long after its first frame answers none.
const FIRST_ANSWER_WITHIN: Duration = Duration::from_secs(1);

/// The frames under way to one viewer.
#[derive(Debug, Default)]
pub(super) struct Window {
    under_way: VecDeque<UnderWay>,
    told_by: ToldBy,
    /// The shortest time from a frame to the answer that it has arrived.
    shortest: Option<Duration>,
    /// The latest such time.
    latest: Option<Duration>,
    /// When the first frame went out.
    first_at: Option<Instant>,
    line: Line,
}

/// A frame, or a ping without one, whose arrival is not known yet.
#[derive(Clone, Copy, Debug)]
struct UnderWay {
    seq: u64,
    sent_at: Instant,
    bytes: usize,
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
    /// A frame of so many bytes goes out.
    pub(super) fn sent(&mut self, seq: u64, bytes: usize, now: Instant) {
        if self.under_way.len() == UNDER_WAY_MAX {
            self.under_way.pop_front();
        }
        self.under_way.push_back(UnderWay { seq, sent_at: now, bytes });
        self.first_at.get_or_insert(now);
        if bytes > 0 {
            self.line.sent(bytes, now);
        }
    }

    /// The viewer has acknowledged this frame.
    pub(super) fn acknowledged(&mut self, seq: u64, now: Instant) {
        self.told_by = ToldBy::Acks;
        self.arrived(seq, now);
        self.under_way.retain(|other| other.seq > seq);
    }

    /// The viewer has answered the ping that followed this frame.
    pub(super) fn answered(&mut self, seq: u64, now: Instant) {
        if self.told_by != ToldBy::Acks && self.arrived(seq, now) {
            self.told_by = ToldBy::Pongs;
            self.under_way.retain(|other| other.seq > seq);
        }
    }

    /// Whether it was under way.
    fn arrived(&mut self, seq: u64, now: Instant) -> bool {
        let Some(frame) = self.under_way.iter().find(|other| other.seq == seq).copied() else { return false };
        let took = now - frame.sent_at;
        let shortest = self.shortest.map_or(took, |shortest| shortest.min(took));
        (self.shortest, self.latest) = (Some(shortest), Some(took));
        self.line.arrived(frame.bytes, took - shortest, shortest, now);
        true
    }

    /// What the line is known to take.
    pub(super) fn line(&self) -> &Line {
        &self.line
    }

    /// The page is about to move, after input.
    pub(super) fn stir(&mut self) {
        self.line.stir();
    }

    /// When the page counts as at rest, if no frame goes out before; `None` where that changes nothing.
    pub(super) fn rests_at(&self) -> Option<Instant> {
        self.line.rests_at(self.shortest.unwrap_or_default())
    }

    /// The page rests.
    pub(super) fn rest(&mut self) {
        self.line.rest();
    }

    /// When another frame may go out, one that follows input or any; `None` where the viewer must answer first.
    pub(super) fn opens_at(&self, follows_input: bool, now: Instant) -> Option<Instant> {
        let is_slow = self.line.is_slow();
        let has_room = self.under_way.len() < LIVE_FRAMES_HELD_MAX;
        let is_open = match self.told_by {
            // Until it is known whether the viewer answers pings at all, no more than a slow line can take.
            ToldBy::Nothing => has_room || self.first_at.is_none_or(|first| now >= first + FIRST_ANSWER_WITHIN),
            ToldBy::Acks if is_slow && !follows_input => self.under_way.is_empty(),
            ToldBy::Acks => has_room,
            ToldBy::Pongs if has_room => true,
            ToldBy::Pongs => {
                let (shortest, latest) = (self.shortest.unwrap_or_default(), self.latest.unwrap_or_default());
                let frames = if is_slow { self.line.frame_time() * 2 } else { Duration::ZERO };
                let patience = shortest * 3 / 2 + JITTER + frames;
                // Frames that wait for one another on the line take longer than the line alone.
                let is_filled = latest > shortest * 5 / 4 + JITTER + frames;
                let oldest = self.under_way.front();
                !is_filled
                    && self.under_way.len() < UNDER_WAY_MAX
                    && oldest.is_some_and(|oldest| now < oldest.sent_at + patience)
            }
        };
        let idle = if follows_input { Duration::ZERO } else { self.line.frame_time() };
        let free_at = self.line.free_at().filter(|_| is_slow).map_or(now, |at| at + idle);
        is_open.then(|| free_at.max(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn is_open(window: &Window, now: Instant) -> bool {
        window.opens_at(false, now) == Some(now)
    }

    #[test]
    fn a_viewer_that_acknowledges_has_two_under_way() {
        let (mut window, now) = (Window::default(), Instant::now());
        for seq in [1, 2] {
            assert!(is_open(&window, now), "frame {seq}");
            window.sent(seq, 1_000, now);
        }
        window.acknowledged(1, now + MS);
        assert!(is_open(&window, now));
        window.sent(3, 1_000, now);
        window.answered(3, now + MS);
        assert!(!is_open(&window, now), "an answer to a ping does not stand for an acknowledgement");
        window.acknowledged(3, now + MS);
        assert!(is_open(&window, now));
    }

    #[test]
    fn a_viewer_that_never_answers_gets_two_frames_and_after_a_second_all() {
        let (mut window, start) = (Window::default(), Instant::now());
        window.sent(1, 1_000, start);
        window.sent(2, 1_000, start);
        assert!(!is_open(&window, start + MS * 999));
        for seq in 3..100 {
            assert!(is_open(&window, start + MS * 1_000));
            window.sent(seq, 1_000, start + MS * 1_000);
        }
    }

    #[test]
    fn a_long_line_is_filled_and_a_slow_one_is_not() {
        let (mut window, start) = (Window::default(), Instant::now());
        window.sent(1, 1_000, start);
        window.answered(1, start + MS * 200);
        let mut now = start + MS * 200;
        for seq in 2..=14 {
            assert!(is_open(&window, now), "frame {seq}");
            window.sent(seq, 1_000, now);
            now += MS * 16;
        }
        // The answer to frame 2 is overdue: the line can't take so much.
        now = start + MS * 200 + MS * 400;
        assert!(!is_open(&window, now));
        window.answered(13, now);
        assert!(is_open(&window, now));
        window.sent(15, 1_000, now);
        window.answered(15, now + MS * 440);
        window.sent(16, 1_000, now + MS * 440);
        window.sent(17, 1_000, now + MS * 440);
        assert!(!is_open(&window, now + MS * 440), "a frame takes its time on this line: two are enough");
    }

    #[test]
    fn a_viewer_that_stops_reading_gets_no_more() {
        let (mut window, start) = (Window::default(), Instant::now());
        window.sent(1, 1_000, start);
        window.answered(1, start + MS);
        window.sent(2, 1_000, start + MS * 2);
        window.sent(3, 1_000, start + MS * 3);
        assert!(!is_open(&window, start + MS * 100));
    }

    #[test]
    fn a_slow_line_is_kept_free_for_what_follows_input() {
        let line_of = |acknowledges: bool| {
            let (mut window, mut now) = (Window::default(), Instant::now());
            let answer = |window: &mut Window, seq, now| match acknowledges {
                true => window.acknowledged(seq, now),
                false => window.answered(seq, now),
            };
            window.sent(0, 0, now);
            now += MS * 200;
            window.answered(0, now);
            for seq in 1..=5 {
                window.sent(seq, 5_000, now);
                now += MS * 240;
                answer(&mut window, seq, now);
            }
            assert!(window.line().is_slow());
            window.sent(6, 5_000, now);
            (window, now)
        };
        let (window, now) = line_of(true);
        assert_eq!(window.opens_at(false, now), None, "one of two is kept");
        assert_eq!(window.opens_at(true, now), Some(now + MS * 35), "when the line is free");
        let (window, now) = line_of(false);
        assert_eq!(window.opens_at(false, now), Some(now + MS * 70));
        assert_eq!(window.opens_at(true, now), Some(now + MS * 35));
    }
}
