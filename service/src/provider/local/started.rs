//! The browsers that were started and have not ended.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::browser::Browser;
use super::kind::BrowserKind;

/// The browsers that were started.
#[derive(Debug, Default)]
pub(super) struct Started(Mutex<Vec<(Weak<Browser>, BrowserKind)>>);

impl Started {
    /// Adds a browser.
    pub(super) fn add(&self, browser: &Arc<Browser>, kind: BrowserKind) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((Arc::downgrade(browser), kind));
    }

    /// Returns those that have not ended.
    pub(super) fn running(&self) -> Vec<(Arc<Browser>, BrowserKind)> {
        let mut browsers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        browsers.retain(|(browser, _)| browser.strong_count() > 0);
        browsers.iter().filter_map(|(browser, kind)| Some((browser.upgrade()?, *kind))).collect()
    }
}
