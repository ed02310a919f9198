//! The limits on concurrent sessions and on creations a minute, with their headers and messages.

use http::HeaderMap;
use porthole_tests::Emulator;
use porthole_tests::emulator::EmulatorOptions;
use serde_json::{Value, json};

use super::client::{PATIENCE, release};

async fn create(emulator: &Emulator) -> (u16, HeaderMap, Value) {
    let request =
        emulator.http.post(format!("{}/v1/sessions", emulator.url())).header("x-bb-api-key", emulator.api_key());
    let response = request.json(&json!({"projectId": emulator.project_id()})).send().await.unwrap();
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    (status, headers, response.json().await.unwrap())
}

fn number(headers: &HeaderMap, name: &str) -> Option<u64> {
    headers.get(name)?.to_str().ok()?.parse().ok()
}

#[tokio::test]
async fn one_session_too_many_at_once_is_refused_until_another_ends() {
    let emulator = Emulator::start(EmulatorOptions::new().setting("PORTHOLE_EMULATOR_CONCURRENCY", "2")).await;
    let ((_, _, one), (_, _, other)) = tokio::join!(create(&emulator), create(&emulator));
    let (status, headers, refusal) = create(&emulator).await;
    assert_eq!((status, &refusal["statusCode"], &refusal["error"]), (429, &json!(429), &json!("Too Many Requests")));
    let message = refusal["message"].as_str().unwrap();
    assert!(
        message.starts_with("You've exceeded your max concurrent sessions limit (limit 2, currently 2)"),
        "{message}"
    );
    assert_eq!((number(&headers, "x-ratelimit-limit"), number(&headers, "x-ratelimit-remaining")), (Some(2), Some(0)));
    assert!(number(&headers, "retry-after").is_some_and(|seconds| seconds > 0));
    assert_eq!(number(&headers, "retry-after"), number(&headers, "x-ratelimit-reset"));
    release(&emulator, &one).await;
    let (status, _, third) = create(&emulator).await;
    assert_eq!(status, 201, "{third}");
    for session in [&other, &third] {
        release(&emulator, session).await;
    }
    let ledger = emulator.expect_all_given_back(PATIENCE).await;
    assert_eq!(json!([ledger["totals"]["created"], ledger["requests"]["create"]]), json!([3, 4]));
}

#[tokio::test]
async fn one_creation_too_many_within_a_minute_is_refused() {
    let emulator = Emulator::start(EmulatorOptions::new().setting("PORTHOLE_EMULATOR_PER_MINUTE", "2")).await;
    for remaining in [1, 0] {
        let (status, headers, session) = create(&emulator).await;
        assert_eq!(status, 201);
        let told = (number(&headers, "x-ratelimit-limit"), number(&headers, "x-ratelimit-remaining"));
        assert_eq!(told, (Some(2), Some(remaining)));
        assert!(number(&headers, "retry-after").is_none());
        release(&emulator, &session).await;
    }
    let (status, headers, refusal) = create(&emulator).await;
    assert_eq!(status, 429, "{refusal}");
    assert!(refusal["message"].as_str().unwrap().contains("session creation limit (limit 2 per minute)"));
    assert!(number(&headers, "retry-after").is_some_and(|seconds| (1..=60).contains(&seconds)));
    assert_eq!(number(&headers, "x-ratelimit-remaining"), Some(0));
    emulator.expect_all_given_back(PATIENCE).await;
}
