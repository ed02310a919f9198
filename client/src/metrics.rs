//! The client's counts, in memory, in the shape of `operations` in `/api/metrics`. Counted per attempt.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use porthole_contract::ErrorCode;
use porthole_contract::metrics::{Operation, OperationMetrics, OperationStats};

use crate::error::{Code, Error};

/// Counts attempts by operation.
#[derive(Default)]
pub(crate) struct Counters(Mutex<BTreeMap<Operation, OperationStats>>);

impl Counters {
    /// Counts an attempt that ended after `latency`. Codes unknown to the contract count as `INTERNAL`, so
    /// that answers can't grow the map.
    pub(crate) fn record(&self, operation: Operation, failure: Option<&Error>, latency: Duration) {
        let code = failure.map(|error| match error.code() {
            Code::Known(code) => code,
            Code::Other(_) => ErrorCode::Internal,
        });
        let latency_ms = u64::try_from(latency.as_millis()).unwrap_or(u64::MAX);
        self.stats().entry(operation).or_default().record(code, latency_ms);
    }

    /// Counts a retry.
    pub(crate) fn record_retry(&self, operation: Operation) {
        self.stats().entry(operation).or_default().record_retry();
    }

    /// Returns the counts by operation name, for every operation.
    pub(crate) fn snapshot(&self) -> BTreeMap<String, OperationMetrics> {
        let stats = self.stats();
        Operation::ALL
            .iter()
            .map(|operation| {
                let seen = stats.get(operation).map(OperationStats::snapshot).unwrap_or_default();
                (operation.name().to_owned(), seen)
            })
            .collect()
    }

    fn stats(&self) -> MutexGuard<'_, BTreeMap<Operation, OperationStats>> {
        // Counting has no intermediate states, so the counts are valid after a panic in another thread.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
