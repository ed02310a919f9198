//! How many sessions there were, and how they ended.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{EndedBy, State};

/// Totals of all sessions.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Totals {
    pub(crate) created: u64,
    /// Sessions that have not ended.
    running: u64,
    /// Sessions that ever had a connection.
    pub(crate) connected: u64,
    /// Sessions whose release was granted, before or after their end.
    pub(crate) released: u64,
    /// Sessions that ended by their timeout.
    pub(crate) expired: u64,
    pub(crate) leaked: u64,
    ended_by: BTreeMap<EndedBy, u64>,
}

impl Totals {
    pub(crate) fn add(&mut self, state: &State) {
        self.created += 1;
        self.connected += u64::from(state.connections > 0);
        self.released += u64::from(state.released);
        match state.ended {
            None => self.running += 1,
            Some((_, by)) => {
                self.expired += u64::from(by == EndedBy::TimedOut);
                self.leaked += u64::from(by.is_leak());
                *self.ended_by.entry(by).or_default() += 1;
            }
        }
    }
}
