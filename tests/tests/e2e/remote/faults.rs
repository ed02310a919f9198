//! Faults of remote sessions: the caller gets the right code in time, and the session is released.

use std::time::Duration;

use porthole_tests::process::Process;
use porthole_tests::{Answer, Remote};
use serde_json::{Value, json};

/// Margin on top of a fault's own limit, for a busy machine and for the browser's start.
const SLACK: Duration = Duration::from_secs(20);
/// The service's time limit for creating a session.
const CREATE: Duration = Duration::from_secs(20);
/// The service's time limit for connecting to a session.
const CONNECT: Duration = Duration::from_secs(10);
/// Time until three pings have gone unanswered.
const SILENCE: Duration = Duration::from_secs(20);

/// As [`expect_at`], at a stack of its own.
async fn expect(fault: Value, codes: &[&str], limit: Duration) -> [Answer; 2] {
    expect_at(&Remote::start().await, fault, codes, limit).await
}

/// Sends a screenshot and an extract under the fault, and asserts that both end with one of the codes within the limit
/// (and succeed if there are none), that no session leaks, and that the next request succeeds.
async fn expect_at(remote: &Remote, fault: Value, codes: &[&str], limit: Duration) -> [Answer; 2] {
    let url = remote.stack.site.html("<title>t</title><p>text of the page");
    remote.emulator.faults(fault.clone()).await;
    let (picture, text) =
        tokio::join!(remote.stack.screenshot(json!({"url": url})), remote.stack.extract(json!({"url": url})),);
    let answers = [picture, text].map(|answer| answer.within(limit + SLACK));
    for answer in &answers {
        answer.expect_ok_or(codes);
        let ok = answer.code().is_none();
        assert_eq!(ok, codes.is_empty(), "{fault} gave {answer:?}");
    }
    remote.emulator.clear_faults().await;
    remote.stack.extract(json!({"url": url})).await.expect_ok();
    remote.expect_all_given_back().await;
    answers
}

const FAILED: &[&str] = &["SESSION_CREATE_FAILED"];
const CRASHED: &[&str] = &["BROWSER_CRASHED"];
const FINE: &[&str] = &[];
/// Number of messages after which the page is there and in use.
const UNDER_WAY: u64 = 12;

#[tokio::test]
async fn a_slow_create_is_waited_for() {
    expect(json!({"create": {"slow": {"ms": 2000}}}), FINE, CREATE).await;
}

#[tokio::test]
async fn a_refused_create_is_reported_with_browserbases_message_without_secrets() {
    let remote = Remote::start().await;
    for status in [400, 401, 403, 500, 502] {
        let message =
            format!("not for bb_live_key-of-the-tests at wss://connect.example/?signingKey=x: reason {status}");
        let fault = json!({"create": {"status": {"code": status, "message": message}}});
        for answer in expect_at(&remote, fault, FAILED, Duration::ZERO).await {
            let details = answer.json()["details"].as_str().unwrap().to_owned();
            assert!(details.contains(&format!("reason {status}")), "{details}");
            assert!(!details.contains("bb_live") && !details.contains("signingKey"), "{details}");
        }
    }
}

#[tokio::test]
async fn too_many_sessions_are_reported_with_browserbases_retry_after() {
    let message = "You've exceeded your max concurrent sessions limit (limit 1, currently 1).";
    let fault = json!({"create": {"status": {"code": 429, "message": message, "retry_after_s": 7}}});
    for answer in expect(fault, &["PROVIDER_RATE_LIMITED"], Duration::ZERO).await {
        assert_eq!(answer.status, 429);
        assert_eq!(answer.header("retry-after"), "7");
        let body = answer.json();
        assert_eq!(body["retry_after_ms"], 7000);
        assert_eq!(body["details"], message);
    }
}

#[tokio::test]
async fn a_create_that_hangs_ends_in_time() {
    expect(json!({"create": "hang"}), FAILED, CREATE).await;
}

#[tokio::test]
async fn a_create_whose_connection_is_refused_fails() {
    expect(json!({"create": "refuse"}), FAILED, Duration::ZERO).await;
}

#[tokio::test]
async fn a_session_whose_create_was_never_answered_is_found_and_released() {
    expect(json!({"create": "lose_answer"}), FAILED, Duration::ZERO).await;
}

#[tokio::test]
async fn a_session_whose_create_was_withheld_is_found_and_released() {
    expect(json!({"create": "withhold_answer"}), FAILED, CREATE).await;
}

#[tokio::test]
async fn a_session_whose_create_can_not_be_read_is_found_and_released() {
    expect(json!({"create": "garbage"}), FAILED, Duration::ZERO).await;
}

#[tokio::test]
async fn a_connect_url_that_leads_nowhere_fails_and_the_session_is_released() {
    expect(json!({"create": "unreachable_connect_url"}), FAILED, CONNECT).await;
}

#[tokio::test]
async fn a_connection_that_is_refused_fails() {
    let remote = Remote::start().await;
    expect_at(&remote, json!({"connect": "refuse"}), FAILED, CONNECT).await;
    expect_at(&remote, json!({"connect": {"status": {"code": 502}}}), FAILED, CONNECT).await;
}

#[tokio::test]
async fn a_connection_that_hangs_ends_in_time() {
    expect(json!({"connect": "hang"}), FAILED, CONNECT).await;
}

#[tokio::test]
async fn a_connection_that_is_closed_at_once_fails() {
    let remote = Remote::start().await;
    expect_at(&remote, json!({"connect": {"close": {}}}), FAILED, CONNECT).await;
    expect_at(&remote, json!({"connect": {"drop_after": {"bytes": 40}}}), FAILED, CONNECT).await;
    expect_at(&remote, json!({"connect": {"drop_after": {"messages": 0}}}), FAILED, CONNECT).await;
}

#[tokio::test]
async fn a_connection_that_is_mute_from_the_start_ends_in_time() {
    expect(json!({"connect": {"mute": {}}}), FAILED, CONNECT).await;
}

#[tokio::test]
async fn a_connection_that_ends_under_way_is_a_browser_that_crashed() {
    let remote = Remote::start().await;
    expect_at(&remote, json!({"connect": {"close": {"after_messages": UNDER_WAY}}}), CRASHED, Duration::ZERO).await;
    expect_at(&remote, json!({"connect": {"drop_after": {"messages": UNDER_WAY}}}), CRASHED, Duration::ZERO).await;
    expect_at(&remote, json!({"connect": {"drop_after": {"bytes": 6000}}}), CRASHED, Duration::ZERO).await;
}

#[tokio::test]
async fn a_connection_that_falls_silent_under_way_ends_in_time() {
    let codes = &["BROWSER_CRASHED", "NAVIGATION_TIMEOUT", "DEADLINE_EXCEEDED"];
    expect(json!({"connect": {"mute": {"after_messages": UNDER_WAY}}}), codes, SILENCE).await;
}

#[tokio::test]
async fn a_browser_that_dies_is_reported() {
    let remote = Remote::start().await;
    expect_at(&remote, json!({"connect": {"kill_browser": {"after_messages": UNDER_WAY}}}), CRASHED, Duration::ZERO)
        .await;
    expect_at(&remote, json!({"connect": {"kill_browser": {}}}), FAILED, CONNECT).await;
}

#[tokio::test]
async fn a_frame_that_no_browser_sends_ends_the_connection() {
    let remote = Remote::start().await;
    expect_at(
        &remote,
        json!({"connect": {"garbage": {"kind": "frame", "after_messages": UNDER_WAY}}}),
        CRASHED,
        Duration::ZERO,
    )
    .await;
    expect_at(&remote, json!({"connect": {"garbage": {"kind": "frame"}}}), FAILED, CONNECT).await;
}

#[tokio::test]
async fn a_message_that_means_nothing_is_passed_over() {
    let remote = Remote::start().await;
    for kind in ["text", "json"] {
        expect_at(
            &remote,
            json!({"connect": {"garbage": {"kind": kind, "after_messages": UNDER_WAY}}}),
            FINE,
            Duration::ZERO,
        )
        .await;
        expect_at(&remote, json!({"connect": {"garbage": {"kind": kind}}}), FINE, Duration::ZERO).await;
    }
}

#[tokio::test]
async fn a_slow_line_is_waited_for() {
    expect(json!({"connect": {"delay": {"each_way_ms": 150}}}), FINE, Duration::ZERO).await;
}

#[tokio::test]
async fn a_release_that_fails_is_tried_until_it_is_confirmed() {
    let remote = Remote::start().await;
    expect_at(&remote, json!({"release": {"status": {"code": 500}}, "times": 6}), FINE, Duration::ZERO).await;
    expect_at(&remote, json!({"release": "lose_answer", "times": 4}), FINE, Duration::ZERO).await;
    expect_at(&remote, json!({"release": "hang", "times": 2}), FINE, Duration::ZERO).await;
}

#[tokio::test]
async fn the_command_line_tries_again_where_browserbase_was_busy() {
    let remote = Remote::start().await;
    let url = remote.stack.site.html("<p>at the second try");
    remote.emulator.faults(json!({"create": {"status": {"code": 429, "retry_after_s": 1}}, "times": 1})).await;
    let mut environment = remote.stack.home.environment();
    environment.insert("PORTHOLE_URL".to_owned(), remote.stack.worker.url(""));
    let mut porthole = Process::spawn("porthole", &["extract", &url], &environment);
    let status = porthole.ended(CREATE + SLACK).await;
    assert_eq!(status.code(), Some(0), "{:?}", porthole.stderr());
    assert_eq!(porthole.stdout(), ["at the second try"]);
    let ledger = remote.expect_all_given_back().await;
    assert_eq!(ledger["requests"]["create"], 2, "{ledger:#}");
}
