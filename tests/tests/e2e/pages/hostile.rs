//! Malicious and badly made pages: each request ends in time, and the next one succeeds.

use std::time::Duration;

use porthole_tests::eventually::so;
use porthole_tests::family::Relative;
use porthole_tests::{Reply, Stack, eventually};
use serde_json::json;

/// Limit for navigation, wait and capture together, with a margin for a slow machine.
const ENDED_WITHIN: Duration = Duration::from_secs(40);

#[tokio::test]
async fn endless_redirects_by_script_come_to_an_end() {
    let stack = Stack::start().await;
    let url = stack.site.reserve();
    let script = "<title>on and on</title><script>location.replace('?' + Math.random())</script>moving";
    stack.site.put(&url, Reply::html(script));
    let answer = stack.screenshot(json!({"url": url})).await.within(ENDED_WITHIN);
    answer.expect_ok_or(&["NAVIGATION_TIMEOUT", "NAVIGATION_FAILED", "DEADLINE_EXCEEDED"]);
    stack.expect_idle(Duration::from_secs(5)).await;
    stack.expect_alive().await;
}

#[tokio::test]
async fn a_page_that_reloads_itself_for_ever_comes_to_an_end() {
    let stack = Stack::start().await;
    let url =
        stack.site.html("again<script>addEventListener('load', () => setTimeout(() => location.reload(), 0))</script>");
    let answer = stack.extract(json!({"url": url})).await.within(ENDED_WITHIN);
    answer.expect_ok_or(&["NAVIGATION_TIMEOUT", "NAVIGATION_FAILED", "DEADLINE_EXCEEDED"]);
    stack.expect_idle(Duration::from_secs(5)).await;
    stack.expect_alive().await;
}

#[tokio::test]
async fn a_page_that_takes_itself_away_has_nothing_to_read() {
    let stack = Stack::start().await;
    let url = stack.site.html("gone<script>addEventListener('load', () => document.documentElement.remove())</script>");
    let nothing = "EMPTY_EXTRACTION";
    let read = [("text", nothing), ("frames", nothing), ("article", nothing), ("selector: p", "SELECTOR_NOT_FOUND")];
    for (instruction, code) in read {
        stack.extract(json!({"url": url, "instruction": instruction})).await.expect_code(code);
    }
    stack.screenshot(json!({"url": url})).await.expect_ok();
    stack.expect_idle(Duration::from_secs(5)).await;
}

#[tokio::test]
async fn a_script_that_never_ends_after_the_load_is_cut_off() {
    let stack = Stack::start().await;
    let url = stack
        .site
        .html("busy<script>addEventListener('load', () => setTimeout(() => { while (true) {} }, 50))</script>");
    // In a shorter time of their own: the loop takes a processor until then.
    let answer = stack.screenshot(json!({"url": url, "timeout_ms": 4_000})).await.within(ENDED_WITHIN);
    answer.expect_ok_or(&["DEADLINE_EXCEEDED"]);
    let answer = stack.extract(json!({"url": url, "timeout_ms": 4_000})).await.within(ENDED_WITHIN);
    answer.expect_ok_or(&["DEADLINE_EXCEEDED"]);
    stack.expect_idle(Duration::from_secs(5)).await;
    stack.expect_alive().await;
}

#[tokio::test]
async fn dialogs_hold_nothing_up() {
    let stack = Stack::shared().await;
    let url = stack.site.html(
        "<body><script>
        alert('one'); confirm('two'); prompt('three');
        document.body.textContent = 'after the dialogs';
        addEventListener('load', () => setTimeout(() => { alert('four'); document.title = 'even later'; }, 100));
        </script>",
    );
    let answer = stack.extract(json!({"url": url})).await.within(Duration::from_secs(15));
    assert_eq!(answer.content(), "after the dialogs");
    assert_eq!(answer.expect_ok()["title"], "even later");
    let answer = stack.screenshot(json!({"url": url})).await.within(Duration::from_secs(15));
    assert!(!answer.picture().is_blank());
}

#[tokio::test]
async fn a_page_that_does_not_want_to_be_left_is_left() {
    let stack = Stack::start().await;
    let elsewhere = stack.site.html("elsewhere");
    let clinging =
        "addEventListener('beforeunload', event => { event.preventDefault(); event.returnValue = 'stay'; });";
    let staying = stack.site.html(&format!("staying<script>{clinging}</script>"));
    let answer = stack.extract(json!({"url": staying})).await.within(Duration::from_secs(15));
    assert_eq!(answer.content(), "staying");
    let leaving = stack.site.html(&format!("leaving<script>{clinging} location.href = '{elsewhere}'</script>"));
    let answer = stack.extract(json!({"url": leaving})).await.within(Duration::from_secs(15));
    assert_eq!(answer.content(), "elsewhere");
    stack.expect_idle(Duration::from_secs(2)).await;
}

#[tokio::test]
async fn a_storm_of_windows_opens_nothing_that_lasts() {
    // Without warm pages, so that the pool's refilling doesn't change the number of renderers.
    let stack = Stack::with().setting("PORTHOLE_WARM_PAGES", "0").start().await;
    stack.expect_alive().await;
    stack.expect_idle(Duration::from_secs(5)).await;
    let renderers = || stack.chromium().into_iter().filter(Relative::is_renderer).count();
    let before = renderers();
    let popup = stack.site.html("popup");
    let url = stack.site.html(&format!(
        "<body>storm<script>
        for (let i = 0; i < 50; i++) window.open('{popup}?' + i);
        setInterval(() => window.open('about:blank'), 10);
        setInterval(() => window.open('{popup}'), 10);
        </script>",
    ));
    let answer = stack.extract(json!({"url": url})).await.within(ENDED_WITHIN);
    assert_eq!(answer.content(), "storm");
    stack.expect_idle(Duration::from_secs(5)).await;
    stack.expect_alive().await;
    // A renderer that has just ended may still be listed.
    eventually(Duration::from_secs(10), async || {
        let now = renderers();
        so(now <= before + 2, format!("{now} renderers, {before} before"))
    })
    .await;
}

#[tokio::test]
async fn a_flood_of_history_entries_and_fragments_comes_to_an_end() {
    let stack = Stack::shared().await;
    let url = stack.site.html(
        "<body>flood<script>
        let n = 0;
        setInterval(() => { for (let i = 0; i < 50; i++) history.pushState({}, '', '#' + n++); location.hash = n++; }, 5);
        </script>",
    );
    let answer = stack.extract(json!({"url": url})).await.within(ENDED_WITHIN);
    assert_eq!(answer.content(), "flood");
}

#[tokio::test]
async fn a_page_that_replaces_what_it_is_read_with_is_read_all_the_same() {
    let stack = Stack::shared().await;
    let url = stack.site.html(
        "<title>honest</title><body>honest text<script>
        JSON.stringify = () => 'forged'; document.querySelector = () => { throw 1 };
        Object.prototype.toJSON = () => 'forged'; Array.prototype.join = () => 'forged';
        String.prototype.trim = () => 'forged'; window.getComputedStyle = () => { throw 2 };
        </script>",
    );
    let answer = stack.extract(json!({"url": url})).await;
    assert_eq!(answer.content(), "honest text");
    assert_eq!(answer.expect_ok()["title"], "honest");
}
