//! Frames: their modes, sizes and rates, and what is told before them.

use std::time::Instant;

use porthole_tests::agent::Agent;
use porthole_tests::eventually::so;
use porthole_tests::live::Heard;
use porthole_tests::{LiveViewer, Stack, eventually};
use serde_json::json;

use super::input::click;
use super::{BLUE_RGB, MOVING, RED, RED_RGB, SOON};

#[tokio::test]
async fn a_viewer_sees_the_page_in_each_of_the_three_modes() {
    let stack = Stack::shared().await;
    let url = stack.site.html(RED);
    let (agent, _) = Agent::at(stack.caller(), &url).await;
    for mode in ["binary", "json", "raw"] {
        let mut viewer = LiveViewer::of(&agent, "view", json!({"frames": mode})).await;
        let frame = viewer.shows(640, 360, RED_RGB).await;
        assert_eq!(frame.picture().size(), (1280, 720), "{mode}");
        if mode == "raw" {
            let kinds: Vec<_> =
                viewer.messages.iter().flat_map(|message| message.as_object().unwrap().keys()).collect();
            assert!(kinds.iter().all(|kind| ["status", "url", "viewport"].contains(&kind.as_str())), "{kinds:?}");
            assert!(viewer.messages.contains(&json!({"url": url})), "{:#?}", viewer.messages);
            assert!(viewer.messages.contains(&json!({"status": "streaming"})), "{:#?}", viewer.messages);
            continue;
        }
        assert_eq!((frame.header.width, frame.header.height), (1280, 720));
        assert!(frame.header.seq > 0 && frame.header.timestamp_ms > 1_700_000_000_000, "{:?}", frame.header);
        let welcome = &viewer.messages[0];
        assert_eq!(*welcome, json!({"type": "welcome", "role": "view", "session": agent.session, "tab": "t1"}));
        assert_eq!(viewer.messages[1], json!({"type": "status", "status": "connected"}));
        let has = |wanted: serde_json::Value| assert!(viewer.messages.contains(&wanted), "{:#?}", viewer.messages);
        has(json!({"type": "status", "status": "streaming"}));
        has(json!({"type": "control", "holder": "none", "you": false}));
    }
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn url_title_and_tabs_are_told_and_kept_up_to_date() {
    let stack = Stack::shared().await;
    let (red, second) = (stack.site.html(RED), stack.site.html("<title>second</title>two"));
    let (agent, _) = Agent::at(stack.caller(), &red).await;
    let mut viewer = LiveViewer::of(&agent, "view", json!({})).await;
    viewer.message_that("url", |said| said["url"] == red && said["title"] == "red").await;
    agent.does("navigate", json!({"url": second})).await;
    viewer.message_that("url", |said| said["url"] == second && said["title"] == "second").await;
    let tabs = json!([{"tab": "t1", "url": second, "title": "second"}]);
    if !viewer.messages.iter().any(|said| said["type"] == "tabs" && said["tabs"] == tabs) {
        viewer.message_that("tabs", |said| said["tabs"] == tabs && said["active"] == "t1").await;
    }
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn the_viewport_is_told_before_the_first_frame_of_its_size() {
    let stack = Stack::shared().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(RED)).await;
    let mut viewer = LiveViewer::of(&agent, "control", json!({"max_width": 640, "max_height": 640})).await;
    let mut told = (0, 0);
    let mut sizes = Vec::new();
    while sizes.len() < 2 {
        match viewer.next().await {
            Heard::Message(said) if said["type"] == "viewport" => {
                told = (said["width"].as_u64().unwrap(), said["height"].as_u64().unwrap());
                assert_eq!((&said["offset_top"], &said["page_scale_factor"]), (&json!(0.0), &json!(1.0)));
            }
            Heard::Frame(frame) => {
                let (width, height) = frame.picture().size();
                assert!(width <= 640 && height <= 640, "{width}×{height}");
                let alike = (u64::from(width) * told.1).abs_diff(u64::from(height) * told.0);
                assert!(alike <= told.0.max(told.1), "a picture of {width}×{height} shows a viewport of {told:?}");
                if sizes.last() != Some(&told) {
                    sizes.push(told);
                    viewer.says(json!({"type": "resize", "width": 500, "height": 900})).await;
                }
            }
            Heard::Closed(code) => panic!("closed with {code}"),
            Heard::Message(_) => {}
        }
    }
    assert_eq!(sizes, [(1280, 720), (500, 900)]);
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn an_agent_s_picture_of_the_whole_page_is_not_seen() {
    let stack = Stack::shared().await;
    let tall = format!("{MOVING}<div style='height:3000px'></div>");
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(&tall)).await;
    let mut viewer = LiveViewer::of(&agent, "view", json!({"max_fps": 60})).await;
    viewer.frame().await;
    for _ in 0..3 {
        let taking = {
            let agent = agent.clone();
            tokio::spawn(async move { agent.does("screenshot", json!({"full_page": true})).await })
        };
        while !taking.is_finished() {
            let frame = viewer.frame().await;
            assert_eq!((frame.header.width, frame.header.height), (1280, 720));
        }
        taking.await.unwrap();
    }
    for _ in 0..10 {
        viewer.frame().await;
    }
    let sizes: Vec<_> = viewer.messages.iter().filter(|said| said["type"] == "viewport").collect();
    assert_eq!(sizes.len(), 1, "{sizes:#?}");
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_viewport_of_one_row_or_column_or_a_few_pixels_is_seen() {
    let stack = Stack::shared().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(RED)).await;
    let mut viewer = LiveViewer::of(&agent, "control", json!({})).await;
    // Each is asked for as soon as the one before was seen, when the browser sends no frame by itself, one time in five.
    for (width, height) in [(3840, 1), (1, 2160), (1, 1), (2, 1), (1, 2), (3, 3), (600, 400), (640, 480)].repeat(4) {
        viewer.says(json!({"type": "resize", "width": width, "height": height})).await;
        viewer.message_that("viewport", |said| said["width"] == width && said["height"] == height).await;
        let frame = viewer.shows(0, 0, RED_RGB).await;
        assert!(frame.header.width >= 1 && frame.header.height >= 1, "{width}×{height}: {:?}", frame.header);
    }
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn who_joins_a_still_page_gets_the_cached_frame_and_a_still_page_sends_no_more() {
    let stack = Stack::start().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(RED)).await;
    let mut first = LiveViewer::of(&agent, "view", json!({})).await;
    let shown = first.shows(640, 360, RED_RGB).await;
    let mut second = LiveViewer::of(&agent, "view", json!({})).await;
    let cached = second.shows(640, 360, RED_RGB).await;
    assert!(cached.header.seq >= shown.header.seq);
    first.is_heard().await;
    second.is_heard().await;
    // Whatever the browser drew for its start has come; from now on it draws nothing.
    let last = stack.metric(&stack.service, r#"porthole_live_frames_total{outcome="sent"}"#).await;
    for _ in 0..3 {
        agent.does("snapshot", json!({})).await;
        first.is_heard().await;
    }
    let sent = stack.metric(&stack.service, r#"porthole_live_frames_total{outcome="sent"}"#).await;
    assert!(sent - last <= 2, "a still page sent {} frames", sent - last);
    agent.does("click", json!({"at": {"x": 100, "y": 100}})).await;
    first.shows(640, 360, BLUE_RGB).await;
    second.shows(640, 360, BLUE_RGB).await;
}

#[tokio::test]
async fn without_viewers_nothing_is_cast() {
    let stack = Stack::start().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(MOVING)).await;
    let read = async || stack.metric(&stack.service, "porthole_cdp_read_bytes_total").await;
    let mut viewer = LiveViewer::of(&agent, "view", json!({"max_fps": 60})).await;
    let before = read().await;
    for _ in 0..20 {
        viewer.frame().await;
    }
    assert!(read().await > before + 40_000, "frames come from the browser");
    drop(viewer);
    eventually(SOON, async || {
        so(stack.metric(&stack.service, "porthole_live_viewers").await == 0, "the viewer has not left")
    })
    .await;
    // A cast that goes on would add a frame every 17 ms.
    eventually(SOON, async || {
        let before = read().await;
        for _ in 0..5 {
            agent.does("status", json!({})).await;
        }
        so(read().await < before + 10_000, "the page is still cast")
    })
    .await;
}

#[tokio::test]
async fn each_viewer_has_a_frame_rate_of_its_own() {
    let stack = Stack::shared().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(MOVING)).await;
    let mut slow = LiveViewer::of(&agent, "view", json!({"max_fps": 2})).await;
    let mut fast = LiveViewer::of(&agent, "view", json!({"max_fps": 60})).await;
    slow.frame().await;
    let began = Instant::now();
    let (mut slow_frames, mut fast_frames) = (0, 0);
    // A browser on a busy machine draws few frames for a while: the difference has ten times as long to show.
    while began.elapsed().as_secs() < 2 || slow_frames == 0 || fast_frames <= 2 * slow_frames {
        assert!(began.elapsed().as_secs() < 20, "{fast_frames} frames at 60 a second, {slow_frames} at 2");
        tokio::select! {
            heard = slow.next() => slow_frames += u32::from(matches!(heard, Heard::Frame(_))),
            heard = fast.next() => fast_frames += u32::from(matches!(heard, Heard::Frame(_))),
        }
    }
    // One more was on its way already, and one comes for the size.
    let at_most = 2.0 * began.elapsed().as_secs_f64() + 2.0;
    assert!(f64::from(slow_frames) <= at_most, "{slow_frames} frames at 2 a second, {at_most} at most");
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_page_that_moves_is_seen_at_a_low_rate_up_to_its_last_frame() {
    let stack = Stack::shared().await;
    let page = "<!doctype html><title>t</title><body style='margin:0;height:100vh;background:#00f'>\
        <div id=d style='position:absolute;width:200px;height:200px;background:#080' hidden></div><script>
        let left = 0, at = 0;
        function draw() {
            d.hidden = left === 0;
            document.body.style.background = left === 0 ? '#00f' : '#f00';
            d.style.left = `${at++ % 60 * 10}px`;
            if (left > 0) requestAnimationFrame(draw);
            left -= 1;
        }
        // It moves until it was seen to, and some frames longer.
        onmousedown = () => { if (left > 0) left = 60; else { left = Infinity; draw(); } };
        </script>";
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(page)).await;
    let mut viewer = LiveViewer::of(&agent, "control", json!({"max_fps": 15})).await;
    viewer.shows(1_270, 700, BLUE_RGB).await;
    for _ in 0..4 {
        click(&mut viewer, 1_000, 600).await;
        viewer.shows(1_270, 700, RED_RGB).await;
        click(&mut viewer, 1_000, 600).await;
        let last = viewer.shows(1_270, 700, BLUE_RGB).await;
        assert_eq!(last.picture().size(), (1280, 720));
    }
    // It is at rest now: once what was under way has come, and finer pictures on a slow machine, no more does.
    let (mut rests, mut rounds) = (0, 0);
    while rests < 3 {
        rounds += 1;
        assert!(rounds < 20, "a page at rest sends frames");
        rests += 1;
        agent.does("snapshot", json!({})).await;
        viewer.says(json!({"type": "ping", "id": "rests"})).await;
        loop {
            match viewer.next().await {
                Heard::Frame(_) => rests = 0,
                Heard::Message(said) if said["type"] == "pong" => break,
                Heard::Message(_) => {}
                Heard::Closed(code) => panic!("closed with {code}"),
            }
        }
    }
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_viewer_that_acknowledges_has_two_frames_under_way() {
    let stack = Stack::shared().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(MOVING)).await;
    let mut viewer = LiveViewer::of(&agent, "view", json!({"max_fps": 60})).await;
    let first = viewer.frame().await;
    viewer.says(json!({"type": "ack", "seq": first.header.seq})).await;
    // Those that went out before it was heard.
    viewer.is_heard().await;
    let mut latest = first.header.seq;
    for _ in 0..3 {
        let other = LiveViewer::of(&agent, "view", json!({"max_fps": 60})).await;
        drop(other);
        viewer.says(json!({"type": "ping", "id": 0})).await;
        let mut frames = 0;
        loop {
            match viewer.next().await {
                Heard::Frame(frame) => {
                    frames += 1;
                    latest = frame.header.seq;
                }
                Heard::Message(said) if said["type"] == "pong" => break,
                Heard::Message(_) => {}
                Heard::Closed(code) => panic!("closed with {code}"),
            }
        }
        assert!(frames <= 2, "{frames} frames came without an acknowledgement");
    }
    viewer.says(json!({"type": "ack", "seq": latest + 1000})).await;
    viewer.frame_that(|frame| frame.header.seq > latest).await;
    agent.does("close", json!({})).await;
}
