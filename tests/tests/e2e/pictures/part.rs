//! The part of a page that a picture shows: the viewport, the full page, or one element.

use porthole_tests::agent::{Agent, tree};
use porthole_tests::{Stack, in_time};
use serde_json::{Value, json};

/// Returns a desktop viewport, in which CSS pixels are picture pixels.
fn window() -> Value {
    json!({"width": 800, "height": 600})
}

#[tokio::test]
async fn the_window_is_as_large_as_asked_for() {
    let stack = Stack::shared().await;
    let url = stack.site.html(
        "<meta name=viewport content='width=device-width'><style>body{margin:0;background:#fff}
        div{position:absolute;right:0;bottom:0;width:10px;height:10px;background:#00f}</style><body style='height:100vh'><div></div>",
    );
    for (viewport, width, height) in [
        (json!({"width": 800, "height": 600}), 800, 600),
        (json!({"width": 1, "height": 1}), 1, 1),
        (json!({"width": 400, "height": 300, "device_scale_factor": 2}), 800, 600),
        (json!({"width": 400, "height": 300, "device_scale_factor": 0.5}), 200, 150),
        (json!({"width": 320, "height": 240, "device_scale_factor": 3, "mobile": true}), 960, 720),
        (json!({"width": 3840, "height": 2160}), 3840, 2160),
    ] {
        let answer = stack.screenshot(json!({"url": url, "viewport": viewport})).await;
        answer.picture().expect_size(width, height).expect_colour(width - 1, height - 1, [0, 0, 255]);
    }
}

#[tokio::test]
async fn phones_and_desktops_have_different_layouts() {
    let stack = Stack::shared().await;
    let url = stack.site.html(
        "<body><script>
        // Without the viewport's meta element a phone lays the page out at 980 pixels.
        document.body.style.background = innerWidth > 900 ? '#00ff00' : '#ff0000';
        </script>",
    );
    stack.screenshot(json!({"url": url})).await.picture().expect_size(390, 844).expect_colour(200, 400, [0, 255, 0]);
    let viewport = json!({"width": 390, "height": 844});
    let answer = stack.screenshot(json!({"url": url, "viewport": viewport})).await;
    answer.picture().expect_size(390, 844).expect_colour(200, 400, [255, 0, 0]);
}

#[tokio::test]
async fn desktops_have_a_mouse_and_phones_are_touched() {
    let stack = Stack::shared().await;
    let url = stack.site.html(
        "<style>@media (pointer: fine) and (hover: hover) and (any-pointer: fine) { body { background: #00ff00 } }
        @media (pointer: coarse) and (hover: none) { body { background: #0000ff } }</style><body><button>a</button><script>
        document.querySelector('button').textContent = matchMedia('(pointer: fine) and (hover: hover)').matches ? 'Hover' : 'Touch'</script>",
    );
    stack.screenshot(json!({"url": url})).await.picture().expect_colour(200, 400, [0, 0, 255]);
    let viewport = json!({"width": 800, "height": 600});
    stack.screenshot(json!({"url": url, "viewport": viewport})).await.picture().expect_colour(200, 400, [0, 255, 0]);
    let (agent, opened) = Agent::at(stack.caller(), &url).await;
    assert!(tree(&opened).contains("\"Hover\""), "{opened:#?}");
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_full_page_reaches_down_to_its_end() {
    let stack = Stack::shared().await;
    let url = stack.site.html(
        "<meta name=viewport content='width=device-width'><style>body{margin:0}div{height:1500px}</style>
        <div style='background:#ff0000'></div><div style='background:#0000ff'></div>",
    );
    let answer = stack.screenshot(json!({"url": url, "full_page": true})).await;
    let picture = answer.picture();
    picture.expect_size(390, 3000).expect_colour(200, 1400, [255, 0, 0]).expect_colour(200, 2990, [0, 0, 255]);
    assert_eq!(answer.expect_ok()["truncated"], false);
    let viewport = json!({"width": 500, "height": 400, "device_scale_factor": 2});
    let answer = stack.screenshot(json!({"url": url, "full_page": true, "viewport": viewport})).await;
    answer.picture().expect_size(1000, 6000).expect_colour(500, 5990, [0, 0, 255]);
    // Without `full_page`, the picture shows the viewport only.
    stack.screenshot(json!({"url": url})).await.picture().expect_size(390, 844);
}

#[tokio::test]
async fn a_full_page_that_is_shorter_than_the_window_is_the_window() {
    let stack = Stack::shared().await;
    let url = stack.site.html("<body style='background:#00ff00'>short");
    let answer = stack.screenshot(json!({"url": url, "full_page": true, "viewport": window()})).await;
    answer.picture().expect_size(800, 600).expect_colour(790, 590, [0, 255, 0]);
    assert_eq!(answer.expect_ok()["truncated"], false);
}

#[tokio::test]
async fn a_page_200_000_pixels_tall_is_cut_at_what_a_picture_can_hold() {
    let _alone = super::LARGE.lock().await;
    let stack = Stack::shared().await;
    // Bands of 1000 px, each of its own colour, so that a repeated or shifted part would show.
    let url = stack.site.html(
        "<meta name=viewport content='width=device-width'><style>body{margin:0}div{height:1000px}</style><body><script>
        for (let n = 0; n < 200; n++) {
            const band = document.createElement('div');
            band.style.background = `rgb(${n}, ${255 - n}, 128)`;
            document.body.append(band);
        }
        </script>",
    );
    let answer = in_time(async || stack.screenshot(json!({"url": url, "full_page": true})).await).await;
    assert_eq!(answer.expect_ok()["truncated"], true);
    let picture = answer.picture();
    let (width, height) = picture.size();
    assert_eq!(width, 390);
    assert!((16_000..=16_384).contains(&height), "{height}");
    for band in 0..16_u8 {
        picture.expect_colour(195, u32::from(band) * 1000 + 500, [band, 255 - band, 128]);
    }
    // Here the limit of fifty million pixels applies before the one of 16 384 rows.
    let viewport = json!({"width": 3840, "height": 1000});
    let shot = json!({"url": url, "full_page": true, "viewport": viewport});
    let answer = in_time(async || stack.screenshot(shot.clone()).await).await;
    assert_eq!(answer.expect_ok()["truncated"], true);
    let (width, height) = answer.picture().size();
    assert!(width == 3840 && (12_000..=13_020).contains(&height), "{width}x{height}");
}

#[tokio::test]
async fn an_element_is_shown_alone_wherever_it_is() {
    let stack = Stack::shared().await;
    let url = stack.site.html(
        "<body style='background:#ff0000'><div style='height:3000px'></div>
        <div class=box style='width:120px;height:80px;margin-left:50px;background:#00aa00'></div>
        <div class=box style='width:10px;height:10px;background:#0000ff'></div><div style='height:900px'></div>",
    );
    let answer = stack.screenshot(json!({"url": url, "selector": ".box", "viewport": window()})).await;
    let picture = answer.picture();
    picture.expect_size(120, 80).expect_colour(2, 2, [0, 0xaa, 0]).expect_colour(117, 77, [0, 0xaa, 0]);
    let viewport = json!({"width": 800, "height": 600, "device_scale_factor": 2});
    let answer = stack.screenshot(json!({"url": url, "selector": ".box", "viewport": viewport})).await;
    answer.picture().expect_size(240, 160).expect_colour(5, 5, [0, 0xaa, 0]);
}

#[tokio::test]
async fn a_missing_element_is_an_error() {
    let stack = Stack::shared().await;
    let url = stack.site.html("<p>text</p>");
    stack.screenshot(json!({"url": url, "selector": "#nowhere"})).await.expect_code("SELECTOR_NOT_FOUND");
    stack.screenshot(json!({"url": url, "selector": "p[["})).await.expect_code_about("INVALID_REQUEST", "selector");
}
