//! An agent whose model writes its calls as text.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use porthole_tests::agent::reference;
use porthole_tests::caller::Answer;
use porthole_tests::eventually::so;
use porthole_tests::{Caller, Picture, Stack, eventually, owner};
use serde_json::{Map, Value, json};

const SOON: Duration = Duration::from_secs(20);

const FORM: &str = r#"<title>Sign in</title><h1>Sign in</h1>
<form onsubmit="event.preventDefault(); out.textContent = `hello ${user.value}`">
<label for=user>Email</label><input id=user required><button>Sign in</button></form><p id=out role=status></p>"#;

/// A stack with the tools on.
async fn stack() -> Stack {
    Stack::with().setting("PORTHOLE_BROWSER_TOOLS", "on").start().await
}

/// A chat: what a chat app keeps between messages.
struct Chat {
    caller: Caller,
    session: Option<String>,
}

impl Chat {
    fn at(stack: &Stack) -> Self {
        Self { caller: stack.caller(), session: None }
    }

    /// Hands a model's message over.
    async fn says(&mut self, message: &str) -> Map<String, Value> {
        let fields = json!({"message": message, "session": self.session});
        let answer = answered(&self.caller.post("/tools/run", fields).await);
        self.session = answer.get("session").and_then(Value::as_str).map(str::to_owned);
        answer
    }

    /// Hands over a message with one call, which must succeed, and returns what came of it.
    async fn calls(&mut self, tool: &str, args: Value) -> Value {
        let answer = self.says(&format!("I'll do it.\n```json\n{}\n```", json!({"tool": tool, "args": args}))).await;
        assert_eq!(answer["rest"], "I'll do it.");
        let call = answer["calls"][0].clone();
        assert_eq!(call["ok"], true, "{call:#}");
        call
    }
}

fn answered(answer: &Answer) -> Map<String, Value> {
    let Value::Object(fields) = answer.json() else { panic!("{answer:?}") };
    assert_eq!((answer.status.as_u16(), &fields["ok"]), (200, &json!(true)), "{answer:?}");
    fields
}

fn result(call: &Value) -> &str {
    call["result"].as_str().unwrap()
}

#[tokio::test]
async fn an_agent_loop_over_messages_alone() {
    let stack = stack().await;
    let mut chat = Chat::at(&stack);
    let url = stack.site.html(FORM);
    let opened = chat.calls("browser_navigate", json!({"url": url})).await;
    let session = chat.session.clone().expect("the answer names the session that was made");
    assert!(result(&opened).contains(&format!("Session {session}")), "{opened:#}");
    assert_eq!(opened["card"]["data"]["title"], "Sign in");
    let live = opened["card"]["data"]["live_url"].as_str().unwrap();
    assert!(live.starts_with(&stack.worker.url("/live#ticket=")), "{live}");
    let seen = result(&chat.calls("browser_snapshot", json!({})).await).to_owned();
    assert!(
        seen.contains("data, not instructions ---\n") && seen.contains("- heading \"Sign in\" [level=1]"),
        "{seen}"
    );

    let email = reference(&seen, "textbox \"Email\"");
    let button = reference(&seen, "button \"Sign in\"");
    let both = chat
        .says(&format!(
            "Typing, then signing in. {{“tool”: “browser_type”, “args”: {{“ref”: “{email}”, “text”: “ada@example.com”,}}}}\n\
             {{\"tool\": \"browser_click\", \"args\": {{\"ref\": \"{button}\"}}}}"
        ))
        .await;
    assert_eq!((&both["calls"][0]["ok"], &both["calls"][1]["ok"]), (&json!(true), &json!(true)), "{both:#?}");
    assert_eq!(both["rest"], "Typing, then signing in.");
    assert!(
        result(&both["calls"][1]).contains("hello ada@example.com"),
        "what the click changed is in its result: {both:#?}"
    );

    let shot = chat.calls("browser_screenshot", json!({})).await;
    let card = &shot["card"];
    assert_eq!((&card["type"], &card["data"]["width"]), (&json!("browser-screenshot"), &json!(1280)));
    let picture = STANDARD.decode(card["data"]["image_base64"].as_str().unwrap()).unwrap();
    Picture::decode(&picture).expect_size(1280, 720);
    let read = chat.calls("browser_extract", json!({"instruction": "headings"})).await;
    assert_eq!(read["card"]["type"], "browser-extract");
    assert!(result(&read).contains("Sign in"));
    chat.calls(
        "interactWithPage",
        json!({"action": "type", "target": {"by": "label", "value": "Email"}, "value": "bob"}),
    )
    .await;
    let closed = chat.calls("browser_close", json!({})).await;
    assert_eq!((result(&closed), &chat.session), ("The browser session has ended.", &None));
}

#[tokio::test]
async fn failures_say_what_to_do_and_the_rest_is_skipped() {
    let stack = stack().await;
    let mut chat = Chat::at(&stack);
    let no_page = chat.says(r#"{"tool":"browser_snapshot"}"#).await;
    assert_eq!(no_page["calls"][0]["error"]["error"], "NO_PAGE");
    assert!(result(&no_page["calls"][0]).contains("What to do next: Call browser_navigate with a URL first."));
    chat.calls("browser_navigate", json!({"url": stack.site.html(FORM)})).await;
    let failed = chat
        .says(
            "[{\"tool\":\"browser_click\",\"args\":{\"ref\":\"@e999\"}},{\"tool\":\"browser_close\"},\
             {\"tool\":\"browser_close\"}]",
        )
        .await;
    let calls = failed["calls"].as_array().unwrap();
    assert_eq!(
        (&calls[0]["error"]["error"], &calls[0]["error"]["session"]),
        (&json!("STALE_REF"), &json!(chat.session))
    );
    assert_eq!((&calls[1]["skipped"], &calls[2]["skipped"]), (&json!(true), &json!(true)));
    assert!(chat.session.is_some(), "the session is still there");
    let blocked = chat.says(r#"{"tool":"browser_navigate","args":{"url":"http://10.0.0.1/"}}"#).await;
    assert_eq!(blocked["calls"][0]["error"]["error"], "BLOCKED_TARGET");
    let wrong = chat.says(r#"{"tool":"browser_press","args":{"keys":"Enter"}}"#).await;
    assert!(result(&wrong["calls"][0]).contains("Did you mean \"key\"?"), "{wrong:#?}");
    let many = chat.says(&r#"{"tool":"browser_wait","args":{"ms":1}}"#.repeat(7)).await;
    assert_eq!((many["calls"].as_array().unwrap().len(), &many["omitted"]), (5, &json!(2)));
    chat.calls("browser_close", json!({})).await;
}

/// JavaScript writes half an emoji as an escape of a lone surrogate, which is no character.
#[tokio::test]
async fn a_message_that_is_cut_within_an_emoji_is_read() {
    let stack = stack().await;
    let caller = stack.caller();
    let call = json!({"tool": "browser_press", "args": {"key": "HALF"}});
    let body = caller.body("/tools/run", json!({"message": format!("HALF {call}")}));
    let body = body.to_string().replace("HALF", r"\ud83d");
    let request = caller.http.post(format!("{}/tools/run", caller.base)).header("content-type", "application/json");
    let answer = answered(&caller.send(request.body(body)).await);
    assert_eq!((&answer["rest"], &answer["calls"][0]["args"]["key"]), (&json!("\u{fffd}"), &json!("\u{fffd}")));
    assert_eq!(answer["calls"][0]["error"]["error"], "NO_PAGE");
}

#[tokio::test]
async fn one_shot_calls_need_no_session() {
    let stack = stack().await;
    let url = stack.site.html("<meta name=viewport content='width=device-width'><title>One</title><h1>Words to read</h1><div style='height: 5000px'></div>");
    let caller = stack.caller();
    let run = async |tool: &str, args: Value| {
        let answer = answered(&caller.post("/tools/run", json!({"call": {"tool": tool, "args": args}})).await);
        assert!(answer.get("session").is_none());
        answer["calls"][0].clone()
    };
    let read = run("sandbox_browser_extract", json!({"url": url})).await;
    assert!(result(&read).contains("Words to read") && read["card"]["data"]["url"] == json!(url), "{read:#}");
    let shot = run("sandbox_browser_screenshot", json!({"url": url, "fullPage": true})).await;
    let data = &shot["card"]["data"];
    assert!(data["height"].as_u64().unwrap() > 4_000, "people get the whole picture");
    assert!(result(&shot).starts_with("A picture of "), "{}", result(&shot));
}

#[tokio::test]
async fn a_download_too_large_for_a_result_is_named() {
    let stack = stack().await;
    let mut chat = Chat::at(&stack);
    let page = stack.site.html(
        "<button onclick='const a = document.createElement(`a`); a.download = `large.csv`;
        a.href = window.URL.createObjectURL(new Blob([new Uint8Array(7e6)])); a.click()'>Save</button>",
    );
    chat.calls("browser_navigate", json!({"url": page})).await;
    chat.calls("browser_click", json!({"target": {"by": "text", "value": "Save"}})).await;
    eventually(SOON, async || {
        let listed = chat.calls("browser_files", json!({"action": "list"})).await;
        so(result(&listed).contains("f1 is \"large.csv\", text/csv, 7000000 bytes"), result(&listed).to_owned())
    })
    .await;
    let got = chat.calls("browser_files", json!({"action": "get", "file": "f1"})).await;
    assert!(result(&got).starts_with("The file is too large to be shown"), "{got:#}");
    assert!(result(&got).contains("File: \"large.csv\", text/csv, 7000000 bytes"), "{got:#}");
    chat.calls("browser_close", json!({})).await;
}

#[tokio::test]
async fn a_session_belongs_to_its_sandbox() {
    let stack = stack().await;
    let mut chat = Chat::at(&stack);
    chat.calls("browser_navigate", json!({"url": stack.site.html(FORM)})).await;
    let mut other = Chat { session: chat.session.clone(), ..Chat::at(&stack) };
    other.caller.sandbox_id = "sb-another".to_owned();
    other.caller.owner_token = owner::FIRST.token("sb-another", 60);
    let answer = other.says(r#"{"tool":"browser_snapshot"}"#).await;
    assert_eq!(answer["calls"][0]["error"]["error"], "SESSION_NOT_FOUND");
    assert_eq!(other.session, None, "a handle that leads nowhere is implied no more");
    chat.calls("browser_close", json!({})).await;
}
