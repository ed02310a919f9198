//! Keys, projects, signing keys and tokens appear in no log line, not even at trace level, in no metric, span, answer
//! or refusal of a setting.

use http::Method;
use porthole_tests::emulator::EmulatorOptions;
use porthole_tests::{Collector, Remote};
use serde_json::json;

const SERVICE_KEY: &str = "a-service-key-of-32-bytes-or-more";
const COLLECTORS_KEY: &str = "a-collectors-key";

#[tokio::test]
async fn no_secret_is_revealed_whatever_goes_wrong() {
    let collector = Collector::start();
    let export = collector.settings();
    let headers = format!("api-key={COLLECTORS_KEY}");
    let settings = [
        ("PORTHOLE_LOG", "trace"),
        ("PORTHOLE_SERVICE_KEY", SERVICE_KEY),
        (export[0].0, &export[0].1),
        (export[1].0, &export[1].1),
        ("OTEL_EXPORTER_OTLP_HEADERS", &headers),
    ];
    let remote = Remote::with(EmulatorOptions::new().tls(), &settings).await;
    let stack = &remote.stack;
    let url = stack.site.html("<p>a page");
    let quoting = format!(
        "{} of {} may not: wss://connect.example/?signingKey=eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0",
        remote.emulator.api_key(),
        remote.emulator.project_id()
    );
    let mut told = Vec::new();
    for fault in [
        json!([]),
        json!({"create": {"status": {"code": 401, "message": quoting}}}),
        json!({"create": {"status": {"code": 429, "message": quoting, "retry_after_s": 1}}}),
        json!({"create": "garbage"}),
        json!({"create": "unreachable_connect_url"}),
        json!({"connect": {"status": {"code": 403}}}),
        json!({"connect": {"close": {"reason": quoting, "after_messages": 12}}}),
        json!({"connect": {"garbage": {"kind": "text"}}}),
        json!({"connect": {"kill_browser": {"after_messages": 12}}}),
        json!({"release": {"status": {"code": 500, "message": quoting}}, "times": 2}),
    ] {
        remote.emulator.faults(fault).await;
        let caller = stack.caller();
        told.push(caller.screenshot(json!({"url": url})).await);
        told.push(caller.extract(json!({"url": url})).await);
        remote.emulator.clear_faults().await;
    }
    for server in [&stack.service, &stack.worker] {
        for path in ["/metrics", "/api/metrics", "/readyz"] {
            told.push(stack.admin(server, path).await);
        }
    }
    assert!(told.iter().any(|answer| answer.code().is_none()) && told.iter().any(|answer| answer.code().is_some()));
    let sessions = remote.expect_all_given_back().await["sessions"].clone();
    assert!(sessions.as_array().unwrap().len() > 10, "{sessions:#}");

    let token = stack.caller().owner_token;
    let secrets =
        [remote.emulator.api_key(), remote.emulator.project_id(), SERVICE_KEY, token.as_str(), COLLECTORS_KEY];
    let spans = collector.with_header("api-key", COLLECTORS_KEY, 100).await;
    assert!(spans.iter().any(|span| span.name == "lease" && span.failed), "{spans:#?}");
    let printed = [&stack.service.process, &stack.worker.process].map(|process| [process.stdout(), process.stderr()]);
    let printed: Vec<String> = printed.into_iter().flatten().flatten().collect();
    assert!(
        printed.iter().any(|line| line.contains("TRACE") || line.contains("DEBUG")),
        "the log has no trace or debug lines"
    );
    for secret in secrets {
        for line in &printed {
            assert!(!line.contains(secret), "{secret} was logged: {line}");
        }
        for answer in &told {
            let text = format!("{answer:?}");
            assert!(!text.contains(secret), "{secret} is in an answer: {text}");
        }
    }
    for body in collector.bodies() {
        let text = String::from_utf8_lossy(&body);
        let found = secrets.iter().chain(&["signingKey", "a page", "wss:"]).find(|secret| text.contains(**secret));
        assert_eq!(found, None, "a secret was exported: {text}");
    }
    // Every connect URL contains `signingKey=`, so the search finds also URLs that this test has not seen.
    let body = json!({"projectId": remote.emulator.project_id()});
    let (_, session) = remote.emulator.call(Method::POST, "/v1/sessions", Some(&body)).await;
    assert!(session["connectUrl"].as_str().unwrap().contains("signingKey="), "{session}");
    let line = printed.iter().find(|line| line.contains("signingKey"));
    assert_eq!(line, None, "a connect URL was logged");
}
