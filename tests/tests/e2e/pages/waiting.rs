//! `wait`: the state that each value of `until` waits for; a wait never fails a request.

use std::time::Duration;

use porthole_tests::{Reply, Stack};
use serde_json::{Value, json};

/// The values of `wait.until`.
const EVERY_STATE: [&str; 4] = ["settled", "domcontentloaded", "load", "networkidle"];

#[tokio::test]
async fn every_state_is_reached_by_an_ordinary_page_without_a_warning() {
    let stack = Stack::shared().await;
    let url = stack.site.html("<title>still</title>nothing moves here");
    for until in EVERY_STATE {
        let answer = stack.extract(json!({"url": url, "wait": {"until": until}})).await;
        assert_eq!(answer.content(), "nothing moves here", "{until}");
        assert!(answer.warnings().is_empty(), "{until}: {answer:?}");
    }
}

#[tokio::test]
async fn domcontentloaded_does_not_wait_for_a_missing_image_and_load_ends_with_a_warning() {
    let stack = Stack::shared().await;
    let image = stack.site.page(Reply::never());
    let url = stack.site.html(&format!("text<img src='{image}'>"));
    let answer = stack.extract(json!({"url": url, "wait": {"until": "domcontentloaded"}})).await;
    assert_eq!(answer.content(), "text");
    assert!(answer.warnings().is_empty(), "{answer:?}");
    for until in ["load", "networkidle"] {
        let wait = json!({"until": until, "timeout_ms": 700});
        let answer = stack.extract(json!({"url": url, "wait": wait})).await.within(Duration::from_secs(10));
        assert_eq!(answer.content(), "text");
        assert!(!answer.warnings().is_empty(), "{until}: {answer:?}");
        assert!(answer.took >= Duration::from_millis(700), "{until}: {answer:?}");
    }
    let answer = stack.screenshot(json!({"url": url})).await.within(Duration::from_secs(15));
    assert!(!answer.picture().is_blank());
}

#[tokio::test]
async fn load_waits_for_the_load_event() {
    let stack = Stack::shared().await;
    let image = stack.site.page(Reply::text("").late(Duration::from_millis(700)));
    let url = stack.site.html(&format!(
        "<body>early<img src='{image}'><script>addEventListener('load', () => document.body.textContent = 'loaded')</script>"
    ));
    for until in ["load", "networkidle", "settled"] {
        let answer = stack.extract(json!({"url": url, "wait": {"until": until}})).await;
        assert_eq!(answer.content(), "loaded", "{until}");
    }
}

#[tokio::test]
async fn networkidle_waits_until_requests_pause() {
    let stack = Stack::shared().await;
    let data = stack.site.page(Reply::text("data").late(Duration::from_millis(300)));
    let url = stack.site.html(&format!(
        "<body>0<script>
        addEventListener('load', async () => {{
            for (let n = 1; n <= 3; n++) {{ await fetch('{data}?' + n); document.body.textContent = n; }}
        }});
        </script>"
    ));
    let answer = stack.extract(json!({"url": url, "wait": {"until": "networkidle"}})).await;
    assert_eq!(answer.content(), "3");
}

const RED: [u8; 3] = [255, 0, 0];
const GREEN: [u8; 3] = [0, 170, 102];
/// Corners and middle of the default picture.
const EVERYWHERE: [(u32, u32); 5] = [(3, 3), (386, 3), (195, 422), (3, 840), (386, 840)];

/// Returns a red page on which a timer shows a green box after 900 ms. The box fills the view; `style` and `script`
/// animate it.
fn with_a_late_box(style: &str, script: &str) -> String {
    format!(
        "<!doctype html><meta name=viewport content='width=device-width'>
        <style>
        body {{ background: rgb(255, 0, 0) }}
        @keyframes come {{ from {{ opacity: 0 }} to {{ opacity: 1 }} }}
        .box {{ position: fixed; inset: 0; background: rgb(0, 170, 102); {style} }}
        </style>
        <body><script>
        setTimeout(() => {{
            const box = document.createElement('div');
            box.className = 'box';
            document.body.append(box);
            {script}
        }}, 900);
        </script>"
    )
}

#[tokio::test]
async fn an_animation_that_a_timer_begins_is_seen_to_its_end() {
    let stack = Stack::shared().await;
    for (kind, style, script) in [
        ("animation", "animation: come 1s both", ""),
        // Longer than virtual time advances the page's clock.
        ("slow animation", "animation: come 5s both", ""),
        (
            "transition",
            "opacity: 0; transition: opacity 1s",
            // A transition needs a computed style to start from.
            "getComputedStyle(box).opacity; box.style.opacity = 1;",
        ),
        ("Web Animations", "", "box.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 1000, fill: 'both' });"),
    ] {
        let url = stack.site.html(&with_a_late_box(style, script));
        let answer = stack.screenshot(json!({"url": url})).await;
        assert!(answer.warnings().is_empty(), "{kind}: {answer:?}");
        let picture = answer.picture();
        for (x, y) in EVERYWHERE {
            assert_eq!(picture.at(x, y), GREEN, "{kind} at {x},{y}");
        }
    }
}

#[tokio::test]
async fn an_animation_that_is_paused_or_never_ends_leaves_the_others_their_end() {
    let stack = Stack::shared().await;
    let url = stack.site.html(&with_a_late_box(
        "animation: come 1s both",
        "
        const other = (left, style) => {
            const other = document.createElement('div');
            other.style.cssText = 'position: fixed; top: 0; width: 50px; height: 50px; z-index: 1; left: ' + left + 'px;' + style;
            document.body.prepend(other);
        };
        other(0, 'background: rgb(255, 0, 0); animation: come 1s reverse both paused');
        other(100, 'background: rgb(255, 0, 0); animation: come 1s infinite alternate');
        ",
    ));
    let answer = stack.screenshot(json!({"url": url})).await;
    assert!(answer.warnings().is_empty(), "{answer:?}");
    let picture = answer.picture();
    // The paused animation still shows its first frame: at its end the element would be invisible.
    assert_eq!(picture.at(25, 25), RED, "the paused animation");
    for (x, y) in EVERYWHERE.into_iter().skip(1) {
        assert_eq!(picture.at(x, y), GREEN, "the box at {x},{y}");
    }
}

#[tokio::test]
async fn a_page_that_chatters_for_ever_is_taken_all_the_same() {
    let stack = Stack::shared().await;
    let data = stack.site.page(Reply::text("data"));
    let stream = stack.site.page(Reply::of("text/event-stream", "data: hello\n\n").held());
    let url = stack.site.html(&format!(
        "<body>chatter<script>
        new EventSource('{stream}');
        (async () => {{ for (;;) await fetch('{data}?' + Math.random()); }})();
        </script>"
    ));
    for wait in [json!({"until": "settled"}), json!({"until": "networkidle", "timeout_ms": 1500})] {
        let answer = stack.extract(json!({"url": url, "wait": wait})).await.within(Duration::from_secs(15));
        assert_eq!(answer.content(), "chatter", "{wait}");
        if wait["until"] == "networkidle" {
            assert!(!answer.warnings().is_empty(), "{answer:?}");
        }
    }
}

#[tokio::test]
async fn a_wait_for_a_selector_lasts_until_it_is_there() {
    let stack = Stack::shared().await;
    let url = stack.site.html(
        "<body>early<script>
        setTimeout(() => document.body.innerHTML = '<p id=late>late</p>', 1500);
        </script>",
    );
    let wait = json!({"until": "domcontentloaded", "selector": "#late", "timeout_ms": 10_000});
    let answer = stack.extract(json!({"url": url, "wait": wait})).await;
    assert_eq!(answer.content(), "late");
    assert!(answer.warnings().is_empty(), "{answer:?}");
}

#[tokio::test]
async fn a_wait_for_a_selector_that_never_comes_ends_with_a_warning() {
    let stack = Stack::shared().await;
    let url = stack.site.html("early");
    for until in EVERY_STATE {
        let wait = json!({"until": until, "selector": "#never", "timeout_ms": 800});
        let answer = stack.extract(json!({"url": url, "wait": wait})).await.within(Duration::from_secs(10));
        assert_eq!(answer.content(), "early", "{until}");
        assert!(!answer.warnings().is_empty(), "{until}: {answer:?}");
    }
}

#[tokio::test]
async fn a_delay_comes_on_top() {
    let stack = Stack::shared().await;
    let url = stack.site.html(
        "<body>early<script>addEventListener('load', () => setTimeout(() => document.body.textContent = 'late', 2000))</script>",
    );
    let read = async |wait: Value| stack.extract(json!({"url": url, "wait": wait})).await.content();
    assert_eq!(read(json!({"until": "load", "delay_ms": 3000})).await, "late");
    assert_eq!(read(json!({"delay_ms": 3000})).await, "late");
    assert_eq!(read(json!({"until": "load"})).await, "early");
}

#[tokio::test]
async fn a_wait_for_an_invalid_selector_is_refused_by_its_fields_name() {
    let stack = Stack::shared().await;
    let url = stack.site.html("<p>text</p>");
    let answer = stack.extract(json!({"url": url, "wait": {"selector": "p[["}})).await;
    answer.expect_code_about("INVALID_REQUEST", "wait.selector");
}
