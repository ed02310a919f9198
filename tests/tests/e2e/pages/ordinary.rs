//! Ordinary pages: static ones, pages built by scripts, pages with an error status.

use std::time::Duration;

use porthole_tests::{Reply, Stack};
use serde_json::json;

#[tokio::test]
async fn a_static_page_gives_its_title_status_url_and_text() {
    let stack = Stack::shared().await;
    let url = stack.site.html("<title>Plain</title><h1>Hello</h1><p>world</p><script>/* code */</script>");
    let answer = stack.extract(json!({"url": url})).await;
    let fields = answer.expect_ok();
    assert_eq!(fields["title"], "Plain");
    assert_eq!(fields["final_url"], url);
    assert_eq!(fields["status_code"], 200);
    assert_eq!(fields["format"], "text");
    assert_eq!(fields["truncated"], false);
    assert_eq!(fields["blocked_requests"], 0);
    assert_eq!(fields["warnings"], json!([]));
    assert_eq!(answer.content(), "Hello\n\nworld");
    assert_eq!(fields["total_chars"], "Hello\n\nworld".len());
}

#[tokio::test]
async fn a_static_page_gives_its_picture_as_a_phone_shows_it() {
    let stack = Stack::shared().await;
    let url = stack.site.html("<title>Plain</title><body style='background:#2060a0'><h1>Hello</h1>");
    let answer = stack.screenshot(json!({"url": url})).await;
    let fields = answer.expect_ok();
    assert_eq!(fields["title"], "Plain");
    assert_eq!(fields["final_url"], url);
    assert_eq!(fields["status_code"], 200);
    assert_eq!(fields["mime_type"], "image/png");
    assert_eq!(fields["truncated"], false);
    let picture = answer.picture();
    picture.expect_size(390, 844).expect_colour(380, 830, [0x20, 0x60, 0xa0]);
    assert!(!picture.is_blank());
}

#[tokio::test]
async fn the_timings_add_up_to_no_more_than_their_total() {
    let stack = Stack::shared().await;
    let url = stack.site.html("timed");
    let answer = stack.screenshot(json!({"url": url})).await;
    let timings = answer.expect_ok()["timings_ms"].clone();
    let of = |name: &str| timings[name].as_u64().unwrap_or_else(|| panic!("{name} is missing in {timings}"));
    let parts: u64 = ["queue", "session", "navigate", "settle", "capture"].map(of).iter().sum();
    // Each timing is rounded separately.
    assert!(parts <= of("total") + 5, "{timings}");
    assert!(Duration::from_millis(of("total")) <= answer.took, "{timings} in {:?}", answer.took);
}

#[tokio::test]
async fn a_page_that_scripts_build_is_shown_as_it_will_be() {
    let stack = Stack::shared().await;
    let url = stack.site.html(
        "<title>before</title><body style='background:#ff0000'>before<script>
        addEventListener('load', () => setTimeout(() => {
            document.title = 'after';
            document.body.textContent = 'after';
            document.body.style.background = '#00ff00';
        }, 800));
        </script>",
    );
    let answer = stack.extract(json!({"url": url})).await;
    assert_eq!(answer.content(), "after");
    assert_eq!(answer.expect_ok()["title"], "after");
    let answer = stack.screenshot(json!({"url": url})).await;
    answer.picture().expect_colour(200, 400, [0, 255, 0]);
    assert_eq!(answer.expect_ok()["title"], "after");
}

#[tokio::test]
async fn content_that_a_page_fetches_after_its_load_is_there() {
    let stack = Stack::shared().await;
    let data = stack.site.page(Reply::of("application/json", r#"{"word":"fetched"}"#).late(Duration::from_millis(300)));
    let url = stack.site.html(&format!(
        "<body>waiting<script>
        addEventListener('load', async () => {{
            const answer = await fetch('{data}');
            const {{ word }} = await answer.json();
            setTimeout(() => document.body.textContent = word, 100);
        }});
        </script>",
    ));
    assert_eq!(stack.extract(json!({"url": url})).await.content(), "fetched");
}

#[tokio::test]
async fn pages_that_answer_404_or_500_are_successes_with_that_status() {
    let stack = Stack::shared().await;
    for status in [404, 410, 500, 503] {
        let text = format!("this is {status}");
        let url = stack.site.page(Reply::html(&text).status(status));
        let answer = stack.extract(json!({"url": url})).await;
        assert_eq!(answer.expect_ok()["status_code"], status);
        assert_eq!(answer.content(), text);
        let answer = stack.screenshot(json!({"url": url})).await;
        assert_eq!(answer.expect_ok()["status_code"], status);
        assert!(!answer.picture().is_blank());
    }
}

#[tokio::test]
async fn a_title_is_cut_at_a_thousand_characters() {
    let stack = Stack::shared().await;
    let url = stack.site.html(&format!("<title>{}</title>text", "ä".repeat(5000)));
    let title = stack.extract(json!({"url": url})).await.expect_ok()["title"].as_str().unwrap_or_default().to_owned();
    assert_eq!(title, "ä".repeat(1000));
}

#[tokio::test]
async fn a_name_that_operators_let_through_is_visited_under_that_name() {
    let stack = Stack::shared().await;
    let url = stack.site.html("<script>document.write(location.hostname)</script>");
    let named = stack.site.under_name(&url, porthole_tests::site::SHOP);
    let answer = stack.extract(json!({"url": named})).await;
    assert_eq!(answer.content(), porthole_tests::site::SHOP);
    assert_eq!(answer.expect_ok()["final_url"], named);
}
