//! Blank pages kept ready, so that a request need not wait for one: each is used once and thrown away, never shared.
//!
//! They are made one at a time, while nobody is served or none is ready: whoever is served now comes first.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::{Notify, watch};

use super::browser::Blank;
use super::pool::Pool;
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
    busy: Arc<Busy>,
    /// A browser was started.
    started: Notify,
    metrics: SessionMetrics,
}

/// How many pages are in use, of whatever kind: they share the processors.
#[derive(Debug, Default)]
pub(super) struct Busy(watch::Sender<usize>);

impl Warm {
    pub(super) fn new(wanted: usize, busy: Arc<Busy>, metrics: SessionMetrics) -> Self {
        Self {
            wanted,
            processors: thread::available_parallelism().map_or(1, usize::from),
            pages: Mutex::default(),
            busy,
            started: Notify::new(),
            metrics,
        }
    }

    /// The page that has been ready for longest, if one is, and its browser lives.
    pub(super) fn take(&self) -> Option<Blank> {
        self.change(|pages| {
            loop {
                let (_, page) = pages.pop_front()?;
                if page.is_usable() {
                    return Some(page);
                }
            }
        })
    }

    /// Throws all of them away.
    pub(super) fn clear(&self) {
        drop(self.change(std::mem::take));
    }

    /// A page is in use until what this returns is dropped.
    pub(super) fn in_use(&self) -> InUse {
        self.busy.0.send_modify(|busy| *busy += 1);
        InUse(Arc::clone(&self.busy))
    }

    /// A browser runs: its pages can be made.
    pub(super) fn browser_started(&self) {
        self.started.notify_one();
    }

    /// Adds a page, in the place of one whose browser is being replaced if there is such.
    fn add(&self, page: Blank) {
        self.change(|pages| {
            let stale = pages.iter().position(|(_, page)| !page.is_fresh());
            drop(stale.and_then(|at| pages.remove(at)));
            pages.push_back((Instant::now(), page));
        });
    }

    /// Whether to make a page now: while nobody needs the processors, and while requests leave one free if none is ready.
    fn lacks_one(&self) -> bool {
        let fresh = self.pages().iter().filter(|(_, page)| page.is_fresh()).count();
        let busy = *self.busy.0.borrow();
        fresh < self.wanted && (busy == 0 || fresh == 0 && busy < self.processors)
    }

    /// Throws away what is too old or of a browser that is gone; when the next of them will be too old.
    fn throw_aged(&self) -> Option<Instant> {
        self.change(|pages| {
            pages.retain(|(since, page)| since.elapsed() < AGE_MAX && page.is_usable());
            pages.front().map(|(since, _)| *since + AGE_MAX)
        })
    }

    /// Changes the pages that are ready, and counts them.
    fn change<T>(&self, change: impl FnOnce(&mut VecDeque<(Instant, Blank)>) -> T) -> T {
        let mut pages = self.pages();
        let before = pages.len();
        let changed = change(&mut pages);
        self.metrics.warm_changed(before, pages.len());
        changed
    }

    fn pages(&self) -> MutexGuard<'_, VecDeque<(Instant, Blank)>> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A page that is in use.
pub(super) struct InUse(Arc<Busy>);

impl Drop for InUse {
    fn drop(&mut self) {
        self.0.0.send_modify(|busy| *busy -= 1);
    }
}

/// Keeps pages ready until the provider ends.
pub(super) async fn keep(pool: Arc<Pool>) {
    let warm = &pool.warm;
    let mut busy = warm.busy.0.subscribe();
    loop {
        let aged_at = warm.throw_aged().unwrap_or_else(|| Instant::now() + AGE_MAX);
        tokio::select! {
            () = warm.started.notified() => {}
            _ = busy.changed() => {}
            () = tokio::time::sleep_until(aged_at.into()) => {}
            () = pool.ending.cancelled() => return,
        }
        while warm.lacks_one() && !pool.ending.is_cancelled() {
            // No browser is started for this: the first request does that, or whoever asks whether we are ready.
            let Some(browser) = pool.running().await else { break };
            match pool.blank_from(&browser).await {
                Ok(page) if !pool.ending.is_cancelled() => {
                    warm.add(page);
                }
                Ok(_) => return,
                Err(error) => {
                    tracing::debug!(%error, "no page could be made ready");
                    tokio::select! {
                        () = tokio::time::sleep(REST) => {}
                        () = pool.ending.cancelled() => return,
                    }
                }
            }
        }
    }
}
