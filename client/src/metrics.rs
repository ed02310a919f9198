//! The client's own counts, in memory, in the shape of `/api/metrics`' `operations`. Counted per attempt.

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
    /// Counts an attempt that ended after `latency`. Codes that the contract doesn't have count as `INTERNAL`, so
    /// that no answer can make the map grow.
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

    /// What has been counted, by operation's name; every operation is there.
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
        // Counting leaves nothing half done, so counts that another thread panicked over are still good.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
