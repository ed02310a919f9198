//! Drains: requests under way finish or get an answer, new ones get `SHUTTING_DOWN` with a time to retry after, and a
//! restart under load loses no request of a client that retries.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use nix::sys::signal::Signal;
use porthole_client::{Client, ExtractRequest, SecretString};
use porthole_tests::eventually::so;
use porthole_tests::family::expect_gone;
use porthole_tests::process::Environment;
use porthole_tests::stack::Server;
use porthole_tests::{Reply, Stack, eventually};
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// Limit for a process to end when no request delays it.
const ENDED_WITHIN: Duration = Duration::from_secs(15);
/// Number of callers in the restart test, each sending requests in a loop.
const CALLERS: usize = 4;

#[tokio::test]
async fn a_service_that_drains_finishes_what_has_begun_and_takes_nothing_new() {
    let mut stack = Stack::start().await;
    let late = stack.site.page(Reply::html("<p>in time").late(Duration::from_secs(8)));
    let never_visited = stack.site.html("never visited");
    let caller = stack.service_caller();
    let begun = caller.extract(json!({"url": late}));
    let meanwhile = async {
        eventually(Duration::from_secs(10), async || {
            so(!stack.site.seen(&late).is_empty(), "the page was not requested")
        })
        .await;
        stack.service.process.signal(Signal::SIGTERM);
        eventually(Duration::from_secs(5), async || {
            let ready = stack.admin(&stack.service, "/readyz").await;
            so(ready.code().as_deref() == Some("SHUTTING_DOWN"), format!("{ready:?}"))
        })
        .await;
        let alive = stack.admin(&stack.service, "/healthz").await;
        assert_eq!(alive.status, 200, "{alive:?}");
        for answer in [
            caller.extract(json!({"url": never_visited})).await,
            caller.post("/create", json!({})).await,
            stack.extract(json!({"url": never_visited})).await,
        ] {
            let fields = answer.expect_code("SHUTTING_DOWN");
            assert!(fields["retry_after_ms"].as_u64() > Some(0), "{answer:?}");
        }
    };
    let (begun, ()) = tokio::join!(begun, meanwhile);
    assert_eq!(begun.content().trim(), "in time");
    assert!(stack.site.seen(&never_visited).is_empty());
    let status = stack.service.process.ended(ENDED_WITHIN).await;
    assert_eq!(status.code(), Some(0), "{status:?}");
    assert_eq!(stack.home.left_in_temp().len(), 0, "{:?}", stack.home.left_in_temp());
}

#[tokio::test]
async fn a_second_signal_gives_up_what_hangs_and_still_cleans_up() {
    let mut stack = Stack::start().await;
    let hanging = stack.site.page(Reply::never());
    let caller = stack.caller();
    let begun = caller.screenshot(json!({"url": hanging}));
    let family = stack.service.process.family();
    let hurrying = async {
        eventually(Duration::from_secs(10), async || {
            so(!stack.site.seen(&hanging).is_empty(), "the page was not requested")
        })
        .await;
        stack.service.process.signal(Signal::SIGTERM);
        eventually(Duration::from_secs(5), async || {
            let lines = stack.service.process.stderr();
            so(lines.iter().any(|line| line.contains("draining")), "it does not drain")
        })
        .await;
        stack.service.process.signal(Signal::SIGTERM);
    };
    let (answer, ()) = tokio::join!(begun, hurrying);
    answer.expect_code("SHUTTING_DOWN");
    let status = stack.service.process.ended(ENDED_WITHIN).await;
    assert_eq!(status.code(), Some(0), "{status:?}");
    assert!(!family.is_empty());
    expect_gone(&family).await;
    assert_eq!(stack.home.left_in_temp().len(), 0, "{:?}", stack.home.left_in_temp());
}

#[tokio::test]
async fn a_second_signal_ends_a_worker_with_an_answer_for_every_caller() {
    let mut stack = Stack::start().await;
    let hanging = stack.site.page(Reply::never());
    let caller = stack.caller();
    let begun = caller.screenshot(json!({"url": hanging}));
    let hurrying = async {
        eventually(Duration::from_secs(10), async || {
            so(!stack.site.seen(&hanging).is_empty(), "the page was not requested")
        })
        .await;
        stack.worker.process.signal(Signal::SIGTERM);
        eventually(Duration::from_secs(5), async || {
            let ready = stack.admin(&stack.worker, "/readyz").await;
            so(ready.code().as_deref() == Some("SHUTTING_DOWN"), format!("{ready:?}"))
        })
        .await;
        caller.post("/create", json!({})).await.expect_code("SHUTTING_DOWN");
        stack.worker.process.signal(Signal::SIGTERM);
    };
    let (answer, ()) = tokio::join!(begun, hurrying);
    answer.expect_code("SHUTTING_DOWN");
    let status = stack.worker.process.ended(ENDED_WITHIN).await;
    assert_eq!(status.code(), Some(0), "{status:?}");
    // The service has noticed that its caller, the worker, has left.
    stack.expect_idle(Duration::from_secs(2)).await;
}

/// Sends requests in a loop until `stop` is cancelled. Every request must succeed, after retries if need be.
async fn asks(client: Client, request: ExtractRequest, stop: CancellationToken, answered: Arc<AtomicUsize>) {
    while !stop.is_cancelled() {
        let answer = client.extract(&request).await.unwrap_or_else(|error| panic!("a request is lost: {error:?}"));
        assert_eq!(answer.content.trim(), "still there");
        answered.fetch_add(1, Ordering::SeqCst);
    }
}

/// Ends a process as an orchestrator does, and starts it again on the same addresses.
async fn restart(server: &mut Server, executable: &str, addresses: [&str; 2], environment: &Environment) {
    let mut environment = environment.clone();
    for (name, addr) in addresses.into_iter().zip([server.main, server.admin]) {
        environment.insert(name.to_owned(), addr.to_string());
    }
    server.process.signal(Signal::SIGTERM);
    let status = server.process.ended(Duration::from_secs(40)).await;
    assert_eq!(status.code(), Some(0), "{executable}: {status:?}");
    *server = Server::start(executable, &environment).await;
}

#[tokio::test]
async fn restarts_under_load_lose_not_one_request_of_clients_that_retry() {
    let mut stack = Stack::with().setting("PORTHOLE_MAX_CONCURRENT", "2").start().await;
    let caller = stack.caller();
    let request = ExtractRequest {
        sandbox_id: caller.sandbox_id.clone(),
        owner_token: Some(SecretString::from(caller.owner_token.clone())),
        url: stack.site.page(Reply::html("<p>still there").late(Duration::from_millis(100))),
        ..ExtractRequest::default()
    };
    let (answered, retried) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let retries = Arc::clone(&retried);
    let client = Client::builder().url(format!("http://{}", stack.worker.main));
    let client = client
        .on_retry(move |_| {
            retries.fetch_add(1, Ordering::SeqCst);
        })
        .build()
        .unwrap();
    let stop = CancellationToken::new();
    let asking =
        join_all((0..CALLERS).map(|_| asks(client.clone(), request.clone(), stop.clone(), Arc::clone(&answered))));
    let goes_on = async || {
        let before = answered.load(Ordering::SeqCst);
        eventually(Duration::from_secs(90), async || {
            let now = answered.load(Ordering::SeqCst);
            so(now >= before + CALLERS, format!("{now} answers after {before}"))
        })
        .await;
    };
    let restarting = async {
        goes_on().await;
        for _ in 0..2 {
            let names = ["PORTHOLE_SERVICE_ADDR", "PORTHOLE_SERVICE_ADMIN_ADDR"];
            restart(&mut stack.service, "porthole-service", names, &stack.of_service).await;
            goes_on().await;
        }
        let names = ["PORTHOLE_WORKER_ADDR", "PORTHOLE_WORKER_ADMIN_ADDR"];
        restart(&mut stack.worker, "porthole-worker", names, &stack.of_worker).await;
        goes_on().await;
        stop.cancel();
    };
    tokio::join!(asking, restarting);
    assert!(retried.load(Ordering::SeqCst) > 0, "no request was retried, so this tested nothing");
}
