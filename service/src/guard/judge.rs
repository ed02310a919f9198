//! A guard with the counters of its refusals, for the code that judges on behalf of a request.

use super::Guard;
use crate::telemetry::BlockedMetrics;

/// Judges targets and counts refusals.
#[derive(Clone, Debug)]
pub struct Judge {
    /// Judges the targets.
    pub guard: Guard,
    /// Counts the refusals.
    pub blocked: BlockedMetrics,
}
