//! Viewers that send as much as they can of every kind of message, and viewers that read nothing of what they asked for.

use std::time::{Duration, Instant};

use fastrand::Rng;
use porthole_tests::agent::Agent;
use porthole_tests::eventually::so;
use porthole_tests::live::{Frame, masked_frame, ticket};
use porthole_tests::process::resident_bytes;
use porthole_tests::{LiveViewer, Stack, eventually};
use serde_json::{Value, json};

use super::input::{click, mouse};
use super::{BLUE_RGB, MOVING, RED, RED_RGB, SOON};

/// Noise, which makes large pictures.
const NOISE: &str = "<!doctype html><title>noise</title><canvas width=1280 height=720></canvas><script>
    const context = document.querySelector('canvas').getContext('2d'), noise = new ImageData(1280, 720);
    for (let at = 0; at < noise.data.length; at += 1) noise.data[at] = at % 4 === 3 ? 255 : Math.random() * 256;
    (function draw() {
        context.putImageData(noise, -Math.random() * 300, -Math.random() * 300);
        requestAnimationFrame(draw);
    })();
    </script>";

async fn ignored(stack: &Stack, reason: &str) -> u64 {
    stack.metric(&stack.service, &format!("porthole_live_ignored_total{{reason=\"{reason}\"}}")).await
}

async fn acted(stack: &Stack) -> u64 {
    stack.metric(&stack.service, "porthole_live_input_total").await
}

/// Waits until the title is this, which what a page does before may delay: for a number of answers, not for a time.
async fn title_becomes(viewer: &mut LiveViewer, title: &str) {
    for _ in 0..20_000 {
        if viewer.messages.iter().rev().find(|said| said["type"] == "url").is_some_and(|said| said["title"] == title) {
            return;
        }
        viewer.is_heard().await;
    }
    panic!("the title never became {title}");
}

fn commit(text: &str) -> Value {
    json!({"type": "ime", "event": {"type": "commit", "text": text}})
}

#[tokio::test]
async fn one_that_reads_nothing_is_gone_soon_after_its_session_has_ended() {
    let stack = Stack::start().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(NOISE)).await;
    let hello = json!({"max_fps": 60, "quality": 100});
    let mut viewer = LiveViewer::with_ticket(stack.worker.main, &ticket(&agent, "view").await, hello).await;
    // The viewer reads nothing: wait until its buffers are full and no more can be written.
    let written = async || stack.metric(&stack.service, "porthole_live_bytes_total").await;
    eventually(SOON, async || {
        let before = written().await;
        for _ in 0..10 {
            agent.does("snapshot", json!({})).await;
        }
        so(before > 0 && written().await == before, "frames are still written")
    })
    .await;
    agent.does("close", json!({})).await;
    eventually(Duration::from_secs(10), async || {
        let viewers = stack.metric(&stack.service, "porthole_live_viewers").await;
        let open = stack.metric(&stack.worker, r#"porthole_connections{kind="upgraded"}"#).await;
        so(viewers == 0 && open == 0, "the viewer keeps its connection")
    })
    .await;
    assert_eq!(viewer.closed().await, 1006, "there was no room for a close frame");
}

#[tokio::test]
async fn texts_for_a_page_that_answers_nothing_wait_within_a_bound() {
    let stack = Stack::start().await;
    let hangs = "<!doctype html><title>hangs</title><body style='height:100vh' onmousedown='for(;;);'>";
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(hangs)).await;
    let (other, _) = Agent::at(stack.caller(), &stack.site.html(MOVING)).await;
    let mut watching = LiveViewer::of(&other, "view", json!({})).await;
    let mut viewer = LiveViewer::of(&agent, "control", json!({})).await;
    viewer.frame().await;
    click(&mut viewer, 100, 100).await;
    viewer.is_heard().await;
    let before = acted(&stack).await;
    let text = "x".repeat(60_000);
    for message in [commit(&text), json!({"type": "paste", "text": text})] {
        // No faster than they are taken up: what was sent to the browser would make room for the next ones.
        for _ in 0..40 {
            for _ in 0..5 {
                viewer.says(message.clone()).await;
            }
            viewer.is_heard().await;
            watching.frame().await;
        }
    }
    // A quarter of a megabyte is under way, and a megabyte waits.
    let taken = acted(&stack).await - before;
    assert!((10..60).contains(&taken), "{taken} texts of 60 kB are under way or wait");
    for _ in 0..20 {
        watching.frame().await;
    }
}

#[tokio::test]
async fn copies_that_are_not_read_cost_one_text_a_session() {
    let stack = Stack::start().await;
    // What a viewer is told of it has a megabyte. The page draws none of it: that would take most of the test's time.
    let page = "<!doctype html><title>t</title><script>
        const text = '\u{1f600}'.repeat(250000);
        addEventListener('copy', (event) => { event.clipboardData.setData('text/plain', text); event.preventDefault(); });
        addEventListener('paste', (event) => { document.title = event.clipboardData.getData('text/plain').slice(0, 9); event.preventDefault(); });
        </script>";
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(page)).await;
    let mut watching = LiveViewer::of(&agent, "view", json!({})).await;
    let mut reads = LiveViewer::of(&agent, "control", json!({})).await;
    reads.says(json!({"type": "copy"})).await;
    let copied = reads.message("clipboard").await;
    assert_eq!(copied["text"].as_str().map(|text| text.chars().count()), Some(250_000));
    reads.says(json!({"type": "control", "action": "release"})).await;
    reads.is_heard().await;
    let before = resident_bytes(stack.service.process.pid());
    let mut never = Vec::new();
    // A viewer that reads nothing for twenty seconds is cut: several copy in turns, each not for long.
    for number in 0..5 {
        let mut viewer = LiveViewer::of(&agent, "control", json!({})).await;
        for _ in 0..12 {
            viewer.says(json!({"type": "copy"})).await;
        }
        let done = format!("done {number}");
        viewer.says(json!({"type": "paste", "text": done})).await;
        title_becomes(&mut watching, &done).await;
        viewer.says(json!({"type": "control", "action": "release"})).await;
        never.push(viewer);
        watching.message_that("control", |said| said["holder"] == "none").await;
    }
    let grown = resident_bytes(stack.service.process.pid()).saturating_sub(before);
    assert!(grown < 32 * 1024 * 1024, "viewers that read no copies hold {grown} bytes");
}

#[tokio::test]
async fn control_that_is_taken_and_released_all_the_time_is_told_now_and_then() {
    let stack = Stack::shared().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(RED)).await;
    let mut watching = LiveViewer::of(&agent, "view", json!({})).await;
    let mut viewer = LiveViewer::of(&agent, "control", json!({})).await;
    watching.shows(640, 360, RED_RGB).await;
    let began = Instant::now();
    let reading = async {
        // The last thing that it is told of.
        watching.message_that("url", |said| said["title"] == "done").await;
        watching
    };
    let flooding = async {
        for _ in 0..400 {
            viewer.says(json!({"type": "control", "action": "take"})).await;
            viewer.says(json!({"type": "control", "action": "release"})).await;
            viewer.is_heard().await;
        }
        viewer.says(json!({"type": "navigate", "url": stack.site.html("<title>done</title>")})).await;
        began.elapsed()
    };
    let (watching, took) = tokio::join!(reading, flooding);
    let told = watching.messages.iter().filter(|said| said["type"] == "control").count();
    // Once each 10 ms at most.
    let most = took.as_millis() / 10 + 10;
    assert!(told >= 2 && told as u128 <= most, "{told} changes of control were told in {took:?}");
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_page_that_changes_its_url_all_the_time_is_told_of_now_and_then_and_at_last() {
    let stack = Stack::start().await;
    let page = "<!doctype html><title>t</title><script>
        let n = 0;
        const timer = setInterval(() => {
            n += 1;
            history.replaceState(null, '', `#${n}`);
            document.title = n;
            if (n < 150) return;
            clearInterval(timer);
            history.replaceState(null, '', '#last');
        }, 10);
        </script>";
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(page)).await;
    let began = Instant::now();
    let mut viewer = LiveViewer::of(&agent, "view", json!({})).await;
    viewer.message_that("url", |said| said["url"].as_str().is_some_and(|url| url.ends_with("#last"))).await;
    let told = u32::try_from(viewer.messages.iter().filter(|said| said["type"] == "url").count()).unwrap();
    // As many at once as come in a second.
    let most = 5.0 * (began.elapsed().as_secs_f64() + 1.0) + 2.0;
    assert!(f64::from(told) <= most, "{told} in {:?}", began.elapsed());
}

#[tokio::test]
async fn the_last_of_many_sizes_is_the_page_s() {
    let stack = Stack::shared().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(RED)).await;
    let mut viewer = LiveViewer::of(&agent, "control", json!({})).await;
    viewer.frame().await;
    for number in 0..300 {
        viewer.says(json!({"type": "resize", "width": 300 + number, "height": 900 - number})).await;
    }
    viewer.says(json!({"type": "resize", "width": 500, "height": 400})).await;
    let frame = viewer.frame_that(|frame| (frame.header.width, frame.header.height) == (500, 400)).await;
    assert_eq!(frame.picture().size(), (500, 400));
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn navigations_beyond_ten_a_second_and_second_answers_to_a_dialog_are_ignored() {
    let stack = Stack::start().await;
    let asks = "<!doctype html><title>asks</title><body style='height:100vh' onclick=\"document.title=prompt('?')\">";
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(RED)).await;
    let mut viewer = LiveViewer::of(&agent, "control", json!({})).await;
    viewer.frame().await;
    let began = Instant::now();
    for _ in 0..200 {
        viewer.says(json!({"type": "navigate", "url": stack.site.html(RED)})).await;
    }
    viewer.is_heard().await;
    let most = 10 + 10 * (began.elapsed().as_secs() + 1);
    let taken = 200 - ignored(&stack, "rate").await;
    assert!((1..=most).contains(&taken), "{taken} navigations");
    viewer.says(json!({"type": "control", "action": "release"})).await;
    viewer.is_heard().await;
    agent.does("navigate", json!({"url": stack.site.html(asks)})).await;
    viewer.message_that("url", |said| said["title"] == "asks").await;
    click(&mut viewer, 100, 100).await;
    viewer.message("dialog").await;
    let before = (acted(&stack).await, ignored(&stack, "moot").await);
    for number in 0..50 {
        viewer.says(json!({"type": "dialog", "accept": true, "text": format!("answer {number}")})).await;
    }
    viewer.message_that("url", |said| said["title"] == "answer 0").await;
    viewer.is_heard().await;
    let after = (acted(&stack).await, ignored(&stack, "moot").await);
    assert_eq!((after.0 - before.0, after.1 - before.1), (1, 49));
}

#[tokio::test]
async fn messages_in_any_number_of_parts_are_one_message_within_its_bound() {
    let stack = Stack::shared().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(RED)).await;
    let mut viewer = LiveViewer::of(&agent, "control", json!({})).await;
    viewer.frame().await;
    viewer.sends_raw(&masked_frame(0x01, br#"{"type":"ping","#)).await;
    viewer.sends_raw(&masked_frame(0x00, b"").repeat(50_000)).await;
    viewer.sends_raw(&masked_frame(0x80, br#""id":"parts"}"#)).await;
    viewer.message_that("pong", |said| said["id"] == "parts").await;
    for (what, opcode) in [("text", 0x01), ("binary", 0x02)] {
        viewer.sends_raw(&masked_frame(opcode, b"x")).await;
        viewer.sends_raw(&masked_frame(0x00, &[b'x'; 100]).repeat(656)).await;
        viewer.sends_raw(&masked_frame(0x80, b"x")).await;
        assert_eq!(viewer.closed().await, 1009, "{what} in parts");
        viewer = LiveViewer::of(&agent, "control", json!({})).await;
        viewer.frame().await;
    }
    viewer.sends_binary(vec![0; 65_537]).await;
    assert_eq!(viewer.closed().await, 1009, "a binary message");
    agent.does("close", json!({})).await;
}

/// Whether the middle of a frame has this colour, about.
fn is_at(frame: &Frame, colour: [u8; 3]) -> bool {
    frame.picture().at(640, 360).iter().zip(colour).all(|(seen, wanted)| seen.abs_diff(wanted) <= 24)
}

/// A message of a viewer that knows the protocol's words and no measure.
fn any_message(rng: &mut Rng) -> Value {
    let text = |rng: &mut Rng| -> String {
        let words = ["a", "\u{0}", "\u{202e}", "日本", "👩‍👩‍👧", "\n", "<b>", "\u{fffd}", "\u{7f}", " "];
        let count = [0, 1, 3, 200][rng.usize(..4)];
        (0..count).map(|_| words[rng.usize(..words.len())]).collect()
    };
    let number =
        |rng: &mut Rng| -> f64 { [0.0, -0.0, 0.5, 1.0, 640.0, 1e-300, -50_000.0, 99_999.0, 1e6][rng.usize(..9)] };
    let of = |rng: &mut Rng, list: &[&str]| list[rng.usize(..list.len())].to_owned();
    match rng.u32(..8) {
        0 => {
            let kind = of(rng, &["mousePressed", "mouseReleased", "mouseMoved", "mouseWheel"]);
            let button = of(rng, &["left", "right", "middle", "none"]);
            json!({"type": "mouse", "event": {"type": kind, "x": number(rng), "y": number(rng), "button": button,
                "clickCount": rng.u32(..), "deltaX": number(rng), "deltaY": number(rng), "modifiers": rng.u8(..17)}})
        }
        1 => {
            let kind = of(rng, &["keyDown", "keyUp", "char"]);
            let key = of(rng, &["a", "Enter", "F5", "Dead", "Process", "\u{0}", "é", "ArrowDown", "Unidentified", "v"]);
            json!({"type": "keyboard", "event": {"type": kind, "key": key, "code": of(rng, &["KeyA", "", "Nonsense",
                "F12", "IntlBackslash", "KeyV"]), "text": text(rng), "modifiers": rng.u8(..17)}})
        }
        2 => {
            let kind = of(rng, &["touchStart", "touchMove", "touchEnd", "touchCancel"]);
            let ids = [0, 1, 2, -1, i64::MAX, i64::MIN];
            let points: Vec<Value> = (0..rng.usize(..18))
                .map(|_| json!({"x": number(rng), "y": number(rng), "id": ids[rng.usize(..ids.len())]}))
                .collect();
            json!({"type": "touch", "event": {"type": kind, "points": points}})
        }
        3 => json!({"type": "ime", "event": {"type": of(rng, &["compose", "commit", "cancel"]), "text": text(rng),
            "selectionStart": rng.u32(..), "selectionEnd": rng.u32(..)}}),
        4 => json!({"type": "paste", "text": text(rng)}),
        5 => json!({"type": "choose", "values": if rng.bool() { Value::Null } else { json!([text(rng), text(rng)]) }}),
        6 => json!({"type": "files", "files": [{"name": text(rng), "mime_type": text(rng), "content_base64": "QQ=="}]}),
        _ => json!({"type": of(rng, &["copy", "hello", "resize", "dialog"]), "width": rng.u32(..), "height":
            rng.u32(..3), "accept": rng.bool(), "text": text(rng)}),
    }
}

#[tokio::test]
async fn any_input_leaves_the_browser_and_other_sessions_as_they_were() {
    let stack = Stack::start().await;
    let takes = "<!doctype html><title>takes</title><body style='height:2000px' contenteditable>text<input><textarea></textarea>\
        <select><option>a<option>b</select><input type=date><input type=file><input type=range>";
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(takes)).await;
    let (other, _) = Agent::at(stack.caller(), &stack.site.html(MOVING)).await;
    let mut watching = LiveViewer::of(&other, "view", json!({})).await;
    let mut viewer = LiveViewer::of(&agent, "control", json!({})).await;
    viewer.frame().await;
    let seed = fastrand::u64(..);
    let mut rng = Rng::with_seed(seed);
    for _ in 0..10 {
        for _ in 0..50 {
            viewer.says(any_message(&mut rng)).await;
        }
        viewer.is_heard().await;
        watching.frame().await;
    }
    // Control goes to the agent again, whose page and browser are still there.
    viewer.says(json!({"type": "control", "action": "release"})).await;
    viewer.says(json!({"type": "resize", "width": 1280, "height": 720})).await;
    viewer.is_heard().await;
    viewer.says(json!({"type": "control", "action": "release"})).await;
    let answer = agent.call("navigate", json!({"url": stack.site.html(RED)})).await;
    assert_eq!(answer.code(), None, "after the messages of seed {seed}: {answer:?}");
    let whole = |frame: &Frame| (frame.header.width, frame.header.height) == (1280, 720);
    viewer.frame_that(|frame| whole(frame) && is_at(frame, RED_RGB)).await;
    viewer.says(mouse("mouseMoved", 10, 10, "none")).await;
    click(&mut viewer, 200, 200).await;
    viewer.frame_that(|frame| whole(frame) && is_at(frame, BLUE_RGB)).await;
    other.does("status", json!({})).await;
    assert!(!stack.logs().iter().any(|line| line.contains("the local browser died")), "seed {seed}");
}
