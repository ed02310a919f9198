//! Waiting for something to come true, with a limit: what these tests do instead of sleeping.

use std::time::Duration;

use tokio::time::Instant;

/// How long between two looks.
const LOOK_AGAIN_AFTER: Duration = Duration::from_millis(20);

/// Looks until `probe` gives `Ok`, and hands that on.
///
/// # Panics
/// With the last `Err`, when that has not come after `within`.
pub async fn eventually<T>(within: Duration, mut probe: impl AsyncFnMut() -> Result<T, String>) -> T {
    let started = Instant::now();
    loop {
        match probe().await {
            Ok(value) => return value,
            Err(why) => assert!(started.elapsed() < within, "not within {within:?}: {why}"),
        }
        tokio::time::sleep(LOOK_AGAIN_AFTER).await;
    }
}

/// `Ok` when `holds`, else `why`: makes a probe for [`eventually`] of a comparison.
///
/// # Errors
/// `why`, when it does not hold.
pub fn so(holds: bool, why: impl Into<String>) -> Result<(), String> {
    if holds { Ok(()) } else { Err(why.into()) }
}
