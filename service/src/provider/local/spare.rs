//! The spare browser of a pool: ready while visits are of several sandboxes, so that a page shares a browser with another
//! sandbox's pages only where both browsers have some.
//!
//! A page that floods its browser is found after some tenths of a second, and replacing the browser takes longer. Until
//! then all pages of the same browser wait, and so does what is being disposed of.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use super::browser::Browser;
use super::noise::{Sandbox, Visiting};

/// How long it is kept after visits of two sandboxes followed one another, and how far apart these may be.
const KEPT_FOR: Duration = Duration::from_secs(300);

/// The spare browser, if any.
#[derive(Default)]
pub(super) struct Spare {
    state: Mutex<State>,
    /// Locked while one is started or ended, or takes the place of another browser.
    pub(super) changing: tokio::sync::Mutex<()>,
    /// Notified when visits are of several sandboxes.
    several: Notify,
}

#[derive(Default)]
struct State {
    browser: Option<Arc<Browser>>,
    seen: Seen,
}

/// Whether visits are of several sandboxes.
#[derive(Debug, Default)]
struct Seen {
    last: Option<(Sandbox, Instant)>,
    several: Option<Instant>,
}

impl Spare {
    /// Returns the spare if it makes pages.
    pub(super) fn browser(&self) -> Option<Arc<Browser>> {
        self.state().browser.as_ref().filter(|browser| browser.gives_pages()).cloned()
    }

    /// Takes the spare, which is none from now on.
    pub(super) fn take(&self) -> Option<Arc<Browser>> {
        self.state().browser.take()
    }

    /// Takes the spare if it is this browser; returns whether it was.
    pub(super) fn take_if(&self, browser: &Arc<Browser>) -> bool {
        let mut state = self.state();
        let is_same = state.browser.as_ref().is_some_and(|spare| Arc::ptr_eq(spare, browser));
        if is_same {
            state.browser = None;
        }
        is_same
    }

    /// Chooses the browser for a page of this sandbox: the one where no other sandbox has a page or, if both have some, the
    /// one that works less. Returns the spare, or `None` for the pool's first browser, and a visit that counts there until
    /// the page is leased.
    pub(super) fn choose(
        &self,
        sandbox: Option<&Sandbox>,
        first: Option<&Arc<Browser>>,
    ) -> (Option<Arc<Browser>>, Option<Visiting>) {
        let Some(sandbox) = sandbox else { return (None, None) };
        if self.state().seen.note(sandbox, Instant::now()) {
            self.several.notify_one();
        }
        let better =
            |spare: &Arc<Browser>| first.is_some_and(|first| spare.noise.crowd(sandbox) < first.noise.crowd(sandbox));
        let spare = self.browser().filter(better);
        let expected = spare.as_ref().or(first).map(|browser| browser.noise.expect(Arc::clone(sandbox)));
        (spare, expected)
    }

    /// Waits until visits are of several sandboxes.
    pub(super) async fn several(&self) {
        self.several.notified().await;
    }

    /// Whether visits are of several sandboxes.
    pub(super) fn is_needed(&self) -> bool {
        self.state().seen.has_several(Instant::now())
    }

    /// Returns the spare, whether it makes pages or not.
    pub(super) fn kept(&self) -> Option<Arc<Browser>> {
        self.state().browser.clone()
    }

    /// Takes this browser as the spare.
    pub(super) fn put(&self, browser: Arc<Browser>) {
        self.state().browser = Some(browser);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    /// Notes a visit of this sandbox; returns whether visits have become those of several.
    fn note(&mut self, sandbox: &Sandbox, now: Instant) -> bool {
        let had_several = self.has_several(now);
        let is_recent = |since: &Instant| now.duration_since(*since) < KEPT_FOR;
        if self.last.as_ref().is_some_and(|(last, since)| last != sandbox && is_recent(since)) {
            self.several = Some(now);
        }
        self.last = Some((Arc::clone(sandbox), now));
        !had_several && self.has_several(now)
    }

    fn has_several(&self, now: Instant) -> bool {
        self.several.is_some_and(|since| now.duration_since(since) < KEPT_FOR)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visits_of_two_sandboxes_within_minutes_are_those_of_several() {
        let (mut seen, now) = (Seen::default(), Instant::now());
        let [one, other] = ["one", "other"].map(Sandbox::from);
        assert!(!seen.note(&one, now) && !seen.note(&one, now) && !seen.has_several(now));
        assert!(!seen.note(&other, now + KEPT_FOR), "too long after the first");
        assert!(seen.note(&one, now + KEPT_FOR) && !seen.note(&other, now + KEPT_FOR));
        assert!(seen.has_several(now + KEPT_FOR * 3 / 2) && !seen.has_several(now + KEPT_FOR * 2));
    }
}
