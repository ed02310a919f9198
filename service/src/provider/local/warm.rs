//! Warm pages: blank pages made beforehand, so that requests don't wait for one. Each is used once and never shared.
//!
//! They are made one at a time, while no page is in use; when half of them are left, also while a processor is free. So a
//! request keeps the processors, and the next ones find a page.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use super::browser::{Blank, Browser};
use super::busy::{Busy, InUse};
use crate::telemetry::LeaseMetrics;

/// How old a warm page may get, so that no request inherits what a renderer accumulates over time.
pub(super) const AGE_MAX: Duration = Duration::from_secs(300);

/// The warm pages of a pool: those of its browser and of its spare.
pub(super) struct Warm {
    /// How many to keep of its browser.
    wanted: usize,
    /// The number of processors: this many busy pages leave none free.
    processors: usize,
    pages: Mutex<VecDeque<(Instant, Blank)>>,
    busy: Arc<Busy>,
    /// Notified when a browser was started.
    started: Notify,
    metrics: LeaseMetrics,
}

impl Warm {
    pub(super) fn new(wanted: usize, busy: Arc<Busy>, metrics: LeaseMetrics) -> Self {
        Self {
            wanted,
            processors: thread::available_parallelism().map_or(1, usize::from),
            pages: Mutex::default(),
            busy,
            started: Notify::new(),
            metrics,
        }
    }

    /// Takes the oldest usable page among these.
    pub(super) fn take(&self, is_wanted: impl Fn(&Blank) -> bool) -> Option<Blank> {
        self.change(|pages| {
            pages.retain(|(_, page)| page.is_usable());
            let at = pages.iter().position(|(_, page)| is_wanted(page))?;
            pages.remove(at).map(|(_, page)| page)
        })
    }

    /// Discards all pages.
    pub(super) fn clear(&self) {
        drop(self.change(std::mem::take));
    }

    /// Discards the pages of browsers that are being replaced, and adds one of the new browser.
    pub(super) fn renew(&self, page: Option<Blank>) {
        let page = page.map(|page| (Instant::now(), page));
        let stale: Vec<(Instant, Blank)> = self.change(|pages| {
            let (fresh, stale) = pages.drain(..).partition(|(_, page)| page.is_fresh());
            *pages = fresh;
            pages.extend(page);
            Vec::from(stale)
        });
        drop(stale);
    }

    /// Counts a page as in use until the returned guard is dropped.
    pub(super) fn in_use(&self) -> InUse {
        self.busy.in_use()
    }

    /// Wakes [`keep`]: a browser runs, so pages can be made.
    pub(super) fn browser_started(&self) {
        self.started.notify_one();
    }

    /// Adds a page. It replaces one whose browser is being replaced, if there is any.
    pub(super) fn add(&self, page: Blank) {
        self.change(|pages| {
            let stale = pages.iter().position(|(_, page)| !page.is_fresh());
            drop(stale.and_then(|at| pages.remove(at)));
            pages.push_back((Instant::now(), page));
        });
    }

    /// Returns whether to make another page of this browser now, up to `most`. While no page is in use, it is if one is
    /// missing; while a processor is free, if half of them are. To make it beside a single visit took that visit 18 ms of
    /// 51; to wait until none is left made requests beside a long visit take half as long again (measured).
    pub(super) fn lacks_one(&self, browser: &Arc<Browser>, most: usize) -> bool {
        let fresh = self.pages().iter().filter(|(_, page)| page.is_of(browser)).count();
        lacks_one(fresh, self.wanted.min(most), self.busy.count(), self.processors)
    }

    /// Whether any are to be kept.
    pub(super) fn are_wanted(&self) -> bool {
        self.wanted > 0
    }

    /// Waits until a browser was started.
    pub(super) async fn started(&self) {
        self.started.notified().await;
    }

    /// Discards pages that are too old or unusable; returns when the oldest remaining one will be too old.
    pub(super) fn discard_aged(&self) -> Option<Instant> {
        self.change(|pages| {
            pages.retain(|(since, page)| since.elapsed() < AGE_MAX && page.is_usable());
            pages.front().map(|(since, _)| *since + AGE_MAX)
        })
    }

    /// Changes the set of warm pages and updates its metric.
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

fn lacks_one(fresh: usize, wanted: usize, busy: usize, processors: usize) -> bool {
    fresh < wanted && (busy == 0 || busy < processors && fresh <= wanted / 2)
}

#[cfg(test)]
mod tests {
    use super::lacks_one;

    #[test]
    fn pages_are_made_between_visits_and_beside_them_when_half_are_left() {
        assert!(lacks_one(3, 4, 0, 2) && !lacks_one(4, 4, 0, 2));
        assert!(lacks_one(2, 4, 1, 2) && !lacks_one(3, 4, 1, 2), "beside a visit");
        assert!(!lacks_one(0, 4, 2, 2), "no processor is free");
        assert!(lacks_one(0, 1, 1, 2) && !lacks_one(1, 1, 1, 2) && !lacks_one(0, 0, 0, 2));
    }
}
