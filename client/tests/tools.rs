//! The tools' calls of the library.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod scripted;

use porthole_client::tools::{ToolCall, ToolsRunRequest};
use porthole_client::{Client, ErrorCode};
use scripted::{Worker, answer};
use serde_json::json;

fn client(worker: &Worker) -> Client {
    Client::builder().url(worker.url()).sleeper(|_| std::future::ready(())).build().unwrap()
}

#[tokio::test]
async fn tools_are_read_run_and_asked_about() {
    let worker = Worker::start(|seen| {
        if seen.asks_for("/tools/run") {
            let call = json!({"tool": "browser_close", "args": {}, "ok": true, "result": "ended", "newer": 1,
                "card": {"type": "browser-session", "data": {"session": "", "url": "", "title": "", "action": "browser_close"}}});
            answer(200, &json!({"ok": true, "calls": [call], "rest": "hi"}))
        } else if seen.asks_for("/tools/intent") {
            answer(200, &json!({"ok": true, "browser_intent": true, "urls": ["https://a"], "hint": "look"}))
        } else {
            answer(200, &json!({"ok": true, "tools": [{"name": "browser_click"}], "prompt": "You have a browser."}))
        }
    });
    let client = client(&worker);
    let told = client.tools("openai").await.unwrap();
    assert_eq!(
        (told.tools, told.prompt.as_deref()),
        (vec![json!({"name": "browser_click"})], Some("You have a browser."))
    );
    assert_eq!(worker.seen()[0].line, "GET /api/sandbox/tools?format=openai");
    let call = ToolCall { tool: "browser_close".to_owned(), args: None };
    let ran = client.run_tools(&ToolsRunRequest { call: Some(call), ..ToolsRunRequest::default() }).await.unwrap();
    assert_eq!((ran.rest.as_str(), ran.calls[0].result.as_str(), ran.incomplete), ("hi", "ended", false));
    assert_eq!(client.intent("open https://a").await.unwrap().hint.as_deref(), Some("look"));
    assert_eq!(client.metrics()["tools_run"].ok, 1);
}

#[tokio::test]
async fn a_message_whose_calls_may_have_run_is_not_sent_again() {
    let refuse = |code: &'static str| {
        let message = json!({"ok": false, "error": code, "message": "m", "retryable": true, "request_id": "r"});
        Worker::start(move |_| answer(503, &message))
    };
    for (code, attempts) in [("INTERNAL", 1), ("DEADLINE_EXCEEDED", 1), ("RATE_LIMITED", 5)] {
        let worker = refuse(code);
        let error = client(&worker).run_tools(&ToolsRunRequest::default()).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::from_name(code).map(porthole_client::Code::Known).unwrap());
        assert_eq!(worker.seen().len(), attempts, "{code}");
    }
}
