//! Several replicas: calls go to the one that a handle names, and are spread without a handle.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use porthole_contract::routes::session;
use porthole_worker::Resolver;
use serde_json::json;

use crate::harness::{Answer, EXTRACT, Running, Service, bound, eventually, failure, fetch};

const IDS: [&str; 3] = ["AAAAAAA1", "BBBBBBB2", "CCCCCCC3"];

/// A handle of that replica, as the worker sees one.
fn handle(id: &str) -> String {
    format!("ses_{id}{}", "x".repeat(51))
}

async fn call(worker: &Running, session: Option<&str>) -> Answer {
    let path = format!("/api/sandbox{}", session::CLICK);
    fetch(worker.post(&path, json!({"session": session}).to_string())).await
}

async fn by(worker: &Running, session: Option<&str>) -> String {
    call(worker, session).await.json()["by"].as_str().unwrap_or_default().to_owned()
}

async fn three() -> Vec<Service> {
    let mut services = Vec::new();
    for id in IDS {
        services.push(Service::replica("127.0.0.1:0".parse().unwrap(), id).await);
    }
    services
}

async fn before(services: &[Service]) -> Running {
    Running::before_all(&services.iter().collect::<Vec<_>>()).await
}

/// A resolver whose answers a test sets, with how often it was asked.
#[derive(Clone, Default)]
struct Names(Arc<Mutex<(Vec<SocketAddr>, usize)>>);

impl Names {
    fn set(&self, addresses: &[SocketAddr]) {
        self.0.lock().unwrap().0 = addresses.to_vec();
    }

    fn asked(&self) -> usize {
        self.0.lock().unwrap().1
    }

    fn resolver(&self) -> Resolver {
        let names = self.clone();
        Arc::new(move |peers| {
            assert_eq!((peers.name.as_str(), peers.port), ("service.test", 8788));
            let mut state = names.0.lock().unwrap();
            state.1 += 1;
            let addresses = state.0.clone();
            Box::pin(async move {
                if addresses.is_empty() { Err(std::io::Error::other("no such name")) } else { Ok(addresses) }
            })
        })
    }
}

#[tokio::test]
async fn a_call_goes_to_the_replica_that_its_handle_names() {
    let services = three().await;
    let worker = before(&services).await;
    for _ in 0..3 {
        for id in IDS {
            assert_eq!(by(&worker, Some(&handle(id))).await, id);
        }
    }
}

#[tokio::test]
async fn calls_without_a_session_are_spread_over_all() {
    let services = three().await;
    let worker = before(&services).await;
    let mut served: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..9 {
        *served.entry(by(&worker, None).await).or_default() += 1;
        let answer = fetch(worker.post(EXTRACT, "{}")).await;
        *served.entry(answer.json()["by"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    assert_eq!(served, IDS.map(|id| (id.to_owned(), 6)).into());
}

#[tokio::test]
async fn a_handle_of_no_known_replica_goes_to_any_and_a_questions_round_is_at_most_one_a_second() {
    let services = three().await;
    let worker = before(&services).await;
    let questions = || services[0].seen().len() - services[0].calls().len();
    let before = questions();
    let begun = tokio::time::Instant::now();
    let unknown: Vec<String> = (0..20).map(|n| handle(&format!("ZZZZZZ{n:02}"))).collect();
    let calls = unknown.iter().map(|handle| by(&worker, Some(handle)));
    for id in futures_util::future::join_all(calls).await {
        assert!(IDS.contains(&id.as_str()), "{id}");
    }
    let rounds = questions() - before;
    assert!(rounds as u64 <= begun.elapsed().as_secs() + 2, "{rounds} rounds in {:?}", begun.elapsed());
}

#[tokio::test]
async fn a_replica_that_is_gone_lost_its_sessions_and_the_others_live() {
    let mut services = three().await;
    let worker = before(&services).await;
    assert_eq!(by(&worker, Some(&handle(IDS[1]))).await, IDS[1]);
    services.remove(1);
    eventually("the session is lost", async || call(&worker, Some(&handle(IDS[1]))).await.status == 410).await;
    assert_eq!(call(&worker, Some(&handle(IDS[1]))).await.failure(), failure(410, "SESSION_LOST"));
    for id in [IDS[0], IDS[2]] {
        assert_eq!(by(&worker, Some(&handle(id))).await, id);
    }
    for _ in 0..6 {
        assert_eq!(call(&worker, None).await.status, 200, "one that can't be connected to is skipped");
    }
}

#[tokio::test]
async fn a_replica_that_starts_later_is_found_by_its_first_handle() {
    let late = bound().await.addr();
    let first = Service::replica("127.0.0.1:0".parse().unwrap(), IDS[0]).await;
    let urls = format!("http://{},http://{late}", first.addr);
    let worker = Running::with(first.addr, &[("PORTHOLE_SERVICE_URL", &urls)], Default::default()).await;
    assert_eq!(by(&worker, None).await, IDS[0]);
    let second = Service::replica(late, IDS[1]).await;
    assert_eq!(by(&worker, Some(&handle(IDS[1]))).await, IDS[1]);
    // The same address, another replica: the old one's sessions are for any replica to judge.
    drop(second);
    eventually("its address is free", async || tokio::net::TcpListener::bind(late).await.is_ok()).await;
    let third = Service::replica(late, IDS[2]).await;
    assert_eq!(by(&worker, Some(&handle(IDS[2]))).await, IDS[2]);
    assert!(IDS.contains(&by(&worker, Some(&handle(IDS[1]))).await.as_str()));
    drop(third);
}

#[tokio::test]
async fn replicas_behind_a_name_are_found_and_no_others_are_dialled() {
    let [first, second, foreign] = <[Service; 3]>::try_from(three().await).unwrap_or_else(|_| unreachable!());
    let names = Names::default();
    names.set(&[first.addr]);
    let worker = Running::before_peers(names.resolver()).await;
    assert_eq!(by(&worker, Some(&handle(IDS[0]))).await, IDS[0]);
    // A handle of a replica that came since the last look-up: the name is looked up again.
    names.set(&[first.addr, second.addr]);
    assert_eq!(by(&worker, Some(&handle(IDS[1]))).await, IDS[1]);
    assert!(IDS[..2].contains(&by(&worker, Some(&handle(IDS[2]))).await.as_str()));
    let port = foreign.addr.port();
    for text in [format!("ses_127.0.0.1:{port}"), format!("ses_@127001{port}"), format!("http://{}/", foreign.addr)] {
        assert_eq!(call(&worker, Some(&text)).await.failure(), failure(404, "SESSION_NOT_FOUND"), "{text}");
    }
    assert!(foreign.seen().is_empty(), "an address was dialled that no look-up found");
    assert_eq!(worker.admin("/readyz").await.status, 200);
}

#[tokio::test]
async fn a_name_without_addresses_is_not_ready_until_it_has_some() {
    let names = Names::default();
    let worker = Running::before_peers(names.resolver()).await;
    assert_eq!(call(&worker, None).await.failure(), failure(502, "SERVICE_UNAVAILABLE"));
    assert_eq!(worker.admin("/readyz").await.status, 503);
    let service = Service::replica("127.0.0.1:0".parse().unwrap(), IDS[0]).await;
    names.set(&[service.addr]);
    eventually("the look-up finds the replica", async || worker.admin("/readyz").await.status == 200).await;
    assert_eq!(by(&worker, None).await, IDS[0]);
    // A look-up that fails forgets nothing.
    names.set(&[]);
    let asked = names.asked();
    eventually("the name is looked up again", async || names.asked() > asked).await;
    assert_eq!(by(&worker, None).await, IDS[0]);
}

#[tokio::test]
async fn a_replica_that_drains_gets_no_further_calls() {
    let refusing = || async {
        let body = r#"{"ok":false,"error":"SHUTTING_DOWN","message":"m","details":"d","retryable":true}"#;
        (http::StatusCode::SERVICE_UNAVAILABLE, [("content-type", "application/json")], body)
    };
    let ready = axum::routing::get(|| async { ([("x-porthole-replica", IDS[1])], "{}") });
    let draining = Service::start(axum::Router::new().route("/readyz", ready).fallback(refusing)).await;
    let staying = Service::replica("127.0.0.1:0".parse().unwrap(), IDS[0]).await;
    let worker = Running::before_all(&[&draining, &staying]).await;
    let mut refused = 0;
    for _ in 0..10 {
        refused += usize::from(call(&worker, None).await.status == 503);
    }
    // Once more if it is asked in between, whether it is ready.
    assert!((1..=2).contains(&refused), "{refused} calls were refused");
    assert_eq!(draining.calls().len(), refused, "a call that was sent is not sent to another replica");
    assert_eq!(by(&worker, None).await, IDS[0]);
}

#[tokio::test]
async fn a_call_that_breaks_after_it_was_sent_is_not_sent_to_another_replica() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let breaking = listener.local_addr().unwrap();
    let calls = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&calls);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut head = vec![0; 4096];
            let read = tokio::io::AsyncReadExt::read(&mut stream, &mut head).await.unwrap_or_default();
            if head[..read].starts_with(b"GET /readyz") {
                let ready = b"HTTP/1.1 200 OK\r\nx-porthole-replica: BBBBBBB2\r\ncontent-length: 0\r\n\r\n";
                let _ = tokio::io::AsyncWriteExt::write_all(&mut stream, ready).await;
            } else if read > 0 {
                *counted.lock().unwrap() += 1;
            }
        }
    });
    let whole = Service::replica("127.0.0.1:0".parse().unwrap(), IDS[0]).await;
    let urls = format!("http://{breaking},http://{}", whole.addr);
    let worker = Running::with(breaking, &[("PORTHOLE_SERVICE_URL", &urls)], Default::default()).await;
    let mut broken = 0;
    for _ in 0..6 {
        broken += usize::from(call(&worker, None).await.status == 502);
    }
    assert_eq!((broken, *calls.lock().unwrap(), whole.calls().len()), (3, 3, 3));
}

#[tokio::test]
async fn the_worker_is_ready_if_any_replica_is() {
    let unready = Service::answering("{}").await;
    let absent = bound().await.addr();
    let urls = format!("http://{absent},http://{}", unready.addr);
    let worker = Running::with(unready.addr, &[("PORTHOLE_SERVICE_URL", &urls)], Default::default()).await;
    assert_eq!(worker.admin("/readyz").await.status, 200);
}
