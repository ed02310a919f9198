//! The recycle policy: replaces worn browsers without delaying requests, and pauses starts while browsers keep dying.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use porthole_chromium::memory_of_group;
use tokio::sync::Notify;

use super::browser::Browser;
use super::options::RecyclePolicy;
use crate::provider::ProviderError;

/// A browser that lived this long did not die in a crash loop.
const STEADY_AFTER: Duration = Duration::from_secs(10);
/// How many browsers in a row may die early and be replaced at once: a page or an operator may have killed them.
const EARLY_DEATHS_FREE: u32 = 4;
/// The first and the longest pause before another start; each pause is twice as long as the one before.
const REST_FIRST: Duration = Duration::from_secs(1);
const REST_MAX: Duration = Duration::from_secs(30);

/// Tracks browsers that ended and decides whether another may start.
#[derive(Debug, Default)]
pub(super) struct Recycling {
    loops: Mutex<Loop>,
    /// Notified when a browser has made its last page.
    worn: Notify,
}

#[derive(Debug, Default)]
struct Loop {
    early_deaths: u32,
    rests: u32,
    rest_until: Option<Instant>,
}

impl Recycling {
    /// Checks whether a browser may be started now.
    pub(super) fn may_start(&self) -> Result<(), ProviderError> {
        let left = self.with(|l| l.rest_until).and_then(|until| until.checked_duration_since(Instant::now()));
        match left.filter(|left| !left.is_zero()) {
            Some(retry_after) => Err(ProviderError::Resting { retry_after }),
            None => Ok(()),
        }
    }

    /// Records that a browser could not be started, not even at the second attempt.
    pub(super) fn start_failed(&self) {
        self.with(Loop::rest);
    }

    /// Records that a browser ended or became unusable after this long.
    pub(super) fn ended_after(&self, life: Duration) {
        self.with(|l| {
            if life >= STEADY_AFTER {
                *l = Loop::default();
            } else {
                l.early_deaths += 1;
                if l.early_deaths > EARLY_DEATHS_FREE {
                    l.rest();
                }
            }
        });
    }

    /// Records that the browser made a page, and requests its replacement if that was the last.
    pub(super) fn page_made(&self, browser: &Browser, policy: RecyclePolicy) {
        if browser.pages_made() >= policy.pages_max {
            self.worn.notify_one();
        }
    }

    /// Waits until a browser has made its last page.
    pub(super) async fn one_is_worn(&self) {
        self.worn.notified().await;
    }

    fn with<T>(&self, act: impl FnOnce(&mut Loop) -> T) -> T {
        act(&mut self.loops.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Loop {
    fn rest(&mut self) {
        let rest = REST_FIRST.saturating_mul(1 << self.rests.min(16)).min(REST_MAX);
        self.rests += 1;
        self.rest_until = Some(Instant::now() + rest);
        tracing::warn!(
            rest_ms = rest.as_millis(),
            "no local browser is started for a while: too many failed or ended early"
        );
    }
}

/// Returns why a browser is to be replaced, if it is.
pub(super) async fn worn(browser: &Browser, policy: RecyclePolicy) -> Option<&'static str> {
    if browser.pages_made() >= policy.pages_max {
        return Some("pages");
    }
    let group = browser.group();
    let bytes = tokio::task::spawn_blocking(move || memory_of_group(group)).await.ok()?;
    (bytes > policy.memory_max_bytes).then_some("memory")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rests(recycling: &Recycling) -> bool {
        matches!(recycling.may_start(), Err(ProviderError::Resting { retry_after }) if retry_after <= REST_MAX)
    }

    #[test]
    fn a_few_early_deaths_are_free_and_then_each_rest_is_longer() {
        let recycling = Recycling::default();
        for _ in 0..EARLY_DEATHS_FREE {
            recycling.ended_after(Duration::from_secs(1));
            assert!(!rests(&recycling));
        }
        let mut before = Duration::ZERO;
        for _ in 0..10 {
            recycling.ended_after(Duration::from_secs(1));
            let Err(ProviderError::Resting { retry_after }) = recycling.may_start() else { panic!("{recycling:?}") };
            assert!(retry_after > before || retry_after > REST_MAX - Duration::from_secs(1), "{retry_after:?}");
            assert!(retry_after <= REST_MAX);
            before = retry_after;
        }
        recycling.ended_after(STEADY_AFTER);
        assert!(!rests(&recycling), "a browser that lasted ends the crash loop");
    }

    #[test]
    fn a_start_that_fails_is_not_tried_again_at_once() {
        let recycling = Recycling::default();
        assert!(!rests(&recycling));
        recycling.start_failed();
        assert!(rests(&recycling));
    }
}
