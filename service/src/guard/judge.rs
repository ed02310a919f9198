//! A guard, and where its refusals are counted: what everybody who judges for a request is given.

use super::Guard;
use crate::telemetry::BlockedMetrics;

/// Judges, and counts.
#[derive(Clone, Debug)]
pub struct Judge {
    /// Judges.
    pub guard: Guard,
    /// Judges the documents that an open page asks for: the same, but where a test leaves that out.
    pub documents: Guard,
    /// Counts.
    pub blocked: BlockedMetrics,
}
