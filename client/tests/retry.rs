//! When the library retries, after which waits, and what it counts: with a fake clock against a scripted worker.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod scripted;

use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use porthole_client::{
    Client, ClientBuilder, CreateRequest, Error, ErrorCode, ExtractRequest, RETRY_AFTER_MAX, SecretString,
};
use scripted::{Reply, Worker, answer, extract, failure, sandbox};
use serde_json::json;

/// The waits that a client asked its sleeper for. The clock advances only by them.
#[derive(Clone, Default)]
struct Waits(Arc<Mutex<Vec<Duration>>>);

impl Waits {
    fn seen(&self) -> Vec<Duration> {
        self.0.lock().unwrap().clone()
    }

    fn client(&self, url: &str) -> ClientBuilder {
        let (sleeper, clock, start) = (self.clone(), self.clone(), Instant::now());
        Client::builder()
            .url(url)
            .sleeper(move |wait| {
                sleeper.0.lock().unwrap().push(wait);
                std::future::ready(())
            })
            .clock(move || start + clock.seen().iter().sum::<Duration>())
    }
}

fn overloaded() -> Reply {
    failure(503, "OVERLOADED", true)
}

fn request() -> ExtractRequest {
    ExtractRequest {
        sandbox_id: "sb-1".to_owned(),
        owner_token: Some(SecretString::from("token-1")),
        url: "https://example.com".to_owned(),
        ..ExtractRequest::default()
    }
}

#[tokio::test]
async fn a_busy_worker_is_retried_after_2_4_8_and_16_seconds_plus_jitter() {
    let worker = Worker::with_replies([overloaded(), overloaded(), overloaded(), overloaded(), extract("text")]);
    let waits = Waits::default();
    let reported = Arc::new(Mutex::new(Vec::new()));
    let callback = Arc::clone(&reported);
    let client = waits
        .client(&worker.url())
        .on_retry(move |retry| {
            callback.lock().unwrap().push((retry.number, retry.wait, retry.error.code().name().to_owned()));
        })
        .build()
        .unwrap();

    assert_eq!(client.extract(&request()).await.unwrap().content, "text");

    let waited = waits.seen();
    assert_eq!(waited.len(), 4);
    for (wait, seconds) in waited.iter().zip([2, 4, 8, 16]) {
        let delay = Duration::from_secs(seconds);
        assert!((delay..=delay.mul_f64(1.2)).contains(wait), "{wait:?} for {delay:?}");
    }
    let expected: Vec<_> =
        waited.iter().zip(1..).map(|(wait, number)| (number, *wait, "OVERLOADED".to_owned())).collect();
    assert_eq!(*reported.lock().unwrap(), expected);
    assert_eq!(worker.seen().len(), 5);

    let metrics = &client.metrics()["extract"];
    assert_eq!((metrics.count, metrics.ok, metrics.retries), (5, 1, 4));
    assert_eq!(metrics.errors_by_code["OVERLOADED"], 4);
    assert_eq!(metrics.latency_ms.max, 0, "an attempt's latency does not include waits");
}

#[tokio::test]
async fn a_given_randomness_is_used_for_jitter() {
    let worker = Worker::with_replies([overloaded(), overloaded(), extract("text")]);
    let waits = Waits::default();
    let client = waits.client(&worker.url()).randomness(|| 0.5).build().unwrap();
    client.extract(&request()).await.unwrap();
    assert_eq!(waits.seen(), [2_200, 4_400].map(Duration::from_millis));
}

#[tokio::test]
async fn it_gives_up_after_four_retries_and_returns_the_last_answers_fields() {
    let worker = Worker::start(|_| failure(504, "NAVIGATION_TIMEOUT", true));
    let waits = Waits::default();
    let client = waits.client(&worker.url()).build().unwrap();

    let error = client.extract(&request()).await.unwrap_err();

    assert_eq!((worker.seen().len(), waits.seen().len()), (5, 4));
    assert_eq!(error.code(), ErrorCode::NavigationTimeout);
    assert_eq!(error.sentence(), "sentence of NAVIGATION_TIMEOUT");
    assert_eq!((error.details().as_str(), error.request_id()), ("the details", Some("r-7")));
    assert_eq!(client.metrics()["extract"].errors_by_code["NAVIGATION_TIMEOUT"], 5);
}

#[tokio::test]
async fn a_longer_retry_after_is_obeyed_whether_header_or_field() {
    let limited = |header: &str, ms: u64| {
        let body = json!({"ok": false, "error": "RATE_LIMITED", "retryable": true, "retry_after_ms": ms});
        Reply::Answer(429, vec![format!("retry-after: {header}")], body.to_string())
    };
    let worker = Worker::with_replies([limited("7", 6_500), limited("1", 9_000), limited("1", 1), extract("text")]);
    let waits = Waits::default();
    waits.client(&worker.url()).randomness(|| 0.0).build().unwrap().extract(&request()).await.unwrap();
    assert_eq!(waits.seen(), [7, 9, 8].map(Duration::from_secs));
}

#[tokio::test]
async fn a_retry_after_beyond_the_limit_fails_at_once() {
    let seconds = RETRY_AFTER_MAX.as_secs() + 1;
    let worker = Worker::start(move |_| {
        let body = json!({"ok": false, "error": "RATE_LIMITED", "retryable": true});
        Reply::Answer(429, vec![format!("retry-after: {seconds}")], body.to_string())
    });
    let error = Waits::default().client(&worker.url()).build().unwrap().extract(&request()).await.unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::from_secs(seconds)));
    assert_eq!(worker.seen().len(), 1);
}

#[tokio::test]
async fn lost_connections_are_retried_however_they_were_lost() {
    let worker = Worker::with_replies([Reply::Reset, Reply::Torn, Reply::Silence, extract("text")]);
    let waits = Waits::default();
    let client = waits.client(&worker.url()).timeout(Duration::from_millis(500)).build().unwrap();
    client.extract(&request()).await.unwrap();
    assert_eq!(worker.seen().len(), 4);
    let codes = &client.metrics()["extract"].errors_by_code;
    assert_eq!((codes["SERVICE_UNAVAILABLE"], codes["SERVICE_TIMEOUT"]), (2, 1));
}

#[tokio::test]
async fn an_unreachable_worker_is_reported_with_the_cause_and_without_the_path() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let waits = Waits::default();
    let client = waits.client(&format!("http://{free}")).build().unwrap();
    let error = client.create(&CreateRequest::default()).await.unwrap_err();
    assert!(matches!(error, Error::Connection { .. }), "{error}");
    assert!(error.to_string().starts_with(&format!("can't reach http://{free}: Connection refused")), "{error}");
    assert_eq!(waits.seen().len(), 4);
    assert_eq!(client.metrics()["create"].count, 5);
}

#[tokio::test]
async fn a_retryable_failure_with_a_success_status_is_retried() {
    let worker = Worker::with_replies([failure(200, "BROWSER_CRASHED", true), extract("text")]);
    let client = Waits::default().client(&worker.url()).build().unwrap();
    client.extract(&request()).await.unwrap();
    assert_eq!(client.metrics()["extract"].errors_by_code["BROWSER_CRASHED"], 1);
}

#[tokio::test]
async fn failures_that_are_not_retryable_are_not_retried() {
    for reply in [
        failure(403, "BLOCKED_TARGET", false),
        failure(200, "NAVIGATION_FAILED", false),
        // The answer decides, not the table.
        failure(503, "OVERLOADED", false),
        failure(418, "NEWER_CODE", false),
        Reply::Answer(502, vec!["content-type: text/html".to_owned()], "<html>Bad Gateway".to_owned()),
        Reply::Answer(302, vec!["location: /elsewhere".to_owned()], String::new()),
        answer(200, &json!({"ok": true})),
    ] {
        let worker = Worker::with_replies([reply]);
        let waits = Waits::default();
        waits.client(&worker.url()).build().unwrap().extract(&request()).await.unwrap_err();
        assert_eq!((worker.seen().len(), waits.seen().len()), (1, 0));
    }
}

#[tokio::test]
async fn an_unknown_retryable_code_is_retried_and_counts_as_internal() {
    let worker = Worker::with_replies([failure(503, "NEWER_CODE", true), extract("text")]);
    let client = Waits::default().client(&worker.url()).build().unwrap();
    client.extract(&request()).await.unwrap();
    assert_eq!(client.metrics()["extract"].errors_by_code["INTERNAL"], 1);
}

#[tokio::test]
async fn a_request_is_sent_in_the_contracts_shape() {
    let worker = Worker::with_replies([sandbox("sb-1"), extract("text")]);
    let keyed = Waits::default().client(&worker.url()).key(SecretString::from("the-key")).build().unwrap();
    let made = keyed.create(&CreateRequest { ttl_seconds: Some(60) }).await.unwrap();
    assert_eq!(made.sandbox_id, "sb-1");
    let keyless = Waits::default().client(&format!("{}/", worker.url())).build().unwrap();
    keyless.extract(&request()).await.unwrap();

    let seen = worker.seen();
    assert_eq!(seen[0].line, "POST /api/sandbox/create");
    assert_eq!(seen[0].json(), json!({"ttl_seconds": 60}));
    assert_eq!(seen[0].header("authorization"), Some("Bearer the-key"));
    assert_eq!(seen[1].line, "POST /api/sandbox/browser-extract");
    assert_eq!(seen[1].header("authorization"), None);
    assert_eq!(seen[1].header("content-type"), Some("application/json"));
    let body = json!({"sandbox_id": "sb-1", "owner_token": "token-1", "url": "https://example.com"});
    assert_eq!(seen[1].json(), body);
}

#[tokio::test]
async fn requests_can_be_made_in_spawned_tasks() {
    let worker = Worker::with_replies([extract("text")]);
    let client = Waits::default().client(&worker.url()).build().unwrap();
    let asked = tokio::spawn(async move { client.extract(&request()).await });
    assert_eq!(asked.await.unwrap().unwrap().content, "text");
}
