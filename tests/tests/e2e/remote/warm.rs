//! Warm remote sessions: created and connected before a request needs them, used once, and always released.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::future::join_all;
use http::Method;
use nix::sys::signal::Signal;
use porthole_tests::emulator::EmulatorOptions;
use porthole_tests::eventually::so;
use porthole_tests::stack::Server;
use porthole_tests::{Emulator, Remote, eventually};
use serde_json::{Value, json};

use super::line::{latest_call_ms, lengthen, round_trips};

const READY_WITHIN: Duration = Duration::from_secs(60);
const ENDED_WITHIN: Duration = Duration::from_secs(60);
const PAGE: &str = "<!doctype html><title>t</title><style>body{background:#0a6}</style><p>words";

async fn keeping(sessions: &str) -> Remote {
    let settings = [
        ("PORTHOLE_BROWSERBASE_WARM", sessions),
        ("PORTHOLE_BROWSERBASE_REAP_SECONDS", "1"),
        ("PORTHOLE_INSTANCE", "replica-1"),
        ("PORTHOLE_BROWSERBASE_LOG", "true"),
    ];
    Remote::with(EmulatorOptions::new(), &settings).await
}

/// Waits until `warm` sessions are ready and `created` were created in all, and returns the ledger.
async fn ready(remote: &Remote, warm: u64, created: u64) -> Value {
    eventually(READY_WITHIN, async || {
        let pages = remote.stack.metrics().await["pages"].clone();
        let ledger = remote.emulator.ledger().await;
        let totals = &ledger["totals"];
        so(pages["warm"] == warm && totals["created"] == created, format!("{pages}, {totals}"))?;
        Ok(ledger)
    })
    .await
}

async fn ended_well(mut remote: Remote) -> Value {
    remote.stack.service.process.signal(Signal::SIGTERM);
    assert_eq!(remote.stack.service.process.ended(ENDED_WITHIN).await.code(), Some(0));
    remote.emulator.expect_all_given_back(Duration::from_secs(1)).await
}

fn ids(ledger: &Value) -> Vec<String> {
    let sessions = ledger["sessions"].as_array().unwrap();
    sessions.iter().map(|session| session["id"].as_str().unwrap().to_owned()).collect()
}

async fn status(emulator: &Emulator, id: &str) -> Value {
    emulator.call(Method::GET, &format!("/v1/sessions/{id}"), None).await.1["status"].clone()
}

#[tokio::test]
async fn a_request_needs_no_create_of_its_own_and_each_session_serves_one() {
    let remote = keeping("1").await;
    let url = remote.stack.site.html(PAGE);
    ready(&remote, 1, 1).await;
    // Creates fail from now on: the next request is served by the warm session, and the failures don't affect it.
    remote.emulator.faults(json!({"create": {"status": {"code": 500}}})).await;
    assert_eq!(remote.stack.extract(json!({"url": url})).await.content().trim(), "words");
    // The warm session served its only request.
    remote.stack.extract(json!({"url": url})).await.expect_code("SESSION_CREATE_FAILED");
    remote.emulator.clear_faults().await;
    ready(&remote, 1, 2).await;
    // A request without credentials is served with the service's own.
    remote.stack.service_caller().extract(json!({"url": url})).await.expect_ok();
    let ledger = ready(&remote, 1, 3).await;
    for session in ledger["sessions"].as_array().unwrap() {
        assert_eq!(session["connections"], 1, "{session:#}");
        let timeout = session["asked_with"]["timeout"].as_u64().unwrap();
        assert!((360..=375).contains(&timeout), "{timeout} s");
    }
    assert_eq!(remote.stack.metric(&remote.stack.service, "porthole_warm_sessions").await, 1);
    let ledger = ended_well(remote).await;
    assert_eq!(ledger["totals"]["created"], 3, "{:#}", ledger["totals"]);
}

#[tokio::test]
async fn another_account_gets_no_warm_session_of_ours() {
    let remote = keeping("1").await;
    ready(&remote, 1, 1).await;
    let fields = json!({"url": remote.stack.site.html(PAGE), "browserbase_api_key": "bb_live_another-key",
        "browserbase_project_id": remote.emulator.project_id()});
    remote.stack.service_caller().extract(fields).await.expect_code("SESSION_CREATE_FAILED");
    ready(&remote, 1, 1).await;
    ended_well(remote).await;
}

#[tokio::test]
async fn two_round_trips_and_the_create_are_saved() {
    /// Maximum number of screenshots; the least count decides, as a page navigated again on a busy machine costs more.
    const TRIES_MAX: u64 = 6;
    let remote = keeping("1").await;
    let (stack, emulator) = (&remote.stack, &remote.emulator);
    let url = stack.site.html(PAGE);
    let fields = json!({"url": url, "wait": {"until": "load"}});
    ready(&remote, 1, 1).await;
    lengthen(emulator).await;
    // The first session was connected before the line became slow.
    stack.screenshot(fields.clone()).await.expect_ok();
    let mut counts = Vec::new();
    for made in 2..2 + TRIES_MAX {
        let session = ids(&ready(&remote, 1, made).await).last().unwrap().clone();
        let after_ms = latest_call_ms(emulator, &session).await;
        stack.screenshot(fields.clone()).await.expect_ok();
        counts.push(round_trips(emulator, &session, after_ms).await);
        if counts.last() <= Some(&3) {
            break;
        }
    }
    let least = *counts.iter().min().unwrap();
    assert!((2..=3).contains(&least), "{counts:?} round trips with a warm session");
    ended_well(remote).await;
}

#[tokio::test]
async fn a_session_that_died_while_it_waited_is_replaced() {
    let remote = keeping("2").await;
    let url = remote.stack.site.html(PAGE);
    let killed = &ids(&ready(&remote, 2, 2).await)[0];
    let path = format!("/__emulator/sessions/{killed}/kill");
    assert!(remote.emulator.call(Method::POST, &path, None).await.0 < 300);
    let released = &ids(&ready(&remote, 2, 3).await)[1];
    let body = json!({"projectId": remote.emulator.project_id(), "status": "REQUEST_RELEASE"});
    let path = format!("/v1/sessions/{released}");
    assert_eq!(remote.emulator.call(Method::POST, &path, Some(&body)).await.0, 200);
    ready(&remote, 2, 4).await;
    for answer in join_all((0..2).map(|_| remote.stack.extract(json!({"url": url})))).await {
        answer.expect_ok();
    }
    ready(&remote, 2, 6).await;
    let ledger = ended_well(remote).await;
    assert_eq!(ledger["totals"]["created"], 6, "{:#}", ledger["totals"]);
}

#[tokio::test]
async fn a_warm_session_is_left_alone_by_another_replica_and_released_by_a_drain() {
    let remote = keeping("1").await;
    let id = &ids(&ready(&remote, 1, 1).await)[0];
    let mut of_another = remote.stack.of_service.clone();
    of_another.insert("PORTHOLE_INSTANCE".to_owned(), "replica-2".to_owned());
    of_another.insert("PORTHOLE_BROWSERBASE_WARM".to_owned(), "0".to_owned());
    let lists = async || remote.emulator.ledger().await["requests"]["list"].clone();
    let another = Server::start("porthole-service", &of_another).await;
    let before = lists().await.as_u64().unwrap();
    // Both services list the sessions every second.
    eventually(READY_WITHIN, async || {
        let now = lists().await;
        so(now.as_u64().unwrap() >= before + 6, format!("{now} lists"))
    })
    .await;
    assert_eq!(status(&remote.emulator, id).await, "RUNNING");
    drop(another);
    let until = remote.emulator.ledger().await["sessions"][0]["user_metadata"]["until"].clone();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let until: u64 = until.as_str().unwrap().parse().unwrap();
    assert!((now + 300..now + 400).contains(&until), "until {until}, now {now}");
    let ledger = ended_well(remote).await;
    assert_eq!(ledger["totals"]["released"], 1, "{:#}", ledger["totals"]);
}

#[tokio::test]
async fn warm_sessions_of_a_killed_service_are_released_by_its_next_start() {
    let mut remote = keeping("0").await;
    // Another instance name, or the stack's own service would take these sessions for those of its earlier process.
    remote.stack.of_service.insert("PORTHOLE_INSTANCE".to_owned(), "replica-2".to_owned());
    // The session must not be connected yet: it would end with its socket.
    remote.emulator.faults(json!({"connect": "hang"})).await;
    remote.stack.of_service.insert("PORTHOLE_BROWSERBASE_WARM".to_owned(), "2".to_owned());
    let mut keeper = Server::start("porthole-service", &remote.stack.of_service).await;
    eventually(READY_WITHIN, async || {
        let running = remote.emulator.ledger().await["totals"]["running"].clone();
        so(running == 1, format!("{running} sessions run"))
    })
    .await;
    keeper.process.signal(Signal::SIGKILL);
    keeper.process.ended(ENDED_WITHIN).await;
    remote.emulator.clear_faults().await;
    remote.stack.of_service.insert("PORTHOLE_BROWSERBASE_WARM".to_owned(), "0".to_owned());
    let next = Server::start("porthole-service", &remote.stack.of_service).await;
    let ledger = remote.emulator.expect_all_given_back(ENDED_WITHIN).await;
    assert_eq!(ledger["totals"]["released"], 1, "{:#}", ledger["totals"]);
    drop(next);
}
