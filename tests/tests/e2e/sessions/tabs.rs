//! Navigation and tabs.

use std::time::Duration;

use porthole_tests::agent::{Agent, reference, tree};
use porthole_tests::eventually::so;
use porthole_tests::{Reply, Stack, eventually};
use serde_json::json;

const SOON: Duration = Duration::from_secs(10);

#[tokio::test]
async fn a_session_goes_where_it_may_and_stays_where_it_was_otherwise() {
    let stack = Stack::shared().await;
    let (first, second) = (stack.site.html("<title>first</title>"), stack.site.html("<title>second</title>"));
    let (agent, _) = Agent::at(stack.caller(), &first).await;
    assert_eq!(agent.does("navigate", json!({"url": second})).await["title"], "second");
    assert_eq!(agent.does("navigate", json!({"action": "back"})).await["title"], "first");
    agent.call("navigate", json!({"action": "back", "timeout_ms": 3000})).await.expect_code("NAVIGATION_FAILED");
    agent.call("navigate", json!({"url": stack.site.forbidden()})).await.expect_code("BLOCKED_TARGET");
    agent.call("navigate", json!({"url": "ftp://a/"})).await.expect_code("INVALID_URL");
    let status = agent.does("status", json!({})).await;
    assert_eq!(status["url"], first.as_str(), "a refused navigation leaves the session as it was");
    let empty = stack.site.page(Reply::html("").status(204));
    agent.call("navigate", json!({"url": empty})).await.expect_code("NAVIGATION_FAILED");
    assert_eq!(agent.does("navigate", json!({"url": second})).await["title"], "second");
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn popups_become_tabs_and_tabs_are_opened_selected_and_closed() {
    let stack = Stack::shared().await;
    let other = stack.site.html("<title>other</title><h1>other</h1>");
    let page = format!("<title>opener</title><a href='{other}' target=_blank>open</a>");
    let (agent, opened) = Agent::at(stack.caller(), &stack.site.html(&page)).await;
    let clicked = agent.does("click", json!({"ref": reference(&tree(&opened), "\"open\"")})).await;
    assert_eq!(clicked["tab"], "t1", "a popup does not become active by itself");
    eventually(SOON, async || {
        let tabs = agent.does("tabs", json!({"action": "list"})).await;
        so(tabs["tabs"][1]["url"] == other.as_str(), format!("{tabs:#?}"))
    })
    .await;
    let selected = agent.does("tabs", json!({"action": "select", "tab": "t2"})).await;
    assert_eq!((&selected["tab"], &selected["title"]), (&json!("t2"), &json!("other")));
    assert!(agent.tree().await.contains("heading \"other\""));
    assert!(tree(&agent.does("snapshot", json!({"tab": "t1"})).await).contains("link \"open\""));
    let closed = agent.does("tabs", json!({"action": "close", "tab": "t2"})).await;
    assert_eq!((&closed["tab"], closed["tabs"].as_array().unwrap().len()), (&json!("t1"), 1));
    let new = agent.does("tabs", json!({"action": "new", "url": other})).await;
    assert_eq!((&new["tab"], &new["title"]), (&json!("t3"), &json!("other")));
    agent.call("click", json!({"tab": "t9", "ref": "e1"})).await.expect_code("INVALID_REQUEST");
    for _ in 0..6 {
        // Nothing is coming to a blank tab.
        let new = agent.does("tabs", json!({"action": "new", "snapshot": "full"})).await;
        let warnings = new["warnings"].as_array().unwrap();
        assert!(warnings.iter().all(|warning| !warning.as_str().unwrap().starts_with("page_loading")), "{warnings:?}");
    }
    agent.call("tabs", json!({"action": "new"})).await.expect_code("SESSION_LIMIT");
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn the_active_tab_is_the_one_used_last() {
    let stack = Stack::shared().await;
    let asks = stack.site.html("<title>asks</title><script>setTimeout(() => confirm('sure?'), 100)</script>");
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html("<title>first</title>")).await;
    agent.does("tabs", json!({"action": "new"})).await;
    agent.call("navigate", json!({"url": asks})).await;
    // The dialog ends it.
    agent.call("wait", json!({"ms": 20_000})).await;
    let listed = agent.does("tabs", json!({"action": "list", "tab": "t1"})).await;
    assert_eq!(listed["tab"], "t2", "a list names the active tab: {listed:#?}");
    agent.does("tabs", json!({"action": "select", "tab": "t1"})).await;
    agent.does("dialog", json!({"tab": "t2", "accept": true})).await;
    let seen = agent.does("snapshot", json!({})).await;
    assert_eq!((&seen["tab"], &seen["title"]), (&json!("t2"), &json!("asks")), "{seen:#?}");
    agent.does("close", json!({})).await;
}

/// Nothing is done in the tab that takes the place of one that closed unseen.
#[tokio::test]
async fn a_tab_that_closes_between_calls_is_told_before_another_is_acted_on() {
    let stack = Stack::shared().await;
    let proceed = json!({"by": "text", "value": "Continue"});
    for (route, fields) in [
        ("press", json!({"key": "Enter"})),
        ("click", json!({"at": {"x": 100, "y": 20}})),
        ("click", json!({"target": proceed})),
        ("interact", json!({"action": "click", "target": proceed})),
        ("interact", json!({"action": "keypress", "value": "Enter"})),
    ] {
        let (gate, closed) = (stack.site.reserve(), stack.site.page(Reply::text("closed")));
        let shuts = stack.site.html(&format!(
            "<title>shuts</title><button>Continue</button><script>setInterval(async () => {{
            if ((await fetch('{gate}')).ok) close() }}, 50)</script>"
        ));
        let page = stack.site.html(&format!(
            "<title>opener</title><button id=o>Open</button><button autofocus onclick='document.title = `acted`'>Continue</button>
            <script>o.onclick = () => {{ const popup = open('{shuts}');
            setInterval(() => popup.closed && fetch('{closed}'), 50) }}</script>"
        ));
        let (agent, opened) = Agent::at(stack.caller(), &page).await;
        agent.does("click", json!({"ref": reference(&tree(&opened), "\"Open\"")})).await;
        let seen = agent.does("tabs", json!({"action": "select", "tab": "t2"})).await;
        assert_eq!(seen["tab"], "t2");
        agent.does("snapshot", json!({})).await;
        stack.site.put(&gate, Reply::text("go"));
        eventually(SOON, async || so(!stack.site.seen(&closed).is_empty(), "the window did not close")).await;
        // The opener hears of it before the service may.
        tokio::time::sleep(Duration::from_millis(300)).await;
        let refused = agent.call(route, fields.clone()).await;
        refused.expect_code_about("STALE_REF", "t2 has closed");
        assert_eq!(agent.does("status", json!({})).await["title"], "opener", "{route} {fields}");
        assert_ne!(agent.call(route, fields).await.code().as_deref(), Some("STALE_REF"), "said once");
        agent.does("close", json!({})).await;
    }
}

#[tokio::test]
async fn a_tab_whose_page_does_not_load_is_not_opened_a_second_time() {
    let stack = Stack::shared().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html("<title>first</title>")).await;
    let closed = stack.site.resetting();
    let failed = agent.call("tabs", json!({"action": "new", "url": closed})).await.expect_code("NAVIGATION_FAILED");
    assert_eq!((&failed["retryable"], &failed["tab"]), (&json!(false), &json!("t2")), "{failed:?}");
    let listed = agent.does("tabs", json!({"action": "list"})).await;
    assert_eq!(listed["tabs"].as_array().unwrap().len(), 2, "{listed:#?}");
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_window_is_told_by_where_it_goes_and_by_why_it_stays_empty() {
    let stack = Stack::shared().await;
    let late = stack.site.page(Reply::html("<title>late</title><h1>late</h1>").late(Duration::from_secs(1)));
    let (forbidden, reset) = (stack.site.forbidden(), stack.site.resetting());
    let links = [("late", &late), ("forbidden", &forbidden), ("reset", &reset)];
    let links = links.map(|(name, url)| format!("<a href='{url}' target=_blank>{name}</a> "));
    let (agent, opened) = Agent::at(stack.caller(), &stack.site.html(&links.concat())).await;
    let clicks = async |name: &str| {
        let link = reference(&tree(&opened), &format!("\"{name}\""));
        agent.does("click", json!({"tab": "t1", "ref": link})).await
    };
    let told = clicks("late").await;
    assert_eq!(told["events"][0], json!({"type": "tab_opened", "tab": "t2", "url": late}), "{told:#?}");
    let shown = agent.does("snapshot", json!({"tab": "t2"})).await;
    assert!(tree(&shown).contains("heading \"late\""), "{shown:#?}");
    let told = clicks("forbidden").await;
    assert_eq!(told["events"][0], json!({"type": "tab_opened", "tab": "t3", "url": forbidden}), "{told:#?}");
    assert!(told["warnings"].to_string().contains("blocked_target: "), "{told:#?}");
    // The window is blank, and does not wait for its document.
    let shown = agent.does("snapshot", json!({"tab": "t3"})).await;
    let warnings = shown["warnings"].to_string();
    assert!(warnings.contains("blocked_target: ") && !warnings.contains("page_loading: "), "{shown:#?}");
    agent.call("screenshot", json!({"tab": "t3"})).await.expect_code("BLOCKED_TARGET");
    agent.call("navigate", json!({"tab": "t3", "action": "reload"})).await.expect_code("BLOCKED_TARGET");
    clicks("reset").await;
    let shown = agent.does("snapshot", json!({"tab": "t4"})).await;
    assert!(shown["warnings"].to_string().contains("navigation_failed: net::ERR_"), "{shown:#?}");
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn closing_the_last_tab_ends_the_session() {
    let stack = Stack::shared().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html("<title>one</title>")).await;
    // What can't be opened leaves the session as it was.
    for (url, code) in [(stack.site.forbidden(), "BLOCKED_TARGET"), ("nope".to_owned(), "INVALID_URL")] {
        agent.call("tabs", json!({"action": "new", "url": url})).await.expect_code(code);
        let status = agent.does("status", json!({})).await;
        assert_eq!((&status["tab"], &status["title"]), (&json!("t1"), &json!("one")));
    }
    let tabs = agent.does("tabs", json!({"action": "list"})).await;
    assert_eq!(tabs["tabs"].as_array().unwrap().len(), 1, "{tabs:?}");
    let closed = agent.does("tabs", json!({"action": "close"})).await;
    assert_eq!(closed["tab"], "");
    agent.call("status", json!({})).await.expect_code("SESSION_NOT_FOUND");
}

#[tokio::test]
async fn windows_beyond_the_eighth_tab_are_told_by_names_of_their_own() {
    let stack = Stack::shared().await;
    let opens = "<title>opens</title><button onclick=\"for (let n = 0; n < 10; n += 1) window.open('about:blank#' + n)\">Open</button>";
    let (agent, opened) = Agent::at(stack.caller(), &stack.site.html(opens)).await;
    let button = reference(&tree(&opened), "\"Open\"");
    let mut told = Vec::new();
    // A click allows one window: the browser blocks the others.
    for _ in 0..10 {
        let clicked = agent.does("click", json!({"ref": button})).await;
        told.extend(clicked["events"].as_array().unwrap().clone());
    }
    eventually(SOON, async || {
        told.extend(agent.does("status", json!({})).await["events"].as_array().unwrap().clone());
        let closed = told.iter().filter(|event| event["type"] == "tab_closed").count();
        so(closed >= 3, format!("{told:#?}"))
    })
    .await;
    let named = |kind: &str| -> Vec<String> {
        let told = told.iter().filter(|event| event["type"] == kind);
        told.map(|event| event["tab"].as_str().unwrap().to_owned()).collect()
    };
    let (mut opened, closed) = (named("tab_opened"), named("tab_closed"));
    assert!(closed.iter().all(|name| name.starts_with('t') && !opened.contains(name)), "{closed:?} of {opened:?}");
    opened.extend(closed);
    let count = opened.len();
    opened.sort();
    opened.dedup();
    assert_eq!(opened.len(), count, "a name was given twice: {opened:?}");
    agent.does("close", json!({})).await;
}
