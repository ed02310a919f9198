//! What a page loads besides its document: nothing of it reaches a private network, and the page goes on without it.

use std::time::Duration;

use porthole_tests::site::REBOUND;
use porthole_tests::{Reply, Stack};
use serde_json::json;

const ENDED_WITHIN: Duration = Duration::from_secs(20);

#[tokio::test]
async fn no_way_out_of_a_page_reaches_a_target_that_is_not_allowed() {
    let stack = Stack::start().await;
    let forbidden = stack.site.forbidden();
    let socket = forbidden.replace("http:", "ws:");
    let rebound = stack.site.under_name(&forbidden, REBOUND);
    let redirect = stack.site.page(Reply::redirect(302, &forbidden));
    for way_out in [
        format!("<img src='{forbidden}'>"),
        format!("<img src='{rebound}'>"),
        format!("<img src='{redirect}'>"),
        format!("<img src='{}'>", forbidden.replace("127.0.0.1", "2130706433")),
        format!("<link rel=stylesheet href='{forbidden}'>"),
        format!("<script src='{forbidden}'></script>"),
        format!("<video src='{forbidden}'></video>"),
        format!("<style>@font-face {{ font-family: f; src: url({forbidden}) }} p {{ font-family: f }}</style>"),
        format!(
            "<link rel=icon href='{forbidden}'><link rel=prefetch href='{forbidden}'><link rel=preconnect href='{forbidden}'>"
        ),
        format!("<script>fetch('{forbidden}', {{mode: 'no-cors'}}).catch(() => 0)</script>"),
        format!("<script>navigator.sendBeacon('{forbidden}', 'x')</script>"),
        format!("<script>new EventSource('{forbidden}')</script>"),
        format!("<script>new WebSocket('{socket}')</script>"),
        format!(
            "<script>new Worker(URL.createObjectURL(new Blob([`fetch('{forbidden}', {{mode: 'no-cors'}})`])))</script>"
        ),
        format!(
            "<script>new RTCPeerConnection({{iceServers: [{{urls: 'stun:{}'}}]}}).createDataChannel('x')</script>",
            forbidden.trim_start_matches("http://").trim_end_matches("/forbidden")
        ),
        format!(
            "<form action='{forbidden}' method=post target=frame><iframe name=frame></iframe></form><script>document.forms[0].submit()</script>"
        ),
        format!("<iframe src='{forbidden}'></iframe><object data='{forbidden}'></object><embed src='{forbidden}'>"),
    ] {
        let url = stack.site.html(&format!("<p>the public part{way_out}"));
        let answer = stack.extract(json!({"url": url})).await.within(ENDED_WITHIN);
        assert!(answer.content().starts_with("the public part"), "{way_out}");
        assert_eq!(stack.site.forbidden_visits(), 0, "{way_out}");
    }
    // What would be refused is heard where it is allowed: the canary can hear.
    let hearing = Stack::with().setting("PORTHOLE_ALLOW_TARGETS", "127.0.0.0/8").start().await;
    let url = hearing.site.html(&format!("<p>the public part<img src='{}'>", hearing.site.forbidden()));
    hearing.extract(json!({"url": url})).await.within(ENDED_WITHIN).expect_ok();
    assert!(hearing.site.forbidden_visits() > 0, "a canary that can't hear proves nothing");
}

#[tokio::test]
async fn what_a_page_was_refused_is_counted_and_the_page_renders() {
    let stack = Stack::start().await;
    let forbidden = stack.site.forbidden();
    let url = stack.site.html(&format!("<p>the public part<img src='{forbidden}'><img src='http://10.0.0.1/'>"));
    let fields = stack.screenshot(json!({"url": url})).await.within(ENDED_WITHIN).expect_ok();
    assert_eq!(fields["blocked_requests"], 2);
    let text = serde_json::to_string(&fields).unwrap();
    assert!(!text.contains("10.0.0.1"), "no address in the answer: {text}");
}

#[tokio::test]
async fn a_page_over_its_budget_is_told_from_one_that_only_lacks_a_part() {
    let stack = Stack::with().setting("PORTHOLE_EGRESS_MAX_BYTES", "200000").start().await;
    let big = stack.site.page(Reply::of("text/html", vec![b'x'; 1_000_000]));
    let answer = stack.screenshot(json!({"url": big})).await.within(ENDED_WITHIN);
    let fields = answer.expect_code_about("NAVIGATION_FAILED", "limit");
    assert_eq!(fields["retryable"], false);

    let picture = stack.site.page(Reply::of("image/png", vec![0; 1_000_000]));
    let url = stack.site.html(&format!("<p>the rest<img src='{picture}'>"));
    let answer = stack.extract(json!({"url": url})).await.within(ENDED_WITHIN);
    assert_eq!(answer.content().trim(), "the rest");
    let warnings = answer.warnings();
    assert!(warnings.iter().any(|warning| warning.starts_with("over_budget: ")), "{warnings:?}");
}

#[tokio::test]
async fn a_sites_own_502_is_a_page_and_ours_is_none() {
    let stack = Stack::shared().await;
    let own = stack.site.page(Reply::of("text/html", b"the site's own words".to_vec()).status(502));
    let answer = stack.extract(json!({"url": own})).await.within(ENDED_WITHIN);
    assert_eq!(answer.content(), "the site's own words");
    assert_eq!(answer.expect_ok()["status_code"], 502);
    let refusing = stack.site.refusing();
    let answer = stack.extract(json!({"url": refusing})).await.within(ENDED_WITHIN);
    answer.expect_code_about("NAVIGATION_FAILED", "net::ERR_CONNECTION_REFUSED");
}
