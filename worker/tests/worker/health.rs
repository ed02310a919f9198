//! The admin listener, and the worker's drain.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::routing::{get, post};
use http::StatusCode;
use porthole_worker::server::Limits;
use tokio::sync::Notify;

use crate::harness::{CREATE, Running, SCREENSHOT, SOON, Service, bound, eventually, failure, fetch};

#[tokio::test]
async fn readiness_follows_the_service() {
    let ready = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&ready);
    let service_key = "a-service-key-that-is-long-enough!";
    let service = Service::start(Router::new().route(
        "/readyz",
        get(move || async move {
            let body = r#"{"ok":false,"error":"SHUTTING_DOWN","message":"m","details":"draining","retryable":true}"#;
            let status = if asked.load(Ordering::SeqCst) { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
            (status, [("content-type", "application/json")], body)
        }),
    ))
    .await;
    let worker = Running::with(service.addr, &[("PORTHOLE_SERVICE_KEY", service_key)], Limits::default()).await;
    let answer = worker.admin("/readyz").await;
    assert_eq!((answer.status, &answer.json()["details"]), (503, &"draining".into()));
    assert_eq!(answer.json()["error"], "SHUTTING_DOWN");
    assert_eq!(service.last().header("authorization"), Some(format!("Bearer {service_key}").as_str()));
    assert_eq!(worker.admin("/healthz").await.status, 200);
    ready.store(true, Ordering::SeqCst);
    eventually("the worker is ready", async || worker.admin("/readyz").await.status == 200).await;
}

#[tokio::test]
async fn many_probes_ask_the_service_once() {
    let service = Service::answering("{}").await;
    let worker = Running::before(&service).await;
    let probes = (0..20).map(|_| worker.admin("/readyz"));
    for answer in futures_util::future::join_all(probes).await {
        assert_eq!(answer.status, 200);
    }
    assert!(service.seen().len() < 5, "{} requests", service.seen().len());
}

#[tokio::test]
async fn without_a_service_the_worker_is_healthy_but_not_ready() {
    let unused = bound().await.addr();
    let worker = Running::with(unused, &[], Limits::default()).await;
    let answer = worker.admin("/readyz").await;
    assert_eq!((answer.status, &answer.json()["error"]), (503, &"SERVICE_UNAVAILABLE".into()));
    assert_eq!(worker.admin("/healthz").await.status, 200);
}

#[tokio::test]
async fn requests_are_counted_on_the_admin_listener_only() {
    let service = Service::answering(r#"{"ok":true}"#).await;
    let worker = Running::before(&service).await;
    fetch(worker.post(SCREENSHOT, "{}")).await;
    fetch(worker.post(SCREENSHOT, "nonsense")).await;
    let text = worker.admin("/metrics").await.body;
    for line in [
        r#"porthole_requests_total{operation="screenshot",code="OK"} 1"#,
        r#"porthole_requests_total{operation="screenshot",code="INVALID_REQUEST"} 1"#,
    ] {
        assert!(text.lines().any(|given| given == line), "{line} is missing in\n{text}");
    }
    let metrics = worker.admin("/api/metrics").await.json();
    assert_eq!(
        (&metrics["operations"]["screenshot"]["count"], &metrics["operations"]["create"]["count"]),
        (&2.into(), &0.into())
    );
    assert!(metrics["bytes_out"].as_u64().unwrap() > 11, "{metrics}");
    assert_eq!(fetch(worker.request(http::Method::GET, "/metrics")).await.status, 404);
}

#[tokio::test]
async fn a_draining_worker_finishes_requests_and_is_not_ready() {
    let (begun, release) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (tell, wait) = (Arc::clone(&begun), Arc::clone(&release));
    let service = Service::start(Router::new().route(
        "/create",
        post(move || async move {
            tell.notify_one();
            wait.notified().await;
            ([("content-type", "application/json")], r#"{"ok":true}"#)
        }),
    ))
    .await;
    let mut worker = Running::before(&service).await;
    let busy = tokio::spawn(fetch(worker.post(CREATE, "{}")));
    begun.notified().await;
    worker.shutdown.cancel();
    eventually("the worker reports SHUTTING_DOWN", async || {
        worker.admin("/readyz").await.json()["error"] == "SHUTTING_DOWN"
    })
    .await;
    release.notify_one();
    assert_eq!(busy.await.unwrap().status, 200);
    tokio::time::timeout(SOON, &mut worker.ended).await.expect("the worker does not end").unwrap();
}

#[tokio::test]
async fn the_admin_listener_refuses_foreign_web_pages() {
    let service = Service::answering("{}").await;
    let worker = Running::before(&service).await;
    for (header, value) in [("origin", "https://evil.example"), ("host", "evil.example")] {
        let answer = fetch(worker.admin_request("/metrics").header(header, value)).await;
        assert_eq!(answer.failure(), failure(403, "ORIGIN_NOT_ALLOWED"), "{header}");
    }
    assert_eq!(worker.admin("/metrics").await.status, 200);
}
