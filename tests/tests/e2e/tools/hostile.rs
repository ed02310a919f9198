//! Hostile callers of `tools/run`: those that leave, and those whose messages are large, many or for another's sandbox.

use std::time::Duration;

use porthole_tests::caller::Answer;
use porthole_tests::eventually::so;
use porthole_tests::raw::{Connection, post};
use porthole_tests::{Caller, Reply, Stack, eventually};
use serde_json::{Value, json};

const SOON: Duration = Duration::from_secs(30);
/// Less than the time after which a navigation is given up.
const FREED: Duration = Duration::from_secs(8);
const MEBIBYTE: usize = 1024 * 1024;

async fn stack() -> Stack {
    Stack::with().setting("PORTHOLE_BROWSER_TOOLS", "on").start().await
}

async fn runs(caller: &Caller, message: &str) -> Answer {
    caller.post("/tools/run", json!({"message": message})).await
}

/// Leaves after the page of a call has been asked for.
async fn leaves(stack: &Stack, message: &str, asked: &str) {
    let body = stack.caller().body("/tools/run", json!({"message": message}));
    let addr = stack.worker.main;
    let connection = Connection::send(addr, post("HTTP/1.1", "/api/sandbox/tools/run", addr, &body).as_bytes()).await;
    eventually(SOON, async || so(!stack.site.seen(asked).is_empty(), "the page was not asked for".to_owned())).await;
    drop(connection);
}

#[tokio::test]
async fn a_caller_that_leaves_frees_its_page_and_runs_no_further_call() {
    let stack = stack().await;
    let never_visited = stack.site.html("never visited");
    for tool in ["sandbox_browser_screenshot", "sandbox_browser_extract", "browser_navigate"] {
        let hanging = stack.site.page(Reply::never());
        let calls = [&hanging, &never_visited].map(|url| json!({"tool": tool, "args": {"url": url}}).to_string());
        leaves(&stack, &calls.join("\n"), &hanging).await;
        stack.expect_idle(FREED).await;
        assert!(stack.site.seen(&never_visited).is_empty(), "{tool}");
    }
    // A session whose first page never came has no caller that knows it.
    eventually(SOON, async || {
        let sessions = stack.metrics().await["sessions"].clone();
        so(sessions["created"] == sessions["released"], format!("a lease is left: {sessions}"))
    })
    .await;
    stack.expect_alive().await;
}

#[tokio::test]
async fn large_and_strange_messages_are_answered() {
    let stack = stack().await;
    let caller = stack.caller();
    let call = json!({"tool": "browser_press", "args": {"key": "Enter"}}).to_string();
    let filling = |part: &str| part.repeat((MEBIBYTE - 1_000) / part.len() / 2);
    for (message, calls, omitted) in [
        (filling("{"), 0, 0),
        (filling("[{\"tool\":"), 0, 0),
        (filling("`{"), 0, 0),
        (filling("```json\n{\n"), 0, 0),
        (filling("“{“tool”: “browser_press”, "), 0, 0),
        (filling("\u{1f600}"), 0, 0),
        (call.repeat(5_000), 5, 4_995),
        (json!({"tool": "browser_press", "args": {"key": filling("x")}}).to_string(), 1, 0),
        (json!({"tool": filling("browser_"), "args": {}}).to_string(), 1, 0),
        (
            format!("{{\"tool\": \"browser_press\", \"args\": {{\"key\": {}1{}}}}}", "[".repeat(100), "]".repeat(100)),
            1,
            0,
        ),
        (
            format!(
                "{{\"tool\": \"browser_press\", \"args\": {{\"key\": {}1{}}}}}",
                "[".repeat(50_000),
                "]".repeat(50_000)
            ),
            0,
            0,
        ),
    ] {
        let answer = runs(&caller, &message).await;
        let begins: String = message.chars().take(40).collect();
        assert_eq!(answer.status.as_u16(), 200, "{begins}: {answer:?}");
        let answer = answer.json();
        assert_eq!(answer["calls"].as_array().unwrap().len(), calls, "{begins}");
        assert_eq!(answer["omitted"].as_u64().unwrap_or_default(), omitted, "{begins}");
        for call in answer["calls"].as_array().unwrap() {
            assert!(
                call["ok"] == false && call["result"].as_str().unwrap().len() < 2_000,
                "{begins}: {}",
                call["result"]
            );
        }
    }
    let too_large = runs(&caller, &"x".repeat(MEBIBYTE)).await;
    too_large.expect_code("REQUEST_TOO_LARGE");
    let deep: Value = serde_json::from_str(&format!("{}1{}", "[".repeat(120), "]".repeat(120))).unwrap();
    let answer = caller.post("/tools/run", json!({"call": {"tool": "browser_press", "args": deep}})).await.json();
    assert_eq!(answer["calls"][0]["error"]["error"], "INVALID_REQUEST");
    stack.expect_alive().await;
}

/// What a call's arguments may not reach: the fields that the worker puts in.
#[tokio::test]
async fn arguments_name_no_sandbox_and_no_credentials() {
    let stack = stack().await;
    let caller = stack.caller();
    for argument in
        ["sandbox_id", "sandboxId", "owner_token", "ownerToken", "browserbase_api_key", "browserbaseProjectId"]
    {
        let args = json!({"url": stack.site.html("x"), argument: "another's"});
        for tool in ["browser_navigate", "sandbox_browser_extract"] {
            let answer = caller.post("/tools/run", json!({"call": {"tool": tool, "args": args}})).await.json();
            let result = answer["calls"][0]["result"].as_str().unwrap();
            assert!(result.starts_with(&format!("INVALID_REQUEST: {tool} has no argument {argument:?}")), "{result}");
        }
    }
    for handle in ["ses_", "../ses_x", "ses_x\r\nx: y", &"s".repeat(65)] {
        let args = json!({"session": handle});
        let answer =
            caller.post("/tools/run", json!({"call": {"tool": "browser_snapshot", "args": args}})).await.json();
        let code = &answer["calls"][0]["error"]["error"];
        assert!(code == "SESSION_NOT_FOUND" || code == "INVALID_REQUEST", "{handle:?}: {answer}");
    }
}
