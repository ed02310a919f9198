//! The quarantine: the browser in which a page was found to load more than its renderer, kept for the sandboxes whose
//! pages did so.
//!
//! Sandboxes share a browser's main thread, its network service and its graphics process. A page that floods them is
//! found by their processor time. Then another browser takes their place for all others, and the whole noisy one gives
//! way: it makes pages for the sandboxes that are marked, until their marks expire. At most one browser of a pool is in
//! quarantine, and its place is not filled again at once, so that noise can't make us start browsers in a row.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use super::browser::Browser;
use super::noise::Sandbox;

/// How long a sandbox is marked after its page was found noisy.
const MARKED_FOR: Duration = Duration::from_secs(30);
/// The most sandboxes that are marked at once; beyond them the mark that expires first is dropped.
const MARKED_MAX: usize = 1024;
/// The shortest time between two browsers that are put in quarantine.
const CHANGES_EVERY: Duration = Duration::from_secs(10);

/// The sandboxes and the browser in quarantine, of one pool.
#[derive(Default)]
pub(super) struct Quarantine {
    state: Mutex<State>,
    /// Notified when noise was found.
    noise: Notify,
}

#[derive(Default)]
struct State {
    marks: Marks,
    browser: Option<Arc<Browser>>,
    changed: Option<Instant>,
}

/// When each marked sandbox was last found noisy.
#[derive(Debug, Default)]
struct Marks(HashMap<Sandbox, Instant>);

impl Quarantine {
    /// Marks the sandboxes whose pages were found noisy, and has their browser put in quarantine.
    pub(super) fn found(&self, sandboxes: Vec<Sandbox>) {
        if sandboxes.is_empty() {
            return;
        }
        let now = Instant::now();
        let mut state = self.state();
        for sandbox in sandboxes {
            state.marks.mark(sandbox, now);
        }
        drop(state);
        self.noise.notify_one();
    }

    /// Waits until noise was found.
    pub(super) async fn noise_was_found(&self) {
        self.noise.notified().await;
    }

    /// Returns the browser in quarantine, if the sandbox is marked and there is one.
    pub(super) fn browser_for(&self, sandbox: Option<&Sandbox>) -> Option<Arc<Browser>> {
        let state = self.state();
        let marked = sandbox.is_some_and(|sandbox| state.marks.has(sandbox, Instant::now()));
        state.browser.as_ref().filter(|browser| marked && browser.is_alive()).cloned()
    }

    pub(super) fn has_marked(&self, sandbox: &Sandbox) -> bool {
        self.state().marks.has(sandbox, Instant::now())
    }

    /// Takes the browser out of quarantine. It ends with its last page.
    pub(super) fn take(&self) -> Option<Arc<Browser>> {
        self.state().browser.take()
    }

    /// Returns whether another browser may be put in quarantine now: not while the quarantined browser has pages.
    pub(super) fn has_room(&self) -> bool {
        let state = self.state();
        let rested = state.changed.is_none_or(|changed| changed.elapsed() >= CHANGES_EVERY);
        rested && state.browser.as_ref().is_none_or(|browser| !browser.is_alive() || browser.noise.is_empty())
    }

    /// Puts a browser in quarantine; the one before ends.
    pub(super) fn put(&self, browser: Arc<Browser>) {
        let mut state = self.state();
        state.browser = Some(browser);
        state.changed = Some(Instant::now());
    }

    /// Returns the browser in quarantine; takes it out if no mark is left.
    pub(super) fn needed(&self) -> Option<Arc<Browser>> {
        let mut state = self.state();
        state.marks.expire(Instant::now());
        if state.marks.0.is_empty() {
            state.browser = None;
        }
        state.browser.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Marks {
    fn mark(&mut self, sandbox: Sandbox, now: Instant) {
        if self.0.len() >= MARKED_MAX && !self.0.contains_key(&sandbox) {
            self.expire(now);
            let oldest = self.0.iter().min_by_key(|(_, since)| **since).map(|(sandbox, _)| Arc::clone(sandbox));
            if let Some(oldest) = oldest.filter(|_| self.0.len() >= MARKED_MAX) {
                self.0.remove(&oldest);
            }
        }
        self.0.insert(sandbox, now);
    }

    fn has(&self, sandbox: &Sandbox, now: Instant) -> bool {
        self.0.get(sandbox).is_some_and(|since| now.duration_since(*since) < MARKED_FOR)
    }

    fn expire(&mut self, now: Instant) {
        self.0.retain(|_, since| now.duration_since(*since) < MARKED_FOR);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_expires_and_is_renewed() {
        let (mut marks, now, noisy) = (Marks::default(), Instant::now(), Sandbox::from("noisy"));
        marks.mark(Arc::clone(&noisy), now);
        assert!(marks.has(&noisy, now + MARKED_FOR / 2) && !marks.has(&Sandbox::from("quiet"), now));
        assert!(!marks.has(&noisy, now + MARKED_FOR));
        marks.mark(Arc::clone(&noisy), now + MARKED_FOR / 2);
        marks.expire(now + MARKED_FOR);
        assert!(marks.has(&noisy, now + MARKED_FOR));
        marks.expire(now + MARKED_FOR * 2);
        assert!(marks.0.is_empty());
    }

    #[test]
    fn the_number_of_marks_is_bounded_and_the_oldest_goes() {
        let (mut marks, now) = (Marks::default(), Instant::now());
        for number in 0..=MARKED_MAX {
            let later = Duration::from_millis(u64::try_from(number).unwrap());
            marks.mark(Sandbox::from(number.to_string()), now + later);
        }
        assert_eq!(marks.0.len(), MARKED_MAX);
        assert!(!marks.0.contains_key("0") && marks.0.contains_key("1"));
    }
}
