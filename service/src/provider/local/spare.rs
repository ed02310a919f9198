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
use super::pool::Pool;
use super::recycle;

/// How long it is kept after visits of two sandboxes followed one another, and how far apart these may be.
const KEPT_FOR: Duration = Duration::from_secs(300);
/// How often it is looked after: whether one is to be started, is still needed, or is worn.
const CHECK_EVERY: Duration = Duration::from_secs(5);

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

/// Starts the spare while it is needed, and ends it, until the provider ends.
pub(super) async fn run(pool: Arc<Pool>) {
    loop {
        tokio::select! {
            () = pool.spare.several.notified() => {}
            () = tokio::time::sleep(CHECK_EVERY) => {}
            () = pool.ending.cancelled() => return,
        }
        check(&pool).await;
    }
}

async fn check(pool: &Arc<Pool>) {
    let _changing = pool.spare.changing.lock().await;
    let is_needed = pool.spare.state().seen.has_several(Instant::now());
    let running = pool.spare.state().browser.clone();
    if let Some(browser) = running {
        let worn = recycle::worn(&browser, pool.setup.options.recycle).await;
        if browser.is_alive() && worn.is_none() && is_needed {
            return;
        }
        if !browser.is_alive() {
            pool.recycling.ended_after(browser.age());
        }
        tracing::info!(worn, pages = browser.pages_made(), "the spare local browser ends with its last page");
        drop(pool.spare.take());
        browser.relieve();
        pool.warm.renew(None);
    }
    // The first browser starts with the first request; without it there is nothing to be spared.
    if !is_needed || pool.running().await.is_none() {
        return;
    }
    match pool.launch("spare").await {
        Ok(browser) if !pool.ending.is_cancelled() => {
            pool.spare.state().browser = Some(browser);
            pool.warm.browser_started();
        }
        Ok(_) => {}
        Err(error) => tracing::debug!(%error, "no spare local browser could be started"),
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
