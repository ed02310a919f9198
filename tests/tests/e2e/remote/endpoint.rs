//! A DevTools endpoint as provider (`PORTHOLE_CDP_URL`): a browser that others use, too, with our pages as guests.

use std::time::{Duration, Instant};

use axum::Router;
use axum::routing::get;
use http::Method;
use porthole_tests::emulator::EmulatorOptions;
use porthole_tests::eventually::so;
use porthole_tests::site::{REBOUND, SHOP};
use porthole_tests::{Emulator, Reply, Stack, eventually};
use serde_json::{Value, json};

/// Starts a browser that outlives its pages, and returns it with the URL of its DevTools socket.
pub(crate) async fn browser() -> (Emulator, String) {
    let names = format!("{SHOP}=127.0.0.1,{REBOUND}=127.0.0.1,*=none");
    let emulator = Emulator::start(EmulatorOptions::new().setting("PORTHOLE_EMULATOR_RESOLVE", &names)).await;
    let body = json!({"projectId": emulator.project_id(), "keepAlive": true});
    let (status, session) = emulator.call(Method::POST, "/v1/sessions", Some(&body)).await;
    assert_eq!(status, 201, "{session}");
    (emulator, session["connectUrl"].as_str().unwrap().to_owned())
}

/// Starts a stack whose pages are guests in such a browser.
pub(crate) async fn stack(settings: &[(&str, &str)]) -> (Stack, Emulator) {
    let (emulator, url) = browser().await;
    let mut stack = Stack::with().setting("PORTHOLE_PROVIDER", "cdp").setting("PORTHOLE_CDP_URL", &url);
    for (name, value) in settings {
        stack = stack.setting(name, value);
    }
    (Box::pin(stack.start()).await, emulator)
}

#[tokio::test]
async fn a_guest_is_isolated_and_leaves_nothing() {
    let (stack, _browser) = stack(&[]).await;
    // Each guest stores its name and shows all names that it finds. Visits are not counted: on a busy machine a page
    // that arrives before its renderer reports it is navigated again.
    let page = |guest: &str| {
        let script = format!("localStorage.setItem('{guest}', 1); document.write(Object.keys(localStorage).join())");
        stack.site.html(&format!("<title>guest</title><body><script>{script}</script>"))
    };
    for guest in ["first", "second", "third"] {
        assert_eq!(stack.extract(json!({"url": page(guest)})).await.content().trim(), guest);
    }
    stack.screenshot(json!({"url": page("fourth")})).await.picture().expect_size(390, 844);
    stack.expect_idle(Duration::from_secs(20)).await;
    let sessions = stack.metrics().await["sessions"].clone();
    assert_eq!((&sessions["created"], &sessions["released"], &sessions["leaked"]), (&json!(4), &json!(4), &json!(0)));
}

#[tokio::test]
async fn other_tabs_of_the_browser_are_left_alone() {
    let (emulator, url) = browser().await;
    // Another user's tab, on a private address: the guard must not interfere with it.
    let site = porthole_tests::Site::start();
    let private = site.html("<title>their own</title><p>theirs<img src=/more>");
    let mut theirs = connect(&url).await;
    theirs.call("Target.createTarget", json!({"url": private})).await;
    eventually(Duration::from_secs(20), async || so(!site.seen(&private).is_empty(), "their tab did not load")).await;

    let stack = Stack::with()
        .setting("PORTHOLE_PROVIDER", "cdp")
        .setting("PORTHOLE_CDP_URL", &url)
        .setting("PORTHOLE_ALLOW_TARGETS", "")
        .start();
    let stack = Box::pin(stack).await;
    stack.screenshot(json!({"url": private})).await.expect_code("BLOCKED_TARGET");
    // The browser tells of a title some time after its document.
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let targets = theirs.call("Target.getTargets", json!({})).await;
        if targets["targetInfos"].as_array().unwrap().iter().any(|target| target["title"] == "their own") {
            break;
        }
        assert!(Instant::now() < until, "{targets:#}");
    }
    drop(emulator);
}

#[tokio::test]
async fn shared_workers_of_others_run_while_a_guests_do_not() {
    let (_emulator, url) = browser().await;
    let stack = Stack::with().setting("PORTHOLE_PROVIDER", "cdp").setting("PORTHOLE_CDP_URL", &url);
    let stack = Box::pin(stack.start()).await;
    let site = &stack.site;
    let starts = |asked: &str| {
        let worker = site.page(Reply::of("text/javascript", format!("fetch('{asked}')")));
        site.html(&format!("<p>starts<script>new SharedWorker('{worker}')</script>"))
    };
    let (asked_by_ours, asked_by_theirs) = (site.page(Reply::text("news")), site.page(Reply::text("news")));
    let (ours, theirs) = (starts(&asked_by_ours), starts(&asked_by_theirs));
    let mut other_client = connect(&url).await;
    let they_start = async {
        eventually(Duration::from_secs(20), async || so(!site.seen(&ours).is_empty(), "our page was not requested"))
            .await;
        other_client.call("Target.createTarget", json!({"url": theirs})).await;
        eventually(Duration::from_secs(20), async || {
            so(!site.seen(&asked_by_theirs).is_empty(), "the other user's worker did not run")
        })
        .await;
    };
    let visit = stack.extract(json!({"url": ours, "wait": {"until": "load", "delay_ms": 3_000}}));
    let (answer, ()) = tokio::join!(visit, they_start);
    assert_eq!(answer.content().trim(), "starts");
    assert!(
        site.seen(&asked_by_ours).is_empty(),
        "a guest's shared worker ran, though the guard can't judge its requests"
    );
}

#[tokio::test]
async fn an_http_endpoint_names_its_websocket() {
    let (_emulator, url) = browser().await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}/path/?token=the-token-of-the-grid", listener.local_addr().unwrap());
    let version = json!({"Browser": "x", "webSocketDebuggerUrl": url}).to_string();
    let router = Router::new().route("/path/json/version", get(async move || version.clone()));
    tokio::spawn(async move { axum::serve(listener, router).await });
    let stack = Stack::with()
        .setting("PORTHOLE_PROVIDER", "cdp")
        .setting("PORTHOLE_CDP_URL", &endpoint)
        .setting("PORTHOLE_LOG", "trace")
        .start();
    let stack = Box::pin(stack).await;
    let page = stack.site.html("<p>through /json/version");
    assert_eq!(stack.extract(json!({"url": page})).await.content().trim(), "through /json/version");
    for line in stack.logs() {
        assert!(!line.contains("the-token-of-the-grid") && !line.contains("signingKey"), "{line}");
    }
}

#[tokio::test]
async fn an_endpoint_that_is_not_there_is_a_failed_session() {
    let site = porthole_tests::Site::start();
    for url in [site.refusing().replace("http:", "ws:"), site.refusing()] {
        let stack = Stack::with().setting("PORTHOLE_PROVIDER", "cdp").setting("PORTHOLE_CDP_URL", &url).start();
        let stack = Box::pin(stack).await;
        stack.extract(json!({"url": stack.site.html("x")})).await.expect_code("SESSION_CREATE_FAILED");
    }
}

#[tokio::test]
async fn a_guests_proxy_guards_it_in_our_place() {
    let (stack, _browser) = stack(&[("PORTHOLE_CDP_EGRESS", "http://127.0.0.1:9")]).await;
    // No proxy listens there: no request of the page may go around it.
    let url = stack.site.html("<p>never seen");
    stack.extract(json!({"url": url})).await.expect_code("NAVIGATION_FAILED");
    assert_eq!(stack.site.seen(&url).len(), 0);
}

/// Another client that drives the browser at the same time.
pub(super) struct OtherClient(
    tokio_tungstenite::WebSocketStream<tokio_tungstenite::MaybeTlsStream<tokio::net::TcpStream>>,
    u64,
);

pub(super) async fn connect(url: &str) -> OtherClient {
    OtherClient(tokio_tungstenite::connect_async(url).await.unwrap().0, 0)
}

impl OtherClient {
    pub(super) async fn call(&mut self, method: &str, params: Value) -> Value {
        use futures_util::{SinkExt as _, StreamExt as _};
        use tokio_tungstenite::tungstenite::Message;
        self.1 += 1;
        let call = json!({"id": self.1, "method": method, "params": params}).to_string();
        self.0.send(Message::text(call)).await.unwrap();
        loop {
            let message = self.0.next().await.unwrap().unwrap();
            let Message::Text(text) = message else { continue };
            let answer: Value = serde_json::from_str(&text).unwrap();
            if answer["id"] == self.1 {
                return answer["result"].clone();
            }
        }
    }
}
