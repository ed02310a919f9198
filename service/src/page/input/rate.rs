//! How many events a viewer may send in a second.

use tokio::time::Instant;

/// The allowance of one viewer: a second's events at once, renewed as time passes.
#[derive(Debug)]
pub struct InputRate {
    per_second: f64,
    left: f64,
    at: Instant,
}

impl InputRate {
    /// A full allowance.
    #[must_use]
    pub fn new(per_second: u32, now: Instant) -> Self {
        let per_second = f64::from(per_second);
        Self { per_second, left: per_second, at: now }
    }

    /// Whether one more event is within the bound.
    pub fn admits(&mut self, now: Instant) -> bool {
        let renewed = now.saturating_duration_since(self.at).as_secs_f64() * self.per_second;
        (self.left, self.at) = ((self.left + renewed).min(self.per_second), now);
        let is_within = self.left >= 1.0;
        if is_within {
            self.left -= 1.0;
        }
        is_within
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_second_has_a_thousand_events() {
        let start = Instant::now();
        let mut rate = InputRate::new(1_000, start);
        assert_eq!((0..5_000).filter(|_| rate.admits(start)).count(), 1_000);
        let half = start + Duration::from_millis(500);
        assert_eq!((0..5_000).filter(|_| rate.admits(half)).count(), 500);
        let much_later = start + Duration::from_secs(100);
        assert_eq!((0..5_000).filter(|_| rate.admits(much_later)).count(), 1_000);
    }
}
