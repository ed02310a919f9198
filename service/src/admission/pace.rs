//! How fast places become free, from how long they were held lately.

use std::time::Duration;

/// How much the latest stay counts: half of what is known comes from the last seven or so.
const LATEST_SHARE: f64 = 0.1;
/// What a caller is told to wait before anything is known.
const UNKNOWN_RETRY: Duration = Duration::from_secs(2);
/// The bounds of what a caller is told to wait: less is no use to a client, more is no use to a person.
const RETRY_MIN: Duration = Duration::from_secs(1);
const RETRY_MAX: Duration = Duration::from_secs(30);

/// A moving average of how long places were held.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    places: usize,
    held: Option<Duration>,
}

impl Pace {
    pub(super) fn new(places: usize) -> Self {
        Self { places: places.max(1), held: None }
    }

    /// A place was held for so long.
    pub(super) fn learn(&mut self, held: Duration) {
        self.held = Some(match self.held {
            Some(before) => before.mul_f64(1.0 - LATEST_SHARE) + held.mul_f64(LATEST_SHARE),
            None => held,
        });
    }

    /// How long until a place is free for who has so many before it, all places being taken now. `None` before anything
    /// is known.
    pub(super) fn wait(&self, ahead: usize) -> Option<Duration> {
        #[expect(clippy::cast_precision_loss, reason = "a queue has far fewer seats than a double has bits")]
        let rounds = (ahead + 1) as f64 / self.places as f64;
        // Nobody is told a century, whatever the average is.
        self.held.map(|held| Duration::try_from_secs_f64(held.as_secs_f64() * rounds).unwrap_or(Duration::MAX))
    }

    /// What a caller is told to wait who was not let in with so many before it.
    pub(super) fn retry_after(&self, ahead: usize) -> Duration {
        self.wait(ahead).unwrap_or(UNKNOWN_RETRY).clamp(RETRY_MIN, RETRY_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_learnt_and_bounded() {
        let mut pace = Pace::new(4);
        assert_eq!((pace.wait(3), pace.retry_after(3)), (None, UNKNOWN_RETRY));
        pace.learn(Duration::from_secs(2));
        assert_eq!((pace.wait(0), pace.wait(7)), (Some(Duration::from_millis(500)), Some(Duration::from_secs(4))));
        assert_eq!((pace.retry_after(0), pace.retry_after(7)), (RETRY_MIN, Duration::from_secs(4)));
        assert_eq!(pace.retry_after(1000), RETRY_MAX);
        for _ in 0..100 {
            pace.learn(Duration::from_secs(10));
        }
        assert!(pace.wait(3).unwrap() > Duration::from_secs(9), "{pace:?}");
    }
}
