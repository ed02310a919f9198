//! Browsers that die while they start: one more is started before the request fails, and no more than one.

use std::path::PathBuf;
use std::time::Duration;

use porthole_chromium::find_executable;
use porthole_tests::eventually::{eventually, so};
use porthole_tests::exposition;
use porthole_tests::family::Relative;
use porthole_tests::flaky::{ANSWERS_AND_DIES, CRASHES, EXITS, FlakyBrowser, HANGS};
use porthole_tests::{Answer, Stack};
use serde_json::json;

/// Attempts at a scenario whose last start is the real browser's, because that one crashes now and then, too.
const TRIES: usize = 2;
const SETTLED_WITHIN: Duration = Duration::from_secs(60);

fn real() -> PathBuf {
    find_executable(None).expect("a browser")
}

/// Starts a stack with one browser at a time.
async fn stack(browser: &FlakyBrowser) -> Stack {
    let stack = Stack::with().setting("PORTHOLE_WARM_PAGES", "0");
    stack.setting("PORTHOLE_CHROMIUM", browser.path()).start().await
}

/// Kills the running browser.
async fn kill(stack: &Stack) {
    let browsers: Vec<Relative> = stack.chromium().into_iter().filter(Relative::is_browser).collect();
    assert!(!browsers.is_empty(), "no browser among {:#?}", stack.service.process.family());
    browsers.iter().for_each(Relative::kill);
    eventually(SETTLED_WITHIN, async || so(!browsers.iter().any(Relative::is_alive), "the browser is still alive"))
        .await;
}

async fn read(stack: &Stack) -> Answer {
    stack.extract(json!({"url": stack.site.html("<p>read")})).await
}

/// Counts the back-offs in the service's log.
fn rests(stack: &Stack) -> usize {
    let lines = stack.service.process.stderr();
    lines.iter().filter(|line| line.contains("no local browser is started for a while")).count()
}

/// Kills the first browser; the second fails its start in this way, and the third must serve the request.
async fn expect_third_serves_after(fails: &str) {
    for attempt in 1..=TRIES {
        let browser = FlakyBrowser::new(&real(), "2", fails);
        let stack = stack(&browser).await;
        kill(&stack).await;
        let answer = read(&stack).await;
        if answer.status != 200 && rests(&stack) > 0 && attempt < TRIES {
            continue;
        }
        assert_eq!(answer.content().trim(), "read", "{fails}");
        assert_eq!((browser.starts(), rests(&stack)), (3, 0), "{fails}");
        return;
    }
}

#[tokio::test]
async fn a_browser_that_dies_while_it_starts_is_replaced_before_the_request_fails() {
    for fails in [EXITS, CRASHES, ANSWERS_AND_DIES] {
        expect_third_serves_after(fails).await;
    }
}

#[tokio::test]
async fn a_browser_that_never_answers_is_replaced_within_the_requests_time() {
    expect_third_serves_after(HANGS).await;
}

#[tokio::test]
async fn a_service_whose_first_browser_dies_gets_ready_with_the_second() {
    for attempt in 1..=TRIES {
        let browser = FlakyBrowser::new(&real(), "1", EXITS);
        let stack = stack(&browser).await;
        stack.expect_alive().await;
        if browser.starts() > 2 && attempt < TRIES {
            continue;
        }
        assert_eq!((browser.starts(), rests(&stack)), (2, 0));
        let text = stack.admin(&stack.service, "/metrics").await.body;
        let families = exposition::prometheus(std::str::from_utf8(&text).expect("metrics are text"));
        let starts = &families["porthole_browser_starts_total"].samples;
        for (reason, expected) in [("first", 1.0), ("start_failed", 1.0), ("died", 0.0)] {
            assert_eq!(starts[&format!(r#"porthole_browser_starts_total{{reason="{reason}"}}"#)], expected, "{reason}");
        }
        return;
    }
}

#[tokio::test]
async fn after_two_failed_starts_in_a_row_the_service_backs_off() {
    let browser = FlakyBrowser::new(&real(), "[!1]*|1?*", EXITS);
    let stack = stack(&browser).await;
    kill(&stack).await;
    // After each back-off a request starts two more browsers, and never more.
    eventually(SETTLED_WITHIN, async || {
        read(&stack).await.expect_code("SESSION_CREATE_FAILED");
        let (starts, rests) = (browser.starts(), rests(&stack));
        so(rests >= 3 && starts == 1 + 2 * rests, format!("{starts} starts, {rests} rests"))
    })
    .await;
}
