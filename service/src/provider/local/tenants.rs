//! The sandboxes that have pages in a pool.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::noise::Sandbox;

/// The sandboxes that have pages in a pool, or are about to.
#[derive(Debug)]
pub(super) struct Tenants(Mutex<State>);

#[derive(Debug)]
struct State {
    /// How many pages each has.
    pages: HashMap<Sandbox, usize>,
    /// When the last of them left.
    empty_since: Instant,
}

/// One page of a sandbox: it counts until this is dropped.
#[derive(Debug)]
pub(super) struct Tenant {
    tenants: Arc<Tenants>,
    sandbox: Sandbox,
}

impl Default for Tenants {
    fn default() -> Self {
        Self(Mutex::new(State { pages: HashMap::new(), empty_since: Instant::now() }))
    }
}

impl Tenants {
    /// Counts a page of this sandbox, which may not be made yet.
    pub(super) fn enter(self: &Arc<Self>, sandbox: &Sandbox) -> Tenant {
        *self.state().pages.entry(Arc::clone(sandbox)).or_default() += 1;
        Tenant { tenants: Arc::clone(self), sandbox: Arc::clone(sandbox) }
    }

    /// Returns whether this sandbox has pages here.
    pub(super) fn has(&self, sandbox: &Sandbox) -> bool {
        self.state().pages.contains_key(sandbox)
    }

    /// Returns how many pages other sandboxes have here.
    pub(super) fn others(&self, sandbox: &Sandbox) -> usize {
        self.state().pages.iter().filter(|(tenant, _)| *tenant != sandbox).map(|(_, pages)| pages).sum()
    }

    /// Returns for how long there have been no pages, if there are none.
    pub(super) fn empty_for(&self) -> Option<Duration> {
        let state = self.state();
        state.pages.is_empty().then(|| state.empty_since.elapsed())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Tenant {
    fn drop(&mut self) {
        let mut state = self.tenants.state();
        if let Some(pages) = state.pages.get_mut(&self.sandbox) {
            *pages -= 1;
            if *pages == 0 {
                state.pages.remove(&self.sandbox);
                state.empty_since = Instant::now();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sandbox_is_a_tenant_until_its_last_page_is_gone() {
        let tenants = Arc::new(Tenants::default());
        let [one, other] = ["one", "other"].map(Sandbox::from);
        assert!(tenants.empty_for().is_some() && !tenants.has(&one));
        let (first, second) = (tenants.enter(&one), tenants.enter(&one));
        assert!(tenants.has(&one) && !tenants.has(&other) && tenants.empty_for().is_none());
        assert_eq!((tenants.others(&one), tenants.others(&other)), (0, 2));
        drop(first);
        assert_eq!((tenants.has(&one), tenants.others(&other)), (true, 1));
        drop(second);
        assert!(!tenants.has(&one) && tenants.empty_for().is_some());
    }
}
