//! A person and an agent at one page at the same time: neither disturbs what the other does.

use porthole_tests::agent::{Agent, reference, tree};
use porthole_tests::{LiveViewer, Stack};
use serde_json::json;

use super::RED;
use super::input::{click, types};

/// Counts the clicks on it for the documents of its origin. A press and a paste each take it a while.
const SLOW: &str = "<!doctype html><title>slow</title><body style='margin:0;height:100vh'><script>
    localStorage.clicks = 0;
    const works = () => { for (const until = performance.now() + 40; performance.now() < until;); };
    addEventListener('mousedown', works);
    addEventListener('paste', works);
    addEventListener('click', () => { localStorage.clicks = 1 + Number(localStorage.clicks); });
    </script>";
/// Tells those clicks, and what is done to itself.
const NEXT: &str = "<!doctype html><body style='margin:0;height:100vh'><h1></h1><p></p><script>
    document.querySelector('h1').textContent = `${localStorage.clicks} clicks before`;
    for (const kind of ['mousemove', 'mousedown', 'mouseup', 'click', 'keydown', 'keyup'])
        addEventListener(kind, () => { document.querySelector('p').textContent += `${kind} `; }, true);
    </script>";

/// An agent, and a person who may act and sees the page.
async fn both_at(stack: &Stack, html: &str) -> (Agent, LiveViewer) {
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(html)).await;
    let mut viewer = LiveViewer::of(&agent, "control", json!({})).await;
    viewer.frame().await;
    (agent, viewer)
}

async fn let_go(viewer: &mut LiveViewer) {
    viewer.says(json!({"type": "control", "action": "release"})).await;
    viewer.is_heard().await;
}

#[tokio::test]
async fn what_a_person_did_reaches_the_page_before_the_agent_acts() {
    let stack = Stack::start().await;
    let (agent, mut viewer) = both_at(&stack, SLOW).await;
    for _ in 0..8 {
        viewer.says(json!({"type": "paste", "text": "x"})).await;
        click(&mut viewer, 100, 100).await;
    }
    let_go(&mut viewer).await;
    agent.does("navigate", json!({"url": stack.site.html(NEXT)})).await;
    let next = tree(&agent.does("snapshot", json!({})).await);
    assert!(next.contains("8 clicks before") && !next.contains("mouse"), "{next}");
}

#[tokio::test]
async fn what_a_person_did_to_a_page_that_is_busy_does_not_reach_the_next_one() {
    let stack = Stack::start().await;
    let busy = SLOW.replace("+ 40", "+ 100");
    for by_agent in [true, false] {
        let (agent, mut viewer) = both_at(&stack, &busy).await;
        for _ in 0..150 {
            click(&mut viewer, 100, 100).await;
        }
        let next = stack.site.html(NEXT);
        if by_agent {
            let_go(&mut viewer).await;
            agent.does("navigate", json!({"url": next})).await;
        } else {
            viewer.says(json!({"type": "navigate", "url": next})).await;
            viewer.message_that("url", |said| said["url"] == next).await;
            let_go(&mut viewer).await;
            agent.does("press", json!({"key": "Shift"})).await;
        }
        let later = tree(&agent.does("snapshot", json!({})).await);
        assert!(later.contains("clicks before") && !later.contains("mouse"), "by the agent {by_agent}: {later}");
        agent.does("close", json!({})).await;
    }
}

/// What is dragged by the pointer, and two places for it; tells where it was dropped.
const DRAGS: &str = "<!doctype html><style>div{position:absolute;width:150px;height:80px;user-select:none}</style>
    <div id=i style='left:20px;top:20px' role=button tabindex=0>Item</div><div id=a style='left:400px;top:20px' role=button tabindex=0>Archive</div>
    <div id=t style='left:400px;top:300px' role=button tabindex=0>Trash</div><p></p><script>
    const tells = (what) => { document.querySelector('p').textContent += `${what} `; };
    let held = false;
    i.onmousedown = () => { held = true; };
    addEventListener('mousemove', (e) => { if (held) i.style.transform = `translate(${e.clientX - 95}px, ${e.clientY - 160}px)`; });
    addEventListener('mouseup', (e) => {
        if (held) tells(`dropped on ${document.elementsFromPoint(e.clientX, e.clientY).find((one) => one !== i).id}`);
        held = false;
    });
    t.onclick = () => tells('clicked t');
    </script>";

#[tokio::test]
async fn a_person_who_clicks_while_an_agent_drags_does_not_get_the_drop() {
    let stack = Stack::shared().await;
    let (agent, mut viewer) = both_at(&stack, DRAGS).await;
    let seen = agent.tree().await;
    let (from, to) = (reference(&seen, "Item"), reference(&seen, "Archive"));
    let drags = agent.call("drag", json!({"ref": from, "to": {"ref": to}}));
    let clicks = async {
        viewer.message("action").await;
        click(&mut viewer, 475, 340).await;
    };
    let (answer, ()) = tokio::join!(drags, clicks);
    answer.expect_session();
    let_go(&mut viewer).await;
    agent.does("press", json!({"key": "Shift"})).await;
    let later = agent.tree().await;
    // The person's click comes before the drag or after it.
    assert!(
        later.contains("dropped on a") && later.contains("clicked t") && !later.contains("dropped on t"),
        "{later}"
    );
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn what_a_person_types_while_an_agent_types_is_in_their_own_field() {
    const TEXT: &str = "an agent's comment, typed key by key";
    let stack = Stack::shared().await;
    let fields = "<!doctype html><body style='margin:0'><input id=c aria-label=Comment style='display:block;width:400px;height:40px'>
        <input id=s aria-label=Secret style='display:block;width:400px;height:40px'>";
    for slowly in [true, false] {
        let (agent, mut viewer) = both_at(&stack, fields).await;
        let to = reference(&agent.tree().await, "Comment");
        let agent_types = agent.call("type", json!({"ref": to, "text": TEXT, "slowly": slowly}));
        let person_types = async {
            viewer.message("action").await;
            click(&mut viewer, 200, 60).await;
            types(&mut viewer, "hunter2").await;
        };
        let (answer, ()) = tokio::join!(agent_types, person_types);
        answer.expect_session();
        let_go(&mut viewer).await;
        agent.does("press", json!({"key": "Shift"})).await;
        let later = agent.tree().await;
        assert!(later.contains(&format!(": {TEXT}")) && later.contains(": hunter2"), "slowly {slowly}: {later}");
        agent.does("close", json!({})).await;
    }
}

#[tokio::test]
async fn a_point_and_a_key_that_waited_for_a_person_are_not_for_the_document_that_they_went_to() {
    let stack = Stack::shared().await;
    let other = "<!doctype html><body style='margin:0;height:100vh' onclick=\"document.title='clicked'\" onkeydown=\"document.title='pressed'\"><button autofocus>Delete</button>";
    for (tool, fields) in [("click", json!({"at": {"x": 20, "y": 20}})), ("press", json!({"key": "Enter"}))] {
        let (agent, _) = Agent::at(stack.caller(), &stack.site.html(RED)).await;
        let mut viewer = LiveViewer::of(&agent, "control", json!({})).await;
        viewer.says(json!({"type": "control", "action": "take"})).await;
        viewer.message_that("control", |said| said["you"] == true).await;
        let next = stack.site.html(other);
        let waits = agent.call(tool, fields.clone());
        let leads = async {
            viewer.says(json!({"type": "navigate", "url": next})).await;
            viewer.message_that("url", |said| said["url"] == next).await;
            // The agent's call has come by then.
            agent.does("snapshot", json!({})).await;
            viewer.says(json!({"type": "control", "action": "release"})).await;
        };
        let (answer, ()) = tokio::join!(waits, leads);
        answer.expect_code_about("STALE_REF", "a person has led tab t1 to another document");
        let title = &agent.does("status", json!({})).await["title"];
        assert_eq!(title, "", "{tool}");
        agent.does(tool, fields).await;
        agent.does("close", json!({})).await;
    }
}

#[tokio::test]
async fn what_a_person_types_once_they_have_control_again_is_not_dropped() {
    let stack = Stack::start().await;
    let hangs = "<!doctype html><body style='margin:0'><input aria-label=Name style='width:400px;height:40px'>\
        <div style='height:100px' onmousedown='for (const until = performance.now() + 7000; performance.now() < until;);'>hangs</div>";
    let (agent, mut viewer) = both_at(&stack, hangs).await;
    click(&mut viewer, 200, 100).await;
    viewer.message_that("control", |said| said["holder"] == "viewer").await;
    viewer.says(json!({"type": "control", "action": "release"})).await;
    viewer.message_that("control", |said| said["holder"] == "none").await;
    let waits = agent.call("hover", json!({"at": {"x": 300, "y": 300}, "timeout_ms": 25000}));
    let goes_on = async {
        click(&mut viewer, 200, 20).await;
        types(&mut viewer, "Ada").await;
        // Longer than an action waits for a page that takes no input.
        viewer.message_that("control", |said| said["holder"] == "viewer").await;
        tokio::time::sleep(std::time::Duration::from_secs(6)).await;
        viewer.says(json!({"type": "control", "action": "release"})).await;
    };
    let (answer, ()) = tokio::join!(waits, goes_on);
    answer.expect_session();
    let later = agent.tree().await;
    assert!(later.contains("\"Name\"") && later.contains(": Ada"), "{later}");
}
