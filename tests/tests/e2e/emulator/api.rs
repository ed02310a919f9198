//! The shapes of the API: the requests that Browserbase's SDKs send and the fields that they read.

use http::Method;
use porthole_tests::emulator::EmulatorOptions;
use porthole_tests::{Emulator, Picture, Site};
use serde_json::{Value, json};

use super::client::{PATIENCE, connect, create, path, release, status, try_create};

#[tokio::test]
async fn a_session_is_created_driven_and_released() {
    let emulator = Emulator::start(EmulatorOptions::new()).await;
    let metadata = json!({"porthole": "1", "run": {"id": "r"}});
    let settings = json!({"viewport": {"width": 640, "height": 480}});
    let fields =
        json!({"userMetadata": metadata, "region": "eu-central-1", "browserSettings": settings, "timeout": 90});
    let session = create(&emulator, fields.clone()).await;
    for field in
        ["id", "createdAt", "updatedAt", "startedAt", "expiresAt", "connectUrl", "seleniumRemoteUrl", "signingKey"]
    {
        assert!(session[field].as_str().is_some_and(|text| !text.is_empty()), "{field}: {session:#}");
    }
    let told = json!({
        "status": session["status"], "keepAlive": session["keepAlive"], "region": session["region"],
        "projectId": session["projectId"], "proxyBytes": session["proxyBytes"], "userMetadata": session["userMetadata"],
    });
    let project = emulator.project_id();
    assert_eq!(
        told,
        json!({
            "status": "RUNNING", "keepAlive": false, "region": "eu-central-1", "projectId": project, "proxyBytes": 0,
            "userMetadata": metadata,
        })
    );
    let key = session["signingKey"].as_str().unwrap();
    assert!(key.len() >= 100);
    let authority = emulator.url().strip_prefix("http://").unwrap();
    assert_eq!(session["connectUrl"], format!("ws://{authority}/?signingKey={key}"));

    // The browser's default context has one page, with the requested viewport.
    let mut socket = connect(&session).await;
    let targets = socket.call("Target.getTargets", json!({})).await;
    let pages: Vec<&Value> =
        targets["targetInfos"].as_array().unwrap().iter().filter(|target| target["type"] == "page").collect();
    assert_eq!((pages.len(), &pages[0]["url"]), (1, &json!("about:blank")));
    let contexts = socket.call("Target.getBrowserContexts", json!({})).await;
    assert_eq!(contexts["browserContextIds"], json!([]));
    let mut page = page(&emulator, &session).await;
    page.call("Page.navigate", json!({"url": "data:text/html,<body style='margin:0;background:rgb(1,2,3)'>"})).await;
    let size = page.call("Runtime.evaluate", json!({"expression": "`${innerWidth}x${innerHeight}`"})).await;
    assert_eq!(size["result"]["value"], "640x480");
    let shot = page.call("Page.captureScreenshot", json!({"format": "png"})).await;
    let picture = Picture::decode(&base64(shot["data"].as_str().unwrap()));
    picture.expect_size(640, 480).expect_colour(320, 240, [1, 2, 3]);

    let (code, released) = release(&emulator, &session).await;
    assert_eq!((code, &released["status"]), (200, &json!("COMPLETED")));
    assert!(released["endedAt"].is_string() && released.get("connectUrl").is_none());
    assert_eq!(socket.ended().await, Some(1000));
    assert_eq!(release(&emulator, &session).await.0, 200, "a second release must succeed");

    let ledger = emulator.expect_all_given_back(PATIENCE).await;
    let entry = &ledger["sessions"][0];
    assert_eq!(
        json!([entry["ended_by"], entry["connections"], entry["released"], entry["release_requests"], entry["leaked"]]),
        json!(["released", 1, true, 2, false])
    );
    assert_eq!(entry["asked_with"]["region"], "eu-central-1");
    assert_eq!(entry["user_metadata"], metadata);
    assert!(!ledger.to_string().contains(key), "the ledger contains a signing key");
}

/// Opens a socket to the session's page by the URLs of the live view (`/debug`).
async fn page(emulator: &Emulator, session: &Value) -> super::client::Socket {
    let (code, live) = emulator.call(Method::GET, &format!("{}/debug", path(session)), None).await;
    assert_eq!(code, 200, "{live}");
    let page = live["pages"][0]["id"].as_str().unwrap();
    let browser = live["wsUrl"].as_str().unwrap();
    let url = browser.strip_suffix("browser").unwrap().to_owned() + "page/" + page;
    assert!(live["pages"][0]["debuggerUrl"].as_str().unwrap().contains(page));
    super::client::try_connect(&url, None).await.unwrap()
}

fn base64(text: &str) -> Vec<u8> {
    use ::base64::Engine as _;
    ::base64::engine::general_purpose::STANDARD.decode(text).unwrap()
}

#[tokio::test]
async fn sessions_are_listed_by_status_and_metadata_the_newest_first() {
    let emulator = Emulator::start(EmulatorOptions::new()).await;
    let one = create(&emulator, json!({"userMetadata": {"porthole": "1", "n": "one"}})).await;
    let two = create(&emulator, json!({"userMetadata": {"porthole": "1", "n": "two"}})).await;
    let other = create(&emulator, json!({})).await;
    release(&emulator, &one).await;
    let listed = async |query: &str| {
        let (code, sessions) = emulator.call(Method::GET, &format!("/v1/sessions{query}"), None).await;
        assert_eq!(code, 200, "{query}: {sessions}");
        let sessions = sessions.as_array().unwrap().clone();
        assert!(sessions.iter().all(|session| session.get("connectUrl").is_none()), "a list contains a connect URL");
        sessions.into_iter().map(|session| session["id"].clone()).collect::<Vec<_>>()
    };
    let ids = |sessions: &[&Value]| sessions.iter().map(|session| session["id"].clone()).collect::<Vec<_>>();
    assert_eq!(listed("").await, ids(&[&other, &two, &one]));
    assert_eq!(listed("?status=RUNNING").await, ids(&[&other, &two]));
    assert_eq!(listed("?status=COMPLETED").await, ids(&[&one]));
    let porthole = "q=user_metadata%5B%27porthole%27%5D%3A%271%27";
    assert_eq!(listed(&format!("?{porthole}")).await, ids(&[&two, &one]));
    assert_eq!(listed(&format!("?status=RUNNING&{porthole}")).await, ids(&[&two]));
    assert_eq!(listed("?q=user_metadata%5B%27n%27%5D:%27nobody%27").await, ids(&[]));
    for wrong in ["?status=ASLEEP", "?q=nonsense"] {
        let (code, refusal) = emulator.call(Method::GET, &format!("/v1/sessions{wrong}"), None).await;
        assert_eq!((code, &refusal["statusCode"]), (400, &json!(400)), "{wrong}");
    }
    for session in [&two, &other] {
        release(&emulator, session).await;
    }
    emulator.expect_all_given_back(PATIENCE).await;
}

#[tokio::test]
async fn refusals_have_browserbases_shape() {
    let emulator = Emulator::start(EmulatorOptions::new()).await;
    for (key, code) in [(None, 401), (Some("wrong"), 401), (Some(emulator.api_key()), 200)] {
        for route in ["/v1/sessions", "/__emulator/ledger", "/__emulator/faults"] {
            let request = emulator.http.get(format!("{}{route}", emulator.url()));
            let request = if let Some(key) = key { request.header("X-BB-API-Key", key) } else { request };
            assert_eq!(request.send().await.unwrap().status(), code, "{route} with {key:?}");
        }
    }
    let nowhere = json!({"id": "00000000-0000-4000-8000-00000000dead"});
    for (method, path, body, code, error) in [
        (Method::POST, "/v1/sessions".to_owned(), Some(json!({"timeout": 10})), 400, "Bad Request"),
        (Method::POST, "/v1/sessions".to_owned(), Some(json!({"projectId": "other"})), 404, "Not Found"),
        (Method::GET, path(&nowhere), None, 404, "Not Found"),
        (Method::POST, path(&nowhere), Some(json!({"status": "REQUEST_RELEASE"})), 404, "Not Found"),
        (Method::POST, path(&nowhere), Some(json!({"status": "COMPLETED"})), 400, "Bad Request"),
        (Method::DELETE, path(&nowhere), None, 404, "Not Found"),
        (Method::GET, "/v1/projects/other".to_owned(), None, 404, "Not Found"),
        (Method::POST, "/__emulator/faults".to_owned(), Some(json!({"create": "explode"})), 400, "Bad Request"),
    ] {
        let (status, refusal) = emulator.call(method.clone(), &path, body.as_ref()).await;
        assert_eq!(status, code, "{method} {path}: {refusal}");
        assert_eq!((&refusal["statusCode"], &refusal["error"]), (&json!(code), &json!(error)), "{method} {path}");
        assert!(refusal["message"].as_str().is_some_and(|message| !message.is_empty()));
    }
    assert_eq!(emulator.ledger().await["totals"]["created"], 0);
}

#[tokio::test]
async fn calls_are_logged_unless_disabled_and_projects_report_their_usage() {
    let emulator = Emulator::start(EmulatorOptions::new()).await;
    let logged = create(&emulator, json!({})).await;
    let unlogged = create(&emulator, json!({"browserSettings": {"logSession": false}})).await;
    for session in [&logged, &unlogged] {
        let mut socket = connect(session).await;
        socket.call("Browser.getVersion", json!({})).await;
        socket.close().await;
    }
    let logs = async |session: &Value| {
        let (code, logs) = emulator.call(Method::GET, &format!("{}/logs", path(session)), None).await;
        assert_eq!(code, 200);
        logs
    };
    let told = logs(&logged).await;
    assert_eq!(told[0]["method"], "Browser.getVersion");
    assert!(told[0]["response"]["result"]["product"].as_str().unwrap().contains("Chrome"), "{told:#}");
    assert_eq!(logs(&unlogged).await, json!([]));

    let project = format!("/v1/projects/{}", emulator.project_id());
    let (_, told) = emulator.call(Method::GET, &project, None).await;
    assert_eq!((&told["concurrency"], &told["defaultTimeout"]), (&json!(100), &json!(300)));
    let (_, usage) = emulator.call(Method::GET, &format!("{project}/usage"), None).await;
    assert_eq!(usage, json!({"browserMinutes": 2, "proxyBytes": 0}));
    let (_, all) = emulator.call(Method::GET, "/v1/projects", None).await;
    assert_eq!(all[0]["id"], emulator.project_id());
    assert_eq!(status(&emulator, &logged).await, "COMPLETED");
}

#[tokio::test]
async fn a_body_may_be_empty_and_metadata_not_too_long() {
    let emulator = Emulator::start(EmulatorOptions::new()).await;
    let (code, session) = emulator.call(Method::POST, "/v1/sessions", None).await;
    assert_eq!((code, &session["projectId"]), (201, &json!(emulator.project_id())));
    release(&emulator, &session).await;
    let (code, refusal) = try_create(&emulator, json!({"userMetadata": {"a": "x".repeat(512)}})).await;
    assert_eq!(code, 400, "{refusal}");
    emulator.expect_all_given_back(PATIENCE).await;
}

#[tokio::test]
async fn names_follow_the_resolve_setting_and_certificates_are_verified_on_request() {
    let resolve = "shop.of.the.tests=127.0.0.1, *=none";
    let emulator = Emulator::start(EmulatorOptions::new().setting("PORTHOLE_EMULATOR_RESOLVE", resolve)).await;
    // No browser trusts this emulator's certificate.
    let untrusted = Emulator::start(EmulatorOptions::new().tls()).await;
    let site = Site::start();
    let here = site.html("<title>shop");
    let there = here.replace("127.0.0.1", "shop.of.the.tests");
    assert_ne!(here, there);
    for (settings, url, error) in [
        (json!({}), here, None),
        (json!({}), there, None),
        (json!({}), "http://elsewhere.of.the.tests/".to_owned(), Some("net::ERR_NAME_NOT_RESOLVED")),
        (json!({}), format!("{}/healthz", untrusted.url()), None),
        (
            json!({"ignoreCertificateErrors": false}),
            format!("{}/healthz", untrusted.url()),
            Some("net::ERR_CERT_AUTHORITY_INVALID"),
        ),
    ] {
        let session = create(&emulator, json!({"browserSettings": settings})).await;
        let mut page = page(&emulator, &session).await;
        let navigated = page.call("Page.navigate", json!({"url": url})).await;
        assert_eq!(navigated["errorText"].as_str(), error, "{url}");
        release(&emulator, &session).await;
    }
    emulator.expect_all_given_back(PATIENCE).await;
}
