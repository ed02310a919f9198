//! Waits for a condition with a time limit. Tests use it instead of sleeping.

use std::time::Duration;

use tokio::time::Instant;

/// Interval between two probes.
const PROBE_EVERY: Duration = Duration::from_millis(20);

/// Calls `probe` until it returns `Ok`, and returns that value.
///
/// # Panics
/// With the last `Err`, when `within` has passed.
pub async fn eventually<T>(within: Duration, mut probe: impl AsyncFnMut() -> Result<T, String>) -> T {
    let started = Instant::now();
    loop {
        match probe().await {
            Ok(value) => return value,
            Err(why) => assert!(started.elapsed() < within, "not within {within:?}: {why}"),
        }
        tokio::time::sleep(PROBE_EVERY).await;
    }
}

/// Turns a comparison into a result for a probe of [`eventually`].
///
/// # Errors
/// `why`, when `holds` is false.
pub fn so(holds: bool, why: impl Into<String>) -> Result<(), String> {
    if holds { Ok(()) } else { Err(why.into()) }
}
