//! The browsers that were started and have not ended.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::browser::Browser;

/// The browsers that were started.
#[derive(Debug, Default)]
pub(super) struct Started(Mutex<Vec<Weak<Browser>>>);

impl Started {
    /// Adds a browser.
    pub(super) fn add(&self, browser: &Arc<Browser>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(browser));
    }

    /// Returns those that have not ended.
    pub(super) fn running(&self) -> Vec<Arc<Browser>> {
        let mut browsers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        browsers.retain(|browser| browser.strong_count() > 0);
        browsers.iter().filter_map(Weak::upgrade).collect()
    }
}
