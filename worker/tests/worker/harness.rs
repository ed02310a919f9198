//! A scripted service, a worker in front of it, and callers.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use http::{HeaderMap, Method};
use porthole_daemon::listen::{self, Listener};
use porthole_daemon::settings::Reader;
use porthole_worker::Resolver;
use porthole_worker::server::{Limits, Worker};
use porthole_worker::settings::Settings;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_util::sync::{CancellationToken, DropGuard};

/// Time limit for steps that should complete at once.
pub(crate) const SOON: Duration = Duration::from_secs(10);

pub(crate) const SCREENSHOT: &str = "/api/sandbox/browser-screenshot";
pub(crate) const EXTRACT: &str = "/api/sandbox/browser-extract";
pub(crate) const CREATE: &str = "/api/sandbox/create";

/// A request as the service received it.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Seen {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

/// A scripted service that records its requests.
pub(crate) struct Service {
    pub(crate) addr: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
    _running: DropGuard,
}

impl Service {
    pub(crate) async fn start(router: Router) -> Self {
        Self::at("127.0.0.1:0".parse().unwrap(), router).await
    }

    /// Starts a service at this address.
    pub(crate) async fn at(addr: SocketAddr, router: Router) -> Self {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let router = router.layer(from_fn_with_state(Arc::clone(&seen), record));
        let listener = Listener::bind("main", addr).await.unwrap();
        let addr = listener.addr();
        let running = CancellationToken::new();
        let limits = listen::Limits { drain: Duration::ZERO, ..listen::Limits::default() };
        tokio::spawn(listener.serve(router, limits, running.clone()));
        Self { addr, seen, _running: running.drop_guard() }
    }

    /// Starts a service that answers every request with this JSON.
    pub(crate) async fn answering(json: &'static str) -> Self {
        Self::start(Router::new().fallback(move || async move { ([("content-type", "application/json")], json) })).await
    }

    /// Starts a replica with this id at this address. It answers every call with its id as `by`.
    pub(crate) async fn replica(addr: SocketAddr, id: &'static str) -> Self {
        let ready = move || async move { ([("x-porthole-replica", id)], "{}") };
        let answer = move || async move { axum::Json(serde_json::json!({"ok": true, "by": id})) };
        Self::at(addr, Router::new().route("/readyz", axum::routing::get(ready)).fallback(answer)).await
    }

    /// Returns the calls that it received, without questions after its readiness.
    pub(crate) fn calls(&self) -> Vec<Seen> {
        self.seen().into_iter().filter(|seen| seen.path != "/readyz").collect()
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    pub(crate) fn last(&self) -> Seen {
        self.seen().pop().expect("the service received no request")
    }
}

async fn record(State(seen): State<Arc<Mutex<Vec<Seen>>>>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
    let (path, headers) = (parts.uri.path().to_owned(), parts.headers.clone());
    seen.lock().unwrap().push(Seen { path, headers, body: body.clone() });
    next.run(Request::from_parts(parts, body.into())).await
}

/// A worker and the addresses it listens on.
pub(crate) struct Running {
    pub(crate) main: SocketAddr,
    pub(crate) admin: SocketAddr,
    pub(crate) shutdown: CancellationToken,
    pub(crate) ended: tokio::task::JoinHandle<()>,
    client: reqwest::Client,
}

impl Running {
    /// Starts a worker before these replicas, each named by its URL.
    pub(crate) async fn before_all(services: &[&Service]) -> Self {
        let urls: Vec<String> = services.iter().map(|service| format!("http://{}", service.addr)).collect();
        let environment = [("PORTHOLE_SERVICE_URL", urls.join(","))];
        let environment = environment.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let settings = Settings::read(&Reader::new(environment)).unwrap();
        Self::run(Worker::new(settings).unwrap()).await
    }

    pub(crate) async fn before(service: &Service) -> Self {
        Self::with(service.addr, &[], Limits::default()).await
    }

    pub(crate) async fn with(service: SocketAddr, environment: &[(&str, &str)], limits: Limits) -> Self {
        let url = format!("http://{service}");
        let environment = [("PORTHOLE_SERVICE_URL", url.as_str())].iter().chain(environment).copied().collect();
        let settings = Settings::read(&Reader::new(environment)).unwrap();
        Self::run(Worker::with_limits(settings, limits).unwrap()).await
    }

    /// Starts a worker before the replicas that `resolver` finds.
    pub(crate) async fn before_peers(resolver: Resolver) -> Self {
        let environment = [("PORTHOLE_SERVICE_PEERS", "service.test:8788")].into_iter().collect();
        let settings = Settings::read(&Reader::new(environment)).unwrap();
        Self::run(Worker::with_resolver(settings, Limits::default(), resolver).unwrap()).await
    }

    async fn run(worker: Worker) -> Self {
        let (main, admin) = (bound().await, bound().await);
        let shutdown = CancellationToken::new();
        Self {
            main: main.addr(),
            admin: admin.addr(),
            shutdown: shutdown.clone(),
            ended: tokio::spawn(worker.run(main, admin, shutdown)),
            client: reqwest::Client::builder().no_proxy().timeout(SOON).build().unwrap(),
        }
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.client.request(method, format!("http://{}{path}", self.main))
    }

    pub(crate) fn post(&self, path: &str, body: impl Into<reqwest::Body>) -> reqwest::RequestBuilder {
        self.request(Method::POST, path).header("content-type", "application/json").body(body)
    }

    pub(crate) async fn admin(&self, path: &str) -> Answer {
        fetch(self.admin_request(path)).await
    }

    pub(crate) fn admin_request(&self, path: &str) -> reqwest::RequestBuilder {
        self.client.get(format!("http://{}{path}", self.admin))
    }

    /// Sends these bytes, and reads until the connection ends.
    pub(crate) async fn raw(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(self.main).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        // After a reset, the bytes read before it are still returned.
        let _ = tokio::time::timeout(SOON, stream.read_to_end(&mut answer)).await.expect("the connection stays open");
        String::from_utf8(answer).unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.shutdown.cancel();
        self.ended.abort();
    }
}

pub(crate) async fn bound() -> Listener {
    Listener::bind("main", "127.0.0.1:0".parse().unwrap()).await.unwrap()
}

/// An answer with its whole body.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// Returns the status and the code of a failure.
    pub(crate) fn failure(&self) -> (u16, String) {
        let json = self.json();
        assert_eq!(json["ok"], false, "{json}");
        assert_eq!(json["request_id"], self.header("x-request-id").unwrap(), "{json}");
        (self.status, json["error"].as_str().unwrap().to_owned())
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

pub(crate) async fn fetch(request: reqwest::RequestBuilder) -> Answer {
    let answer = request.send().await.unwrap();
    let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
    Answer { status, headers, body: answer.text().await.unwrap() }
}

/// A failure, in the form of `Answer::failure`.
pub(crate) fn failure(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

/// Waits until `holds` returns true; panics after [`SOON`].
pub(crate) async fn eventually(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let waiting = async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(SOON, waiting).await.unwrap_or_else(|_late| panic!("timed out waiting for: {what}"));
}
