//! Roles, control, and the agent's actions as viewers see them.

use std::time::Duration;

use porthole_tests::agent::{Agent, reference, tree};
use porthole_tests::{LiveViewer, Stack};
use serde_json::json;

use super::RED;

#[tokio::test]
async fn a_view_role_does_nothing_and_a_control_role_takes_control_by_its_first_act() {
    let stack = Stack::start().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(RED)).await;
    let second = stack.site.html("<title>second</title>");
    let ignored = async || stack.metric(&stack.service, r#"porthole_live_ignored_total{reason="role"}"#).await;
    let mut watching = LiveViewer::of(&agent, "view", json!({})).await;
    for act in [
        json!({"type": "navigate", "url": second}),
        json!({"type": "control", "action": "take"}),
        json!({"type": "resize", "width": 300, "height": 300}),
        json!({"type": "mouse", "event": {"type": "mouseMoved", "x": 1, "y": 1}}),
    ] {
        watching.says(act).await;
    }
    watching.is_heard().await;
    assert_eq!(ignored().await, 4);
    let status = agent.does("status", json!({})).await;
    assert_eq!((&status["control"], &status["title"]), (&json!("none"), &json!("red")));

    let mut acting = LiveViewer::of(&agent, "control", json!({})).await;
    acting.says(json!({"type": "navigate", "url": second})).await;
    acting.message_that("control", |said| said["holder"] == "viewer" && said["you"] == true).await;
    acting.message_that("url", |said| said["title"] == "second").await;
    watching.message_that("control", |said| said["holder"] == "viewer" && said["you"] == false).await;
    assert_eq!(agent.does("status", json!({})).await["control"], "viewer");
    acting.says(json!({"type": "control", "action": "release"})).await;
    acting.message_that("control", |said| said["holder"] == "none").await;
    assert_eq!(ignored().await, 4);
    acting.says(json!({"type": "navigate", "action": "back"})).await;
    acting.message_that("url", |said| said["title"] == "red").await;
    acting.says(json!({"type": "navigate", "url": stack.site.forbidden()})).await;
    assert_eq!(acting.message("error").await["error"], "BLOCKED_TARGET");
}

#[tokio::test]
async fn two_viewers_fight_for_control_and_the_one_without_input_for_five_seconds_loses_it() {
    let stack = Stack::start().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(RED)).await;
    let mut one = LiveViewer::of(&agent, "control", json!({})).await;
    let mut other = LiveViewer::of(&agent, "control", json!({})).await;
    one.says(json!({"type": "control", "action": "take"})).await;
    one.message_that("control", |said| said["you"] == true).await;
    other.says(json!({"type": "control", "action": "take"})).await;
    assert_eq!(other.message("error").await["error"], "CONTROL_HELD");
    other.says(json!({"type": "resize", "width": 300, "height": 300})).await;
    other.is_heard().await;
    assert_eq!(stack.metric(&stack.service, r#"porthole_live_ignored_total{reason="control"}"#).await, 1);
    // Asks until it is given: not before five seconds without input.
    let asked = std::time::Instant::now();
    loop {
        other.says(json!({"type": "control", "action": "take"})).await;
        other.is_heard().await;
        if other.messages.iter().any(|said| said["type"] == "control" && said["you"] == true) {
            break;
        }
        assert!(asked.elapsed() < Duration::from_secs(30), "control is never given");
        agent.does("status", json!({})).await;
    }
    one.message_that("control", |said| said["holder"] == "viewer" && said["you"] == false).await;
    // A viewer that is gone has no control.
    drop(other);
    one.message_that("control", |said| said["holder"] == "none").await;
}

#[tokio::test]
async fn the_agent_s_acting_calls_wait_for_a_person_and_those_that_look_do_not() {
    let stack = Stack::shared().await;
    let page = "<!doctype html><title>t</title><button onclick='document.title=\"clicked\"'>Go</button>";
    let (agent, opened) = Agent::at(stack.caller(), &stack.site.html(page)).await;
    let button = reference(&tree(&opened), "\"Go\"");
    let mut person = LiveViewer::of(&agent, "control", json!({})).await;
    person.says(json!({"type": "control", "action": "take"})).await;
    person.message_that("control", |said| said["you"] == true).await;
    let refused = agent.call("click", json!({"ref": button, "timeout_ms": 1500})).await;
    refused.expect_code("CONTROL_HELD");
    let waiting = {
        let (agent, button) = (agent.clone(), button.clone());
        tokio::spawn(async move { agent.does("click", json!({"ref": button})).await })
    };
    assert!(agent.tree().await.contains("\"Go\""), "a snapshot does not wait");
    assert_eq!(agent.does("status", json!({})).await["title"], "t", "the click waits");
    person.says(json!({"type": "control", "action": "release"})).await;
    assert_eq!(waiting.await.unwrap()["title"], "clicked");
    person.message_that("control", |said| said["holder"] == "agent").await;
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn viewers_are_shown_what_the_agent_does_and_where() {
    let stack = Stack::shared().await;
    let page = "<!doctype html><title>t</title><button style='position:absolute;left:100px;top:50px;width:80px;\
        height:30px'>Go</button><input aria-label=Name><button style='position:absolute;left:0;top:5000px'>Far</button>";
    let (agent, opened) = Agent::at(stack.caller(), &stack.site.html(page)).await;
    let button = reference(&tree(&opened), "\"Go\"");
    let mut viewer = LiveViewer::of(&agent, "view", json!({})).await;
    viewer.frame().await;
    agent.does("click", json!({"ref": button})).await;
    let action = viewer.message("action").await;
    assert_eq!((&action["tool"], &action["ref"]), (&json!("browser_click"), &json!(button)));
    let place = &action["box"];
    assert_eq!((place["x"].as_f64(), place["y"].as_f64()), (Some(100.0), Some(50.0)), "{action:#}");
    assert_eq!((place["width"].as_f64(), place["height"].as_f64()), (Some(80.0), Some(30.0)), "{action:#}");
    agent.does("click", json!({"at": {"x": 7, "y": 9}})).await;
    let action = viewer.message("action").await;
    assert_eq!(action["box"], json!({"x": 7.0, "y": 9.0, "width": 0.0, "height": 0.0}));
    agent.does("press", json!({"key": "Control+A", "target": {"by": "label", "value": "Name"}})).await;
    let action = viewer.message("action").await;
    assert_eq!((&action["tool"], &action["key"]), (&json!("browser_press"), &json!("Control+A")));
    let interaction = json!({"action": "click", "target": {"by": "text", "value": "Go"}});
    agent.does("interact", interaction).await;
    assert_eq!(viewer.message("action").await["tool"], "interactWithPage");
    // Where it is once it has been scrolled to.
    agent.does("click", json!({"ref": reference(&tree(&opened), "\"Far\"")})).await;
    let action = viewer.message("action").await;
    assert!(action["box"]["y"].as_f64().is_some_and(|y| (0.0..720.0).contains(&y)), "{action:#}");
    agent.does("navigate", json!({"action": "reload"})).await;
    assert_eq!(viewer.message("action").await["tool"], "browser_navigate");
    agent.does("snapshot", json!({})).await;
    viewer.is_heard().await;
    assert_eq!(viewer.messages.iter().filter(|said| said["type"] == "action").count(), 6);
    agent.does("close", json!({})).await;
}
