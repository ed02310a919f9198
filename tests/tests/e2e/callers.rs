//! Callers: many at once, isolated from each other, rate limited by key, refused without a key; web pages as callers.

use std::time::Duration;

use futures_util::future::join_all;
use http::{Method, StatusCode, header};
use porthole_tests::{Reply, Stack};
use serde_json::{Value, json};

const CLIENT_KEY: &str = "client-key-of-the-end-to-end-tests-0001";
const OTHER_CLIENT_KEY: &str = "client-key-of-the-end-to-end-tests-0002";
const SERVICE_KEY: &str = "service-key-of-the-end-to-end-tests-0001";

#[tokio::test]
async fn fifty_requests_at_once_are_each_served_or_told_when_to_retry() {
    let stack = Stack::with().setting("PORTHOLE_MAX_CONCURRENT", "2").setting("PORTHOLE_MAX_QUEUE", "8").start().await;
    let url =
        stack.site.page(Reply::html("<body style='background:#00ff00'>one of fifty").late(Duration::from_millis(200)));
    let caller = stack.caller();
    let answers = join_all((0..50).map(|_| caller.screenshot(json!({"url": url})))).await;
    let mut served = 0;
    for answer in &answers {
        if answer.status == StatusCode::OK {
            answer.picture().expect_size(390, 844).expect_colour(380, 800, [0, 255, 0]);
            served += 1;
        } else {
            let fields = answer.expect_code("OVERLOADED");
            assert!(fields["retry_after_ms"].is_u64(), "{answer:?}");
            assert!(answer.header("retry-after").parse::<u64>().is_ok_and(|seconds| seconds >= 1), "{answer:?}");
        }
    }
    assert!(served >= 10, "only {served} of 50 were served, with 2 permits and 8 places in the queue");
    assert!(served < 50, "no request was refused, so this tested nothing");
    stack.expect_idle(Duration::from_secs(5)).await;
    stack.expect_alive().await;
}

#[tokio::test]
async fn a_request_finds_nothing_that_an_earlier_one_left_in_the_browser() {
    let stack = Stack::with().setting("PORTHOLE_MAX_CONCURRENT", "1").start().await;
    let url = stack.site.page(
        Reply::html(
            "<body><script>
            const found = [document.cookie, localStorage.getItem('mark'), window.name, history.length, document.referrer];
            document.cookie = 'by_script=1; max-age=9999'; localStorage.setItem('mark', 'left'); window.name = 'left';
            document.body.textContent = found.join('|');
            </script>",
        )
        .header("set-cookie", "by_header=1; Max-Age=9999; HttpOnly")
        .header("cache-control", "max-age=9999"),
    );
    let first = stack.extract(json!({"url": url})).await.content();
    for _ in 0..3 {
        assert_eq!(stack.extract(json!({"url": url})).await.content(), first);
        assert!(!stack.screenshot(json!({"url": url})).await.picture().is_blank());
    }
    let visits = stack.site.seen(&url);
    assert_eq!(visits.len(), 7, "a visit was answered from a cache");
    for visit in visits {
        assert_eq!(visit.headers.get(header::COOKIE), None);
    }
}

#[tokio::test]
async fn requests_side_by_side_do_not_mix() {
    let stack = Stack::with().setting("PORTHOLE_MAX_CONCURRENT", "4").start().await;
    let caller = stack.caller();
    let answers = join_all((0..12_u8).map(|n| {
        let (stack, caller) = (&stack, &caller);
        async move {
            let url = stack.site.html(&format!("<title>{n}</title><body style='background:rgb({},0,99)'>", n * 20));
            caller.screenshot(json!({"url": url})).await
        }
    }))
    .await;
    for (n, answer) in (0..).zip(answers) {
        assert_eq!(answer.expect_ok()["title"], n.to_string());
        answer.picture().expect_colour(200, 400, [n * 20, 0, 99]);
    }
}

#[tokio::test]
async fn too_many_requests_of_one_key_are_turned_away_and_anothers_are_not() {
    let keys = format!("{CLIENT_KEY},{OTHER_CLIENT_KEY}");
    let stack = Stack::with().setting("PORTHOLE_RATE_LIMIT", "5").setting("PORTHOLE_CLIENT_KEYS", &keys).start().await;
    let mut caller = stack.caller();
    let mut turned_away = 0;
    for n in 0..20 {
        let answer = caller.post("/create", json!({})).await;
        if answer.status == StatusCode::OK {
            assert!(n < 10, "{n} requests were let through");
        } else {
            let fields = answer.expect_code("RATE_LIMITED");
            assert!(fields["retry_after_ms"].as_u64() > Some(0), "{answer:?}");
            assert!(!answer.header("retry-after").is_empty(), "{answer:?}");
            turned_away += 1;
        }
    }
    assert!(turned_away >= 10, "only {turned_away} requests were refused");
    caller.bearer = Some(OTHER_CLIENT_KEY.to_owned());
    assert_eq!(caller.post("/create", json!({})).await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_worker_with_client_keys_refuses_callers_without_one() {
    let keys = format!("{CLIENT_KEY},{OTHER_CLIENT_KEY}");
    let stack =
        Stack::with().setting("PORTHOLE_CLIENT_KEYS", &keys).setting("PORTHOLE_SERVICE_KEY", SERVICE_KEY).start().await;
    let mut caller = stack.caller();
    for bearer in [
        None,
        Some(""),
        Some("wrong"),
        Some(&CLIENT_KEY[..CLIENT_KEY.len() - 1]),
        Some(SERVICE_KEY),
        Some(keys.as_str()),
    ] {
        caller.bearer = bearer.map(str::to_owned);
        for route in ["/create", "/browser-screenshot", "/browser-extract"] {
            caller.post(route, json!({"url": stack.site.forbidden()})).await.expect_code("UNAUTHORIZED");
        }
    }
    let answer = caller.send(caller.http.get(stack.worker.url("/openapi.json"))).await;
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
    let url = stack.site.html("let in");
    for key in [CLIENT_KEY, OTHER_CLIENT_KEY] {
        caller.bearer = Some(key.to_owned());
        assert_eq!(caller.extract(json!({"url": url})).await.content(), "let in");
    }
}

#[tokio::test]
async fn a_service_with_a_key_answers_only_its_worker() {
    let stack = Stack::with().setting("PORTHOLE_SERVICE_KEY", SERVICE_KEY).start().await;
    let url = stack.site.html("through the worker");
    assert_eq!(stack.extract(json!({"url": url})).await.content(), "through the worker");
    let mut caller = stack.service_caller();
    assert_eq!(caller.extract(json!({"url": url})).await.content(), "through the worker");
    for bearer in [None, Some("wrong"), Some(CLIENT_KEY)] {
        caller.bearer = bearer.map(str::to_owned);
        for route in ["/create", "/browser-extract"] {
            caller.post(route, json!({"url": url})).await.expect_code("UNAUTHORIZED");
        }
    }
    let answer = caller.send(caller.http.get(stack.service.url("/openapi.json"))).await;
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
}

async fn with_origin(stack: &Stack, method: Method, origin: &str) -> porthole_tests::Answer {
    let caller = stack.caller();
    let mut request = caller.request(method.clone(), "/create").header(header::ORIGIN, origin);
    request = if method == Method::OPTIONS {
        request
            .header(header::ACCESS_CONTROL_REQUEST_METHOD, "POST")
            .header(header::ACCESS_CONTROL_REQUEST_HEADERS, "content-type,authorization")
    } else {
        request.json(&json!({}))
    };
    caller.send(request).await
}

#[tokio::test]
async fn a_page_of_a_foreign_origin_may_not_call() {
    let stack = Stack::shared().await;
    let host = stack.worker.main;
    for origin in
        ["https://evil.example", "http://127.0.0.1.evil.example", "http://localhost.evil.example:3000", "null"]
    {
        with_origin(&stack, Method::POST, origin).await.expect_code("ORIGIN_NOT_ALLOWED");
    }
    for origin in ["http://localhost:3000", "http://127.0.0.1:5173", "http://[::1]:80", "http://app.localhost"] {
        let answer = with_origin(&stack, Method::POST, origin).await;
        assert_eq!(answer.status, StatusCode::OK, "{origin}: {answer:?}");
        assert_eq!(answer.header("access-control-allow-origin"), origin);
    }
    // The Host header must not decide: a DNS rebinding attacker chooses it.
    let caller = stack.caller();
    let request = caller.request(Method::POST, "/create").json(&json!({}));
    let request = request.header(header::HOST, format!("evil.example:{}", host.port()));
    let answer = caller.send(request.header(header::ORIGIN, format!("http://evil.example:{}", host.port()))).await;
    answer.expect_code("ORIGIN_NOT_ALLOWED");
}

#[tokio::test]
async fn a_page_of_an_allowed_origin_may_call_and_read_the_answer() {
    let stack = Stack::with()
        .setting("PORTHOLE_ALLOWED_ORIGINS", "https://chat.example,https://app.example:8443")
        .start()
        .await;
    for origin in ["https://chat.example", "https://app.example:8443"] {
        let answer = with_origin(&stack, Method::OPTIONS, origin).await;
        assert!(answer.status.is_success(), "{answer:?}");
        assert_eq!(answer.header("access-control-allow-origin"), origin);
        assert!(answer.header("access-control-allow-methods").contains("POST"), "{answer:?}");
        let headers = answer.header("access-control-allow-headers").to_ascii_lowercase();
        assert!(headers.contains("content-type") && headers.contains("authorization"), "{answer:?}");
        let answer = with_origin(&stack, Method::POST, origin).await;
        assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
        assert_eq!(answer.header("access-control-allow-origin"), origin);
        assert!(answer.header("vary").to_ascii_lowercase().contains("origin"), "{answer:?}");
    }
    for origin in
        ["http://chat.example", "https://chat.example:444", "https://evil.chat.example", "https://app.example"]
    {
        let answer = with_origin(&stack, Method::POST, origin).await;
        answer.expect_code("ORIGIN_NOT_ALLOWED");
        assert_eq!(answer.header("access-control-allow-origin"), "");
    }
    // A request without an Origin header does not come from a web page.
    let answer = stack.caller().post("/create", json!({})).await;
    assert_eq!(answer.status, StatusCode::OK);
    let Value::Object(made) = answer.json() else { panic!("{answer:?}") };
    assert_eq!(made["ok"], true);
}
