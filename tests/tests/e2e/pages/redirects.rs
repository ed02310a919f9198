//! Redirects and navigations by the page itself: chains, loops, and attempts at forbidden targets, which must fail.

use std::time::Duration;

use porthole_tests::site::REBOUND;
use porthole_tests::{Reply, Stack};
use serde_json::json;

#[tokio::test]
async fn a_chain_of_redirects_ends_at_its_final_url() {
    let stack = Stack::shared().await;
    let end = stack.site.html("<title>end</title>arrived");
    let chain = [301, 302, 303, 307, 308].iter().fold(end.clone(), |next, status| {
        let relative = format!("/{}", next.rsplit('/').next().unwrap_or_default());
        stack.site.page(Reply::redirect(*status, &relative))
    });
    let answer = stack.extract(json!({"url": chain})).await;
    assert_eq!(answer.content(), "arrived");
    assert_eq!(answer.expect_ok()["final_url"], end);
    assert_eq!(answer.expect_ok()["status_code"], 200);
}

#[tokio::test]
async fn a_page_that_moves_on_by_script_ends_where_it_moved() {
    let stack = Stack::shared().await;
    let end = stack.site.html("<title>end</title>arrived");
    let start = stack.site.html(&format!("start<script>location.replace('{end}')</script>"));
    let answer = stack.extract(json!({"url": start})).await;
    assert_eq!(answer.content(), "arrived");
    assert_eq!(answer.expect_ok()["final_url"], end);
}

#[tokio::test]
async fn a_later_navigation_of_a_loaded_page_is_reported_like_the_first() {
    let stack = Stack::shared().await;
    let moving = |to: &str| {
        let moves = format!("addEventListener('load', () => setTimeout(() => location.href = '{to}', 300))");
        stack.site.html(&format!("<title>start</title>start<script>{moves}</script>"))
    };
    let missing = stack.site.page(Reply::html("<title>none</title>nothing here").status(404));
    let redirected = stack.site.page(Reply::redirect(302, &missing));
    for to in [&missing, &redirected] {
        for wait in [json!({"until": "settled"}), json!({"until": "load", "delay_ms": 1_500})] {
            let answer = stack.extract(json!({"url": moving(to), "wait": wait})).await;
            assert_eq!(answer.content(), "nothing here");
            let fields = answer.expect_ok();
            assert_eq!((&fields["status_code"], &fields["final_url"]), (&json!(404), &json!(missing)), "{wait}");
        }
    }
    let fields = json!({"url": moving(&stack.site.refusing())});
    stack.screenshot(fields).await.expect_code_about("NAVIGATION_FAILED", "net::ERR_CONNECTION_REFUSED");
}

#[tokio::test]
async fn a_redirect_loop_fails_by_its_name() {
    let stack = Stack::shared().await;
    let (there, back) = (stack.site.reserve(), stack.site.reserve());
    stack.site.put(&there, Reply::redirect(302, &back));
    stack.site.put(&back, Reply::redirect(302, &there));
    let answer = stack.screenshot(json!({"url": there})).await.within(Duration::from_secs(25));
    let fields = answer.expect_code_about("NAVIGATION_FAILED", "net::ERR_TOO_MANY_REDIRECTS");
    assert_eq!(fields["retryable"], false);
}

#[tokio::test]
async fn a_redirect_to_a_private_address_is_blocked_and_never_followed() {
    let stack = Stack::start().await;
    let target = stack.site.html("not under that name");
    for location in [
        stack.site.forbidden(),
        stack.site.forbidden().replace("127.0.0.1", "localhost"),
        stack.site.forbidden().replace("127.0.0.1", "2130706433"),
        stack.site.forbidden().replace("127.0.0.1", "[::ffff:127.0.0.1]"),
        stack.site.under_name(&target, REBOUND),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "http://10.0.0.1/".to_owned(),
        "http://[::1]/".to_owned(),
    ] {
        for status in [301, 307] {
            let url = stack.site.page(Reply::redirect(status, &location));
            let answer = stack.screenshot(json!({"url": url})).await.within(Duration::from_secs(20));
            let fields = answer.expect_code("BLOCKED_TARGET");
            if location.contains(REBOUND) {
                let details = fields["details"].as_str().unwrap_or_default();
                assert!(!details.contains("127.0.0.1"), "the details contain a resolved address: {details}");
            }
        }
    }
    assert_eq!(stack.site.forbidden_visits(), 0, "the forbidden listener was reached");
    assert!(stack.site.seen(&target).is_empty(), "the site was reached under a name that is not allowed");
}

#[tokio::test]
async fn a_page_that_leads_to_a_url_with_a_password_is_refused_without_revealing_it() {
    let stack = Stack::start().await;
    let end = stack.site.html("arrived");
    let with_password = end.replace("http://", "http://user:hunter2@");
    for reply in [
        Reply::redirect(302, &with_password),
        Reply::html(&format!("<script>location.href = '{with_password}'</script>here")),
    ] {
        let answer = stack.extract(json!({"url": stack.site.page(reply)})).await.within(Duration::from_secs(20));
        let fields = answer.expect_code("INVALID_URL");
        assert!(!format!("{fields:?}").contains("hunter2"), "{fields:?}");
    }
}

#[tokio::test]
async fn a_redirect_to_what_is_no_web_page_is_never_a_success() {
    let stack = Stack::shared().await;
    for location in
        ["file:///etc/passwd", "data:text/html,hello", "javascript:alert(1)", "chrome://version/", "about:blank"]
    {
        let url = stack.site.page(Reply::redirect(302, location));
        let answer = stack.extract(json!({"url": url})).await.within(Duration::from_secs(20));
        answer.expect_one_of(&["NAVIGATION_FAILED", "BLOCKED_TARGET"]);
    }
}

#[tokio::test]
async fn a_page_that_moves_itself_to_a_private_address_is_blocked() {
    let stack = Stack::start().await;
    let forbidden = stack.site.forbidden();
    for html in [
        format!("<script>location.href = '{forbidden}'</script>here"),
        format!(
            "here<script>addEventListener('load', () => setTimeout(() => location.replace('{forbidden}'), 200))</script>"
        ),
        format!("<meta http-equiv=refresh content='0;url={forbidden}'>here"),
        format!("<form method=post action='{forbidden}'></form><script>document.forms[0].submit()</script>here"),
    ] {
        let url = stack.site.html(&html);
        stack.screenshot(json!({"url": url})).await.within(Duration::from_secs(25)).expect_code("BLOCKED_TARGET");
    }
    assert_eq!(stack.site.forbidden_visits(), 0, "the forbidden listener was reached");
}

#[tokio::test]
async fn a_page_that_frames_a_private_address_renders_without_it() {
    let stack = Stack::start().await;
    let forbidden = stack.site.forbidden();
    let url =
        stack.site.html(&format!("<title>framed</title><p>the page itself</p><iframe src='{forbidden}'></iframe>"));
    let answer = stack.extract(json!({"url": url})).await.within(Duration::from_secs(20));
    assert!(answer.content().contains("the page itself"));
    let blocked = answer.expect_ok()["blocked_requests"].as_u64();
    assert!(blocked >= Some(1), "{answer:?}");
    assert_eq!(stack.site.forbidden_visits(), 0, "the forbidden listener was reached");
}
