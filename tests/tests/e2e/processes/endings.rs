//! Ends of the processes: however they end, they leave no process and no file behind.

use std::time::Duration;

use nix::sys::signal::Signal;
use porthole_tests::eventually::so;
use porthole_tests::family::{self, Relative};
use porthole_tests::process::Environment;
use porthole_tests::stack::{Home, Server};
use porthole_tests::{Caller, Reply, Stack, eventually};
use serde_json::json;

/// Limit for a process to end.
const ENDED_WITHIN: Duration = Duration::from_secs(15);

#[tokio::test]
async fn a_service_that_is_asked_to_end_leaves_no_process_and_no_file() {
    for signal in [Signal::SIGTERM, Signal::SIGINT] {
        let mut stack = Stack::start().await;
        stack.expect_alive().await;
        assert!(!stack.home.left_in_temp().is_empty(), "the browser's profile is somewhere else");
        let family = stack.service.process.family();
        assert!(family.iter().any(Relative::is_browser), "no browser among {family:#?}");
        stack.service.process.signal(signal);
        let status = stack.service.process.ended(ENDED_WITHIN).await;
        assert_eq!(status.code(), Some(0), "{signal}: {status:?}");
        family::expect_gone(&family).await;
        assert_eq!(stack.home.left_in_temp().len(), 0, "{signal} left files: {:?}", stack.home.left_in_temp());
        assert_eq!(std::fs::read_dir(stack.home.home()).unwrap().count(), 0, "{signal} left files in the home folder");
        stack.worker.process.signal(signal);
        let status = stack.worker.process.ended(ENDED_WITHIN).await;
        assert_eq!(status.code(), Some(0), "{signal}: {status:?}");
    }
}

#[tokio::test]
async fn a_service_that_is_killed_leaves_no_process_and_the_next_start_removes_its_files() {
    let mut stack = Stack::start().await;
    // Killed in the middle of a request, when the service holds most resources.
    let hanging = stack.site.page(Reply::never());
    let caller = stack.caller();
    let request = caller.screenshot(json!({"url": hanging}));
    let killing = async {
        eventually(Duration::from_secs(10), async || {
            so(!stack.site.seen(&hanging).is_empty(), "the page was not requested")
        })
        .await;
        let family = stack.service.process.family();
        assert!(family.iter().any(Relative::is_browser), "no browser among {family:#?}");
        stack.service.process.signal(Signal::SIGKILL);
        // The browsers see that their pipes have closed and end by themselves, which takes a while on a busy machine.
        eventually(ENDED_WITHIN, async || {
            let left: Vec<&Relative> = family.iter().filter(|one| one.is_alive()).collect();
            so(left.is_empty(), format!("SIGKILL left {left:#?}"))
        })
        .await;
    };
    let (answer, ()) = tokio::join!(request, killing);
    answer.expect_code("SERVICE_UNAVAILABLE");
    let mut profiles = family::mentioning(stack.home.temp().to_str().unwrap());
    profiles.retain(Relative::is_chromium);
    assert!(profiles.is_empty(), "browsers with a profile of this stack: {profiles:#?}");
    stack.service.process.ended(ENDED_WITHIN).await;

    let left = stack.home.left_in_temp();
    assert!(!left.is_empty(), "nothing was left, so this tests nothing");
    let next = Server::start("porthole-service", &stack.of_service).await;
    eventually(Duration::from_secs(10), async || {
        let now = stack.home.left_in_temp();
        let still: Vec<_> = left.intersection(&now).collect();
        so(still.is_empty(), format!("the next start left {still:?}"))
    })
    .await;
    drop(next);
    assert_eq!(stack.home.left_in_temp().len(), 0, "{:?}", stack.home.left_in_temp());
}

#[tokio::test]
async fn two_services_with_one_temp_folder_leave_each_other_alone() {
    let stack = Stack::start().await;
    let second = Server::start("porthole-service", &stack.of_service).await;
    stack.expect_alive().await;
    let caller = Caller { base: second.url(""), ..stack.service_caller() };
    let url = stack.site.html("the second one");
    assert_eq!(caller.extract(json!({"url": url})).await.content(), "the second one");
    drop(second);
    stack.expect_alive().await;
    assert!(!stack.home.left_in_temp().is_empty(), "the second service removed the first one's files");
}

#[tokio::test]
async fn a_worker_without_its_service_says_so() {
    let home = Home::new();
    let site = porthole_tests::Site::start();
    let mut environment: Environment = home.environment();
    for (name, value) in [
        ("PORTHOLE_WORKER_ADDR", "127.0.0.1:0".to_owned()),
        ("PORTHOLE_WORKER_ADMIN_ADDR", "127.0.0.1:0".to_owned()),
        ("PORTHOLE_SERVICE_URL", site.refusing()),
    ] {
        environment.insert(name.to_owned(), value);
    }
    let worker = Server::start("porthole-worker", &environment).await;
    let caller = Caller::of(worker.url("/api/sandbox"));
    for route in ["/browser-screenshot", "/browser-extract", "/create"] {
        let fields = if route == "/create" { json!({}) } else { json!({"url": "http://example.com/"}) };
        let answer = caller.post(route, fields).await.within(Duration::from_secs(15));
        answer.expect_code("SERVICE_UNAVAILABLE");
    }
    let ready = caller.send(caller.http.get(worker.admin_url("/readyz"))).await;
    assert_eq!(ready.status, 503, "{ready:?}");
    assert!(!ready.body.is_empty(), "the answer gives no reason");
    let alive = caller.send(caller.http.get(worker.admin_url("/healthz"))).await;
    assert_eq!(alive.status, 200, "{alive:?}");
}

#[tokio::test]
async fn a_worker_finds_its_service_again() {
    let mut stack = Stack::start().await;
    stack.expect_alive().await;
    stack.service.process.signal(Signal::SIGTERM);
    stack.service.process.ended(ENDED_WITHIN).await;
    stack.extract(json!({"url": "http://example.com/"})).await.expect_code("SERVICE_UNAVAILABLE");
    // The worker checks its service periodically, not at every probe.
    eventually(Duration::from_secs(5), async || {
        let ready = stack.admin(&stack.worker, "/readyz").await;
        so(ready.status == 503, format!("{ready:?}"))
    })
    .await;
    let mut environment = stack.of_service.clone();
    environment.insert("PORTHOLE_SERVICE_ADDR".to_owned(), stack.service.main.to_string());
    stack.service = Server::start("porthole-service", &environment).await;
    eventually(Duration::from_secs(20), async || {
        let ready = stack.admin(&stack.worker, "/readyz").await;
        so(ready.status == 200, format!("{ready:?}"))
    })
    .await;
    stack.expect_alive().await;
}
