//! Secrets: none is in the logs, not even at trace level.

use porthole_tests::Stack;
use porthole_tests::owner::{FIRST, SECOND};
use serde_json::json;

const SERVICE_KEY: &str = "service-key-that-nobody-may-read-0001";
const CLIENT_KEY: &str = "client-key-that-nobody-may-read-0001";
const API_KEY: &str = "bb_live_that_nobody_may_read";
const PROJECT: &str = "project-that-nobody-may-read";

#[tokio::test]
async fn no_secret_is_in_the_logs_even_at_trace_level() {
    let stack = Stack::with()
        .setting("PORTHOLE_LOG", "trace")
        .setting("PORTHOLE_SERVICE_KEY", SERVICE_KEY)
        .setting("PORTHOLE_CLIENT_KEYS", CLIENT_KEY)
        .start()
        .await;
    let caller = stack.caller();
    let made = caller.post("/create", json!({})).await.json();
    let made = made["owner_token"].as_str().unwrap();
    let url = stack.site.html("logged");
    assert!(!caller.screenshot(json!({"url": url})).await.picture().is_blank());
    assert_eq!(caller.extract(json!({"url": url})).await.content(), "logged");
    stack.service_caller().extract(json!({"url": url})).await.expect_ok();
    // Failures are the likeliest to log parts of a request.
    let sandboxless = json!({"url": url, "sandbox_id": "sb-other"});
    caller.extract(sandboxless).await.expect_code("UNAUTHORIZED");
    caller.extract(json!({"url": url, "colour": 1})).await.expect_code("INVALID_REQUEST");
    caller.extract(json!({"url": stack.site.forbidden()})).await.expect_code("BLOCKED_TARGET");
    caller.extract(json!({"url": stack.site.refusing()})).await.expect_code("NAVIGATION_FAILED");
    caller.extract(json!({"url": "https://somebody:their-password@example.com/"})).await.expect_code("INVALID_URL");
    let mut stranger = caller.clone();
    stranger.bearer = Some("wrong-key-that-nobody-may-read".to_owned());
    stranger.extract(json!({"url": url})).await.expect_code("UNAUTHORIZED");

    let signature = |token: &str| token.rsplit('.').next().unwrap_or_default().to_owned();
    let (first, second) = (FIRST.setting(), SECOND.setting());
    let secrets = [
        SERVICE_KEY.to_owned(),
        CLIENT_KEY.to_owned(),
        signature(&caller.owner_token),
        signature(made),
        first.rsplit(':').next().unwrap_or_default().to_owned(),
        second.rsplit(':').next().unwrap_or_default().to_owned(),
        String::from_utf8_lossy(FIRST.bytes).into_owned(),
        "their-password".to_owned(),
        "wrong-key-that-nobody-may-read".to_owned(),
    ];
    let secrets: Vec<&str> = secrets.iter().map(String::as_str).collect();
    expect_not_logged(&stack, &secrets);
    for process in [&stack.service.process, &stack.worker.process] {
        assert_eq!(process.stdout(), Vec::<String>::new(), "a server printed something on standard output");
    }
}

#[tokio::test]
async fn with_the_local_provider_browserbase_credentials_are_neither_used_nor_logged() {
    let stack = Stack::with()
        .setting("PORTHOLE_LOG", "trace")
        .setting("PORTHOLE_PROVIDER", "local")
        .setting("BROWSERBASE_API_KEY", API_KEY)
        .setting("BROWSERBASE_PROJECT_ID", PROJECT)
        .start()
        .await;
    let url = stack.site.html("seen by the local browser");
    let answer = stack.extract(json!({"url": url})).await;
    expect_not_logged(&stack, &[API_KEY, PROJECT]);
    assert_eq!(answer.content(), "seen by the local browser");
}

fn expect_not_logged(stack: &Stack, secrets: &[&str]) {
    let logs = stack.logs();
    assert!(
        logs.iter().any(|line| line.contains("TRACE") || line.contains("DEBUG")),
        "the log has no trace or debug lines"
    );
    for line in logs {
        for secret in secrets {
            assert!(!line.contains(secret), "{secret} is in the log: {line}");
        }
    }
}

#[tokio::test]
async fn a_browser_is_started_without_its_services_environment() {
    let stack = Stack::with().setting("PORTHOLE_SERVICE_KEY", SERVICE_KEY).setting("A_SECRET", API_KEY).start().await;
    let chromium = stack.chromium();
    assert!(!chromium.is_empty());
    for process in chromium {
        // A process that has just ended has no environment.
        let environment = std::fs::read(format!("/proc/{}/environ", process.pid)).unwrap_or_default();
        let environment = String::from_utf8_lossy(&environment).into_owned();
        for secret in [SERVICE_KEY, API_KEY, "PORTHOLE_"] {
            assert!(!environment.contains(secret), "{secret} is in the environment of {process:?}");
        }
        assert!(!process.command.iter().any(|word| word.contains(SERVICE_KEY)), "{process:?}");
    }
}
