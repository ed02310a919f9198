//! Decides when to restart a process that died, and when to give up.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::process::{Ended, Process};
use crate::failure::Failed;
use crate::progress::Progress;

/// Number of deaths within [`DEATHS_WINDOW`] that count as a crash loop.
const DEATHS_MAX: usize = 5;
const DEATHS_WINDOW: Duration = Duration::from_secs(60);
/// The delay before the first restart; each further death within the window doubles it.
const RESTART_FIRST_DELAY: Duration = Duration::from_millis(250);

/// The deaths of one process within [`DEATHS_WINDOW`].
#[derive(Debug, Default)]
pub(super) struct Deaths(VecDeque<Instant>);

impl Deaths {
    /// Counts a death. Returns the delay before the next start, or `None` to give up.
    pub(super) fn count(&mut self, now: Instant) -> Option<Duration> {
        self.0.retain(|death| now.duration_since(*death) < DEATHS_WINDOW);
        self.0.push_back(now);
        let before = u32::try_from(self.0.len() - 1).unwrap_or(u32::MAX);
        (self.0.len() < DEATHS_MAX).then(|| RESTART_FIRST_DELAY.saturating_mul(2_u32.saturating_pow(before)))
    }
}

/// Restarts the process whenever it dies; returns only when it gives up.
pub(super) async fn keep(process: &mut Process, progress: &Progress) -> Failed {
    let mut deaths = Deaths::default();
    loop {
        let ended = match process.ended().await {
            Ok(ended) => ended,
            Err(error) => return Failed::io(format!("watch {}", process.launch.name), error),
        };
        let Some(wait) = deaths.count(Instant::now()) else {
            let event = format!("died {DEATHS_MAX} times within {} s, last with", DEATHS_WINDOW.as_secs());
            return died(process.launch.name, &event, &ended);
        };
        progress.note(&format!(
            "{} ended ({}); it is started again in {:.2} s",
            process.launch.name,
            ended.status,
            wait.as_secs_f64()
        ));
        tokio::time::sleep(wait).await;
        if let Err(error) = process.start() {
            return Failed::io(format!("start {}", process.launch.name), error);
        }
    }
}

/// Builds the error for a process that does not run: `porthole-worker <event> exit status: 1`, then its last lines.
pub(super) fn died(name: &str, event: &str, ended: &Ended) -> Failed {
    let mut sentence = format!("{name} {event} {}", ended.status);
    for line in &ended.unseen {
        sentence += &format!("\n  {line}");
    }
    Failed::Up { sentence: crate::output::printable(&sentence), setting: ended.refused_settings() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_deaths_within_a_minute_end_the_restarts() {
        let start = Instant::now();
        let mut deaths = Deaths::default();
        let waits: Vec<_> = (0..5).map(|second| deaths.count(start + Duration::from_secs(second))).collect();
        let expected = [Some(250), Some(500), Some(1_000), Some(2_000), None].map(|ms| ms.map(Duration::from_millis));
        assert_eq!(waits, expected);
    }

    #[test]
    fn deaths_far_apart_are_forgotten() {
        let start = Instant::now();
        let mut deaths = Deaths::default();
        for minute in 0..20 {
            assert_eq!(deaths.count(start + DEATHS_WINDOW * minute), Some(RESTART_FIRST_DELAY));
        }
    }
}
