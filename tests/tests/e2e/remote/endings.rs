//! Ends of requests and of the service: every remote session is released, however they end.

use std::time::Duration;

use futures_util::future::join_all;
use nix::sys::signal::Signal;
use porthole_tests::emulator::EmulatorOptions;
use porthole_tests::eventually::so;
use porthole_tests::stack::Server;
use porthole_tests::{Remote, Reply, eventually};
use serde_json::json;

/// Moments spread over a request's life, from before the session is created until after the picture.
const MOMENTS_MS: [u64; 20] =
    [1, 5, 12, 20, 35, 60, 90, 130, 170, 210, 250, 290, 330, 370, 420, 480, 560, 650, 800, 1_000];
const ENDED_WITHIN: Duration = Duration::from_secs(60);
const UNDER_WAY_WITHIN: Duration = Duration::from_secs(30);

#[tokio::test]
async fn a_caller_who_leaves_at_any_moment_leaves_no_session() {
    let remote = Remote::start().await;
    let url = remote.stack.site.html("<p>nobody waits for this");
    for moments in MOMENTS_MS.chunks(4) {
        let leaving = moments.iter().map(|moment| {
            let caller = remote.stack.caller();
            let url = url.clone();
            async move {
                let request = caller.screenshot(json!({"url": url}));
                // Dropping the request closes the client's socket.
                drop(tokio::time::timeout(Duration::from_millis(*moment), request).await);
            }
        });
        join_all(leaving).await;
    }
    remote.expect_all_given_back().await;
    remote.stack.extract(json!({"url": url})).await.expect_ok();
}

#[tokio::test]
async fn a_deadline_at_any_moment_leaves_no_session() {
    let remote = Remote::start().await;
    let url = remote.stack.site.html("<p>too late");
    // A request's minimum timeout is a second: creates of varying slowness move each later step to the deadline.
    for delays in MOMENTS_MS.chunks(4) {
        let requests = delays.iter().map(async |delay| {
            let slow = 1_020 - delay;
            remote.emulator.faults(json!({"create": {"slow": {"ms": slow}}, "times": 1})).await;
            let answer = remote.stack.extract(json!({"url": url, "timeout_ms": 1000})).await;
            answer.expect_ok_or(&["DEADLINE_EXCEEDED"]);
        });
        join_all(requests).await;
    }
    remote.emulator.clear_faults().await;
    remote.expect_all_given_back().await;
    remote.stack.extract(json!({"url": url})).await.expect_ok();
}

#[tokio::test]
async fn a_service_on_sigterm_finishes_its_requests_or_answers_shutting_down() {
    let mut remote = Remote::with(EmulatorOptions::new(), &[("PORTHOLE_MAX_CONCURRENT", "4")]).await;
    let slow = remote.stack.site.page(Reply::html("<p>slow").late(Duration::from_millis(1_500)));
    let callers: Vec<_> = (0..10).map(|_| remote.stack.caller()).collect();
    let requests = join_all(callers.iter().map(|caller| caller.extract(json!({"url": slow}))));
    let ending = async {
        eventually(UNDER_WAY_WITHIN, async || {
            let pages = remote.stack.metrics().await["pages"].clone();
            so(pages["busy"] == 4 && pages["queued"] == 6, format!("requests are not under way and queued: {pages}"))
        })
        .await;
        remote.stack.service.process.signal(Signal::SIGTERM);
    };
    let (answers, ()) = tokio::join!(requests, ending);
    let done = answers.iter().filter(|answer| answer.code().is_none()).count();
    for answer in &answers {
        answer.expect_ok_or(&["SHUTTING_DOWN"]);
    }
    assert!(done >= 4, "requests under way were not finished: {done} of 10 done");
    assert_eq!(remote.stack.service.process.ended(ENDED_WITHIN).await.code(), Some(0));
    let ledger = remote.emulator.expect_all_given_back(Duration::from_secs(1)).await;
    assert!(ledger["totals"]["created"].as_u64() >= Some(4), "{ledger:#}");
}

#[tokio::test]
async fn sessions_of_a_killed_service_are_released_by_its_next_start() {
    let settings = [("PORTHOLE_BROWSERBASE_REAP_SECONDS", "1"), ("PORTHOLE_INSTANCE", "replica-1")];
    let mut remote = Remote::with(EmulatorOptions::new(), &settings).await;
    // The service must not be connected yet: the end of a socket would end its session.
    remote.emulator.faults(json!({"connect": "hang"})).await;
    let url = remote.stack.site.html("<p>never seen");
    let callers: Vec<_> = (0..3).map(|_| remote.stack.caller()).collect();
    let requests = join_all(callers.iter().map(|caller| caller.extract(json!({"url": url}))));
    // Another replica's session, which has not expired.
    let until = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs() + 3_600;
    let metadata =
        json!({"porthole": "1", "instance": "replica-2", "boot": "b", "lease": "l", "until": until.to_string()});
    let project = remote.emulator.project_id();
    let body = json!({"projectId": project, "userMetadata": metadata});
    let (status, theirs) = remote.emulator.call(http::Method::POST, "/v1/sessions", Some(&body)).await;
    assert_eq!(status, 201);
    let killing = async {
        eventually(UNDER_WAY_WITHIN, async || {
            let running = remote.emulator.ledger().await["totals"]["running"].clone();
            so(running == 4, format!("{running} sessions run"))
        })
        .await;
        remote.stack.service.process.signal(Signal::SIGKILL);
    };
    let (answers, ()) = tokio::join!(requests, killing);
    for answer in answers {
        answer.expect_code("SERVICE_UNAVAILABLE");
    }
    remote.stack.service.process.ended(ENDED_WITHIN).await;
    remote.emulator.clear_faults().await;
    assert_eq!(
        remote.emulator.ledger().await["totals"]["running"],
        4,
        "sessions ended by themselves, so this tests nothing"
    );

    let next = Server::start("porthole-service", &remote.stack.of_service).await;
    let ledger = eventually(ENDED_WITHIN, async || {
        let ledger = remote.emulator.ledger().await;
        so(ledger["totals"]["running"] == 1, format!("{:#}", ledger["totals"]))?;
        Ok(ledger)
    })
    .await;
    assert_eq!(ledger["totals"]["leaked"], 0, "{ledger:#}");
    assert_eq!(ledger["totals"]["released"], 3, "{ledger:#}");
    let (_, still) = remote
        .emulator
        .call(http::Method::GET, &format!("/v1/sessions/{}", theirs["id"].as_str().unwrap()), None)
        .await;
    assert_eq!(still["status"], "RUNNING", "another replica's session was taken");
    drop(next);
}

#[tokio::test]
async fn sessions_left_behind_are_found_with_a_requests_credentials() {
    // The service has no Browserbase credentials of its own: the first request brings some.
    let remote = Remote::with(EmulatorOptions::new(), &[("PORTHOLE_INSTANCE", "replica-1")]).await;
    let metadata = json!({"porthole": "1", "instance": "replica-1", "boot": "an earlier life", "lease": "l", "until": "9999999999"});
    let body = json!({"projectId": remote.emulator.project_id(), "userMetadata": metadata});
    let own = remote.stack.service_caller();
    let mut of_service = remote.stack.of_service.clone();
    of_service.remove("BROWSERBASE_API_KEY");
    of_service.remove("BROWSERBASE_PROJECT_ID");
    let service = Server::start("porthole-service", &of_service).await;
    let (status, _) = remote.emulator.call(http::Method::POST, "/v1/sessions", Some(&body)).await;
    assert_eq!(status, 201);
    let caller = porthole_tests::Caller { base: service.url(""), ..own };
    let url = remote.stack.site.html("<p>the first");
    let credentials = json!({"url": url, "browserbase_api_key": remote.emulator.api_key(),
        "browserbase_project_id": remote.emulator.project_id()});
    caller.extract(credentials).await.expect_ok();
    remote.emulator.expect_all_given_back(ENDED_WITHIN).await;
}
