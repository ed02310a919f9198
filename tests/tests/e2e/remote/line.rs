//! A long line to the browser, and how often a picture went over it and back.
//!
//! A call that needs an earlier one's answer, or an event that this brought, comes to the browser at least two delays after
//! it. So round trips are counted as waves of calls that far apart, and not by how long all of it took: a busy machine
//! makes each wave late, and only what holds one call back for two delays makes another wave of it.

use http::Method;
use porthole_tests::Emulator;
use serde_json::{Value, json};

/// Each way, in milliseconds.
const EACH_WAY_MS: u64 = 250;
/// Times are logged in whole milliseconds.
const ROUNDING_MS: i64 = 2;
/// The call that a picture is the answer to.
const CAPTURE: &str = "Page.captureScreenshot";

/// Every message takes that long from now on.
pub(crate) async fn lengthen(emulator: &Emulator) {
    emulator.faults(json!({"connect": {"delay": {"each_way_ms": EACH_WAY_MS}}})).await;
}

/// When the latest call so far came to a session's browser, in milliseconds.
pub(crate) async fn latest_call_ms(emulator: &Emulator, session: &str) -> i64 {
    let calls = calls(emulator, session).await;
    calls.iter().map(|(_, at_ms)| *at_ms).max().unwrap_or_default()
}

/// How many waves of calls came to a session's browser after that time, until the picture was taken.
pub(crate) async fn round_trips(emulator: &Emulator, session: &str, after_ms: i64) -> usize {
    let calls = calls(emulator, session).await;
    let captured = calls.iter().find(|(method, at_ms)| method == CAPTURE && *at_ms > after_ms);
    let (_, captured_ms) = captured.unwrap_or_else(|| panic!("no picture was taken: {calls:?}"));
    let mut times: Vec<i64> =
        calls.iter().map(|(_, at_ms)| *at_ms).filter(|at_ms| *at_ms > after_ms && at_ms <= captured_ms).collect();
    times.sort_unstable();
    let apart_ms = 2 * i64::try_from(EACH_WAY_MS).unwrap() - ROUNDING_MS;
    let mut waves: Vec<i64> = Vec::new();
    for time in times {
        if waves.last().is_none_or(|wave| time - wave >= apart_ms) {
            waves.push(time);
        }
    }
    waves.len()
}

/// Method and arrival of the calls that came to a session's browser.
async fn calls(emulator: &Emulator, session: &str) -> Vec<(String, i64)> {
    let (status, logs) = emulator.call(Method::GET, &format!("/v1/sessions/{session}/logs"), None).await;
    assert_eq!(status, 200, "{logs}");
    let call = |call: &Value| (call["method"].as_str().unwrap().to_owned(), call["timestamp"].as_i64().unwrap());
    logs.as_array().unwrap().iter().map(call).collect()
}
