//! Viewers that should not be, or should not do what they do.

use jsonwebtoken::Algorithm;
use porthole_tests::agent::Agent;
use porthole_tests::eventually::so;
use porthole_tests::live::{Heard, masked_frame, ticket};
use porthole_tests::process::resident_bytes;
use porthole_tests::{LiveViewer, Stack, eventually, owner};
use serde_json::{Value, json};

use super::input::click;
use super::{BLUE_RGB, MOVING, RED, RED_RGB, SOON};

/// The ticket with another letter in its part `number`.
fn edited(ticket: &str, number: usize) -> String {
    let mut parts: Vec<String> = ticket.split('.').map(str::to_owned).collect();
    let other = if parts[number].starts_with('A') { "B" } else { "A" };
    parts[number].replace_range(..1, other);
    parts.join(".")
}

#[tokio::test]
async fn tickets_that_are_edited_foreign_or_expired_open_nothing() {
    let stack = Stack::shared().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(RED)).await;
    let good = ticket(&agent, "view").await;
    let mut viewer = LiveViewer::with_ticket(stack.worker.main, &good, json!({})).await;
    viewer.frame().await;
    let swapped = {
        // The claims of one ticket with the signature of another.
        let control = ticket(&agent, "control").await;
        let parts: Vec<&str> = good.split('.').collect();
        let others: Vec<&str> = control.split('.').collect();
        format!("{}.{}.{}", others[0], others[1], parts[2])
    };
    let unsigned = good.rsplit_once('.').map(|(head, _)| format!("{head}.")).unwrap();
    for bad in [edited(&good, 2), edited(&good, 0), swapped, unsigned, "nonsense".to_owned(), String::new()] {
        let mut viewer = LiveViewer::with_ticket(stack.worker.main, &bad, json!({})).await;
        assert_eq!(viewer.closed().await, 4401, "{bad}");
    }
    // One that the service's own key signed, until a minute ago.
    let header = json!({"alg": "HS256", "typ": "JWT", "kid": owner::FIRST.kid});
    let mut claims = owner::part(&good, 1);
    let still = owner::FIRST.sign(&header, &claims, Algorithm::HS256);
    LiveViewer::with_ticket(stack.worker.main, &still, json!({})).await.frame().await;
    claims["exp"] = json!(owner::now_seconds() - 60);
    let expired = owner::FIRST.sign(&header, &claims, Algorithm::HS256);
    let mut late = LiveViewer::with_ticket(stack.worker.main, &expired, json!({})).await;
    assert_eq!(late.closed().await, 4401, "expired");
    // An owner token is no ticket, and a ticket no owner token.
    let mut viewer = LiveViewer::with_ticket(stack.worker.main, &agent.caller.owner_token, json!({})).await;
    assert_eq!(viewer.closed().await, 4401);
    let mut stranger = agent.clone();
    stranger.caller.owner_token = good;
    stranger.call("status", json!({})).await.expect_code("UNAUTHORIZED");
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_ticket_shows_its_own_session_and_no_other() {
    let stack = Stack::shared().await;
    let (red, _) = Agent::at(stack.caller(), &stack.site.html(RED)).await;
    let (other, _) = Agent::at(stack.caller(), &stack.site.html("<title>other</title>")).await;
    let mut viewer = LiveViewer::of(&red, "view", json!({})).await;
    viewer.says(json!({"type": "tab", "tab": "t9"})).await;
    viewer.says(json!({"type": "hello", "ticket": ticket(&other, "view").await})).await;
    viewer.message_that("url", |said| said["title"] == "red").await;
    other.does("navigate", json!({"url": stack.site.html(MOVING)})).await;
    // While the other session's page moves and is watched, this one's frames show its own.
    let mut watches = LiveViewer::of(&other, "view", json!({"max_fps": 60})).await;
    for _ in 0..30 {
        watches.frame().await;
    }
    red.does("click", json!({"at": {"x": 100, "y": 100}})).await;
    let is = |seen: [u8; 3], wanted: [u8; 3]| seen.iter().zip(wanted).all(|(seen, wanted)| seen.abs_diff(wanted) <= 24);
    loop {
        let Heard::Frame(frame) = viewer.next().await else { continue };
        let seen = frame.picture().at(100, 100);
        assert!(is(seen, RED_RGB) || is(seen, BLUE_RGB), "a frame of another session: {seen:?}");
        if is(seen, BLUE_RGB) {
            break;
        }
    }
    viewer.is_heard().await;
    let told: Vec<&Value> = viewer.messages.iter().filter(|said| said["type"] == "url").collect();
    assert!(told.iter().all(|said| said["title"] == "red" || said["title"] == ""), "{told:#?}");
    red.does("close", json!({})).await;
    other.does("close", json!({})).await;
}

#[tokio::test]
async fn bad_hellos_and_foreign_origins_are_refused() {
    let stack = Stack::shared().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(RED)).await;
    let worker = stack.worker.main;
    assert_eq!(
        LiveViewer::connect(worker, Some("https://evil.example")).await.err().map(|status| status.as_u16()),
        Some(403)
    );
    assert!(LiveViewer::connect(worker, Some("http://localhost:3000")).await.is_ok());
    let good = ticket(&agent, "view").await;
    for fields in
        [json!({"max_fps": 61}), json!({"frames": "mpeg"}), json!({"quality": 0}), json!({"max_width": "wide"})]
    {
        let mut viewer = LiveViewer::with_ticket(worker, &good, fields.clone()).await;
        assert_eq!(viewer.closed().await, 4400, "{fields}");
    }
    for first in ["nonsense".to_owned(), json!({"type": "ping"}).to_string(), json!({"ticket": good}).to_string()] {
        let mut viewer = LiveViewer::connect(worker, None).await.unwrap();
        viewer.sends(first.clone()).await;
        assert_eq!(viewer.closed().await, 4400, "{first}");
    }
    let mut viewer = LiveViewer::connect(worker, None).await.unwrap();
    viewer.sends_binary(vec![1, 2, 3]).await;
    assert_eq!(viewer.closed().await, 4400);
    let mut silent = LiveViewer::connect(worker, None).await.unwrap();
    assert_eq!(silent.closed().await, 4408);
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_message_over_its_bound_closes_and_malformed_ones_are_ignored_and_counted() {
    let stack = Stack::start().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(RED)).await;
    let padded = |bytes: usize| {
        let empty = json!({"type": "paste", "text": ""}).to_string();
        json!({"type": "paste", "text": "x".repeat(bytes - empty.len())}).to_string()
    };
    for role in ["view", "control"] {
        let mut viewer = LiveViewer::of(&agent, role, json!({})).await;
        viewer.sends(padded(65_536)).await;
        viewer.is_heard().await;
        viewer.sends(padded(65_537)).await;
        assert_eq!(viewer.closed().await, 1009, "{role}");
    }
    // What is on its way when it is refused is read to its end, or the close frame would be lost.
    let mut viewer = LiveViewer::of(&agent, "control", json!({})).await;
    let content = "A".repeat(20_000_000);
    viewer.says(json!({"type": "files", "files": [{"name": "a.txt", "content_base64": content}]})).await;
    assert_eq!(viewer.closed().await, 1009);
    let mut viewer = LiveViewer::connect(stack.worker.main, None).await.unwrap();
    viewer.sends(padded(65_537)).await;
    assert_eq!(viewer.closed().await, 1009);

    let mut viewer = LiveViewer::of(&agent, "control", json!({})).await;
    viewer.frame().await;
    let content = "QUJD".repeat(50_000);
    viewer.says(json!({"type": "files", "files": [{"name": "a.txt", "content_base64": content}]})).await;
    viewer.is_heard().await;
    let count = async |reason: &str| {
        stack.metric(&stack.service, &format!("porthole_live_ignored_total{{reason=\"{reason}\"}}")).await
    };
    let before = (count("malformed").await, count("unknown").await);
    for number in 0..1_000 {
        viewer.sends(if number % 2 == 0 { "{".repeat(number + 1) } else { json!({"type": "x"}).to_string() }).await;
        if number % 100 == 99 {
            viewer.is_heard().await;
        }
    }
    viewer.sends_binary(vec![0; 100]).await;
    viewer.is_heard().await;
    let after = (count("malformed").await, count("unknown").await);
    assert_eq!((after.0 - before.0, after.1 - before.1), (501, 500));
    assert_eq!(count("rate").await, 0);
    // What comes faster than 1 000 events a second is ignored.
    for number in 0..3_000 {
        viewer.says(json!({"type": "mouse", "event": {"type": "mouseMoved", "x": number % 100, "y": 1}})).await;
    }
    viewer.is_heard().await;
    let (ignored, acted) = (count("rate").await, stack.metric(&stack.service, "porthole_live_input_total").await);
    // The page takes fewer where it is busy: what it can't take is ignored too.
    let moot = count("moot").await;
    assert!(acted + ignored + moot >= 3_000, "{acted} acted on, {ignored} ignored, {moot} moot");
    // Within a second there is room again.
    for _ in 0..100 {
        let before = count("rate").await;
        viewer.says(json!({"type": "navigate", "url": stack.site.html("<title>it goes on</title>")})).await;
        viewer.is_heard().await;
        if count("rate").await == before {
            break;
        }
    }
    viewer.message_that("url", |said| said["title"] == "it goes on").await;
}

#[tokio::test]
async fn what_is_no_websocket_is_closed_with_its_code() {
    let stack = Stack::shared().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(RED)).await;
    for (what, bytes, code) in [
        ("an unmasked frame", vec![0x81, 1, b'x'], 1002),
        ("an unknown opcode", masked_frame(0x83, b""), 1002),
        ("a reserved bit", masked_frame(0xc1, b"x"), 1002),
        ("a ping in parts", masked_frame(0x09, b""), 1002),
        ("a part of no message", masked_frame(0x80, b"x"), 1002),
        ("text that is not UTF-8", masked_frame(0x81, &[0xff, 0xfe]), 1007),
    ] {
        let mut viewer = LiveViewer::of(&agent, "control", json!({})).await;
        viewer.frame().await;
        viewer.sends_raw(&bytes).await;
        assert_eq!(viewer.closed().await, code, "{what}");
    }
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_ticket_opens_nothing_once_its_session_has_ended_and_another_one_runs() {
    let stack = Stack::shared().await;
    let (first, _) = Agent::at(stack.caller(), &stack.site.html(RED)).await;
    let ticket = ticket(&first, "control").await;
    let mut viewer = LiveViewer::with_ticket(stack.worker.main, &ticket, json!({})).await;
    viewer.frame().await;
    first.does("close", json!({})).await;
    assert_eq!(viewer.closed().await, 4410);
    let (second, _) = Agent::at(stack.caller(), &stack.site.html(RED)).await;
    for _ in 0..3 {
        let mut again = LiveViewer::with_ticket(stack.worker.main, &ticket, json!({})).await;
        assert_eq!(again.closed().await, 4404);
    }
    second.does("close", json!({})).await;
}

#[tokio::test]
async fn the_101st_viewer_is_closed_with_4429_and_others_may_come_when_one_leaves() {
    let stack = Stack::start().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(RED)).await;
    let ticket = ticket(&agent, "view").await;
    let mut viewers = Vec::new();
    for _ in 0..100 {
        viewers.push(LiveViewer::with_ticket(stack.worker.main, &ticket, json!({})).await);
    }
    for viewer in &mut viewers {
        viewer.frame().await;
    }
    assert_eq!(stack.metric(&stack.service, "porthole_live_viewers").await, 100);
    let mut more = LiveViewer::with_ticket(stack.worker.main, &ticket, json!({})).await;
    assert_eq!(more.closed().await, 4429);
    viewers.pop();
    eventually(SOON, async || {
        so(stack.metric(&stack.service, "porthole_live_viewers").await == 99, "a viewer has not left")
    })
    .await;
    LiveViewer::with_ticket(stack.worker.main, &ticket, json!({})).await.frame().await;
}

#[tokio::test]
async fn half_of_a_hundred_viewers_read_nothing_and_the_others_see_every_click() {
    let stack = Stack::start().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(RED)).await;
    let watching = ticket(&agent, "view").await;
    let mut acting = LiveViewer::of(&agent, "control", json!({})).await;
    acting.shows(640, 360, RED_RGB).await;
    let before = resident_bytes(stack.service.process.pid());
    let (mut never, mut reading) = (Vec::new(), Vec::new());
    for number in 0..99 {
        let viewer = LiveViewer::with_ticket(stack.worker.main, &watching, json!({"max_fps": 60})).await;
        if number % 2 == 0 { never.push(viewer) } else { reading.push(viewer) }
    }
    click(&mut acting, 100, 100).await;
    acting.shows(640, 360, BLUE_RGB).await;
    for viewer in &mut reading {
        viewer.shows(640, 360, BLUE_RGB).await;
    }
    acting.says(json!({"type": "navigate", "url": stack.site.html(MOVING)})).await;
    for _ in 0..60 {
        reading[0].frame().await;
    }
    let grown = resident_bytes(stack.service.process.pid()).saturating_sub(before);
    assert!(grown < 100 * 1024 * 1024, "a hundred viewers hold {grown} bytes");
    agent.does("close", json!({})).await;
    assert_eq!(reading[0].closed().await, 4410);
}

#[tokio::test]
async fn viewers_that_never_read_cost_bounded_memory_and_slow_nobody() {
    let stack = Stack::start().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(MOVING)).await;
    let ticket = ticket(&agent, "view").await;
    let mut reads = LiveViewer::with_ticket(stack.worker.main, &ticket, json!({"max_fps": 60})).await;
    reads.frame().await;
    let memory = || resident_bytes(stack.service.process.pid());
    let before = memory();
    let mut never = Vec::new();
    for _ in 0..20 {
        never.push(LiveViewer::with_ticket(stack.worker.main, &ticket, json!({"max_fps": 60, "quality": 100})).await);
    }
    for _ in 0..150 {
        reads.frame().await;
    }
    let grown = memory().saturating_sub(before);
    assert!(grown < 64 * 1024 * 1024, "20 viewers that don't read hold {grown} bytes");
}

#[tokio::test]
async fn a_ticket_is_in_no_log() {
    let stack = Stack::with().setting("PORTHOLE_LOG", "trace").start().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(RED)).await;
    let good = ticket(&agent, "control").await;
    let mut viewer = LiveViewer::with_ticket(stack.worker.main, &good, json!({})).await;
    viewer.frame().await;
    let bad = edited(&good, 2);
    assert_eq!(LiveViewer::with_ticket(stack.worker.main, &bad, json!({})).await.closed().await, 4401);
    viewer.is_heard().await;
    let logs = stack.logs();
    assert!(logs.len() > 10, "the processes log");
    let claims = good.split('.').nth(1).unwrap();
    let leaks: Vec<&String> = logs.iter().filter(|line| line.contains(claims) || line.contains(&good)).collect();
    assert!(leaks.is_empty(), "{leaks:#?}");
}
