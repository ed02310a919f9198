//! The origins a session has shown, and the hidden window that reads those without a tab.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use crate::page::storage::ORIGINS_MAX;

/// The origins whose documents a session has shown, or that it began with.
#[derive(Debug, Default)]
pub(super) struct Visited(Mutex<BTreeSet<String>>);

/// The window in which origins are read that no tab shows. It is no tab.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Hidden {
    /// There is none.
    #[default]
    None,
    /// It is being opened: its name is not known yet.
    Opening,
    /// It has this target.
    Open(String),
}

impl Visited {
    /// The origins that a session begins with.
    pub(super) fn of(origins: impl Iterator<Item = String>) -> Self {
        Self(Mutex::new(origins.collect()))
    }

    pub(super) fn add(&self, origin: String) {
        let mut origins = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if origins.len() < ORIGINS_MAX {
            origins.insert(origin);
        }
    }

    pub(super) fn all(&self) -> BTreeSet<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
