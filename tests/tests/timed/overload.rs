//! Overload, counted: which requests are served, which are refused and how. `examples/overload.rs` measures the times.

use std::time::Duration;

use futures_util::future::join_all;
use http::StatusCode;
use porthole_tests::eventually::so;
use porthole_tests::{Caller, Reply, Stack, eventually};
use serde_json::json;

use super::alone;

const FLOODING: &str = "client-key-of-the-one-that-floods-00001";
const CALM: &str = "client-key-of-the-one-that-is-calm-0002";

async fn queued(stack: &Stack, at_least: u64) {
    eventually(Duration::from_secs(20), async || {
        let pages = stack.metrics().await["pages"].clone();
        so(pages["queued"].as_u64() >= Some(at_least), format!("pages are {pages}"))
    })
    .await;
}

#[tokio::test]
async fn a_client_that_floods_does_not_keep_another_out() {
    let _alone = alone().await;
    let stack = Stack::with()
        .setting("PORTHOLE_MAX_CONCURRENT", "1")
        .setting("PORTHOLE_MAX_QUEUE", "4")
        .setting("PORTHOLE_CLIENT_KEYS", &format!("{FLOODING},{CALM}"))
        .start()
        .await;
    let slow = stack.site.page(Reply::html("<p>of the flood").late(Duration::from_millis(1500)));
    let quick = stack.site.html("<p>of the calm");
    let flooding = stack.caller();
    // The worker names the client to the service by its key; the `x-porthole-client` header below must not count.
    let calm = Caller { bearer: Some(CALM.to_owned()), ..stack.caller() };
    let request = |url: &str| {
        let request = flooding.request(http::Method::POST, "/browser-extract").header("x-porthole-client", "calm");
        request.json(&flooding.body("/browser-extract", json!({"url": url})))
    };
    let flood = join_all((0..24).map(|_| flooding.send(request(&slow))));
    let others = async {
        queued(&stack, 4).await;
        join_all((0..2).map(|_| calm.extract(json!({"url": quick})))).await
    };
    let (flood, others) = tokio::join!(flood, others);
    for answer in &others {
        assert_eq!(answer.content().trim(), "of the calm");
    }
    let mut displaced = 0;
    for answer in &flood {
        if answer.status != StatusCode::OK {
            let fields = answer.expect_code("OVERLOADED");
            assert!((1000..=30_000).contains(&fields["retry_after_ms"].as_u64().unwrap()), "{answer:?}");
            displaced += usize::from(fields["details"].as_str().unwrap().contains("fewer requests"));
        }
    }
    assert!((1..=2).contains(&displaced), "{displaced} queued requests of the flood were displaced by two requests");
    assert!(flood.iter().any(|answer| answer.status == StatusCode::OK));
    stack.expect_idle(Duration::from_secs(5)).await;
}

#[tokio::test]
async fn a_request_with_less_time_than_the_expected_wait_is_refused_at_once() {
    let _alone = alone().await;
    let stack = Stack::with().setting("PORTHOLE_MAX_CONCURRENT", "1").start().await;
    let slow = stack.site.page(Reply::html("<p>slow").late(Duration::from_secs(3)));
    let unvisited = stack.site.html("never visited");
    // The service learns that a permit is held for three seconds.
    assert_eq!(stack.extract(json!({"url": slow})).await.content().trim(), "slow");
    let first = stack.extract(json!({"url": slow}));
    let second = async {
        eventually(Duration::from_secs(10), async || {
            so(stack.site.seen(&slow).len() == 2, "the first request has not reached the site")
        })
        .await;
        stack.extract(json!({"url": unvisited, "timeout_ms": 1000})).await
    };
    let (first, second) = tokio::join!(first, second);
    second.expect_code_about("OVERLOADED", "the wait for a permit would be longer");
    assert!(second.json()["retry_after_ms"].as_u64() >= Some(2_000), "{second:?}");
    assert_eq!(first.content().trim(), "slow");
    assert!(stack.site.seen(&unvisited).is_empty());
    assert_eq!(stack.metrics().await["pages"]["queued"], 0);
}

#[tokio::test]
async fn a_machine_short_of_memory_turns_requests_away_and_is_not_ready() {
    let _alone = alone().await;
    // Every machine uses more than one percent of its memory.
    let home = porthole_tests::stack::Home::new();
    let mut environment = home.environment();
    for (name, value) in [
        ("PORTHOLE_SERVICE_ADDR", "127.0.0.1:0".to_owned()),
        ("PORTHOLE_SERVICE_ADMIN_ADDR", "127.0.0.1:0".to_owned()),
        ("PORTHOLE_OWNER_KEYS", porthole_tests::owner::FIRST.setting()),
        ("PORTHOLE_MAX_MEMORY_PERCENT", "1".to_owned()),
    ] {
        environment.insert(name.to_owned(), value);
    }
    let service = porthole_tests::stack::Server::start("porthole-service", &environment).await;
    let caller = Caller::of(service.url(""));
    let answer = caller.screenshot(json!({"url": "http://93.184.215.14/"})).await;
    let fields = answer.expect_code_about("OVERLOADED", "short of memory");
    assert!(fields["retry_after_ms"].is_u64(), "{answer:?}");
    let ready = caller.send(caller.http.get(service.admin_url("/readyz"))).await;
    assert_eq!((ready.status.as_u16(), ready.code().as_deref()), (503, Some("OVERLOADED")), "{ready:?}");
}
