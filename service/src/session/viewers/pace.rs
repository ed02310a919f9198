//! When a viewer's next frame is due: at its own rate, and sooner after its input.

use std::time::Duration;

use tokio::time::Instant;

use super::window::Window;

/// After input so many frames go out before they are due, in this time; those after them make up for it.
const FRAMES_AHEAD_MAX: u32 = 2;
const AHEAD_WITHIN: Duration = Duration::from_millis(100);
/// On a slow line the first frame after input waits this long for what the page makes of it: the next one would have to
/// wait for the line.
const SLOW_LINE_WAITS: Duration = Duration::from_millis(50);
/// On a slow line so many frames count as following input, for this long. More of them would fill the line before the
/// next input.
const FRAMES_THAT_FOLLOW: u32 = 2;
const FOLLOWS_WITHIN: Duration = Duration::from_millis(400);

/// The pace of one viewer's frames.
#[derive(Debug)]
pub(super) struct Pace {
    /// The most frames a second.
    pub(super) max_fps: u32,
    due: Instant,
    /// The last input that is more than a move.
    acted_at: Option<Instant>,
    /// How many frames may still follow it.
    follow: u32,
}

impl Pace {
    pub(super) fn new(max_fps: u32, now: Instant) -> Self {
        Self { max_fps, due: now, acted_at: None, follow: 0 }
    }

    /// The viewer acts. Whether that is not part of what it did a moment ago.
    pub(super) fn acts(&mut self, now: Instant) -> bool {
        let is_new = self.acted_at.is_none_or(|at| now >= at + AHEAD_WITHIN);
        if is_new {
            (self.acted_at, self.follow) = (Some(now), FRAMES_THAT_FOLLOW);
        }
        is_new
    }

    /// When the latest frame may go out; `None` where the viewer must answer first.
    pub(super) fn goes_at(&self, window: &Window, now: Instant) -> Option<Instant> {
        let since_input = self.acted_at.map_or(Duration::MAX, |at| now - at);
        let opens_at = window.opens_at(self.follow > 0 && since_input < FOLLOWS_WITHIN, now)?;
        let ahead = if since_input < AHEAD_WITHIN { self.interval() * FRAMES_AHEAD_MAX } else { Duration::ZERO };
        let due = self.due.checked_sub(ahead).unwrap_or(self.due);
        let waits_until = self.acted_at.filter(|_| window.line().is_slow()).map_or(now, |at| at + SLOW_LINE_WAITS);
        Some(opens_at.max(due).max(waits_until))
    }

    /// A frame goes out.
    pub(super) fn shown(&mut self, now: Instant) {
        self.follow = self.follow.saturating_sub(1);
        let interval = self.interval();
        // A frame that came late does not delay the next one.
        self.due = self.due.max(now.checked_sub(interval).unwrap_or(now)) + interval;
    }

    fn interval(&self) -> Duration {
        Duration::from_secs(1) / self.max_fps.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn frames_after_input_come_before_they_are_due_and_are_made_up_for() {
        let (mut pace, window, start) = (Pace::new(10, Instant::now()), Window::default(), Instant::now());
        pace.shown(start);
        let goes_at =
            |pace: &Pace, now| pace.goes_at(&window, now).map(|at| at.saturating_duration_since(start).as_millis());
        let due = goes_at(&pace, start + MS);
        assert!(due > Some(90), "{due:?}");
        let now = start + MS * 10;
        assert!(pace.acts(now));
        assert!(!pace.acts(now + MS), "the release of the same press");
        for _ in 0..2 {
            assert_eq!(goes_at(&pace, now), Some(10));
            pace.shown(now);
        }
        assert!(goes_at(&pace, now) > Some(90));
        assert!(goes_at(&pace, now + MS * 100) > Some(290), "three at once are those of 300 ms");
    }

    #[test]
    fn on_a_slow_line_two_frames_follow_input_and_the_next_ones_leave_it_idle() {
        let start = Instant::now();
        let (mut pace, mut window, mut now) = (Pace::new(60, start), Window::default(), start);
        // A line of 100 bytes a millisecond.
        for seq in 0..10 {
            window.sent(seq, 5_000, now);
            window.acknowledged(seq, now + MS * if seq == 0 { 200 } else { 250 });
            now += MS * 300;
        }
        assert!(window.line().is_slow());
        assert!(pace.acts(now));
        let acted_at = now;
        let mut waits = Vec::new();
        for seq in 10..14 {
            let goes_at = pace.goes_at(&window, now).unwrap();
            waits.push((goes_at - acted_at).as_millis());
            window.sent(seq, 5_000, goes_at);
            pace.shown(goes_at);
            window.acknowledged(seq, goes_at + MS * 250);
            now = goes_at;
        }
        let (first, second, third, fourth) = (waits[0], waits[1], waits[2], waits[3]);
        assert_eq!(first, SLOW_LINE_WAITS.as_millis());
        assert!((40..60).contains(&(second - first)), "as soon as the line is free: {waits:?}");
        assert!((80..110).contains(&(third - second)) && (80..110).contains(&(fourth - third)), "{waits:?}");
    }
}
