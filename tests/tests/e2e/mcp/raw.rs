//! `/mcp` by plain HTTP: who is refused, what is no message, how a request is taken back.

use http::StatusCode;
use porthole_tests::eventually::so;
use porthole_tests::{Reply, Stack, eventually};
use reqwest::{Body, Client, RequestBuilder, Response};
use serde_json::{Value, json};

use super::SOON;

const EARLIER: &str = "2025-11-25";
const CURRENT: &str = "2026-07-28";

fn http() -> Client {
    Client::builder().no_proxy().build().unwrap()
}

fn post(stack: &Stack, message: &Value) -> RequestBuilder {
    http()
        .post(stack.worker.url("/mcp"))
        .header("accept", "application/json, text/event-stream")
        .header("content-type", "application/json")
        .body(message.to_string())
}

fn ping() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "ping"})
}

fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": EARLIER, "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"}}})
}

/// A request of the current revision.
fn call(stack: &Stack, id: u64, tool: &str, arguments: &Value) -> RequestBuilder {
    let message = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments,
        "_meta": {"io.modelcontextprotocol/protocolVersion": CURRENT, "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"}}}});
    post(stack, &message)
        .header("mcp-protocol-version", CURRENT)
        .header("mcp-method", "tools/call")
        .header("mcp-name", tool)
}

/// Initializes, and returns the connection's id.
async fn connection(stack: &Stack) -> String {
    let answer = post(stack, &initialize()).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    answer.headers()["mcp-session-id"].to_str().unwrap().to_owned()
}

async fn status(request: RequestBuilder) -> StatusCode {
    request.send().await.unwrap().status()
}

async fn json_of(answer: Response) -> Value {
    serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap()
}

#[tokio::test]
async fn foreign_pages_and_names_are_refused() {
    let stack = Stack::shared().await;
    for (header, value, expected) in [
        ("origin", "https://evil.example", StatusCode::FORBIDDEN),
        ("origin", "null", StatusCode::FORBIDDEN),
        ("host", "evil.example", StatusCode::FORBIDDEN),
        ("host", "localhost.evil.example:8787", StatusCode::FORBIDDEN),
        ("origin", "http://localhost:3000", StatusCode::OK),
        ("host", "localhost:8787", StatusCode::OK),
    ] {
        assert_eq!(status(post(&stack, &ping()).header(header, value)).await, expected, "{header}: {value}");
        let delete = http().delete(stack.worker.url("/mcp")).header(header, value);
        assert_eq!(
            status(delete).await == StatusCode::FORBIDDEN,
            expected == StatusCode::FORBIDDEN,
            "{header}: {value}"
        );
    }
    let preflight = http()
        .request(http::Method::OPTIONS, stack.worker.url("/mcp"))
        .header("origin", "http://localhost:6274")
        .header("access-control-request-method", "DELETE")
        .send()
        .await
        .unwrap();
    let allowed = preflight.headers()["access-control-allow-headers"].to_str().unwrap();
    assert!(allowed.contains("mcp-session-id") && allowed.contains("mcp-protocol-version"), "{allowed}");
    let answer = post(&stack, &initialize()).header("origin", "http://localhost:6274").send().await.unwrap();
    assert!(answer.headers()["access-control-expose-headers"].to_str().unwrap().contains("mcp-session-id"));
}

#[tokio::test]
async fn a_key_is_asked_for_where_there_are_keys() {
    let key = "k".repeat(32);
    let stack = Stack::with().setting("PORTHOLE_CLIENT_KEYS", &key).start().await;
    let refused = post(&stack, &ping()).send().await.unwrap();
    assert_eq!(refused.status(), StatusCode::UNAUTHORIZED);
    assert!(refused.headers().contains_key("www-authenticate"));
    assert_eq!(status(post(&stack, &ping()).bearer_auth("x".repeat(32))).await, StatusCode::UNAUTHORIZED);
    assert_eq!(status(post(&stack, &ping()).bearer_auth(&key)).await, StatusCode::OK);
    assert_eq!(status(http().delete(stack.worker.url("/mcp"))).await, StatusCode::UNAUTHORIZED);
    // A proxy before the worker may keep its own name; the key is what counts.
    assert_eq!(
        status(post(&stack, &ping()).bearer_auth(&key).header("host", "porthole.example")).await,
        StatusCode::OK
    );
}

#[tokio::test]
async fn it_can_be_switched_off_and_has_no_tool_that_is_not_listed() {
    let stack = Stack::with().setting("PORTHOLE_MCP", "off").start().await;
    assert_eq!(status(post(&stack, &ping())).await, StatusCode::NOT_FOUND);
    drop(stack);
    let stack = Stack::with().setting("PORTHOLE_MCP_TOOLS", "sandbox_browser_extract").start().await;
    let answer = json_of(call(&stack, 7, "browser_navigate", &json!({})).send().await.unwrap()).await;
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(7), &json!(-32602)));
    let url = stack.site.html("<p>listed");
    let answer = json_of(call(&stack, 8, "sandbox_browser_extract", &json!({"url": url})).send().await.unwrap()).await;
    assert_eq!(answer["result"]["isError"], false, "{answer}");
}

#[tokio::test]
async fn what_is_no_message_is_refused_in_its_own_way() {
    let stack = Stack::shared().await;
    for (body, expected, code) in [
        ("{".to_owned(), StatusCode::BAD_REQUEST, -32700),
        ("[]".to_owned(), StatusCode::BAD_REQUEST, -32600),
        (format!("[{ping},{ping}]", ping = ping()), StatusCode::BAD_REQUEST, -32600),
        (
            format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[{}0]}}", "0,".repeat(100_000)),
            StatusCode::BAD_REQUEST,
            -32600,
        ),
    ] {
        let shown: String = body.chars().take(40).collect();
        let answer = post(&stack, &json!(null)).body(body).send().await.unwrap();
        assert_eq!(answer.status(), expected, "{shown}");
        assert_eq!(json_of(answer).await["error"]["code"], code, "{shown}");
    }
    // In pieces without a length: the worker reads up to its bound, and its answer is there when the last one is sent.
    let pieces = (0..141).map(|_| Ok::<_, std::io::Error>(bytes::Bytes::from(vec![b' '; 100_000])));
    let body = Body::wrap_stream(futures_util::stream::iter(pieces));
    assert_eq!(status(post(&stack, &json!(null)).body(body)).await, StatusCode::PAYLOAD_TOO_LARGE);
    let bad = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "browser_click", "arguments": [1]}});
    let answer = json_of(post(&stack, &bad).send().await.unwrap()).await;
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    // Half an emoji, as JavaScript writes it.
    let half = bad.to_string().replace("[1]", r#"{"ref": "e1", "button": "\ud83d"}"#);
    let answer = json_of(post(&stack, &json!(null)).body(half).send().await.unwrap()).await;
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert_eq!(status(http().get(stack.worker.url("/mcp"))).await, StatusCode::METHOD_NOT_ALLOWED);
    let plain = http().post(stack.worker.url("/mcp")).header("content-type", "text/plain").body(ping().to_string());
    assert_eq!(status(plain).await, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn an_ended_connection_is_not_found_and_an_unknown_one_begins_anew() {
    let stack = Stack::shared().await;
    let id = connection(&stack).await;
    let with = |id: &str| post(&stack, &ping()).header("mcp-session-id", id).header("mcp-protocol-version", EARLIER);
    let end = |id: &str| http().delete(stack.worker.url("/mcp")).header("mcp-session-id", id);
    assert_eq!(status(with(&id)).await, StatusCode::OK);
    assert_eq!(status(end(&id)).await, StatusCode::NO_CONTENT);
    assert_eq!(status(with(&id)).await, StatusCode::NOT_FOUND);
    assert_eq!(status(end(&id)).await, StatusCode::NOT_FOUND);
    assert_eq!(status(with("of-a-worker-that-was-started-again")).await, StatusCode::OK);
    assert_eq!(status(with(&"x".repeat(200))).await, StatusCode::BAD_REQUEST);
    assert_eq!(status(http().delete(stack.worker.url("/mcp"))).await, StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test]
async fn a_caller_that_leaves_frees_the_page() {
    let stack = Stack::start().await;
    let url = stack.site.page(Reply::never());
    let request = call(&stack, 1, "sandbox_browser_extract", &json!({"url": url}));
    let asking = tokio::spawn(request.send());
    eventually(SOON, async || so(!stack.site.seen(&url).is_empty(), "the page was not asked for")).await;
    asking.abort();
    stack.expect_idle(SOON).await;
    stack.expect_leased(0, SOON).await;
}

#[tokio::test]
async fn a_cancelled_request_frees_the_page_and_is_its_connections_alone() {
    let stack = Stack::start().await;
    let (id, other) = (connection(&stack).await, connection(&stack).await);
    let url = stack.site.page(Reply::never());
    let message = json!({"jsonrpc": "2.0", "id": "the one", "method": "tools/call",
        "params": {"name": "sandbox_browser_extract", "arguments": {"url": url}}});
    let asking = tokio::spawn(post(&stack, &message).header("mcp-session-id", &id).send());
    eventually(SOON, async || so(!stack.site.seen(&url).is_empty(), "the page was not asked for")).await;
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "the one"}});
    assert_eq!(status(post(&stack, &cancel).header("mcp-session-id", &other)).await, StatusCode::ACCEPTED);
    assert_eq!(stack.metrics().await["pages"]["busy"], 1, "another connection's request");
    assert_eq!(status(post(&stack, &cancel).header("mcp-session-id", &id)).await, StatusCode::ACCEPTED);
    let answer = json_of(asking.await.unwrap().unwrap()).await;
    assert_eq!(answer["error"]["code"], -32800, "{answer}");
    stack.expect_idle(SOON).await;
}

#[tokio::test]
async fn the_service_gives_tokens_of_tenants_to_its_worker_alone() {
    let key = "s".repeat(32);
    let stack = Stack::with().setting("PORTHOLE_SERVICE_KEY", &key).start().await;
    let asked = json!({"tenant": "abc", "ttl_seconds": 60});
    let of = |base: String| http().post(format!("{base}/tenant")).json(&asked);
    assert_eq!(status(of(stack.worker.url("/api/sandbox"))).await, StatusCode::NOT_FOUND);
    assert_eq!(status(of(stack.worker.url(""))).await, StatusCode::NOT_FOUND);
    assert_eq!(status(of(stack.service.url(""))).await, StatusCode::UNAUTHORIZED);
    let given = json_of(of(stack.service.url("")).bearer_auth(&key).send().await.unwrap()).await;
    assert_eq!(given["sandbox_id"], "mcp-abc", "{given}");
    for tenant in ["", "a-b", "../sb", &"a".repeat(65)] {
        let wrong = json!({"tenant": tenant, "ttl_seconds": 60});
        let asked = http().post(stack.service.url("/tenant")).bearer_auth(&key).json(&wrong);
        assert_eq!(status(asked).await, StatusCode::BAD_REQUEST, "{tenant}");
    }
    let url = stack.site.html("<p>in the tenant's sandbox");
    let answer = json_of(call(&stack, 1, "sandbox_browser_extract", &json!({"url": url})).send().await.unwrap()).await;
    assert_eq!(answer["result"]["isError"], false, "{answer}");
}

#[tokio::test]
async fn one_shot_tools_count_as_requests_and_others_as_a_tenth() {
    let stack = Stack::with().setting("PORTHOLE_RATE_LIMIT", "2").start().await;
    let url = stack.site.html("<p>counted");
    let mut texts = Vec::new();
    for id in 0..3 {
        let answer =
            json_of(call(&stack, id, "sandbox_browser_extract", &json!({"url": url})).send().await.unwrap()).await;
        texts.push(answer["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned());
    }
    assert!(texts[0].contains("counted") && texts[1].contains("counted"), "{texts:?}");
    assert!(texts[2].contains("RATE_LIMITED") || texts[2].is_empty(), "{texts:?}");
}

#[tokio::test]
async fn nothing_that_a_caller_sends_is_logged_even_at_trace_level() {
    let stack = Stack::with().setting("PORTHOLE_LOG", "trace").start().await;
    let url = stack.site.html("<title>form</title><input aria-label=Secret>");
    let answer = json_of(call(&stack, 1, "browser_navigate", &json!({"url": url})).send().await.unwrap()).await;
    let text = answer["result"]["content"][0]["text"].as_str().unwrap().to_owned();
    let handle =
        text.split_whitespace().find(|word| word.starts_with("ses_")).unwrap().trim_matches([',', '.']).to_owned();
    let typed =
        json!({"session": handle, "target": {"by": "label", "value": "Secret"}, "text": "correct-horse-battery"});
    let answer = json_of(call(&stack, 2, "browser_type", &typed).send().await.unwrap()).await;
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    let told: Vec<String> =
        stack.worker.process.stderr().into_iter().filter(|line| line.contains("correct-horse-battery")).collect();
    assert!(told.is_empty(), "{told:#?}");
}
