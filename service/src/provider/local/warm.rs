//! Blank pages kept ready, so that a request need not wait for one: each is used once and thrown away, never shared.
//!
//! They are made one at a time, and only while requests leave a processor free: whoever is served now comes first.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use super::Shared;
use super::browser::Blank;
use crate::telemetry::SessionMetrics;

/// How old a blank page may get: what a renderer gathers over time is nobody's to inherit.
const AGE_MAX: Duration = Duration::from_secs(300);
/// How long no page is made after one could not be.
const REST: Duration = Duration::from_secs(1);

/// The pages that are ready.
pub(super) struct Warm {
    /// How many there shall be.
    wanted: usize,
    /// How many pages in use leave no processor free.
    processors: usize,
    pages: Mutex<VecDeque<(Instant, Blank)>>,
    busy: AtomicUsize,
    changed: Notify,
    metrics: SessionMetrics,
}

impl Warm {
    pub(super) fn new(wanted: usize, metrics: SessionMetrics) -> Self {
        Self {
            wanted,
            processors: thread::available_parallelism().map_or(1, usize::from),
            pages: Mutex::default(),
            busy: AtomicUsize::new(0),
            changed: Notify::new(),
            metrics,
        }
    }

    /// The page that has been ready for longest, if one is, and its browser lives.
    pub(super) fn take(&self) -> Option<Blank> {
        let mut pages = self.pages();
        let taken = loop {
            let Some((_, page)) = pages.pop_front() else { break None };
            if page.is_usable() {
                break Some(page);
            }
        };
        self.metrics.warm(pages.len());
        taken
    }

    /// Throws all of them away.
    pub(super) fn clear(&self) {
        let thrown = std::mem::take(&mut *self.pages());
        self.metrics.warm(0);
        drop(thrown);
    }

    /// A page is in use until what this returns is dropped.
    pub(super) fn in_use(self: &Arc<Self>) -> InUse {
        self.busy.fetch_add(1, Ordering::Relaxed);
        self.changed.notify_one();
        InUse(Arc::clone(self))
    }

    /// A browser runs: its pages can be made.
    pub(super) fn browser_started(&self) {
        self.changed.notify_one();
    }

    /// Adds a page, in the place of one whose browser is being replaced if there is such.
    fn add(&self, page: Blank) {
        let mut pages = self.pages();
        let stale = pages.iter().position(|(_, page)| !page.is_fresh());
        drop(stale.and_then(|at| pages.remove(at)));
        pages.push_back((Instant::now(), page));
        self.metrics.warm(pages.len());
    }

    fn lacks_one(&self) -> bool {
        let fresh = || self.pages().iter().filter(|(_, page)| page.is_fresh()).count();
        self.busy.load(Ordering::Relaxed) < self.processors && fresh() < self.wanted
    }

    /// Throws away what is too old or of a browser that is gone; when the next of them will be too old.
    fn throw_aged(&self) -> Option<Instant> {
        let mut pages = self.pages();
        pages.retain(|(since, page)| since.elapsed() < AGE_MAX && page.is_usable());
        self.metrics.warm(pages.len());
        pages.front().map(|(since, _)| *since + AGE_MAX)
    }

    fn pages(&self) -> MutexGuard<'_, VecDeque<(Instant, Blank)>> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A page that is in use.
pub(super) struct InUse(Arc<Warm>);

impl Drop for InUse {
    fn drop(&mut self) {
        self.0.busy.fetch_sub(1, Ordering::Relaxed);
        self.0.changed.notify_one();
    }
}

/// Keeps pages ready until the provider ends.
pub(super) async fn keep(shared: Arc<Shared>) {
    let warm = &shared.warm;
    loop {
        let aged_at = warm.throw_aged().unwrap_or_else(|| Instant::now() + AGE_MAX);
        tokio::select! {
            () = warm.changed.notified() => {}
            () = tokio::time::sleep_until(aged_at.into()) => {}
            () = shared.ending.cancelled() => return,
        }
        while warm.lacks_one() && !shared.ending.is_cancelled() {
            // No browser is started for this: the first request does that, or whoever asks whether we are ready.
            let Some(browser) = shared.running().await else { break };
            match shared.blank_from(&browser).await {
                Ok(page) if !shared.ending.is_cancelled() => {
                    warm.add(page);
                }
                Ok(_) => return,
                Err(error) => {
                    tracing::debug!(%error, "no page could be made ready");
                    tokio::select! {
                        () = tokio::time::sleep(REST) => {}
                        () = shared.ending.cancelled() => return,
                    }
                }
            }
        }
    }
}
