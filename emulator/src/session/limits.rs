//! The limit on session creations per minute. The clock is passed in.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

const MINUTE: Duration = Duration::from_secs(60);

/// The creations of one project within the last minute.
#[derive(Default)]
pub(crate) struct Creations(VecDeque<Instant>);

/// A project's state against a limit, as in the `x-ratelimit-*` headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Standing {
    pub(crate) limit: usize,
    pub(crate) remaining: usize,
    /// Time until one more is allowed, in whole seconds.
    pub(crate) reset_s: u64,
}

impl Creations {
    /// Returns the state at `now` against `limit`. Only [`Creations::count`] counts a creation.
    pub(crate) fn standing(&mut self, limit: usize, now: Instant) -> Standing {
        while self.0.front().is_some_and(|first| now.duration_since(*first) >= MINUTE) {
            self.0.pop_front();
        }
        let reset = self.0.front().map_or(Duration::ZERO, |first| MINUTE - now.duration_since(*first));
        let reset_s = reset.as_secs() + u64::from(reset.subsec_nanos() > 0);
        Standing { limit, remaining: limit.saturating_sub(self.0.len()), reset_s }
    }

    /// Counts a creation.
    pub(crate) fn count(&mut self, now: Instant) {
        self.0.push_back(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minute_slides() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut creations = Creations::default();
        assert_eq!(creations.standing(2, at(0)), Standing { limit: 2, remaining: 2, reset_s: 0 });
        creations.count(at(0));
        creations.count(at(10));
        assert_eq!(creations.standing(2, at(15)), Standing { limit: 2, remaining: 0, reset_s: 45 });
        assert_eq!(creations.standing(2, at(59)).remaining, 0);
        assert_eq!(creations.standing(2, at(60)), Standing { limit: 2, remaining: 1, reset_s: 10 });
        assert_eq!(creations.standing(2, at(70)).remaining, 2);
    }
}
