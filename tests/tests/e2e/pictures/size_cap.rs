//! The size cap and its ladder: the same picture as JPEG, then its top part, then `IMAGE_TOO_LARGE`.

use image::ImageFormat;
use porthole_tests::Stack;
use serde_json::{Value, json};

/// Returns a page of noise, the same at every visit, that no lossless format compresses.
pub(crate) fn noise(width: u32, height: u32, times: u32) -> String {
    format!(
        "<meta name=viewport content='width=device-width'><style>body{{margin:0}}canvas{{display:block}}</style><body><script>
        let seed = 12345;
        for (let n = 0; n < {times}; n++) {{
            const canvas = document.createElement('canvas');
            canvas.width = {width}; canvas.height = {height};
            const drawing = canvas.getContext('2d'), data = drawing.createImageData({width}, {height});
            const words = new Uint32Array(data.data.buffer);
            for (let i = 0; i < words.length; i++) {{
                seed ^= seed << 13; seed ^= seed >>> 17; seed ^= seed << 5;
                words[i] = seed | 0xff000000;
            }}
            drawing.putImageData(data, 0, 0);
            document.body.append(canvas);
        }}
        </script>"
    )
}

fn viewport() -> Value {
    json!({"width": 1200, "height": 800})
}

#[tokio::test]
async fn noise_that_no_png_fits_comes_as_jpeg() {
    let stack = Stack::shared().await;
    let url = stack.site.html(&noise(1200, 800, 1));
    let answer = stack.screenshot(json!({"url": url, "viewport": viewport()})).await;
    let fields = answer.expect_ok();
    assert_eq!((&fields["mime_type"], &fields["truncated"]), (&json!("image/jpeg"), &json!(false)));
    let picture = answer.picture();
    picture.expect_size(1200, 800);
    assert!(!picture.is_blank());
}

#[tokio::test]
async fn a_page_of_noise_keeps_its_longest_top_part_that_fits() {
    let _alone = super::LARGE.lock().await;
    let stack = Stack::shared().await;
    let url = stack.site.html(&noise(1200, 1000, 5));
    let answer = stack.screenshot(json!({"url": url, "viewport": viewport(), "full_page": true})).await;
    let fields = answer.expect_ok();
    assert_eq!((&fields["mime_type"], &fields["truncated"]), (&json!("image/jpeg"), &json!(true)));
    let picture = answer.picture();
    let (width, height) = picture.size();
    assert!(width == 1200 && (800..5000).contains(&height), "{width}x{height}");
    // The picture is as long as possible: the unused part of the cap is less than two rows of JPEG blocks take.
    let row_of_blocks = picture.bytes / (height as usize / 16);
    assert!(picture.bytes + 2 * row_of_blocks > 1_500_000, "{} bytes in {height} rows could be longer", picture.bytes);
}

#[tokio::test]
async fn a_smaller_cap_takes_its_place_in_the_whole_ladder() {
    let stack = Stack::shared().await;
    let url = stack.site.html(&noise(400, 300, 4));
    let window = json!({"width": 400, "height": 300});
    let shot = async |more: Value| {
        let mut fields = json!({"url": url, "viewport": window});
        fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        stack.screenshot(fields).await
    };
    let lossless = shot(json!({})).await.picture().bytes;
    let lossy = shot(json!({"max_bytes": lossless * 9 / 10})).await.picture().bytes;
    assert!(lossy * 2 < lossless, "{lossy} and {lossless} bytes");

    // As JPEG the picture fits, whichever format was requested.
    for format in ["png", "webp"] {
        let answer = shot(json!({"max_bytes": lossy + 5000, "format": format, "quality": 100})).await;
        let picture = answer.picture();
        assert_eq!(picture.format, ImageFormat::Jpeg, "{format}");
        assert!(picture.bytes <= lossy + 5000, "{format}");
        picture.expect_size(400, 300);
    }
    // The picture fits in no format, and a picture of the viewport is never cut.
    for format in ["png", "jpeg", "webp"] {
        shot(json!({"max_bytes": lossy / 10, "format": format})).await.expect_code("IMAGE_TOO_LARGE");
    }
    // A full page may be cut.
    let answer = shot(json!({"max_bytes": lossy + 5000, "full_page": true})).await;
    assert_eq!(answer.expect_ok()["truncated"], true);
    let picture = answer.picture();
    assert!(picture.bytes <= lossy + 5000);
    let (width, height) = picture.size();
    assert!(width == 400 && (250..1200).contains(&height), "{width}x{height}");
}

#[tokio::test]
async fn a_picture_that_a_tighter_png_makes_fit_stays_a_png() {
    let stack = Stack::shared().await;
    let url =
        stack.site.html("<body style='background:radial-gradient(circle at 20% 20%,#f80,#08f 40%,#0a6 70%,#306)'>");
    let quick = stack.screenshot(json!({"url": url})).await.picture();
    let answer = stack.screenshot(json!({"url": url, "max_bytes": quick.bytes - 1})).await;
    let (fields, tight) = (answer.expect_ok(), answer.picture());
    assert_eq!((&fields["mime_type"], &fields["truncated"]), (&json!("image/png"), &json!(false)));
    assert!(tight.bytes < quick.bytes, "{} and {} bytes", tight.bytes, quick.bytes);
    tight.expect_same_as(&quick);
    assert_eq!(answer.warnings(), Vec::<String>::new());
}

#[tokio::test]
async fn a_picture_that_fits_stays_what_it_was_asked_to_be() {
    let stack = Stack::shared().await;
    let url = stack.site.html("<body style='background:#123456'>small");
    let bytes = stack.screenshot(json!({"url": url})).await.picture().bytes;
    let answer = stack.screenshot(json!({"url": url, "max_bytes": bytes})).await;
    assert_eq!(answer.picture().format, ImageFormat::Png);
    stack.screenshot(json!({"url": url, "max_bytes": 1})).await.expect_code("IMAGE_TOO_LARGE");
}
