//! Viewers' input over the wire: what a person does with their hands, and what is in no frame.

use porthole_tests::agent::Agent;
use porthole_tests::eventually::so;
use porthole_tests::site::SHOP;
use porthole_tests::{LiveViewer, Stack, eventually};
use serde_json::{Value, json};

use super::{BLUE_RGB, RED, RED_RGB, SOON};

pub(super) fn mouse(kind: &str, x: u32, y: u32, button: &str) -> Value {
    json!({"type": "mouse", "event": {"type": kind, "x": x, "y": y, "button": button, "clickCount": 1}})
}

pub(super) async fn click(viewer: &mut LiveViewer, x: u32, y: u32) {
    viewer.says(mouse("mouseMoved", x, y, "none")).await;
    viewer.says(mouse("mousePressed", x, y, "left")).await;
    viewer.says(mouse("mouseReleased", x, y, "left")).await;
}

pub(super) async fn types(viewer: &mut LiveViewer, text: &str) {
    for character in text.chars() {
        for (kind, typed) in [("keyDown", Some(character.to_string())), ("keyUp", None)] {
            let key = json!({"type": kind, "key": character.to_string(), "text": typed, "modifiers": 0});
            viewer.says(json!({"type": "keyboard", "event": key})).await;
        }
    }
}

/// Waits until the title, by which these pages tell, is this.
async fn title_is(viewer: &mut LiveViewer, title: &str) {
    let known = viewer.messages.iter().rev().find(|said| said["type"] == "url").map(|said| said["title"].clone());
    if known != Some(json!(title)) {
        viewer.message_that("url", |said| said["title"] == title).await;
    }
}

#[tokio::test]
async fn a_click_changes_the_page_and_its_frame() {
    let stack = Stack::start().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(RED)).await;
    let mut viewer = LiveViewer::of(&agent, "control", json!({})).await;
    viewer.shows(640, 360, RED_RGB).await;
    for x in 0..300 {
        viewer.says(mouse("mouseMoved", x, 100, "none")).await;
    }
    click(&mut viewer, 200, 200).await;
    viewer.shows(640, 360, BLUE_RGB).await;
    let counted = async || stack.metric(&stack.service, "porthole_live_input_seconds_count").await;
    eventually(SOON, async || so(counted().await > 0, "no time from input to frame was measured")).await;
}

#[tokio::test]
async fn a_person_types_composes_pastes_copies_and_selects() {
    let stack = Stack::shared().await;
    let page = "<!doctype html><title>t</title><body style='margin:0'><input id=i autofocus style='position:absolute;\
        left:0;top:0;width:200px;height:40px' oninput='document.title=this.value'>\
        <select id=s style='position:absolute;left:0;top:100px;width:200px;height:40px' \
        onchange='document.title=this.value'><option value=a>Ada<option value=g>Grace</select>";
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(page)).await;
    let mut viewer = LiveViewer::of(&agent, "control", json!({})).await;
    viewer.frame().await;
    click(&mut viewer, 50, 20).await;
    viewer.message_that("cursor", |said| said["cursor"] == "text").await;
    types(&mut viewer, "Hi ").await;
    // AltGr, which a US keyboard has not: its Shift brings the same sign on this key.
    for kind in ["keyDown", "keyUp"] {
        let key = json!({"type": kind, "key": "@", "code": "Digit2", "text": "@", "modifiers": 3});
        viewer.says(json!({"type": "keyboard", "event": key})).await;
    }
    viewer.says(json!({"type": "ime", "event": {"type": "compose", "text": "に"}})).await;
    viewer.says(json!({"type": "ime", "event": {"type": "commit", "text": "日本"}})).await;
    viewer.says(json!({"type": "paste", "text": "!"})).await;
    title_is(&mut viewer, "Hi @日本!").await;
    viewer
        .says(json!({"type": "keyboard", "event": {"type": "keyDown", "key": "a", "code": "KeyA", "modifiers": 2}}))
        .await;
    viewer
        .says(json!({"type": "keyboard", "event": {"type": "keyUp", "key": "a", "code": "KeyA", "modifiers": 2}}))
        .await;
    viewer.says(json!({"type": "copy"})).await;
    assert_eq!(viewer.message("clipboard").await["text"], "Hi @日本!");
    click(&mut viewer, 50, 120).await;
    let select = viewer.message("select").await;
    assert_eq!((&select["kind"], &select["options"][1]["label"]), (&json!("list"), &json!("Grace")), "{select:#}");
    viewer.says(json!({"type": "choose", "values": ["g"]})).await;
    viewer.message("select_closed").await;
    title_is(&mut viewer, "g").await;
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_file_is_chosen_and_a_dialog_answered() {
    let stack = Stack::shared().await;
    let page = "<!doctype html><title>t</title><body style='margin:0'><input type=file accept='.txt' \
        style='position:absolute;left:0;top:0;width:300px;height:40px' \
        onchange='this.files[0].text().then(t=>document.title=confirm(t)?\"yes\":\"no\")'>";
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(page)).await;
    let mut viewer = LiveViewer::of(&agent, "control", json!({})).await;
    viewer.frame().await;
    click(&mut viewer, 40, 20).await;
    let chooser = viewer.message("file_chooser").await;
    assert_eq!((&chooser["multiple"], &chooser["accept"]), (&json!(false), &json!(".txt")));
    let file = json!({"name": "a.txt", "mime_type": "text/plain", "content_base64": "SGVsbG8/"});
    viewer.says(json!({"type": "files", "files": [file]})).await;
    let dialog = viewer.message("dialog").await;
    assert_eq!((&dialog["kind"], &dialog["message"]), (&json!("confirm"), &json!("Hello?")));
    // Told of the page's state, not of the dialog: it may come before.
    let paused = json!({"type": "status", "status": "paused"});
    if !viewer.messages.contains(&paused) {
        viewer.message_that("status", |said| *said == paused).await;
    }
    viewer.says(json!({"type": "dialog", "accept": false})).await;
    viewer.message("dialog_closed").await;
    title_is(&mut viewer, "no").await;
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn files_that_can_t_be_given_are_answered_with_an_error_and_the_chooser_waits() {
    let stack = Stack::shared().await;
    let page = "<!doctype html><title>t</title><body style='margin:0'><input type=file \
        style='position:absolute;left:0;top:0;width:300px;height:40px' \
        onchange='document.title=this.files[0].name'>";
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(page)).await;
    let mut viewer = LiveViewer::of(&agent, "control", json!({})).await;
    viewer.frame().await;
    click(&mut viewer, 40, 20).await;
    viewer.message("file_chooser").await;
    let file = |name: &str, content: &str| json!({"name": name, "content_base64": content});
    for (files, names) in [
        (json!([file("a.txt", "QQ=="), file("b.txt", "QQ==")]), "one file"),
        (json!([file("a.txt", "?")]), "base64"),
        (json!([file("../a", "QQ==")]), "name"),
        (json!([file("a.txt", &"AAAA".repeat(3_400_000))]), "bytes together"),
    ] {
        viewer.says(json!({"type": "files", "files": files})).await;
        let error = viewer.message("error").await;
        assert_eq!(error["error"], "INVALID_REQUEST");
        assert!(error["message"].as_str().is_some_and(|message| message.contains(names)), "{error} names no {names}");
    }
    viewer.says(json!({"type": "files", "files": [file("c.txt", "QQ==")]})).await;
    title_is(&mut viewer, "c.txt").await;
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_page_that_locks_the_pointer_does_not_hold_up_input() {
    let stack = Stack::shared().await;
    let locks = "<button style='position:absolute;left:0;top:0;width:200px;height:40px' \
        onclick='document.body.requestPointerLock()'>lock</button><script>
        document.addEventListener('pointerlockchange', () => top.postMessage(
            document.pointerLockElement ? 'locked' : 'free', '*'))</script>";
    // In a process of its own.
    let inner = stack.site.html(&format!("<!doctype html><body style='margin:0'>{locks}")).replace("127.0.0.1", SHOP);
    let page = format!(
        "<!doctype html><title>t</title><body style='margin:0;height:100vh'><img name=exitPointerLock>{locks}
        <iframe src='{inner}' style='position:absolute;left:0;top:100px;width:300px;height:100px;border:0'></iframe>
        <script>
        let state, clicks = 0;
        addEventListener('click', ({{ clientX }}) => {{
            clicks += clientX > 300;
            document.title = `${{state}} ${{clicks}}`;
        }});
        addEventListener('message', ({{ data, source }}) => {{
            state = source === window ? data : `inner ${{data}}`;
            document.title = `${{state}} ${{clicks}}`;
        }});
        </script>"
    );
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(&page)).await;
    let mut viewer = LiveViewer::of(&agent, "control", json!({})).await;
    viewer.frame().await;
    click(&mut viewer, 50, 20).await;
    title_is(&mut viewer, "free 0").await;
    click(&mut viewer, 500, 300).await;
    title_is(&mut viewer, "free 1").await;
    click(&mut viewer, 50, 120).await;
    title_is(&mut viewer, "inner free 1").await;
    click(&mut viewer, 500, 300).await;
    title_is(&mut viewer, "inner free 2").await;
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn what_a_viewer_holds_is_released_when_it_turns_to_another_tab() {
    let stack = Stack::shared().await;
    let page = "<!doctype html><title>t</title><body style='margin:0;height:100vh' \
        onmousedown='document.title=\"down\"' onmouseup='document.title=\"up\"'>";
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(page)).await;
    agent.does("tabs", json!({"action": "new", "url": stack.site.html("<title>other</title>")})).await;
    let mut holding = LiveViewer::of(&agent, "control", json!({})).await;
    let mut watching = LiveViewer::of(&agent, "view", json!({})).await;
    for viewer in [&mut holding, &mut watching] {
        viewer.message_that("url", |said| said["title"] == "other").await;
        viewer.says(json!({"type": "tab", "tab": "t1"})).await;
        viewer.message_that("url", |said| said["title"] == "t").await;
        viewer.frame().await;
    }
    holding.says(mouse("mousePressed", 100, 100, "left")).await;
    title_is(&mut watching, "down").await;
    holding.says(json!({"type": "tab", "tab": "t2"})).await;
    title_is(&mut watching, "up").await;
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn what_a_viewer_holds_is_released_when_it_is_gone() {
    let stack = Stack::shared().await;
    let page = "<!doctype html><title>t</title><body style='margin:0;height:100vh' \
        onmousedown='document.title=\"down\"' onmouseup='document.title=\"up\"'>";
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(page)).await;
    let mut holding = LiveViewer::of(&agent, "control", json!({})).await;
    let mut watching = LiveViewer::of(&agent, "view", json!({})).await;
    watching.frame().await;
    holding.frame().await;
    holding.says(mouse("mousePressed", 100, 100, "left")).await;
    title_is(&mut watching, "down").await;
    drop(holding);
    title_is(&mut watching, "up").await;
    let control = watching.messages.iter().rev().find(|said| said["type"] == "control");
    assert_eq!(control.map(|said| &said["holder"]), Some(&json!("none")), "{:#?}", watching.messages);
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn fingers_reach_the_page_down_moved_and_up_again() {
    let stack = Stack::shared().await;
    // What is held for half a second is pressed long.
    let page = "<!doctype html><title>t</title><body style='margin:0;height:100vh'><script>
        let told = [], timer;
        const tell = (what) => { told.push(what); document.title = told.join(' '); };
        for (const type of ['touchstart', 'touchmove', 'touchend', 'touchcancel']) addEventListener(type, (event) => {
            clearTimeout(timer);
            if (type === 'touchstart') timer = setTimeout(() => tell('long'), 500);
            if (type !== 'touchmove') tell(type.slice(5) + event.touches.length);
            else if (told.at(-1) !== 'move') tell('move');
        }, { passive: false });
        addEventListener('click', () => tell('click'));
        </script>";
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(page)).await;
    let mut viewer = LiveViewer::of(&agent, "control", json!({})).await;
    viewer.frame().await;
    let touch = |kind: &str, points: &[(u32, u32, u32)]| {
        let points: Vec<Value> = points.iter().map(|(id, x, y)| json!({"id": id, "x": x, "y": y})).collect();
        json!({"type": "touch", "event": {"type": kind, "points": points}})
    };
    // A tap: the end names no finger.
    viewer.says(touch("touchStart", &[(1, 100, 100)])).await;
    viewer.says(touch("touchEnd", &[])).await;
    title_is(&mut viewer, "start1 end0 click").await;
    // A long press ends where the person lifts the finger.
    viewer.says(touch("touchStart", &[(2, 100, 100)])).await;
    title_is(&mut viewer, "start1 end0 click start1 long").await;
    viewer.says(touch("touchEnd", &[])).await;
    title_is(&mut viewer, "start1 end0 click start1 long end0 click").await;
    viewer.says(json!({"type": "navigate", "action": "reload"})).await;
    title_is(&mut viewer, "t").await;
    // Two fingers of which one goes first.
    viewer.says(touch("touchStart", &[(1, 100, 100)])).await;
    viewer.says(touch("touchStart", &[(1, 100, 100), (2, 200, 100)])).await;
    viewer.says(touch("touchMove", &[(1, 80, 100), (2, 220, 100)])).await;
    viewer.says(touch("touchEnd", &[(2, 220, 100)])).await;
    viewer.says(touch("touchEnd", &[])).await;
    title_is(&mut viewer, "start1 start2 move end1 end0").await;
    viewer.says(json!({"type": "navigate", "action": "reload"})).await;
    title_is(&mut viewer, "t").await;
    // One that stays where it is, told of as the other one goes.
    viewer.says(touch("touchStart", &[(0, 100, 100)])).await;
    viewer.says(touch("touchStart", &[(0, 100, 100), (1, 200, 100)])).await;
    viewer.says(touch("touchEnd", &[(0, 100, 100)])).await;
    title_is(&mut viewer, "start1 start2 end1").await;
    viewer.says(touch("touchMove", &[(0, 140, 100)])).await;
    viewer.says(touch("touchEnd", &[])).await;
    title_is(&mut viewer, "start1 start2 end1 move end0").await;
    agent.does("close", json!({})).await;
}
