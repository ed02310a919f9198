//! The recycle policy: replaces worn browsers without delaying requests, and pauses starts while browsers keep dying.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use porthole_chromium::memory_of_group;
use tokio::sync::Notify;

use super::browser::Browser;
use super::pool::Pool;
use crate::provider::ProviderError;

/// A browser that lived this long did not die in a crash loop.
const STEADY_AFTER: Duration = Duration::from_secs(10);
/// How many browsers in a row may die early and be replaced at once: a page or an operator may have killed them.
const EARLY_DEATHS_FREE: u32 = 4;
/// The first and the longest pause before another start; each pause is twice as long as the one before.
const REST_FIRST: Duration = Duration::from_secs(1);
const REST_MAX: Duration = Duration::from_secs(30);
/// How often memory is measured, which reads some files of every process.
const MEMORY_CHECK_EVERY: Duration = Duration::from_secs(5);

/// When a browser counts as worn and is replaced.
#[derive(Clone, Copy, Debug)]
pub struct RecyclePolicy {
    /// The most pages that it makes.
    pub pages_max: u64,
    /// The most anonymous memory of all its processes together, in bytes.
    pub memory_max_bytes: u64,
}

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

/// Replaces worn browsers until the provider ends. The new one starts while the old one still makes pages; the old
/// one's warm pages are used up or replaced, and it ends with its last lease.
pub(super) async fn run(pool: Arc<Pool>) {
    let mut retiring: Weak<Browser> = Weak::new();
    loop {
        tokio::select! {
            () = pool.recycling.worn.notified() => {}
            () = tokio::time::sleep(MEMORY_CHECK_EVERY) => {}
            () = pool.ending.cancelled() => return,
        }
        // One at a time: retired browsers whose last pages take long must not pile up.
        if retiring.strong_count() > 0 {
            continue;
        }
        let Some(old) = pool.running().await else { continue };
        let Some(worn) = worn(&old, pool.setup.options.recycle).await else { continue };
        match pool.launch("worn").await {
            Ok(new) => {
                tracing::info!(worn, pages = old.pages_made(), "a local browser is replaced");
                pool.replace(&old, new).await;
                retiring = Arc::downgrade(&old);
            }
            Err(error) => tracing::warn!(%error, worn, "replacing a worn local browser failed"),
        }
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
