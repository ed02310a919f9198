//! The web server of the tests' pages: the files of `web/` as they are on the disk, under a strict Content Security
//! Policy, and the ways by which a page asks for input and tells its results.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{Path as UrlPath, State};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use http::{StatusCode, header};
use porthole_contract::live::LIVE_PROTOCOL;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use crate::browser::Browser;
use crate::live_socket::LiveSocket;

/// A foreign page's policy at its strictest: modules and connections of one origin, and no styles, pictures or frames of
/// any. Markup that a script writes is an error.
const STRICT: &str = "default-src 'none'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; \
     require-trusted-types-for 'script'; trusted-types 'none'";
const SUITE_WITHIN: Duration = Duration::from_secs(180);

/// What a page asks of the tests.
enum Asked {
    /// An action, which is answered with whether the browser could do it.
    Action(Value, oneshot::Sender<bool>),
    /// The results of all tests of the page.
    Report(Value),
}

struct Shared {
    asked: mpsc::UnboundedSender<Asked>,
    live: LiveSocket,
}

pub(crate) struct Bench {
    addr: SocketAddr,
    asked: mpsc::UnboundedReceiver<Asked>,
}

impl Bench {
    pub(crate) async fn start() -> Self {
        let (sender, asked) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared { asked: sender, live: LiveSocket::new() });
        let router = Router::new()
            .route("/run/{suite}", get(page))
            .route("/elements/{*path}", get(|path| file("elements", path)))
            .route("/tests/{*path}", get(|path| file("tests", path)))
            .route("/axe.js", get(|| brought("PORTHOLE_AXE")))
            .route("/react.js", get(|| brought("PORTHOLE_REACT")))
            .route("/do", post(action))
            .route("/report", post(report))
            .route("/socket", post(socket))
            .route("/api/sandbox/live", get(live))
            .with_state(shared);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { addr, asked }
    }

    /// The URL of a path.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.addr)
    }

    /// Runs a file of `web/tests/` in a browser, and fails with what failed there.
    pub(crate) async fn runs(mut self, suite: &str, browser: &Browser) {
        browser.open(&format!("http://{}/run/{suite}", self.addr)).await;
        let report = timeout(SUITE_WITHIN, self.report(browser)).await;
        let Ok(report) = report else {
            let running = browser.evaluate("globalThis.running ?? 'nothing'").await;
            panic!("{suite} never ended: it runs {running}");
        };
        let results = report["results"].as_array().unwrap();
        for result in results {
            eprintln!(
                "{} {}",
                if result["error"].is_null() { "ok    " } else { "FAILED" },
                result["name"].as_str().unwrap()
            );
        }
        let failed: Vec<String> = results
            .iter()
            .filter(|result| !result["error"].is_null())
            .map(|result| format!("{}: {}", result["name"].as_str().unwrap(), result["error"].as_str().unwrap()))
            .collect();
        assert!(failed.is_empty() && !results.is_empty(), "{suite}:\n{}", failed.join("\n"));
    }

    async fn report(&mut self, browser: &Browser) -> Value {
        loop {
            match self.asked.recv().await.expect("the server lives") {
                Asked::Report(report) => return report,
                Asked::Action(action, done) => {
                    let _ = done.send(browser.does(&action).await);
                }
            }
        }
    }
}

async fn page(UrlPath(suite): UrlPath<String>) -> Response {
    let html = format!(
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width, initial-scale=1'>\
         <title>{suite}</title><script type=module src=/tests/{suite}.js></script><body><main></main>"
    );
    let headers = [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CONTENT_SECURITY_POLICY, STRICT)];
    (headers, html).into_response()
}

async fn file(folder: &'static str, UrlPath(path): UrlPath<String>) -> Response {
    let root: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web").join(folder);
    match std::fs::read(root.join(&path)) {
        Ok(bytes) if !path.contains("..") => {
            ([(header::CONTENT_TYPE, "text/javascript; charset=utf-8")], bytes).into_response()
        }
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

/// A script that `make web-check` brings; the variable has its path.
async fn brought(variable: &str) -> Response {
    let script = std::env::var_os(variable).and_then(|path| std::fs::read(path).ok());
    script.map_or_else(
        || StatusCode::NOT_FOUND.into_response(),
        |bytes| ([(header::CONTENT_TYPE, "text/javascript; charset=utf-8")], bytes).into_response(),
    )
}

async fn action(State(shared): State<Arc<Shared>>, Json(action): Json<Value>) -> Json<Value> {
    let (done, doing) = oneshot::channel();
    let _ = shared.asked.send(Asked::Action(action, done));
    Json(json!({"done": doing.await.unwrap_or(false)}))
}

async fn report(State(shared): State<Arc<Shared>>, Json(report): Json<Value>) {
    let _ = shared.asked.send(Asked::Report(report));
}

async fn socket(State(shared): State<Arc<Shared>>, Json(order): Json<Value>) -> Json<Value> {
    Json(shared.live.does(&order))
}

async fn live(State(shared): State<Arc<Shared>>, upgrade: WebSocketUpgrade) -> Response {
    upgrade.protocols([LIVE_PROTOCOL]).on_upgrade(async move |socket| shared.live.keep(socket).await)
}
