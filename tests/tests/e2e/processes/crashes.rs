//! Browsers and renderers that die: their request fails with `BROWSER_CRASHED`, the next one gets another.

use std::time::Duration;

use porthole_tests::agent::Agent;
use porthole_tests::eventually::so;
use porthole_tests::family::Relative;
use porthole_tests::{Answer, Reply, Stack, eventually};
use serde_json::json;

/// Requests a page that is shown but never completes, calls `kill` once the browser shows it, and returns the answer.
async fn killed_in_the_middle(stack: &Stack, kill: impl Fn()) -> Answer {
    let beacon = stack.site.page(Reply::text(""));
    let url = stack.site.page(Reply::html(&format!("<p>shown<img src='{beacon}'>")).held());
    let caller = stack.caller();
    let answer = caller.screenshot(json!({"url": url}));
    let killing = async {
        eventually(Duration::from_secs(10), async || so(!stack.site.seen(&beacon).is_empty(), "the page is not shown"))
            .await;
        kill();
    };
    let (answer, ()) = tokio::join!(answer, killing);
    answer
}

#[tokio::test]
async fn a_browser_that_is_killed_ends_its_request_and_another_takes_the_next() {
    let stack = Stack::start().await;
    for round in 0..2 {
        let browsers = || stack.chromium().into_iter().filter(Relative::is_browser).collect::<Vec<_>>();
        assert!(!browsers().is_empty(), "round {round}: no browser among {:#?}", stack.service.process.family());
        let kill = || browsers().iter().for_each(Relative::kill);
        let answer = killed_in_the_middle(&stack, kill).await.within(Duration::from_secs(10));
        answer.expect_code("BROWSER_CRASHED");
        stack.expect_alive().await;
        stack.expect_idle(Duration::from_secs(2)).await;
    }
}

#[tokio::test]
async fn a_renderer_that_dies_ends_its_request_and_leaves_the_next_alone() {
    // Without warm pages the only renderers are the request's own, and perhaps Chromium's spare one.
    let stack = Stack::with().setting("PORTHOLE_WARM_PAGES", "0").start().await;
    let browser_of = || stack.chromium().into_iter().find(Relative::is_browser).map(|browser| browser.pid);
    for _ in 0..2 {
        stack.expect_alive().await;
        let before = browser_of();
        let kill = || stack.chromium().iter().filter(|one| one.is_renderer()).for_each(Relative::kill);
        let answer = killed_in_the_middle(&stack, kill).await.within(Duration::from_secs(10));
        answer.expect_code("BROWSER_CRASHED");
        stack.expect_alive().await;
        assert_eq!(browser_of(), before, "the whole browser was replaced");
        stack.expect_idle(Duration::from_secs(2)).await;
    }
}

#[tokio::test]
async fn a_renderer_that_dies_before_it_has_shown_anything_is_a_crash_and_not_a_failed_page() {
    // Without warm pages the only renderers are the request's own, and perhaps Chromium's spare one.
    let stack = Stack::with().setting("PORTHOLE_WARM_PAGES", "0").start().await;
    let url = stack.site.page(Reply::html("<p>never shown").late(Duration::from_millis(500)));
    let caller = stack.caller();
    let answer = caller.screenshot(json!({"url": url}));
    let killing = async {
        eventually(Duration::from_secs(10), async || {
            so(!stack.site.seen(&url).is_empty(), "the page was not requested")
        })
        .await;
        // The stopped renderer processes nothing: the document arrives and waits for it.
        let renderers: Vec<_> = stack.chromium().into_iter().filter(Relative::is_renderer).collect();
        renderers.iter().for_each(Relative::stop);
        let stopped = tokio::time::Instant::now();
        eventually(Duration::from_secs(10), async || so(stopped.elapsed() > Duration::from_secs(2), "too early")).await;
        renderers.iter().for_each(Relative::kill);
    };
    let (answer, ()) = tokio::join!(answer, killing);
    answer.expect_code("BROWSER_CRASHED");
    stack.expect_alive().await;
}

#[tokio::test]
async fn an_idle_browser_that_dies_is_replaced() {
    let stack = Stack::start().await;
    stack.expect_alive().await;
    let browsers: Vec<Relative> = stack.chromium().into_iter().filter(Relative::is_browser).collect();
    browsers.iter().for_each(Relative::kill);
    eventually(Duration::from_secs(5), async || {
        so(!browsers.iter().any(Relative::is_alive), "a browser is still alive")
    })
    .await;
    stack.expect_alive().await;
    eventually(Duration::from_secs(20), async || {
        let answer = stack.admin(&stack.worker, "/readyz").await;
        so(answer.status == 200, format!("{answer:?}"))
    })
    .await;
}

#[tokio::test]
async fn idle_renderers_that_die_fail_no_request() {
    let stack = Stack::with().setting("PORTHOLE_MAX_CONCURRENT", "2").start().await;
    stack.expect_alive().await;
    let renderers: Vec<Relative> = stack.chromium().into_iter().filter(Relative::is_renderer).collect();
    assert!(!renderers.is_empty(), "no renderer among {:#?}", stack.service.process.family());
    renderers.iter().for_each(Relative::kill);
    eventually(Duration::from_secs(5), async || {
        so(!renderers.iter().any(Relative::is_alive), "a renderer is still alive")
    })
    .await;
    for _ in 0..4 {
        stack.expect_alive().await;
    }
}

/// Chromium starts another network service, which no page of its browser reaches the network by. A site can end it by its
/// answers alone.
#[tokio::test]
async fn a_network_service_that_dies_costs_its_browser_and_no_more() {
    let stack = Stack::start().await;
    stack.expect_alive().await;
    let site = stack.site.html("<title>there</title><p>here");
    let (agent, _) = Agent::at(stack.caller(), &site).await;
    let goes = async || agent.call("navigate", json!({"url": site})).await;
    let services: Vec<Relative> = stack.chromium().into_iter().filter(Relative::is_network_service).collect();
    assert!(!services.is_empty(), "no network service among {:#?}", stack.service.process.family());
    services.iter().for_each(Relative::kill);
    eventually(Duration::from_secs(5), async || so(!services.iter().any(Relative::is_alive), "it is still alive"))
        .await;
    // The session is lost, and says so, perhaps not at once: a navigation may be aborted by the crash itself.
    eventually(Duration::from_secs(5), async || {
        let answer = goes().await;
        so(answer.code().as_deref() == Some("SESSION_LOST"), format!("{answer:?}"))
    })
    .await;
    Agent::at(stack.caller(), &site).await;
    // A request may come to a page that was made before, and no more than one to each.
    let mut failed = 0;
    for _ in 0..8 {
        let answer = stack.extract(json!({"url": site})).await;
        if answer.status != 200 {
            let fields = answer.expect_code("BROWSER_CRASHED");
            assert_eq!(fields["retryable"], true);
            failed += 1;
        }
    }
    assert!(failed <= 2, "{failed} of 8 failed");
    stack.expect_alive().await;
}
