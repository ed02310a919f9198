//! A guard, and where its refusals are counted: what everybody who judges for a request is given.

use super::Guard;
use crate::telemetry::BlockedMetrics;

/// Judges, and counts.
#[derive(Clone, Debug)]
pub struct Judge {
    /// Judges.
    pub guard: Guard,
    /// Counts.
    pub blocked: BlockedMetrics,
}
