//! Pages that never arrive: silent, slow, refused, reset, unknown, untrusted and endless ones.

use std::time::Duration;

use futures_util::future::join_all;
use porthole_tests::{Reply, Stack};
use serde_json::json;

/// Limit for a failed navigation: its own 15 s, and a margin for a slow machine.
const NAVIGATION_ENDED_WITHIN: Duration = Duration::from_secs(25);

#[tokio::test]
async fn a_page_that_is_not_loaded_after_15_seconds_is_a_navigation_timeout() {
    let stack = Stack::with().setting("PORTHOLE_MAX_CONCURRENT", "8").start().await;
    let site = &stack.site;
    let urls = [
        ("it never answers", site.page(Reply::never())),
        ("its head drips", site.dripping_head()),
        ("its body drips", site.page(Reply::html("<title>a page that comes slowly</title>").dripping())),
        ("its body has no end", site.page(Reply::html("<p>the rest never comes").held())),
        // A loop would take a processor for as long; `partial` has one.
        ("its script never ends", {
            let never = site.page(Reply::never());
            let waits = "const waits = new XMLHttpRequest(); waits.open('GET', '{}', false); waits.send()";
            site.html(&format!("<head><script>{}</script></head>never shown", waits.replace("{}", &never)))
        }),
        ("its blocking script never comes", {
            let script = site.page(Reply::never());
            site.html(&format!("<head><script src='{script}'></script></head>never parsed"))
        }),
    ];
    let caller = stack.caller();
    let answers = join_all(urls.map(|(why, url)| {
        let caller = &caller;
        async move { (why, caller.screenshot(json!({"url": url})).await) }
    }))
    .await;
    for (why, answer) in answers {
        eprintln!("{why}: {:?}", answer.took);
        let answer = answer.within(NAVIGATION_ENDED_WITHIN);
        answer.expect_code("NAVIGATION_TIMEOUT");
        assert!(answer.took >= Duration::from_secs(14), "{why}: given up too early: {answer:?}");
    }
    stack.expect_idle(Duration::from_secs(5)).await;
    stack.expect_alive().await;
}

#[tokio::test]
async fn a_refused_connection_fails_by_its_name() {
    let stack = Stack::shared().await;
    let answer = stack.screenshot(json!({"url": stack.site.refusing()})).await.within(NAVIGATION_ENDED_WITHIN);
    let fields = answer.expect_code_about("NAVIGATION_FAILED", "net::ERR_CONNECTION_REFUSED");
    assert_eq!(fields["retryable"], false);
}

#[tokio::test]
async fn a_reset_connection_may_be_tried_again() {
    let stack = Stack::shared().await;
    let answer = stack.screenshot(json!({"url": stack.site.resetting()})).await.within(NAVIGATION_ENDED_WITHIN);
    let fields = answer.expect_code_about("NAVIGATION_FAILED", "net::ERR_CONNECTION_RESET");
    assert_eq!(fields["retryable"], true);
}

#[tokio::test]
async fn a_document_that_breaks_off_is_shown_as_far_as_it_was_parsed_and_fails_if_it_was_not() {
    let stack = Stack::shared().await;
    let site = &stack.site;
    let answer = stack.extract(json!({"url": site.breaking_off_late()})).await.within(NAVIGATION_ENDED_WITHIN);
    assert_eq!(answer.content().trim(), "the first part");
    // Chromium drops what it has not begun to parse. It may have begun on a busy machine.
    for _ in 0..5 {
        let url = site.breaking_off();
        for answer in [stack.extract(json!({"url": url})).await, stack.screenshot(json!({"url": url})).await] {
            let answer = answer.within(NAVIGATION_ENDED_WITHIN);
            if answer.status == 200 {
                continue;
            }
            let fields = answer.expect_code_about("NAVIGATION_FAILED", "net::ERR_CONNECTION_CLOSED");
            assert_eq!(fields["retryable"], true);
        }
    }
}

#[tokio::test]
async fn an_untrusted_certificate_fails_by_its_name() {
    let stack = Stack::shared().await;
    let answer = stack.extract(json!({"url": stack.site.self_signed()})).await.within(NAVIGATION_ENDED_WITHIN);
    let fields = answer.expect_code_about("NAVIGATION_FAILED", "net::ERR_CERT_");
    assert_eq!(fields["retryable"], false);
}

#[tokio::test]
async fn a_name_that_does_not_resolve_fails_by_its_name() {
    let stack = Stack::shared().await;
    let answer = stack.screenshot(json!({"url": "http://nowhere.example/"})).await.within(NAVIGATION_ENDED_WITHIN);
    answer.expect_code_about("NAVIGATION_FAILED", "net::ERR_NAME_NOT_RESOLVED");
}

#[tokio::test]
async fn a_hundred_megabytes_end_in_an_answer_and_leave_the_service_well() {
    let stack = Stack::start().await;
    let url = stack.site.page(Reply::hundred_megabytes());
    let codes = ["NAVIGATION_FAILED", "NAVIGATION_TIMEOUT", "DEADLINE_EXCEEDED", "BROWSER_CRASHED"];
    let answer = stack.extract(json!({"url": url})).await.within(Duration::from_secs(45));
    answer.expect_ok_or(&codes);
    stack.expect_idle(Duration::from_secs(10)).await;
    stack.expect_alive().await;
}
