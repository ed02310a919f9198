//! Caller checks: client keys, rate limits, origins.

use http::Method;
use porthole_worker::server::Limits;

use crate::harness::{Answer, CREATE, Running, SCREENSHOT, Service, failure, fetch};

const KEY: &str = "a-client-key-that-is-long-enough-0";
const OTHER_KEY: &str = "a-client-key-that-is-long-enough-1";
const KEYS: &str = "a-client-key-that-is-long-enough-0,a-client-key-that-is-long-enough-1";

async fn worker(service: &Service, environment: &[(&str, &str)]) -> Running {
    Running::with(service.addr, environment, Limits::default()).await
}

async fn with_key(worker: &Running, key: &str) -> Answer {
    fetch(worker.post(CREATE, "{}").bearer_auth(key)).await
}

#[tokio::test]
async fn only_known_keys_are_admitted_and_none_is_forwarded() {
    let service = Service::answering("{}").await;
    let worker = worker(&service, &[("PORTHOLE_CLIENT_KEYS", KEYS)]).await;
    for key in [KEY, OTHER_KEY] {
        assert_eq!(with_key(&worker, key).await.status, 200);
        assert_eq!(service.last().header("authorization"), None);
    }
    for wrong in ["", "a-client-key-that-is-long-enough-2", &KEY[..33], KEYS] {
        let answer = with_key(&worker, wrong).await;
        assert_eq!(answer.failure(), failure(401, "UNAUTHORIZED"), "{wrong}");
        assert!(answer.header("www-authenticate").unwrap().starts_with("Bearer"));
    }
    assert_eq!(fetch(worker.post(CREATE, "{}")).await.failure(), failure(401, "UNAUTHORIZED"));
    assert_eq!(service.seen().len(), 2);
    assert_eq!(fetch(worker.request(Method::GET, "/openapi.json")).await.status, 200, "the document needs no key");
}

#[tokio::test]
async fn only_the_worker_names_the_caller_to_the_service() {
    let service = Service::answering("{}").await;
    let worker = worker(&service, &[("PORTHOLE_CLIENT_KEYS", KEYS)]).await;
    let named = async |key: &str, forged: Option<&str>| {
        let mut request = worker.post(CREATE, "{}").bearer_auth(key);
        if let Some(forged) = forged {
            request = request.header("x-porthole-client", forged);
        }
        assert_eq!(fetch(request).await.status, 200);
        service.last().header("x-porthole-client").expect("the worker names the caller").to_owned()
    };
    let name = named(KEY, None).await;
    assert_eq!(name, named(KEY, Some("forged")).await);
    assert_ne!(name, named(OTHER_KEY, Some(&name)).await);
    assert!(name.len() == 32 && !KEY.contains(&name), "{name}");
}

#[tokio::test]
async fn the_service_gets_the_workers_own_key() {
    let service = Service::answering("{}").await;
    let service_key = "a-service-key-that-is-long-enough!";
    let worker = worker(&service, &[("PORTHOLE_SERVICE_KEY", service_key), ("PORTHOLE_CLIENT_KEYS", KEYS)]).await;
    with_key(&worker, KEY).await;
    assert_eq!(service.last().header("authorization"), Some(format!("Bearer {service_key}").as_str()));
}

#[tokio::test]
async fn a_rate_limited_request_gets_retry_after() {
    let service = Service::answering("{}").await;
    let worker = worker(&service, &[("PORTHOLE_CLIENT_KEYS", KEYS), ("PORTHOLE_RATE_LIMIT", "2")]).await;
    for _ in 0..2 {
        assert_eq!(with_key(&worker, KEY).await.status, 200);
    }
    let answer = with_key(&worker, KEY).await;
    assert_eq!(answer.failure(), failure(429, "RATE_LIMITED"));
    let (seconds, json) = (answer.header("retry-after").unwrap().parse::<u64>().unwrap(), answer.json());
    assert!((25..=30).contains(&seconds), "{seconds}");
    assert_eq!(json["retryable"], true);
    assert_eq!(json["retry_after_ms"].as_u64().unwrap().div_ceil(1000), seconds);
    assert_eq!(with_key(&worker, OTHER_KEY).await.status, 200);
}

#[tokio::test]
async fn without_keys_the_rate_is_limited_by_address() {
    let service = Service::answering("{}").await;
    let worker = worker(&service, &[("PORTHOLE_RATE_LIMIT", "1")]).await;
    assert_eq!(with_key(&worker, KEY).await.status, 200);
    assert_eq!(with_key(&worker, OTHER_KEY).await.failure(), failure(429, "RATE_LIMITED"));
}

#[tokio::test]
async fn foreign_pages_are_refused_whatever_the_host_header_says() {
    let service = Service::answering("{}").await;
    let worker = worker(&service, &[]).await;
    for origin in ["https://evil.example", "null", "http://localhost.evil.example"] {
        let request = worker.post(CREATE, "{}").header("origin", origin).header("host", "evil.example");
        let answer = fetch(request).await;
        assert_eq!(answer.failure(), failure(403, "ORIGIN_NOT_ALLOWED"), "{origin}");
        assert_eq!(answer.header("access-control-allow-origin"), None);
        assert_eq!(answer.header("vary"), Some("Origin"));
    }
    assert!(service.seen().is_empty());
    assert_eq!(fetch(worker.post(CREATE, "{}").header("host", "evil.example")).await.status, 200);
}

#[tokio::test]
async fn allowed_pages_may_read_every_answer() {
    let service = Service::start(axum::Router::new().fallback(|| async {
        ([("content-type", "image/png"), ("x-porthole-width", "390"), ("x-porthole-title", "T")], "picture")
    }))
    .await;
    let worker = worker(&service, &[]).await;
    let origin = "http://localhost:3000";
    let answer = fetch(worker.post(SCREENSHOT, "{}").header("origin", origin)).await;
    assert_eq!((answer.status, answer.header("access-control-allow-origin")), (200, Some(origin)));
    let exposed = answer.header("access-control-expose-headers").unwrap();
    for name in ["x-request-id", "retry-after", "x-porthole-width", "x-porthole-title"] {
        assert!(exposed.contains(name), "{exposed}");
    }
    let failed = fetch(worker.request(Method::GET, "/nowhere").header("origin", origin)).await;
    assert_eq!(failed.failure(), failure(404, "NOT_FOUND"));
    assert_eq!(failed.header("access-control-allow-origin"), Some(origin));
}

#[tokio::test]
async fn preflights_are_answered_without_a_key() {
    let service = Service::answering("{}").await;
    let environment = [("PORTHOLE_CLIENT_KEYS", KEYS), ("PORTHOLE_ALLOWED_ORIGINS", "https://chat.example.com")];
    let worker = worker(&service, &environment).await;
    let preflight = |origin: &str| {
        fetch(
            worker
                .request(Method::OPTIONS, SCREENSHOT)
                .header("origin", origin)
                .header("access-control-request-method", "POST")
                .header("access-control-request-headers", "authorization, content-type"),
        )
    };
    let answer = preflight("https://chat.example.com").await;
    assert_eq!((answer.status, answer.body.as_str()), (204, ""));
    assert_eq!(answer.header("access-control-allow-origin"), Some("https://chat.example.com"));
    assert!(answer.header("access-control-allow-methods").unwrap().contains("POST"));
    let allowed = answer.header("access-control-allow-headers").unwrap();
    assert!(allowed.contains("authorization") && allowed.contains("content-type"), "{allowed}");
    assert!(answer.header("access-control-max-age").is_some() && answer.header("x-request-id").is_some());
    assert!(answer.header("vary").unwrap().contains("Origin"));
    assert_eq!(preflight("http://localhost:3000").await.failure(), failure(403, "ORIGIN_NOT_ALLOWED"));
    assert!(service.seen().is_empty());
}
