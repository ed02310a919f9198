//! Pages whose script never ends.

use std::time::Duration;

use porthole_tests::agent::{Agent, reference, tree};
use porthole_tests::eventually::so;
use porthole_tests::{Reply, Stack, eventually, owner};
use serde_json::json;

/// The processes are measured every second.
const ENDED_WITHIN: Duration = Duration::from_secs(30);

#[tokio::test]
async fn a_page_in_an_endless_loop_can_be_left() {
    let stack = Stack::shared().await;
    let next = stack.site.html("<title>next</title><h1>next</h1>");
    for how in ["setInterval(() => { for (;;); })", "for (;;);"] {
        let page = stack
            .site
            .html(&format!("<title>loops</title><button onclick='setTimeout(() => {{ {how} }}, 20)'>loop</button>"));
        let (agent, opened) = Agent::at(stack.caller(), &page).await;
        // In a short time: the loop takes a processor until the page is left.
        agent.does("click", json!({"ref": reference(&tree(&opened), "\"loop\""), "timeout_ms": 1_500})).await;
        let left = agent.does("navigate", json!({"url": next, "snapshot": "full"})).await;
        assert_eq!((&left["title"], &left["tab"]), (&json!("next"), &json!("t1")), "{how}");
        assert!(tree(&left).contains("heading \"next\""), "{how}: {left:#?}");
        agent.does("close", json!({})).await;
    }
}

#[tokio::test]
async fn a_tab_that_loops_while_it_is_left_is_replaced() {
    let stack = Stack::shared().await;
    // The answer has come and the page takes it no more, so nothing else reaches it either.
    // It comes once the page loops.
    let next = stack.site.page(Reply::html("<title>next</title>").late(Duration::from_millis(500)));
    let page = format!("<title>loops</title><a href='{next}' onclick='setInterval(() => {{ for (;;); }})'>go</a>");
    let (agent, opened) = Agent::at(stack.caller(), &stack.site.html(&page)).await;
    let fields = json!({"ref": reference(&tree(&opened), "\"go\""), "timeout_ms": 1_500});
    let clicked = agent.does("click", fields).await;
    assert_eq!(clicked["settled"], false, "{clicked:#?}");
    let left = agent.does("navigate", json!({"url": next})).await;
    assert_eq!(left["title"], "next");
    let tabs = agent.does("tabs", json!({"action": "list"})).await;
    assert_eq!(tabs["tabs"].as_array().unwrap().len(), 1, "{tabs:#?}");
    assert_eq!(tabs["tab"], left["tab"]);
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_tab_in_an_endless_loop_is_closed() {
    let stack = Stack::shared().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html("<title>first</title>")).await;
    let loops = stack.site.html("<title>loops</title><script>setInterval(() => { for (;;); }, 50)</script>");
    agent.does("tabs", json!({"action": "new", "url": loops})).await;
    let closed = agent.does("tabs", json!({"action": "close", "tab": "t2"})).await;
    assert_eq!((&closed["tab"], closed["tabs"].as_array().unwrap().len()), (&json!("t1"), 1), "{closed:#?}");
    agent.does("close", json!({})).await;
}

/// An agent at a page with a link to this URL, the link's ref, and the page.
async fn at_a_link_to(stack: &Stack, url: &str) -> (Agent, String, String) {
    let page = stack.site.html(&format!("<title>first</title><a href='{url}'>go</a>"));
    let (agent, opened) = Agent::at(stack.caller(), &page).await;
    let go = reference(&tree(&opened), "\"go\"");
    (agent, go, page)
}

#[tokio::test]
async fn a_click_that_leads_to_a_silent_server_says_so_and_the_tab_can_be_left() {
    let stack = Stack::shared().await;
    let (silent, next) = (stack.site.page(Reply::never()), stack.site.html("<title>next</title><h1>next</h1>"));
    let (agent, go, _) = at_a_link_to(&stack, &silent).await;
    let clicked = agent.does("click", json!({"ref": go, "snapshot": "full"})).await;
    assert_eq!((&clicked["settled"], &clicked["navigated"]), (&json!(false), &json!(false)), "{clicked:#?}");
    let warnings = clicked["warnings"].to_string();
    assert!(warnings.contains("no_snapshot") && warnings.contains("has not answered"), "{warnings}");
    let left = agent.does("navigate", json!({"url": next, "snapshot": "full"})).await;
    assert!(tree(&left).contains("heading \"next\""), "{left:#?}");
    assert_eq!(left["tab"], "t1", "{left:#?}");
    let back = agent.does("navigate", json!({"action": "back"})).await;
    assert_eq!(back["title"], "first", "{back:#?}");
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_form_that_enter_sends_to_a_silent_server_is_told_as_sent() {
    let stack = Stack::shared().await;
    let silent = stack.site.page(Reply::never());
    let page = stack.site.html(&format!("<title>form</title><form action='{silent}'><input aria-label=Name></form>"));
    let sends = async |call: &str| {
        let (agent, opened) = Agent::at(stack.caller(), &page).await;
        let name = reference(&tree(&opened), "\"Name\"");
        let fields = match call {
            "press" => json!({"ref": name, "key": "Enter"}),
            _ => json!({"ref": name, "text": "Alice", "submit": true}),
        };
        let sent = agent.does(call, fields).await;
        assert_eq!((&sent["settled"], &sent["navigated"]), (&json!(false), &json!(false)), "{call}: {sent:#?}");
        agent.does("close", json!({})).await;
    };
    tokio::join!(sends("press"), sends("type"));
}

#[tokio::test]
async fn a_click_whose_page_comes_after_the_calls_own_time_is_told_as_done_and_can_be_waited_for() {
    let stack = Stack::shared().await;
    let late = stack.site.page(Reply::html("<title>late</title><h1>it came</h1>").late(Duration::from_secs(6)));
    let (agent, go, page) = at_a_link_to(&stack, &late).await;
    let clicked = agent.does("click", json!({"ref": go, "timeout_ms": 1_500, "snapshot": "full"})).await;
    assert_eq!((&clicked["settled"], &clicked["navigated"]), (&json!(false), &json!(false)), "{clicked:#?}");
    assert_eq!((&clicked["title"], &clicked["url"]), (&json!("first"), &json!(page)), "{clicked:#?}");
    let waiting = agent.call("wait", json!({"text": "it came", "timeout_ms": 1_000})).await;
    waiting.expect_code("TIMEOUT");
    let looking = agent.call("snapshot", json!({"timeout_ms": 1_000})).await;
    looking.expect_code("DEADLINE_EXCEEDED");
    let arrived = agent.does("wait", json!({"text": "it came", "snapshot": "full"})).await;
    assert!(tree(&arrived).contains("heading \"it came\""), "{arrived:#?}");
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn an_address_is_waited_for_while_its_server_has_not_answered() {
    let stack = Stack::shared().await;
    let late = stack.site.page(Reply::html("<title>late</title>").late(Duration::from_secs(4)));
    let (agent, go, _) = at_a_link_to(&stack, &late).await;
    agent.does("click", json!({"ref": go, "timeout_ms": 2_000})).await;
    let arrived = agent.does("wait", json!({"url": late})).await;
    assert_eq!(arrived["title"], "late", "{arrived:#?}");
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_page_that_fills_the_memory_is_ended_and_its_session_goes_on() {
    // A browser with a small page has about 100 MB; twice the setting is too much for one process.
    let stack = Stack::with().setting("PORTHOLE_BROWSER_MAX_MEMORY_MB", "250").start().await;
    let (other, _) =
        Agent::at(stack.caller().owning("sb-other", &owner::FIRST), &stack.site.html("<title>other</title>")).await;
    // Its own memory, and what it shares with the browser's own process: pipes that nobody reads.
    let own = "globalThis.held = new Uint8Array(8e8).fill(1)";
    let shared = "const blob = new Blob([new Uint8Array(4 << 20)]);
        globalThis.held = Array.from({ length: 400 }, () => { const one = blob.stream().getReader(); one.read(); return one })";
    for fills in [own, shared] {
        // Once, some time after it was opened: the service loads it again.
        let page = format!(
            "<title>fills</title><script>if (!sessionStorage.filled) setTimeout(() => {{ sessionStorage.filled = 1; {fills} }}, 3000)</script>"
        );
        let (agent, _) = Agent::at(stack.caller(), &stack.site.html(&page)).await;
        eventually(ENDED_WITHIN, async || {
            let told = agent.does("tabs", json!({"action": "list"})).await;
            so(told["events"].as_array().unwrap().iter().any(|event| event["type"] == "crashed"), format!("{told:#?}"))
        })
        .await;
        let next = agent.does("navigate", json!({"url": stack.site.html("<title>next</title>")})).await;
        assert_eq!(next["title"], "next");
        assert_eq!(other.does("snapshot", json!({})).await["title"], "other");
        agent.does("close", json!({})).await;
    }
    other.does("close", json!({})).await;
}
