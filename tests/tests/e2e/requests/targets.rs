//! Invalid URLs, and URLs of forbidden targets. The guard's unit tests have longer tables; these go through the stack.

use std::time::Duration;

use porthole_tests::site::REBOUND;
use porthole_tests::{Reply, Stack};
use serde_json::json;

const REFUSED_WITHIN: Duration = Duration::from_secs(10);

#[tokio::test]
async fn anything_but_a_web_url_is_invalid() {
    let stack = Stack::shared().await;
    for url in [
        "",
        " ",
        "example.com",
        "/path",
        "//example.com/",
        "http://",
        "https://",
        "http://exa mple.com/",
        "http://[::1",
        "http://example.com:99999/",
        "ftp://example.com/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "data:text/html,hello",
        "about:blank",
        "chrome://version/",
        "view-source:http://example.com/",
        "blob:http://example.com/1",
        "ws://example.com/",
        "https://user:password@example.com/",
        "https://user@example.com/",
        "https://:password@example.com/",
    ] {
        let answer = stack.screenshot(json!({"url": url})).await.within(REFUSED_WITHIN);
        let fields = answer.expect_code("INVALID_URL");
        assert!(!fields["details"].as_str().unwrap_or_default().contains("password@"), "{answer:?}");
    }
    stack.service_caller().extract(json!({"url": "ftp://example.com/"})).await.expect_code("INVALID_URL");
}

#[tokio::test]
async fn a_private_or_reserved_target_is_blocked_however_it_is_spelt() {
    let stack = Stack::start().await;
    let site = &stack.site;
    let forbidden = site.forbidden();
    let spelt = |host: &str| forbidden.replace("127.0.0.1", host);
    let elsewhere = site.html("not under that name");
    let urls = [
        forbidden.clone(),
        spelt("127.1"),
        spelt("127.0.1"),
        spelt("2130706433"),
        spelt("0x7f000001"),
        spelt("0x7f.1"),
        spelt("017700000001"),
        spelt("0177.0.0.1"),
        spelt("127.0.0.1."),
        spelt("%31%32%37.0.0.1"),
        spelt("１２７.０.０.１"),
        spelt("127。0。0。1"),
        spelt("0.0.0.0"),
        spelt("0"),
        spelt("[::1]"),
        spelt("[::]"),
        spelt("[::ffff:127.0.0.1]"),
        spelt("[::ffff:7f00:1]"),
        spelt("[::127.0.0.1]"),
        spelt("[64:ff9b::7f00:1]"),
        spelt("localhost"),
        spelt("LOCALHOST."),
        spelt("a.localhost"),
        forbidden.replace("http:", "HTTP:"),
        forbidden.replace("http://", "http:\\\\"),
        site.under_name(&elsewhere, "localhost"),
        site.under_name(&elsewhere, "127.0.0.2"),
        site.under_name(&elsewhere, REBOUND),
        "http://10.0.0.1/".to_owned(),
        "http://172.16.0.1/".to_owned(),
        "http://192.168.1.1/".to_owned(),
        "http://100.64.0.1/".to_owned(),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "http://[fd00:ec2::254]/".to_owned(),
        "http://[fe80::1]/".to_owned(),
        "http://224.0.0.1/".to_owned(),
        "http://255.255.255.255/".to_owned(),
        "http://192.0.2.1/".to_owned(),
        "http://metadata.google.internal/".to_owned(),
        "http://printer.local/".to_owned(),
        "http://intranet/".to_owned(),
        "http://example.com:22/".to_owned(),
        "http://example.com:6000/".to_owned(),
        stack.service.url("/create"),
        stack.service.admin_url("/metrics"),
        stack.worker.url("/openapi.json"),
    ];
    for url in urls {
        eprintln!("{url}");
        let answer = stack.extract(json!({"url": url})).await.within(REFUSED_WITHIN);
        let fields = answer.expect_code("BLOCKED_TARGET");
        if url.contains(REBOUND) {
            let details = fields["details"].as_str().unwrap_or_default();
            assert!(!details.contains("127.0.0.1"), "the details contain a resolved address: {details}");
        }
    }
    assert_eq!(site.forbidden_visits(), 0, "the forbidden listener was reached");
    assert!(site.seen(&elsewhere).is_empty());
    let blocked = stack.metrics().await["blocked"].clone();
    let count: u64 = blocked.as_object().unwrap().values().filter_map(serde_json::Value::as_u64).sum();
    assert!(count >= 40, "{blocked}");
}

#[tokio::test]
async fn an_allowed_address_opens_neither_porthole_itself_nor_a_restricted_port() {
    let stack = Stack::with().setting("PORTHOLE_ALLOW_TARGETS", "127.0.0.1,127.0.0.0/8,localhost").start().await;
    stack.expect_alive().await;
    for url in [
        stack.service.url("/openapi.json"),
        stack.service.admin_url("/metrics"),
        "http://127.0.0.1:22/".to_owned(),
        "http://localhost:25/".to_owned(),
    ] {
        stack.extract(json!({"url": url})).await.within(REFUSED_WITHIN).expect_code("BLOCKED_TARGET");
    }
    let local = stack.site.page(Reply::html("under the name that was allowed"));
    let answer = stack.extract(json!({"url": stack.site.under_name(&local, "localhost")})).await;
    assert_eq!(answer.content(), "under the name that was allowed");
    // The service warns about the allowed range in its log.
    let warned =
        stack.service.process.stderr().iter().any(|line| line.contains("WARN") && line.contains("127.0.0.0/8"));
    assert!(warned, "no warning about the allowed targets:\n{}", stack.service.process.stderr().join("\n"));
}

#[tokio::test]
async fn more_ranges_can_be_denied() {
    let stack = Stack::with()
        .setting("PORTHOLE_RESOLVE", "public.example=93.184.215.14")
        .setting("PORTHOLE_DENY_CIDRS", "93.184.0.0/16")
        .start()
        .await;
    for url in ["http://public.example/", "http://93.184.215.14/"] {
        stack.extract(json!({"url": url})).await.within(REFUSED_WITHIN).expect_code("BLOCKED_TARGET");
    }
    stack.expect_alive().await;
}
