//! `/mcp` with rmcp's own client: both revisions, tenants, progress, the end of a connection.

use porthole_tests::eventually::so;
use porthole_tests::{Reply, Stack, eventually};
use serde_json::json;

use super::client::{Client, current, earlier};
use super::{SOON, work};

#[tokio::test]
async fn an_agent_works_over_http_in_both_revisions() {
    let stack = Stack::start().await;
    let url = stack.worker.url("/mcp");
    let counted = async || {
        let operations = stack.admin(&stack.worker, "/api/metrics").await.json()["operations"].clone();
        let stale = &operations["session_click"]["errors_by_code"]["STALE_REF"];
        (stale.as_u64().unwrap_or(0), operations["extract"]["ok"].as_u64().unwrap_or(0))
    };
    let before = counted().await;
    let client = Client::over_http(&url, None, earlier()).await;
    assert_eq!(client.tools().await.len(), 21);
    work(&client, &stack.site, true).await;
    client.leave().await;
    let client = Client::over_http(&url, None, current()).await;
    work(&client, &stack.site, false).await;
    let unnamed = client.call("browser_snapshot", json!({})).await;
    assert!(unnamed.is_error && unnamed.text.contains("NO_PAGE"), "{}", unnamed.text);
    stack.expect_leased(0, SOON).await;
    let after = counted().await;
    assert_eq!((after.0 - before.0, after.1 - before.1), (2, 2));
}

#[tokio::test]
async fn a_key_is_a_tenant_and_its_handles_are_good_for_all_its_connections() {
    let keys = ["a".repeat(32), "b".repeat(32)];
    let stack = Stack::with().setting("PORTHOLE_CLIENT_KEYS", &keys.join(",")).start().await;
    let url = stack.worker.url("/mcp");
    let first = Client::over_http(&url, Some(&keys[0]), current()).await;
    let handle = first.call("browser_navigate", json!({"url": stack.site.html("<title>mine</title>")})).await.handle();
    for mode in [earlier(), current()] {
        let second = Client::over_http(&url, Some(&keys[0]), mode).await;
        let seen = second.call("browser_snapshot", json!({"session": handle})).await;
        assert!(!seen.is_error, "{}", seen.text);
        second.leave().await;
    }
    let other = Client::over_http(&url, Some(&keys[1]), current()).await;
    let seen = other.call("browser_snapshot", json!({"session": handle})).await;
    assert!(seen.is_error && seen.text.contains("SESSION_NOT_FOUND"), "{}", seen.text);
    assert!(!first.call("browser_close", json!({"session": handle})).await.is_error);
}

#[tokio::test]
async fn the_end_of_a_connection_closes_the_sessions_that_it_opened() {
    let stack = Stack::start().await;
    let url = stack.worker.url("/mcp");
    let staying = Client::over_http(&url, None, earlier()).await;
    let page = stack.site.html("<title>seat</title>");
    let kept = staying.call("browser_navigate", json!({"url": page})).await.handle();
    let leaving = Client::over_http(&url, None, earlier()).await;
    assert_ne!(leaving.call("browser_navigate", json!({"url": page})).await.handle(), kept);
    leaving.call("browser_snapshot", json!({"session": kept})).await;
    stack.expect_leased(2, SOON).await;
    leaving.leave().await;
    stack.expect_leased(1, SOON).await;
    assert!(!staying.call("browser_snapshot", json!({})).await.is_error);
}

#[tokio::test]
async fn what_takes_long_reports_progress() {
    let stack = Stack::start().await;
    for mode in [earlier(), current()] {
        let client = Client::over_http(&stack.worker.url("/mcp"), None, mode).await;
        let handle =
            client.call("browser_navigate", json!({"url": stack.site.html("<title>slow</title>")})).await.handle();
        let before = client.progress();
        let waited = client.call("browser_wait", json!({"ms": 1500, "session": handle})).await;
        assert!(!waited.is_error, "{}", waited.text);
        eventually(SOON, async || so(client.progress() > before, "no progress was reported")).await;
        client.call("browser_close", json!({"session": handle})).await;
        client.leave().await;
    }
}

#[tokio::test]
async fn a_page_that_does_not_load_is_an_error_with_advice() {
    let stack = Stack::start().await;
    let client = Client::over_http(&stack.worker.url("/mcp"), None, earlier()).await;
    let blocked = client.call("browser_navigate", json!({"url": "http://127.0.0.1:1/"})).await;
    assert!(blocked.is_error && blocked.text.contains("BLOCKED_TARGET"), "{}", blocked.text);
    let never = stack.site.page(Reply::never());
    let late = client.call("browser_navigate", json!({"url": never, "timeoutMs": 1000})).await;
    assert!(late.is_error && late.text.contains("What to do next: "), "{}", late.text);
    client.leave().await;
    stack.expect_leased(0, SOON).await;
}
