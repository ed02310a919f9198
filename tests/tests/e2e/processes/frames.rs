//! `begin_frame`: the second browser, whose pages draw frames on command. It has warm pages like the first, and
//! requests succeed while it is missing.

use std::time::Duration;

use futures_util::future::join_all;
use porthole_tests::eventually::so;
use porthole_tests::family::Relative;
use porthole_tests::{Stack, eventually};
use serde_json::{Value, json};

const READY_WITHIN: Duration = Duration::from_secs(30);

/// Finds the browser whose pages draw with `begin_frame`.
fn begin_frame_browser(stack: &Stack) -> Relative {
    let has_flag = |browser: &Relative| {
        let line = std::fs::read(format!("/proc/{}/cmdline", browser.pid)).unwrap_or_default();
        browser.is_browser() && String::from_utf8_lossy(&line).contains("--enable-begin-frame-control")
    };
    stack.chromium().into_iter().find(has_flag).expect("a browser with begin-frame control")
}

#[tokio::test]
async fn pages_of_both_kinds_are_kept_ready() {
    let stack = Stack::with().begin_frame().setting("PORTHOLE_WARM_PAGES", "2").start().await;
    eventually(READY_WITHIN, async || {
        let metrics = stack.metrics().await;
        so(metrics["browsers"] == 2 && metrics["pages"]["warm"] == 4, format!("{metrics}"))
    })
    .await;
}

#[tokio::test]
async fn pictures_are_taken_while_the_begin_frame_browser_is_missing() {
    let stack = Stack::with().begin_frame().start().await;
    let url = stack.site.html("<body style='margin:0;background:rgb(10,120,200)'>");
    for _ in 0..2 {
        begin_frame_browser(&stack).kill();
        let answers = join_all((0..4).map(|_| stack.screenshot(json!({"url": url})))).await;
        for answer in answers {
            answer.picture().expect_size(390, 844).expect_colour(195, 700, [10, 120, 200]);
        }
    }
    let stopped = begin_frame_browser(&stack);
    stopped.stop();
    let answer = stack.screenshot(json!({"url": url})).await.within(Duration::from_secs(30));
    answer.picture().expect_colour(195, 700, [10, 120, 200]);
    stopped.kill();
}

#[tokio::test]
async fn a_page_that_hangs_while_it_draws_delays_no_other_request() {
    let stack = Stack::with().begin_frame().setting("PORTHOLE_MAX_CONCURRENT", "4").start().await;
    let hangs = stack.site.html("<script>onload = () => requestAnimationFrame(() => { while (true); })</script>");
    let url = stack.site.html("<body style='margin:0;background:rgb(10,120,200)'>");
    let hanging = stack.screenshot(json!({"url": hangs, "timeout_ms": 8_000}));
    let others = async {
        eventually(READY_WITHIN, async || so(!stack.site.seen(&hangs).is_empty(), "the page was not requested")).await;
        for _ in 0..6 {
            let answer = stack.screenshot(json!({"url": url})).await.within(Duration::from_secs(10));
            answer.picture().expect_colour(195, 700, [10, 120, 200]);
        }
    };
    let (hung, ()) = tokio::join!(hanging, others);
    hung.expect_code("DEADLINE_EXCEEDED");
    stack.expect_idle(Duration::from_secs(10)).await;
}

#[tokio::test]
async fn a_picture_is_the_same_however_it_is_drawn() {
    let (with_begin_frame, without) = tokio::join!(async { Stack::with().begin_frame().start().await }, Stack::start());
    let html = "<!doctype html><style>body { font: 17px serif; background: linear-gradient(#fed, #def) }
        .box { width: 120px; height: 60px; border-radius: 9px; box-shadow: 2px 3px 5px #0007; background: #c33 }
        .wide { width: 900px; overflow: hidden; white-space: nowrap } ::marker { color: red }</style>
        <h1>However it is drawn</h1><div class=box></div><ul><li>one<li>two</ul><p class=wide>a long line that is not broken
        <div style='height: 3000px'></div>";
    for fields in [
        json!({}),
        json!({"viewport": {"width": 1280, "height": 720, "device_scale_factor": 1.0, "mobile": false}}),
        json!({"viewport": {"width": 360, "height": 640, "device_scale_factor": 1.0, "mobile": true}, "format": "jpeg"}),
        json!({"format": "webp", "color_scheme": "dark", "wait": {"until": "load"}}),
        json!({"wait": {"until": "domcontentloaded"}}),
    ] {
        let taken = async |stack: &Stack| {
            let mut fields: Value = fields.clone();
            fields["url"] = json!(stack.site.html(html));
            stack.screenshot(fields).await.picture()
        };
        taken(&with_begin_frame).await.expect_same_as(&taken(&without).await);
    }
}
