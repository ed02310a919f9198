//! Ordinary requests work in a remote browser as in a local one, and every remote session is released.

use futures_util::future::join_all;
use porthole_tests::emulator::EmulatorOptions;
use porthole_tests::{Remote, Reply, Stack, eventually};
use serde_json::json;

const PAGE: &str = "<!doctype html><title>A page far away</title><style>body{margin:0;background:#0a6} \
    p{color:#fff;font:20px/30px sans-serif}</style><p>seen from far away";

#[tokio::test]
async fn a_remote_page_looks_as_a_local_one_does() {
    let (remote, local) = tokio::join!(Remote::start(), Stack::start());
    let url = remote.stack.site.html(PAGE);
    let fields = json!({"url": url});
    let there = remote.stack.screenshot(fields).await;
    let here = local.screenshot(json!({"url": local.site.html(PAGE)})).await;
    there.picture().expect_size(390, 844).expect_colour(200, 400, [0, 0xaa, 0x66]);
    there.picture().expect_same_as(&here.picture());
    let answer = there.expect_ok();
    assert_eq!(answer["title"], "A page far away");
    assert_eq!(answer["final_url"], url);
    assert_eq!(answer["status_code"], 200);
    assert_eq!(answer["blocked_requests"], 0);
    assert_eq!(remote.stack.extract(json!({"url": url})).await.content().trim(), "seen from far away");
    let ledger = remote.expect_all_given_back().await;
    assert_eq!(ledger["totals"]["created"], 2);
    for session in ledger["sessions"].as_array().unwrap() {
        assert!(
            session["release_requests"].as_u64() >= Some(1),
            "the session was not released by a request: {session:#}"
        );
    }
}

#[tokio::test]
async fn a_session_is_frugal_private_and_names_its_instance() {
    let remote = Remote::with(
        EmulatorOptions::new(),
        &[("PORTHOLE_INSTANCE", "replica-7"), ("PORTHOLE_BROWSERBASE_REGION", "eu-central-1")],
    )
    .await;
    let hanging = remote.stack.site.page(Reply::never());
    let caller = remote.stack.caller();
    let looking = async {
        let session = eventually(std::time::Duration::from_secs(20), async || {
            let (_, running) = remote.emulator.call(http::Method::GET, "/v1/sessions?status=RUNNING", None).await;
            running.get(0).cloned().ok_or("no session".to_owned())
        })
        .await;
        let metadata = session["userMetadata"].as_object().unwrap().clone();
        assert_eq!(metadata["porthole"], "1");
        assert_eq!(metadata["instance"], "replica-7");
        assert!(metadata.contains_key("boot") && metadata.contains_key("lease") && metadata.contains_key("until"));
        assert_eq!(session["region"], "eu-central-1");
        assert_eq!(session["keepAlive"], false);
        let ledger = remote.emulator.ledger().await;
        let created = &ledger["sessions"][0]["asked_with"];
        let settings = &created["browserSettings"];
        for frugal in ["recordSession", "logSession", "solveCaptchas", "ignoreCertificateErrors"] {
            assert_eq!(settings[frugal], false, "{frugal} in {created}");
        }
        let timeout = created["timeout"].as_u64().unwrap();
        assert!((60..=80).contains(&timeout), "{timeout} s is not just above the request's own time");
    };
    let (answer, ()) = tokio::join!(caller.extract(json!({"url": hanging, "timeout_ms": 8000})), looking);
    answer.expect_code("DEADLINE_EXCEEDED");
    remote.expect_all_given_back().await;
}

#[tokio::test]
async fn tls_holds_all_the_way() {
    let remote = Remote::with(EmulatorOptions::new().tls(), &[]).await;
    assert!(remote.emulator.url().starts_with("https://"));
    let url = remote.stack.site.html(PAGE);
    assert_eq!(remote.stack.extract(json!({"url": url})).await.content().trim(), "seen from far away");
    remote.expect_all_given_back().await;
}

#[tokio::test]
async fn an_untrusted_certificate_is_refused() {
    let emulator = EmulatorOptions::new().tls();
    let remote = Remote::with(emulator, &[("SSL_CERT_FILE", "/etc/ssl/certs/ca-certificates.crt")]).await;
    let url = remote.stack.site.html(PAGE);
    remote.stack.extract(json!({"url": url})).await.expect_code("SESSION_CREATE_FAILED");
    assert_eq!(remote.emulator.ledger().await["totals"]["created"], 0);
}

#[tokio::test]
async fn credentials_choose_browserbase_and_missing_ones_are_an_error() {
    let auto = Remote::with(EmulatorOptions::new(), &[("PORTHOLE_PROVIDER", "auto")]).await;
    let url = auto.stack.site.html(PAGE);
    auto.stack.extract(json!({"url": url})).await.expect_ok();
    assert_eq!(auto.expect_all_given_back().await["totals"]["created"], 1, "the local browser served the request");
    // A caller of the service without credentials gets the local browser.
    auto.stack.service_caller().extract(json!({"url": url})).await.expect_ok();
    assert_eq!(auto.emulator.ledger().await["totals"]["created"], 1);

    let none =
        Remote::with(EmulatorOptions::new(), &[("BROWSERBASE_API_KEY", ""), ("BROWSERBASE_PROJECT_ID", "")]).await;
    none.stack.extract(json!({"url": none.stack.site.html(PAGE)})).await.expect_code("BROWSERBASE_NOT_CONFIGURED");
}

#[tokio::test]
async fn a_target_that_is_refused_costs_no_session() {
    let remote = Remote::start().await;
    for url in ["http://10.0.0.1/", "http://localhost/", "http://[::1]/", "http://metadata.google.internal/"] {
        remote.stack.screenshot(json!({"url": url})).await.expect_code("BLOCKED_TARGET");
    }
    assert_eq!(remote.emulator.ledger().await["totals"]["created"], 0);
}

#[tokio::test]
async fn each_of_many_sessions_serves_its_page() {
    let remote = Remote::start().await;
    let url = remote.stack.site.html(PAGE);
    for _ in 0..4 {
        // A race: a document may arrive before its renderer is set up to report it.
        for answer in join_all((0..3).map(|_| remote.stack.extract(json!({"url": url})))).await {
            answer.expect_ok();
        }
    }
    assert_eq!(remote.expect_all_given_back().await["totals"]["created"], 12);
}
