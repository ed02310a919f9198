//! A slow line to the browser, and the number of round trips that a picture takes over it.
//!
//! A call that depends on an earlier one's answer, or on an event of it, reaches the browser at least two delays after
//! it. So round trips are counted as waves of calls that far apart, and not by the total time: a busy machine delays
//! each wave, but only a call held back for two delays counts as another wave.

use http::Method;
use porthole_tests::Emulator;
use serde_json::{Value, json};

/// Delay of each message, in each direction, in milliseconds.
const EACH_WAY_MS: u16 = 250;
/// How far apart two calls are at least if one waits for the other's answer, in milliseconds. Times are logged in whole
/// milliseconds.
pub(crate) const APART_MS: i64 = 2 * EACH_WAY_MS as i64 - 2;
/// The call that returns the picture.
const CAPTURE: &str = "Page.captureScreenshot";

/// Delays every message from now on by `EACH_WAY_MS`.
pub(crate) async fn lengthen(emulator: &Emulator) {
    emulator.faults(json!({"connect": {"delay": {"each_way_ms": EACH_WAY_MS}}})).await;
}

/// Returns when the latest call so far reached a session's browser, in milliseconds.
pub(crate) async fn latest_call_ms(emulator: &Emulator, session: &str) -> i64 {
    let calls = calls(emulator, session).await;
    calls.iter().map(|(_, at_ms)| *at_ms).max().unwrap_or_default()
}

/// Counts the waves of calls that reached a session's browser after `after_ms`, until the picture was taken.
pub(crate) async fn round_trips(emulator: &Emulator, session: &str, after_ms: i64) -> usize {
    let calls = calls(emulator, session).await;
    let captured = calls.iter().find(|(method, at_ms)| method == CAPTURE && *at_ms > after_ms);
    let (_, captured_ms) = captured.unwrap_or_else(|| panic!("no picture was taken: {calls:?}"));
    let mut times: Vec<i64> =
        calls.iter().map(|(_, at_ms)| *at_ms).filter(|at_ms| *at_ms > after_ms && at_ms <= captured_ms).collect();
    times.sort_unstable();
    let mut waves: Vec<i64> = Vec::new();
    for time in times {
        if waves.last().is_none_or(|wave| time - wave >= APART_MS) {
            waves.push(time);
        }
    }
    waves.len()
}

/// Returns method and arrival time of the calls that reached a session's browser.
pub(crate) async fn calls(emulator: &Emulator, session: &str) -> Vec<(String, i64)> {
    let (status, logs) = emulator.call(Method::GET, &format!("/v1/sessions/{session}/logs"), None).await;
    assert_eq!(status, 200, "{logs}");
    let call = |call: &Value| (call["method"].as_str().unwrap().to_owned(), call["timestamp"].as_i64().unwrap());
    logs.as_array().unwrap().iter().map(call).collect()
}
