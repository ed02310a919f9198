//! Models' tool calls through the worker: the switch, the rate, and how calls go to the service.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::routing::post;
use futures_util::stream;
use http::Method;
use porthole_worker::server::Limits;
use serde_json::{Value, json};

use crate::harness::{Running, Service, failure, fetch};

const TOOLS: &str = "/api/sandbox/tools";
const RUN: &str = "/api/sandbox/tools/run";
const INTENT: &str = "/api/sandbox/tools/intent";
const ON: (&str, &str) = ("PORTHOLE_BROWSER_TOOLS", "on");

/// A service whose sessions click nothing: `STALE_REF`.
async fn service() -> Service {
    let page = json!({"ok": true, "session": "ses_AAAAAAAAnew", "tab": "t1", "url": "http://a.example/", "title": "A",
        "request_id": "r", "timings_ms": {}, "navigated": true, "settled": true,
        "snapshot": {"snapshot_id": "s1", "tree": "- button \"Go\" [ref=@e1]"}});
    let stale = json!({"ok": false, "error": "STALE_REF", "message": "The page has changed - look at it again",
        "details": "gone", "retryable": false, "request_id": "r", "session": "ses_AAAAAAAAnew"});
    let ticket = json!({"ok": true, "session": "ses_AAAAAAAAnew", "url": "http://w/live#ticket=t", "ticket": "t"});
    let router = Router::new()
        .route("/session/click", post(async || (http::StatusCode::CONFLICT, axum::Json(stale))))
        .route("/session/viewer", post(async || axum::Json(ticket)))
        .fallback(async || axum::Json(page));
    Service::start(router).await
}

fn message(text: &str) -> String {
    json!({"sandbox_id": "sb-1", "owner_token": "secret", "message": text}).to_string()
}

#[tokio::test]
async fn everything_is_empty_until_it_is_switched_on() {
    let service = service().await;
    let worker = Running::before(&service).await;
    for format in ["", "?format=mcp", "?format=openai", "?format=anthropic"] {
        let answer = fetch(worker.request(Method::GET, &format!("{TOOLS}{format}"))).await;
        assert_eq!((answer.status, answer.json()), (200, json!({"ok": true, "tools": []})));
    }
    let answer = fetch(worker.request(Method::GET, &format!("{TOOLS}?format=prompt"))).await;
    assert_eq!((answer.status, answer.body.as_str()), (200, ""));
    let answer = fetch(worker.post(INTENT, r#"{"message":"open https://example.com"}"#)).await;
    assert_eq!(answer.json(), json!({"ok": true, "browser_intent": false, "urls": [], "hint": null}));
    let answer = fetch(worker.post(RUN, message(r#"{"tool":"browser_close"}"#))).await;
    assert_eq!(answer.failure(), failure(403, "TOOLS_DISABLED"));
    assert!(service.seen().is_empty());
}

#[tokio::test]
async fn tools_are_told_in_each_vendors_shape() {
    let service = service().await;
    let worker = Running::with(service.addr, &[ON], Limits::default()).await;
    for (format, name) in [("", "/0/name"), ("?format=openai", "/0/function/name"), ("?format=anthropic", "/0/name")] {
        let answer = fetch(worker.request(Method::GET, &format!("{TOOLS}{format}"))).await.json();
        assert_eq!(answer["tools"].pointer(name), Some(&json!("browser_navigate")), "{format}");
        assert_eq!(answer["tools"].as_array().unwrap().len(), 21);
    }
    let prompt = fetch(worker.request(Method::GET, &format!("{TOOLS}?format=prompt"))).await;
    assert!(prompt.header("content-type").unwrap().starts_with("text/plain") && prompt.body.contains("browser_click"));
    let prompt = worker.request(Method::GET, &format!("{TOOLS}?format=prompt")).header("accept", "application/json");
    assert!(fetch(prompt).await.json()["prompt"].as_str().unwrap().contains("browser_click"));
    let answer = fetch(worker.request(Method::GET, &format!("{TOOLS}?format=xml"))).await;
    assert_eq!(answer.failure(), failure(400, "INVALID_REQUEST"));
    let asked = fetch(worker.post(INTENT, r#"{"message":"open example.com"}"#)).await.json();
    assert_eq!((&asked["browser_intent"], &asked["urls"]), (&json!(true), &json!(["https://example.com"])));
    assert!(asked["hint"].as_str().unwrap().contains("https://example.com"));
}

#[tokio::test]
async fn calls_go_to_the_service_as_their_own_routes_would() {
    let service = service().await;
    let settings = [ON, ("BROWSERBASE_API_KEY", "the-operators-key"), ("BROWSERBASE_PROJECT_ID", "the-project")];
    let worker = Running::with(service.addr, &settings, Limits::default()).await;
    let text = "I'll look.\n```json\n{\"tool\":\"browser_navigate\",\"args\":{\"url\":\"http://a.example\"}}\n```\n\
        {\"tool\":\"browser_click\",\"args\":{\"ref\":\"@e1\",\"clickCount\":2}} {\"tool\":\"browser_close\"}";
    let answer = fetch(worker.post(RUN, message(text)).header("x-request-id", "id-7")).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let ran = answer.json();
    assert_eq!(
        (&ran["ok"], &ran["rest"], &ran["session"], &ran["request_id"]),
        (&json!(true), &json!("I'll look."), &json!("ses_AAAAAAAAnew"), &json!("id-7"))
    );
    let calls = ran["calls"].as_array().unwrap();
    let ok: Vec<&Value> = calls.iter().map(|call| &call["ok"]).collect();
    assert_eq!((ok, calls.len()), (vec![&json!(true), &json!(false), &json!(false)], 3));
    assert_eq!(calls[0]["args"], json!({"url": "http://a.example"}));
    assert_eq!(
        calls[0]["card"],
        json!({"type": "browser-session", "data": {"session": "ses_AAAAAAAAnew", "url": "http://a.example/", "title": "A",
            "action": "browser_navigate", "live_url": "http://w/live#ticket=t"}})
    );
    assert!(calls[0]["result"].as_str().unwrap().contains("- button \"Go\" [ref=@e1]"));
    assert_eq!((&calls[1]["error"]["error"], calls[1]["error"].get("ok")), (&json!("STALE_REF"), None));
    assert!(calls[1]["result"].as_str().unwrap().contains("What to do next: Find the element"));
    assert_eq!((&calls[2]["skipped"], &calls[2]["card"]), (&json!(true), &json!(null)));

    let seen = service.seen();
    let paths: Vec<&str> = seen.iter().map(|seen| seen.path.as_str()).collect();
    assert_eq!(paths, ["/session/navigate", "/session/click", "/session/viewer"]);
    assert_eq!(
        seen[1].json(),
        json!({"sandbox_id": "sb-1", "owner_token": "secret", "session": "ses_AAAAAAAAnew", "ref": "@e1", "click_count": 2,
            "snapshot": "changes", "browserbase_api_key": "the-operators-key", "browserbase_project_id": "the-project"})
    );
    assert!(
        seen.iter()
            .all(|seen| seen.header("x-request-id") == Some("id-7") && seen.header("x-porthole-client").is_some())
    );

    let metrics = worker.admin("/api/metrics").await.json();
    for (operation, count, errors) in
        [("tools_run", 1, json!({})), ("session_navigate", 1, json!({})), ("session_click", 1, json!({"STALE_REF": 1}))]
    {
        let counted = &metrics["operations"][operation];
        assert_eq!((&counted["count"], &counted["errors_by_code"]), (&json!(count), &errors), "{operation}");
    }
}

#[tokio::test]
async fn a_file_too_large_for_a_result_is_named_and_not_a_fault_of_the_service() {
    const PARTS: usize = 9;
    // A file's answer with 9 MiB of content, its length announced or not, or breaking off.
    let files = async |axum::Json(asked): axum::Json<Value>| {
        let fields = json!({"ok": true, "session": "ses_AAAAAAAAmine", "tab": "t1", "url": "", "title": "", "events": [],
            "file": asked["file"], "name": "big.csv", "mime_type": "text/csv", "bytes": 7_000_000});
        let begins = Bytes::from(fields.to_string().replacen('}', ",\"content_base64\":\"", 1));
        let part = Bytes::from("QUFB".repeat(256 * 1024));
        let mut whole = vec![part; PARTS];
        whole.insert(0, begins.clone());
        whole.push(Bytes::from("\"}"));
        let body = match asked["file"].as_str() {
            Some("announced") => Body::from(whole.concat()),
            Some("unannounced") => Body::from_stream(stream::iter(whole.into_iter().map(Ok::<_, std::io::Error>))),
            _ => Body::from_stream(stream::iter([Ok(begins), Err(std::io::Error::other("torn"))])),
        };
        ([("content-type", "application/json")], body)
    };
    let snapshot = async || axum::Json(json!({"ok": true, "snapshot": {"tree": "x".repeat(PARTS * 1024 * 1024)}}));
    let router = Router::new().route("/session/files", post(files)).route("/session/snapshot", post(snapshot));
    let service = Service::start(router).await;
    let worker = Running::with(service.addr, &[ON], Limits::default()).await;
    let run = async |call: Value| {
        let body = json!({"sandbox_id": "sb-1", "session": "ses_AAAAAAAAmine", "call": call}).to_string();
        fetch(worker.post(RUN, body)).await.json()["calls"][0].clone()
    };
    let get = async |file: &str| run(json!({"tool": "browser_files", "args": {"action": "get", "file": file}})).await;
    for file in ["announced", "unannounced"] {
        let call = get(file).await;
        let result = call["result"].as_str().unwrap();
        assert!(call["ok"] == true && result.starts_with("The file is too large to be shown"), "{file}: {result}");
        assert!(result.contains("File: \"big.csv\", text/csv, 7000000 bytes"), "{file}: {result}");
    }
    let error = |call: &Value| (call["error"]["error"].clone(), call["error"]["retryable"].clone());
    assert_eq!(error(&get("torn").await), (json!("SERVICE_UNAVAILABLE"), json!(true)));
    let too_long = run(json!({"tool": "browser_snapshot"})).await;
    assert_eq!(error(&too_long), (json!("INTERNAL"), json!(false)), "no other answer is that long");
}

#[tokio::test]
async fn one_call_without_a_message_is_run_too_and_wrong_ones_are_answered() {
    let service = service().await;
    let worker = Running::with(service.addr, &[ON], Limits::default()).await;
    let run = async |body: Value| fetch(worker.post(RUN, body.to_string())).await;
    let one = json!({"sandbox_id": "sb-1", "session": "ses_AAAAAAAAmine", "call": {"tool": "browser_snapshot"}});
    let ran = run(one).await.json();
    assert_eq!((&ran["calls"][0]["ok"], &ran["rest"]), (&json!(true), &json!("")));
    assert_eq!(service.last().json()["session"], "ses_AAAAAAAAmine");
    assert!(service.last().json().get("owner_token").is_none());
    let wrong = json!({"sandbox_id": "sb-1", "call": {"tool": "browser_clik", "args": {"ref": "@e1"}}});
    let ran = run(wrong).await.json();
    assert_eq!(
        (&ran["calls"][0]["error"]["error"], &ran["calls"][0]["card"]),
        (&json!("INVALID_REQUEST"), &json!(null))
    );
    assert!(ran["calls"][0]["result"].as_str().unwrap().contains("Did you mean \"browser_click\"?"));
    assert_eq!(service.seen().len(), 1, "a wrong call is not sent");
    for body in [
        json!({"sandbox_id": "sb-1"}),
        json!({"sandbox_id": "sb-1", "message": "", "call": {"tool": "browser_close"}}),
        json!({"sandbox_id": "sb-1", "call": {"args": {}}}),
        json!({"sandbox_id": "sb-1", "message": "", "format": 1}),
        json!({"message": ""}),
        json!({"sandbox_id": "sb-1", "message": "", "session": "not a handle"}),
    ] {
        assert_eq!(run(body.clone()).await.failure(), failure(400, "INVALID_REQUEST"), "{body}");
    }
    let nothing = run(json!({"sandbox_id": "sb-1", "message": " Hello {you} "})).await.json();
    assert_eq!((&nothing["calls"], &nothing["rest"]), (&json!([]), &json!("Hello {you}")));
    let cut = run(json!({"sandbox_id": "sb-1", "message": "{\"tool\":\"browser_cl"})).await.json();
    assert_eq!(cut["incomplete"], true);
}

#[tokio::test]
async fn foreign_pages_callers_without_a_key_and_long_bodies_are_refused() {
    let service = service().await;
    let keys = [ON, ("PORTHOLE_CLIENT_KEYS", "a-client-key-that-is-long-enough-0")];
    let worker = Running::with(service.addr, &keys, Limits::default()).await;
    assert_eq!(fetch(worker.request(Method::GET, TOOLS)).await.failure(), failure(401, "UNAUTHORIZED"));
    for route in [RUN, INTENT] {
        assert_eq!(fetch(worker.post(route, "{}")).await.failure(), failure(401, "UNAUTHORIZED"));
        let foreign = worker.post(route, "{}").header("origin", "https://evil.example");
        assert_eq!(fetch(foreign).await.failure(), failure(403, "ORIGIN_NOT_ALLOWED"));
        let long =
            worker.post(route, message(&"{".repeat(1024 * 1024))).bearer_auth("a-client-key-that-is-long-enough-0");
        assert_eq!(fetch(long).await.failure(), failure(413, "REQUEST_TOO_LARGE"));
    }
}

#[tokio::test]
async fn each_call_of_a_message_counts_against_the_rate() {
    let service = service().await;
    let worker = Running::with(service.addr, &[ON, ("PORTHOLE_RATE_LIMIT", "1")], Limits::default()).await;
    let hovers = r#"{"tool":"browser_hover","args":{"ref":"@e1"}}"#.repeat(5);
    let ok = async || {
        let body = json!({"sandbox_id": "sb-1", "session": "ses_AAAAAAAAmine", "message": hovers}).to_string();
        let ran = fetch(worker.post(RUN, body)).await.json();
        ran["calls"].as_array().map(|calls| calls.iter().filter(|call| call["ok"] == true).count())
    };
    assert_eq!((ok().await, ok().await, ok().await), (Some(5), Some(5), None), "ten calls are one request");
}
