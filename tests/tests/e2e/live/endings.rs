//! How live views end, and that a viewer keeps its session.

use std::time::Duration;

use nix::sys::signal::Signal;
use porthole_tests::agent::Agent;
use porthole_tests::eventually::so;
use porthole_tests::{LiveViewer, Stack, eventually};
use serde_json::json;

use super::{RED, RED_RGB, SOON};

#[tokio::test]
async fn a_session_that_ends_closes_its_viewers_with_4410_and_is_then_4404() {
    let stack = Stack::shared().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(RED)).await;
    let ticket = porthole_tests::live::ticket(&agent, "view").await;
    let mut viewer = LiveViewer::with_ticket(stack.worker.main, &ticket, json!({})).await;
    viewer.frame().await;
    agent.does("close", json!({})).await;
    viewer.message_that("status", |said| said["status"] == "browser_closed").await;
    assert_eq!(viewer.closed().await, 4410);
    let mut late = LiveViewer::with_ticket(stack.worker.main, &ticket, json!({})).await;
    assert_eq!(late.closed().await, 4404);
}

#[tokio::test]
async fn a_worker_and_a_service_that_drain_close_viewers_with_1001() {
    for drains_service in [false, true] {
        let stack = Stack::start().await;
        let (agent, _) = Agent::at(stack.caller(), &stack.site.html(RED)).await;
        let mut viewer = LiveViewer::of(&agent, "view", json!({})).await;
        viewer.frame().await;
        let process = if drains_service { &stack.service.process } else { &stack.worker.process };
        process.signal(Signal::SIGTERM);
        assert_eq!(viewer.closed().await, 1001, "of the service: {drains_service}");
    }
}

#[tokio::test]
async fn a_connected_viewer_keeps_its_session_from_being_idle() {
    let stack = Stack::shared().await;
    let fields = json!({"url": stack.site.html(RED), "idle_seconds": 2});
    let (agent, _) = Agent::with(stack.caller(), fields).await;
    let mut viewer = LiveViewer::of(&agent, "view", json!({})).await;
    viewer.shows(640, 360, RED_RGB).await;
    let began = std::time::Instant::now();
    while began.elapsed() < Duration::from_secs(5) {
        viewer.is_heard().await;
    }
    drop(viewer);
    eventually(SOON, async || {
        // A look-up would be a call: only the handle of a session that has ended is refused without one.
        let ended = stack.logs().iter().any(|line| line.contains("idle") && line.contains(&agent.session[4..20]));
        so(ended, "the session goes on without its viewer")
    })
    .await;
    agent.call("status", json!({})).await.expect_code("SESSION_NOT_FOUND");
}
