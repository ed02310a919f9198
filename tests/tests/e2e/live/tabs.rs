//! What a live view survives: other tabs, navigations, dialogs, renderers that die.

use porthole_tests::agent::{Agent, reference, tree};
use porthole_tests::family::Relative;
use porthole_tests::site::SHOP;
use porthole_tests::{LiveViewer, Stack};
use serde_json::{Value, json};

use super::input::click;
use super::{BLUE_RGB, RED, RED_RGB};

const BLUE: &str = "<!doctype html><title>blue</title><body style='background:#00f'>";

#[tokio::test]
async fn a_viewer_follows_the_active_tab_or_stays_with_its_own() {
    let stack = Stack::shared().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(RED)).await;
    let mut follows = LiveViewer::of(&agent, "view", json!({})).await;
    let mut stays = LiveViewer::of(&agent, "view", json!({})).await;
    follows.shows(640, 360, RED_RGB).await;
    stays.shows(640, 360, RED_RGB).await;
    stays.says(json!({"type": "tab", "tab": "t1"})).await;
    stays.is_heard().await;
    agent.does("tabs", json!({"action": "new", "url": stack.site.html(BLUE)})).await;
    follows.shows(640, 360, BLUE_RGB).await;
    stays.message_that("tabs", |said| said["active"] == "t2").await;
    stays.is_heard().await;
    assert!(stays.messages.iter().all(|said| said["title"] != "blue"), "{:#?}", stays.messages);
    // The first tab's frame is kept, and older than that of the second.
    let mut keeps = LiveViewer::of(&agent, "view", json!({})).await;
    keeps.shows(640, 360, BLUE_RGB).await;
    keeps.says(json!({"type": "tab", "tab": "t1"})).await;
    keeps.shows(640, 360, RED_RGB).await;
    stays.says(json!({"type": "tab", "tab": null})).await;
    let last = stays.shows(640, 360, BLUE_RGB).await.header.seq;
    // Its own tab goes: it follows the active one.
    stays.says(json!({"type": "tab", "tab": "t2"})).await;
    stays.is_heard().await;
    agent.does("tabs", json!({"action": "close", "tab": "t2"})).await;
    let shown = stays.shows(640, 360, RED_RGB).await.header.seq;
    follows.shows(640, 360, RED_RGB).await;
    assert!(shown > last, "frame {shown} comes after {last}");
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_live_view_survives_navigations_and_tells_of_dialogs() {
    let stack = Stack::shared().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(RED)).await;
    let mut viewer = LiveViewer::of(&agent, "control", json!({})).await;
    viewer.shows(640, 360, RED_RGB).await;
    agent.does("navigate", json!({"url": stack.site.html(BLUE)})).await;
    viewer.shows(640, 360, BLUE_RGB).await;
    // Another site: another process.
    let asks = "<!doctype html><title>asks</title><body style='height:100vh;background:#f00' onclick=\"\
        document.title=prompt('Your name?','Ada')\">";
    agent.does("navigate", json!({"url": stack.site.html(asks).replace("127.0.0.1", SHOP)})).await;
    viewer.shows(640, 360, RED_RGB).await;
    agent.does("click", json!({"at": {"x": 10, "y": 10}})).await;
    let dialog = viewer.message("dialog").await;
    assert_eq!(dialog, json!({"type": "dialog", "kind": "prompt", "message": "Your name?", "default": "Ada"}));
    viewer.says(json!({"type": "dialog", "accept": true, "text": "Grace"})).await;
    viewer.message("dialog_closed").await;
    viewer.message_that("url", |said| said["title"] == "Grace").await;
    click(&mut viewer, 10, 10).await;
    viewer.message("dialog").await;
    viewer.says(json!({"type": "dialog", "accept": true})).await;
    viewer.message_that("url", |said| said["title"] == "Ada").await;
    agent.does("close", json!({})).await;
}

/// Kills what draws the pages of the stack.
fn kill_renderers(stack: &Stack) {
    stack.chromium().iter().filter(|one| one.is_renderer()).for_each(Relative::kill);
}

#[tokio::test]
async fn a_page_whose_renderer_dies_is_back_by_itself_until_it_dies_again_and_again() {
    let stack = Stack::with().setting("PORTHOLE_WARM_PAGES", "0").start().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(RED)).await;
    let mut viewer = LiveViewer::of(&agent, "control", json!({})).await;
    viewer.shows(640, 360, RED_RGB).await;
    for _ in 0..3 {
        kill_renderers(&stack);
        viewer.message_that("status", |said| said["status"] == "browser_starting").await;
        viewer.message_that("status", |said| said["status"] == "streaming").await;
        viewer.shows(640, 360, RED_RGB).await;
        // It takes input as before, and the agent's calls.
        click(&mut viewer, 100, 100).await;
        viewer.shows(640, 360, BLUE_RGB).await;
        let seen = agent.does("snapshot", json!({})).await;
        assert_eq!(seen["title"], "red", "{seen:#?}");
        assert!(seen["events"].as_array().unwrap().iter().any(|event| event["type"] == "crashed"), "{seen:#?}");
    }
    kill_renderers(&stack);
    // Either may come first.
    let before = viewer.messages.len();
    let starting = json!({"type": "status", "status": "browser_starting"});
    let is_left =
        |said: &[Value]| said.contains(&starting) && said.iter().any(|said| said["error"] == "BROWSER_CRASHED");
    while !is_left(&viewer.messages[before..]) {
        viewer.next().await;
    }
    agent.call("snapshot", json!({})).await.expect_code("BROWSER_CRASHED");
    viewer.says(json!({"type": "navigate", "url": stack.site.html(BLUE)})).await;
    viewer.message_that("status", |said| said["status"] == "streaming").await;
    viewer.shows(640, 360, BLUE_RGB).await;
}

#[tokio::test]
async fn a_page_that_comes_back_sends_no_form_twice() {
    let stack = Stack::with().setting("PORTHOLE_WARM_PAGES", "0").start().await;
    let answer = stack.site.html("<!doctype html><title>paid</title><body style='background:#f00'>");
    let form = format!(
        "<title>form</title><form method=post action='{answer}'><input name=a value=b><button>Pay</button></form>"
    );
    let (agent, opened) = Agent::at(stack.caller(), &stack.site.html(&form)).await;
    let mut viewer = LiveViewer::of(&agent, "view", json!({})).await;
    agent.does("click", json!({"ref": reference(&tree(&opened), "\"Pay\"")})).await;
    viewer.shows(640, 360, RED_RGB).await;
    for times in 1..=2 {
        kill_renderers(&stack);
        viewer.message_that("status", |said| said["status"] == "streaming").await;
        viewer.shows(640, 360, RED_RGB).await;
        let seen = stack.site.seen(&answer);
        let sent = seen.iter().filter(|seen| seen.headers.contains_key("content-type")).count();
        assert_eq!((seen.len() - sent, sent), (times, 1), "visits without and with a form");
    }
}
