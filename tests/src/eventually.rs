//! Waits for a condition with a time limit. Tests use it instead of sleeping.

use std::time::Duration;

use tokio::time::Instant;

use crate::Answer;

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

/// Calls `ask` until the answer is no `DEADLINE_EXCEEDED`, three times at most, and returns the last answer. For requests
/// whose work alone takes seconds of a processor: beside other tests they may come to a limit of the service.
pub async fn in_time(mut ask: impl AsyncFnMut() -> Answer) -> Answer {
    let mut answer = ask().await;
    for _ in 0..2 {
        if answer.code().as_deref() != Some("DEADLINE_EXCEEDED") {
            break;
        }
        answer = ask().await;
    }
    answer
}

/// Turns a comparison into a result for a probe of [`eventually`].
///
/// # Errors
/// `why`, when `holds` is false.
pub fn so(holds: bool, why: impl Into<String>) -> Result<(), String> {
    if holds { Ok(()) } else { Err(why.into()) }
}
