//! Options of a picture: its format, and the media features that the page sees.

use image::ImageFormat;
use porthole_tests::Stack;
use serde_json::json;

#[tokio::test]
async fn every_format_is_what_it_says() {
    let stack = Stack::shared().await;
    let url = stack.site.html("<body style='background:#3366cc'><h1>Format</h1>");
    for (name, format) in [("png", ImageFormat::Png), ("jpeg", ImageFormat::Jpeg), ("webp", ImageFormat::WebP)] {
        let answer = stack.screenshot(json!({"url": url, "format": name})).await;
        assert_eq!(answer.expect_ok()["mime_type"], format!("image/{name}"));
        let picture = answer.picture();
        assert_eq!(picture.format, format);
        picture.expect_size(390, 844).expect_colour(380, 800, [0x33, 0x66, 0xcc]);
        assert!(!picture.is_blank());
    }
}

#[tokio::test]
async fn quality_is_paid_for_in_bytes() {
    let stack = Stack::shared().await;
    let url = stack.site.html(&super::size_cap::noise(390, 844, 1));
    for format in ["jpeg", "webp"] {
        let bytes = async |quality: u8| {
            let answer = stack.screenshot(json!({"url": url, "format": format, "quality": quality})).await;
            answer.picture().bytes
        };
        let (low, high) = (bytes(10).await, bytes(90).await);
        assert!(low * 2 < high, "{format}: {low} bytes at quality 10, {high} at 90");
    }
}

#[tokio::test]
async fn a_page_sees_the_colour_scheme_that_was_asked_for() {
    let stack = Stack::shared().await;
    let url = stack.site.html(
        "<style>body{background:#ffffff}@media (prefers-color-scheme: dark){body{background:#101010}}</style>scheme",
    );
    for (scheme, colour) in [("dark", [0x10; 3]), ("light", [0xff; 3])] {
        let answer = stack.screenshot(json!({"url": url, "color_scheme": scheme})).await;
        answer.picture().expect_colour(380, 800, colour);
    }
}

#[tokio::test]
async fn a_page_sees_whether_motion_is_to_be_reduced() {
    let stack = Stack::shared().await;
    let url = stack.site.html(
        "<style>body{background:#ff0000}@media (prefers-reduced-motion: reduce){body{background:#00ff00}}</style>motion",
    );
    for (reduced, colour) in [(true, [0, 255, 0]), (false, [255, 0, 0])] {
        let answer = stack.screenshot(json!({"url": url, "reduced_motion": reduced})).await;
        answer.picture().expect_colour(380, 800, colour);
    }
}

#[tokio::test]
async fn a_page_without_a_background_is_white() {
    let stack = Stack::shared().await;
    let url = stack.site.html("plain");
    for format in ["png", "jpeg", "webp"] {
        stack.screenshot(json!({"url": url, "format": format})).await.picture().expect_colour(380, 800, [255; 3]);
    }
}
