//! Access to the emulator: callers with a key that use its own names, and no foreign web page.

use http::header::{HOST, ORIGIN};
use http::{HeaderName, Method, Request};
use porthole_tests::Emulator;
use porthole_tests::emulator::EmulatorOptions;
use porthole_tests::eventually::{eventually, so};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;

use super::client::{PATIENCE, create, path, release, try_connect};

/// Headers sent by a page of `http://evil.test:port` whose name was rebound to the emulator's address, and by other
/// foreign pages.
fn of_foreign_pages(port: &str) -> Vec<Vec<(HeaderName, String)>> {
    let evil = format!("evil.test:{port}");
    let local = format!("127.0.0.1:{port}");
    vec![
        vec![(HOST, evil.clone())],
        vec![(HOST, evil.clone()), (ORIGIN, format!("http://{evil}"))],
        vec![(HOST, evil), (ORIGIN, "http://localhost".to_owned())],
        vec![(HOST, local.clone()), (ORIGIN, "https://evil.test".to_owned())],
        vec![(HOST, local), (ORIGIN, "null".to_owned())],
    ]
}

fn of_own(port: &str) -> Vec<Vec<(HeaderName, String)>> {
    vec![
        vec![(HOST, format!("localhost:{port}"))],
        vec![(HOST, format!("127.0.0.1:{port}")), (ORIGIN, "http://localhost:3000".to_owned())],
        vec![(HOST, "localhost".to_owned()), (ORIGIN, "devtools://devtools".to_owned())],
    ]
}

/// Sends a request with the key and these headers.
async fn call(emulator: &Emulator, method: Method, path: &str, headers: &[(HeaderName, String)]) -> (u16, Value) {
    let mut request = emulator.http.request(method, format!("{}{path}", emulator.url()));
    request = request.header("x-bb-api-key", emulator.api_key());
    for (name, value) in headers {
        request = request.header(name, value);
    }
    let response = request.send().await.unwrap();
    (response.status().as_u16(), response.json().await.unwrap())
}

/// Opens a socket with these headers and returns the HTTP status.
async fn upgrade(url: &str, headers: &[(HeaderName, String)]) -> u16 {
    let mut request: Request<()> = url.into_client_request().unwrap();
    for (name, value) in headers {
        request.headers_mut().insert(name, value.parse().unwrap());
    }
    match try_connect(request, None).await {
        Ok(_) => 101,
        Err(Error::Http(answer)) => answer.status().as_u16(),
        Err(other) => panic!("{other}"),
    }
}

#[tokio::test]
async fn foreign_and_rebound_pages_get_no_session_and_no_socket_whatever_keys_they_know() {
    let emulator = Emulator::start(EmulatorOptions::new()).await;
    let authority = emulator.url().strip_prefix("http://").unwrap().to_owned();
    let port = authority.rsplit_once(':').unwrap().1;
    for headers in of_foreign_pages(port) {
        for (method, path) in [
            (Method::POST, "/v1/sessions"),
            (Method::GET, "/v1/sessions"),
            (Method::GET, "/__emulator/ledger"),
            (Method::POST, "/__emulator/faults"),
            (Method::GET, "/healthz"),
            (Method::GET, "/nowhere"),
        ] {
            let (status, refusal) = call(&emulator, method.clone(), path, &headers).await;
            assert_eq!((status, &refusal["statusCode"]), (403, &json!(403)), "{method} {path} with {headers:?}");
        }
    }
    assert_eq!(emulator.ledger().await["totals"]["created"], 0);

    let session = create(&emulator, json!({"keepAlive": true})).await;
    let (_, live) = emulator.call(Method::GET, &format!("{}/debug", path(&session)), None).await;
    let [connect_url, live_url] = [&session["connectUrl"], &live["wsUrl"]].map(|url| url.as_str().unwrap());
    for url in [connect_url, live_url] {
        for headers in of_foreign_pages(port) {
            assert_eq!(upgrade(url, &headers).await, 403, "{headers:?}");
        }
    }
    assert_eq!(emulator.ledger().await["totals"]["connected"], 0);
    for headers in of_own(port) {
        for url in [connect_url, live_url] {
            assert_eq!(upgrade(url, &headers).await, 101, "{headers:?}");
        }
        let (status, made) = call(&emulator, Method::POST, "/v1/sessions", &headers).await;
        assert_eq!(status, 201, "{headers:?}: {made}");
        let url = made["connectUrl"].as_str().unwrap();
        assert!(url.starts_with(&format!("ws://{authority}/")), "the URL contains the name from the Host header");
        release(&emulator, &made).await;
    }
    release(&emulator, &session).await;
    emulator.expect_all_given_back(PATIENCE).await;
}

#[tokio::test]
async fn names_that_it_is_given_are_its_own() {
    let emulator =
        Emulator::start(EmulatorOptions::new().tls().setting("PORTHOLE_EMULATOR_TLS_NAMES", "emulator.test")).await;
    for (host, origin, expected) in [
        ("emulator.test", "https://emulator.test", 200),
        ("emulator.test", "https://evil.test", 403),
        ("x.emulator.test", "https://emulator.test", 403),
    ] {
        let headers = [(HOST, host.to_owned()), (ORIGIN, origin.to_owned())];
        assert_eq!(call(&emulator, Method::GET, "/v1/sessions", &headers).await.0, expected, "{host}, {origin}");
    }
}

/// Lists the sessions with this key and returns the HTTP status.
async fn status_with(emulator: &Emulator, key: &str) -> u16 {
    let request = emulator.http.get(format!("{}/v1/sessions", emulator.url())).header("x-bb-api-key", key);
    request.send().await.unwrap().status().as_u16()
}

#[tokio::test]
async fn without_keys_one_is_made_and_printed_and_accepting_any_is_opt_in() {
    let emulator = Emulator::start(EmulatorOptions::new().setting("PORTHOLE_EMULATOR_API_KEYS", "")).await;
    let printed = eventually(PATIENCE, async || {
        let printed = emulator.process.stdout();
        so(printed.len() == 2, format!("{printed:?}"))?;
        Ok(printed)
    })
    .await;
    let key = printed[0].strip_prefix("BROWSERBASE_API_KEY=").unwrap();
    assert_eq!(printed[1], format!("BROWSERBASE_BASE_URL={}", emulator.url()));
    assert!(key.len() > 40);
    for (key, expected) in [(key, 200), ("any", 401), (emulator.api_key(), 401), ("", 401)] {
        assert_eq!(status_with(&emulator, key).await, expected);
    }
    assert!(!emulator.process.stderr().join("\n").contains(key), "the key is in the logs");

    let open = Emulator::start(EmulatorOptions::new().setting("PORTHOLE_EMULATOR_API_KEYS", "any")).await;
    assert_eq!((status_with(&open, "whatever").await, status_with(&open, "").await), (200, 401));
    assert!(open.process.stdout().is_empty(), "{:?}", open.process.stdout());
}
