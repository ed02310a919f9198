//! What a soak is told.

use std::time::Duration;

/// Duration and seed.
#[derive(Clone, Copy, Debug)]
pub struct SoakOptions {
    /// Duration of the load.
    pub duration: Duration,
    /// Seed of everything random.
    pub seed: u64,
}
