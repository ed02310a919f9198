//! The live view of pages in remote browsers: Browserbase's, which the emulator imitates, and any DevTools endpoint's.

use porthole_tests::agent::Agent;
use porthole_tests::family::{Relative, descendants_of};
use porthole_tests::{LiveViewer, Remote, Stack};
use serde_json::{Value, json};

use super::input::click;
use super::{BLUE_RGB, RED, RED_RGB};
use crate::remote::sessions::shell;

const GREEN: &str = "<!doctype html><title>green</title><body style='background:#0f0'>";
const GREEN_RGB: [u8; 3] = [0, 255, 0];

/// Frames come; clicks, navigations, tabs, sizes and a dead renderer are seen in them. `renderers` are the browser's.
async fn watches_and_acts(stack: &Stack, renderers: impl Fn() -> Vec<Relative>) {
    let (red, green) = (stack.site.html(RED), stack.site.html(GREEN));
    let (agent, _) = Agent::at(stack.caller(), &red).await;
    let mut viewer = LiveViewer::of(&agent, "control", json!({})).await;
    let frame = viewer.shows(640, 360, RED_RGB).await;
    assert_eq!(frame.picture().size(), (1280, 720));
    let told = |said: &Value| said["type"] == "url" && said["url"] == red && said["title"] == "red";
    assert!(viewer.messages.iter().any(told), "{:#?}", viewer.messages);
    click(&mut viewer, 200, 200).await;
    viewer.shows(640, 360, BLUE_RGB).await;

    viewer.says(json!({"type": "navigate", "url": green})).await;
    viewer.shows(640, 360, GREEN_RGB).await;
    viewer.says(json!({"type": "navigate", "url": stack.site.forbidden()})).await;
    assert_eq!(viewer.message("error").await["error"], "BLOCKED_TARGET");
    viewer.says(json!({"type": "navigate", "action": "back"})).await;
    viewer.shows(640, 360, RED_RGB).await;
    viewer.says(json!({"type": "resize", "width": 500, "height": 400})).await;
    viewer.message_that("viewport", |said| (&said["width"], &said["height"]) == (&json!(500), &json!(400))).await;
    let frame = viewer.shows(250, 200, RED_RGB).await;
    assert_eq!(frame.picture().size(), (500, 400));
    viewer.says(json!({"type": "control", "action": "release"})).await;

    agent.does("tabs", json!({"action": "new", "url": green})).await;
    viewer.shows(250, 200, GREEN_RGB).await;
    viewer.says(json!({"type": "tab", "tab": "t1"})).await;
    viewer.shows(250, 200, RED_RGB).await;
    viewer.says(json!({"type": "tab", "tab": null})).await;
    viewer.shows(250, 200, GREEN_RGB).await;
    agent.does("tabs", json!({"action": "close", "tab": "t2"})).await;
    viewer.shows(250, 200, RED_RGB).await;

    renderers().iter().filter(|one| one.is_renderer()).for_each(Relative::kill);
    viewer.message_that("status", |said| said["status"] == "browser_starting").await;
    viewer.message_that("status", |said| said["status"] == "streaming").await;
    viewer.shows(250, 200, RED_RGB).await;

    agent.does("close", json!({})).await;
    assert_eq!(viewer.closed().await, 4410);
}

#[tokio::test]
async fn a_session_at_browserbase_is_watched_and_steered() {
    let remote = Remote::start().await;
    watches_and_acts(&remote.stack, || descendants_of(remote.emulator.process.pid())).await;
    remote.expect_all_given_back().await;
}

#[tokio::test]
async fn a_session_behind_a_devtools_endpoint_is_watched_and_steered() {
    let (process, endpoint, _folder) = shell().await;
    let stack = Stack::with().setting("PORTHOLE_PROVIDER", "cdp").setting("PORTHOLE_CDP_URL", &endpoint);
    let stack = Box::pin(stack.start()).await;
    let browser = i32::try_from(process.id()).unwrap();
    watches_and_acts(&stack, || descendants_of(browser)).await;
    drop(stack);
    process.kill().await.remove().await;
}

/// A browser may lose the only frame that a page at rest has.
#[tokio::test]
async fn a_page_at_rest_is_shown_although_its_frames_were_lost() {
    let remote = Remote::start().await;
    let lost = json!({"lose_events": {"names": ["Page.screencastFrame"], "for_ms": 4_000}});
    remote.emulator.faults(json!([{"connect": lost, "times": 1}])).await;
    let (agent, _) = Agent::at(remote.stack.caller(), &remote.stack.site.html(RED)).await;
    let mut viewer = LiveViewer::of(&agent, "view", json!({})).await;
    viewer.shows(640, 360, RED_RGB).await;
    agent.does("close", json!({})).await;
    remote.expect_all_given_back().await;
}
