//! Who may call: client keys, rates, origins.

use http::Method;
use porthole_worker::server::Limits;

use crate::harness::{CREATE, Running, SCREENSHOT, Service, Told, failure, told};

const KEY: &str = "a-client-key-that-is-long-enough-0";
const OTHER_KEY: &str = "a-client-key-that-is-long-enough-1";
const KEYS: &str = "a-client-key-that-is-long-enough-0,a-client-key-that-is-long-enough-1";

async fn worker(service: &Service, environment: &[(&str, &str)]) -> Running {
    Running::with(service.addr, environment, Limits::default()).await
}

async fn with_key(worker: &Running, key: &str) -> Told {
    told(worker.post(CREATE, "{}").bearer_auth(key)).await
}

#[tokio::test]
async fn only_known_keys_are_let_in_and_none_is_passed_on() {
    let service = Service::saying("{}").await;
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
    assert_eq!(told(worker.post(CREATE, "{}")).await.failure(), failure(401, "UNAUTHORIZED"));
    assert_eq!(service.seen().len(), 2);
    assert_eq!(told(worker.request(Method::GET, "/openapi.json")).await.status, 200, "the document needs no key");
}

#[tokio::test]
async fn the_service_hears_whose_request_it_is_from_the_worker_alone() {
    let service = Service::saying("{}").await;
    let worker = worker(&service, &[("PORTHOLE_CLIENT_KEYS", KEYS)]).await;
    let named = async |key: &str, own_word: Option<&str>| {
        let mut request = worker.post(CREATE, "{}").bearer_auth(key);
        if let Some(own_word) = own_word {
            request = request.header("x-porthole-client", own_word);
        }
        assert_eq!(told(request).await.status, 200);
        service.last().header("x-porthole-client").expect("the service is told").to_owned()
    };
    let name = named(KEY, None).await;
    assert_eq!(name, named(KEY, Some("somebody")).await);
    assert_ne!(name, named(OTHER_KEY, Some(&name)).await);
    assert!(name.len() == 32 && !KEY.contains(&name), "{name}");
}

#[tokio::test]
async fn the_service_gets_the_workers_own_key() {
    let service = Service::saying("{}").await;
    let service_key = "a-service-key-that-is-long-enough!";
    let worker = worker(&service, &[("PORTHOLE_SERVICE_KEY", service_key), ("PORTHOLE_CLIENT_KEYS", KEYS)]).await;
    with_key(&worker, KEY).await;
    assert_eq!(service.last().header("authorization"), Some(format!("Bearer {service_key}").as_str()));
}

#[tokio::test]
async fn too_many_requests_are_told_when_to_come_back() {
    let service = Service::saying("{}").await;
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
async fn without_keys_the_address_is_what_is_limited() {
    let service = Service::saying("{}").await;
    let worker = worker(&service, &[("PORTHOLE_RATE_LIMIT", "1")]).await;
    assert_eq!(with_key(&worker, KEY).await.status, 200);
    assert_eq!(with_key(&worker, OTHER_KEY).await.failure(), failure(429, "RATE_LIMITED"));
}

#[tokio::test]
async fn foreign_pages_are_refused_whatever_the_host_header_says() {
    let service = Service::saying("{}").await;
    let worker = worker(&service, &[]).await;
    for origin in ["https://evil.example", "null", "http://localhost.evil.example"] {
        let request = worker.post(CREATE, "{}").header("origin", origin).header("host", "evil.example");
        let answer = told(request).await;
        assert_eq!(answer.failure(), failure(403, "ORIGIN_NOT_ALLOWED"), "{origin}");
        assert_eq!(answer.header("access-control-allow-origin"), None);
        assert_eq!(answer.header("vary"), Some("Origin"));
    }
    assert!(service.seen().is_empty());
    assert_eq!(told(worker.post(CREATE, "{}").header("host", "evil.example")).await.status, 200);
}

#[tokio::test]
async fn allowed_pages_may_read_every_answer() {
    let service = Service::start(axum::Router::new().fallback(|| async {
        ([("content-type", "image/png"), ("x-porthole-width", "390"), ("x-porthole-title", "T")], "picture")
    }))
    .await;
    let worker = worker(&service, &[]).await;
    let origin = "http://localhost:3000";
    let answer = told(worker.post(SCREENSHOT, "{}").header("origin", origin)).await;
    assert_eq!((answer.status, answer.header("access-control-allow-origin")), (200, Some(origin)));
    let exposed = answer.header("access-control-expose-headers").unwrap();
    for name in ["x-request-id", "retry-after", "x-porthole-width", "x-porthole-title"] {
        assert!(exposed.contains(name), "{exposed}");
    }
    let failed = told(worker.request(Method::GET, "/nowhere").header("origin", origin)).await;
    assert_eq!(failed.failure(), failure(404, "NOT_FOUND"));
    assert_eq!(failed.header("access-control-allow-origin"), Some(origin));
}

#[tokio::test]
async fn preflights_are_answered_without_a_key() {
    let service = Service::saying("{}").await;
    let environment = [("PORTHOLE_CLIENT_KEYS", KEYS), ("PORTHOLE_ALLOWED_ORIGINS", "https://chat.example.com")];
    let worker = worker(&service, &environment).await;
    let preflight = |origin: &str| {
        told(
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
