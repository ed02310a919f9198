//! The service's listeners, called as web pages and workers call them. No test needs a browser.

#![expect(clippy::unwrap_used, reason = "a step that fails is the test that fails")]

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use http::{Method, header};
use porthole_daemon::settings::Reader;
use porthole_service::server::Server;
use porthole_service::settings::Settings;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_util::sync::{CancellationToken, DropGuard};

const SOON: Duration = Duration::from_secs(20);
const SERVICE_KEY: &str = "a-service-key-that-is-long-enough!";
const ROUTES: [(Method, &str); 4] = [
    (Method::POST, "/create"),
    (Method::POST, "/browser-screenshot"),
    (Method::GET, "/healthz"),
    (Method::GET, "/openapi.json"),
];
/// Headers of a page of a foreign origin, and of a page whose host name was rebound to our address (DNS rebinding).
const FOREIGN: (&str, &str) = ("origin", "https://evil.example");
const REBOUND: (&str, &str) = ("host", "evil.example:8788");

struct Service {
    main: SocketAddr,
    admin: SocketAddr,
    client: reqwest::Client,
    _running: DropGuard,
}

impl Service {
    async fn start(environment: &[(&str, &str)]) -> Self {
        let always = [
            ("PORTHOLE_SERVICE_ADDR", "127.0.0.1:0"),
            ("PORTHOLE_SERVICE_ADMIN_ADDR", "127.0.0.1:0"),
            ("PORTHOLE_PROVIDER", "cdp"),
            ("PORTHOLE_CDP_URL", "ws://127.0.0.1:1/"),
            ("PORTHOLE_OWNER_KEYS", "k:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
        ];
        let settings = Settings::read(&Reader::new(always.iter().chain(environment).copied().collect())).unwrap();
        let server = Server::bind(settings).await.unwrap();
        let running = CancellationToken::new();
        let (main, admin) = (server.addr(), server.admin_addr());
        tokio::spawn(server.run(running.clone()));
        let client = reqwest::Client::builder().no_proxy().timeout(SOON).build().unwrap();
        Self { main, admin, client, _running: running.drop_guard() }
    }

    async fn ask(&self, addr: SocketAddr, method: Method, path: &str, header: (&str, &str)) -> (u16, Value) {
        let request = self.client.request(method, format!("http://{addr}{path}")).header(header.0, header.1);
        let answer = request.header(header::CONTENT_TYPE, "application/json").body("{}").send().await.unwrap();
        let status = answer.status().as_u16();
        let text = answer.text().await.unwrap();
        (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }
}

fn not_allowed(answer: &(u16, Value)) -> bool {
    answer.0 == 403 && answer.1["error"] == "ORIGIN_NOT_ALLOWED"
}

#[tokio::test]
async fn foreign_web_pages_are_refused_on_both_listeners() {
    let service = Service::start(&[]).await;
    for page in [FOREIGN, REBOUND, ("origin", "null")] {
        for (method, path) in ROUTES {
            let answer = service.ask(service.main, method, path, page).await;
            assert!(not_allowed(&answer), "{path} {page:?} {answer:?}");
        }
        for path in ["/metrics", "/api/metrics", "/healthz", "/readyz"] {
            let answer = service.ask(service.admin, Method::GET, path, page).await;
            assert!(not_allowed(&answer), "{path} {page:?} {answer:?}");
        }
    }
    for own in [("host", "localhost:8788"), ("origin", "http://localhost:3000"), ("x-nothing", "")] {
        for addr in [service.main, service.admin] {
            assert_eq!(service.ask(addr, Method::GET, "/healthz", own).await.0, 200, "{own:?}");
        }
        let answer = service.ask(service.main, Method::POST, "/create", own).await;
        assert!(answer.0 != 403, "{own:?} {answer:?}");
    }
}

#[tokio::test]
async fn with_a_key_the_worker_may_call_by_any_name() {
    let service = Service::start(&[("PORTHOLE_SERVICE_KEY", SERVICE_KEY)]).await;
    let ready = async |host: &str| {
        let request = service.client.get(format!("http://{}/healthz", service.main)).header("host", host);
        request.bearer_auth(SERVICE_KEY).send().await.unwrap().status().as_u16()
    };
    assert_eq!(ready("porthole-service.porthole.svc:8788").await, 200);
    let rebound = service.ask(service.main, Method::GET, "/healthz", REBOUND).await;
    assert_eq!((rebound.0, &rebound.1["error"]), (401, &"UNAUTHORIZED".into()), "the missing key is reported");
    assert!(not_allowed(&service.ask(service.main, Method::GET, "/openapi.json", FOREIGN).await));
    assert!(
        not_allowed(&service.ask(service.admin, Method::GET, "/metrics", REBOUND).await),
        "the admin listener has no key"
    );
}

#[tokio::test]
async fn the_workers_address_may_hold_many_connections() {
    const CONNECTIONS: usize = 400;
    let service = Service::start(&[]).await;
    let mut connections = Vec::new();
    for _ in 0..CONNECTIONS {
        let mut stream = TcpStream::connect(service.main).await.unwrap();
        stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
        let mut answer = Vec::new();
        let reading = async {
            while !answer.ends_with(br#"{"ok":true}"#) {
                assert_ne!(stream.read_buf(&mut answer).await.unwrap(), 0, "closed");
            }
        };
        tokio::time::timeout(SOON, reading).await.expect("an answer in time");
        connections.push(stream);
    }
    let open = |stream: &&TcpStream| matches!(stream.try_read(&mut [0]), Err(error) if error.kind() == io::ErrorKind::WouldBlock);
    assert_eq!(connections.iter().filter(open).count(), CONNECTIONS);
}
