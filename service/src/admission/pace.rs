//! How fast permits become free, estimated from how long the latest ones were held.

use std::time::Duration;

/// Weight of the latest hold time: half of the average comes from the last seven or so.
const LATEST_SHARE: f64 = 0.1;
/// `Retry-After` before any permit was given back.
const UNKNOWN_RETRY: Duration = Duration::from_secs(2);
/// Bounds of `Retry-After`: a shorter wait is of no use to a client, a longer one of none to a person.
const RETRY_MIN: Duration = Duration::from_secs(1);
const RETRY_MAX: Duration = Duration::from_secs(30);

/// A moving average of how long permits were held.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    permits: usize,
    held: Option<Duration>,
}

impl Pace {
    pub(super) fn new(permits: usize) -> Self {
        Self { permits: permits.max(1), held: None }
    }

    /// Takes the hold time of one permit into the average.
    pub(super) fn learn(&mut self, held: Duration) {
        self.held = Some(match self.held {
            Some(before) => before.mul_f64(1.0 - LATEST_SHARE) + held.mul_f64(LATEST_SHARE),
            None => held,
        });
    }

    /// Returns the wait for a permit with `ahead` requests queued before this one and all permits taken. `None`
    /// before any permit was given back.
    pub(super) fn wait(&self, ahead: usize) -> Option<Duration> {
        #[expect(clippy::cast_precision_loss, reason = "a queue is far shorter than a double has bits")]
        let rounds = (ahead + 1) as f64 / self.permits as f64;
        // An absurd average must not overflow.
        self.held.map(|held| Duration::try_from_secs_f64(held.as_secs_f64() * rounds).unwrap_or(Duration::MAX))
    }

    /// `Retry-After` for a request with `ahead` requests queued before it.
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
