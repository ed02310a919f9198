//! Answers other than HTML pages: images, documents, data, downloads, empty answers; and text in older encodings.

use std::time::Duration;

use porthole_tests::picture::png_of;
use porthole_tests::{Reply, Stack};
use serde_json::json;

const ENDED_WITHIN: Duration = Duration::from_secs(20);

#[tokio::test]
async fn an_image_is_shown() {
    let stack = Stack::shared().await;
    let url = stack.site.page(Reply::of("image/png", png_of(300, 300, [200, 30, 30])));
    let viewport = json!({"width": 300, "height": 300});
    let answer = stack.screenshot(json!({"url": url, "viewport": viewport})).await.within(ENDED_WITHIN);
    answer.picture().expect_size(300, 300).expect_colour(150, 150, [200, 30, 30]);
    assert_eq!(answer.expect_ok()["status_code"], 200);
}

#[tokio::test]
async fn a_pdf_is_shown_or_fails() {
    let stack = Stack::shared().await;
    let pdf = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n\
               3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj\n\
               trailer<</Root 1 0 R/Size 4>>\n%%EOF\n";
    let url = stack.site.page(Reply::of("application/pdf", pdf));
    let answer = stack.screenshot(json!({"url": url})).await.within(ENDED_WITHIN);
    answer.expect_ok_or(&["NAVIGATION_FAILED"]);
    let answer = stack.extract(json!({"url": url})).await.within(ENDED_WITHIN);
    answer.expect_ok_or(&["NAVIGATION_FAILED", "EMPTY_EXTRACTION"]);
}

#[tokio::test]
async fn json_and_plain_text_are_read_as_they_are() {
    let stack = Stack::shared().await;
    let text = r#"{"answer": 42, "words": ["ä", "漢"]}"#;
    for content_type in ["application/json", "text/plain; charset=utf-8"] {
        let url = stack.site.page(Reply::of(content_type, text));
        let answer = stack.extract(json!({"url": url})).await.within(ENDED_WITHIN);
        assert_eq!(answer.content(), text, "{content_type}");
        let answer = stack.screenshot(json!({"url": url})).await.within(ENDED_WITHIN);
        assert!(!answer.picture().is_blank(), "{content_type}");
    }
}

#[tokio::test]
async fn a_download_fails_and_leaves_no_file() {
    let stack = Stack::start().await;
    let before = stack.home.left_in_temp();
    for reply in [
        Reply::of("application/octet-stream", vec![7; 100_000]),
        Reply::html("a page to keep").header("content-disposition", "attachment; filename=keep.html"),
        Reply::of("application/zip", "PK\u{5}\u{6}\0\0\0\0"),
    ] {
        let url = stack.site.page(reply);
        let answer = stack.screenshot(json!({"url": url})).await.within(ENDED_WITHIN);
        answer.expect_code_about("NAVIGATION_FAILED", "net::");
    }
    stack.expect_idle(Duration::from_secs(2)).await;
    assert_eq!(stack.home.left_in_temp(), before);
    let home = std::fs::read_dir(stack.home.home()).unwrap().count();
    assert_eq!(home, 0, "the download left files in the home folder");
}

#[tokio::test]
async fn a_download_that_a_page_starts_leaves_the_page_as_it_is() {
    let stack = Stack::shared().await;
    let file = stack.site.page(Reply::of("application/octet-stream", vec![7; 1000]));
    let url = stack.site.html(&format!("the page<script>location.href = '{file}'</script>"));
    let answer = stack.extract(json!({"url": url})).await.within(ENDED_WITHIN);
    assert_eq!(answer.content(), "the page");
}

#[tokio::test]
async fn an_empty_page_has_a_picture_and_no_text() {
    let stack = Stack::shared().await;
    for html in ["", "<title>only a title</title>", "<body> \n\t&nbsp; <script>let x</script>"] {
        let url = stack.site.html(html);
        stack.extract(json!({"url": url})).await.within(ENDED_WITHIN).expect_code("EMPTY_EXTRACTION");
        let picture = stack.screenshot(json!({"url": url})).await.within(ENDED_WITHIN).picture();
        picture.expect_size(390, 844).expect_colour(100, 100, [255, 255, 255]);
        assert!(picture.is_blank());
    }
}

#[tokio::test]
async fn an_answer_without_content_is_a_failure() {
    let stack = Stack::shared().await;
    let url = stack.site.page(Reply::text("").status(204));
    stack.screenshot(json!({"url": url})).await.within(ENDED_WITHIN).expect_code_about("NAVIGATION_FAILED", "net::");
}

#[tokio::test]
async fn text_in_older_encodings_is_read_exactly() {
    let stack = Stack::shared().await;
    let utf16 = |text: &str, order: fn(u16) -> [u8; 2]| -> Vec<u8> {
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(order).collect()
    };
    let latin1 = |text: &str| -> Vec<u8> { text.chars().map(|c| u8::try_from(c).unwrap()).collect() };
    // "日本語テスト" in Shift-JIS.
    let japanese = b"\x93\xfa\x96\x7b\x8c\xea\x83\x65\x83\x58\x83\x67";
    let page = "<title>Zürich – 東京</title><p>Grüße, 漢字, 😀</p>";
    for (name, reply, title, text) in [
        (
            "Latin-1 by header",
            Reply::of("text/html; charset=iso-8859-1", latin1("<title>Übung</title><p>façade, señor, ½</p>")),
            "Übung",
            "façade, señor, ½",
        ),
        (
            "Shift-JIS by header",
            Reply::of(
                "text/html; charset=Shift_JIS",
                [b"<title>".as_slice(), japanese, b"</title>", japanese].concat(),
            ),
            "日本語テスト",
            "日本語テスト",
        ),
        (
            "Shift-JIS by its meta element",
            Reply::of("text/html", [b"<meta charset=shift_jis><title>x</title>".as_slice(), japanese].concat()),
            "x",
            "日本語テスト",
        ),
        (
            "UTF-16LE by its mark",
            Reply::of("text/html", utf16(page, u16::to_le_bytes)),
            "Zürich – 東京",
            "Grüße, 漢字, 😀",
        ),
        (
            "UTF-16BE by its mark",
            Reply::of("text/html", utf16(page, u16::to_be_bytes)),
            "Zürich – 東京",
            "Grüße, 漢字, 😀",
        ),
        ("UTF-8", Reply::html(page), "Zürich – 東京", "Grüße, 漢字, 😀"),
    ] {
        let url = stack.site.page(reply);
        let answer = stack.extract(json!({"url": url})).await;
        assert_eq!(answer.content(), text, "{name}");
        assert_eq!(answer.expect_ok()["title"], title, "{name}");
    }
}

#[tokio::test]
async fn a_page_that_calls_all_of_itself_furniture_is_read_all_the_same() {
    let stack = Stack::shared().await;
    let text = "A page may name its parts as it likes, and somebody wants to read it all the same. ".repeat(4);
    let url = stack.site.html(&format!("<nav><div class=menu><p>{text}</p></div></nav><footer><p>{text}</p></footer>"));
    let answer = stack.extract(json!({"url": url, "instruction": "article"})).await;
    assert!(answer.content().contains("name its parts"), "{answer:?}");
}
