//! `porthole tools` and `porthole run-tool`.

use porthole_tests::Stack;
use porthole_tests::command::run;
use serde_json::{Value, json};

#[tokio::test]
async fn tools_are_printed_without_a_worker_and_run_with_any() {
    let stack = Stack::start().await;
    let mut environment = stack.home.environment();
    let printed = run("porthole", &["tools", "--format", "anthropic"], &environment, b"").await.expect_code(0);
    assert_eq!(serde_json::from_str::<Value>(&printed).unwrap()[0]["name"], "browser_navigate");
    let prompt = run("porthole", &["tools", "--format", "prompt"], &environment, b"").await.expect_code(0);
    assert!(prompt.contains("- browser_click: "), "{prompt}");

    environment.insert("PORTHOLE_URL".to_owned(), stack.worker.url(""));
    let url = stack.site.html("<title>T</title><h1>Seen by a tool</h1><button>Go</button>");
    let args = json!({"url": url}).to_string();
    let said = run("porthole", &["run-tool", "sandbox_browser_extract", &args], &environment, b"").await.expect_code(0);
    assert!(said.contains("Seen by a tool"), "{said}");
    let message = format!("Look:\n```json\n{}\n```", json!({"tool": "browser_navigate", "args": {"url": url}}));
    let said = run("porthole", &["run-tool", "--json"], &environment, message.as_bytes()).await.expect_code(0);
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!((&said["rest"], &said["calls"][0]["ok"]), (&json!("Look:"), &json!(true)), "{said:#}");
    let session = said["session"].as_str().unwrap();
    let closed = run("porthole", &["run-tool", "browser_close", "--session", session], &environment, b"").await;
    assert_eq!(closed.expect_code(0), "The browser session has ended.\n");
    let lost = run("porthole", &["run-tool", "browser_snapshot", "--session", session], &environment, b"").await;
    assert!(
        lost.expect_code(1).contains("SESSION_NOT_FOUND") && lost.stderr.contains("browser_snapshot failed"),
        "{lost:?}"
    );
    run("porthole", &["run-tool"], &environment, b"no call").await.expect_code(2);

    run("porthole", &["open", &url], &environment, b"").await.expect_code(0);
    let seen = run("porthole", &["run-tool", "browser_snapshot", "--session", "1"], &environment, b"").await;
    assert!(seen.expect_code(0).contains("Seen by a tool"), "{seen:?}");
    run("porthole", &["close"], &environment, b"").await.expect_code(0);
}
