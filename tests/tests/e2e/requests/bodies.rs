//! Bodies: broken, wrong, too large. Worker and service refuse them alike.

use http::{Method, header};
use porthole_tests::Stack;
use serde_json::{Value, json};

const BROWSER_ROUTES: [&str; 2] = ["/browser-screenshot", "/browser-extract"];

#[tokio::test]
async fn a_body_that_is_no_json_object_is_refused() {
    let stack = Stack::shared().await;
    for caller in [stack.caller(), stack.service_caller()] {
        for route in BROWSER_ROUTES {
            for body in
                ["", "nonsense", "{", "[]", "null", "\"text\"", "{\"url\":\"x\"} {}", "{\"url\":\"\u{0}\"}", "{'a':1}"]
            {
                let fields = caller.post_bytes(route, body).await.expect_code("INVALID_REQUEST");
                assert!(fields["details"] != "", "{body}: no details");
            }
            let fields = caller.post_bytes(route, b"\xff\xfe{}".as_slice()).await.expect_code("INVALID_REQUEST");
            assert!(fields["details"] != "");
        }
        caller.post_bytes("/create", "nonsense").await.expect_code("INVALID_REQUEST");
    }
}

#[tokio::test]
async fn a_body_without_the_json_content_type_is_refused() {
    let stack = Stack::shared().await;
    let url = stack.site.html("text");
    for caller in [stack.caller(), stack.service_caller()] {
        let route = "/browser-extract";
        let body = caller.body(route, json!({"url": url})).to_string();
        for content_type in [Some("text/plain"), Some("application/x-www-form-urlencoded"), None] {
            let mut request = caller.request(Method::POST, route).body(body.clone());
            if let Some(content_type) = content_type {
                request = request.header(header::CONTENT_TYPE, content_type);
            }
            caller.send(request).await.expect_code("INVALID_REQUEST");
        }
        let said = caller.request(Method::POST, route).header(header::CONTENT_TYPE, "application/json; charset=utf-8");
        assert_eq!(caller.send(said.body(body)).await.content(), "text");
    }
}

#[tokio::test]
async fn a_refusal_names_the_field() {
    let stack = Stack::shared().await;
    let url = stack.site.html("text");
    let with = |more: Value| {
        let mut fields = json!({"url": url});
        fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        fields
    };
    let screenshot = "/browser-screenshot";
    let extract = "/browser-extract";
    let cases = [
        (screenshot, json!({}), "url"),
        (screenshot, with(json!({"sandbox_id": null})), "sandbox_id"),
        (screenshot, json!({"url": 7}), "url"),
        (screenshot, json!({"url": null}), "url"),
        (screenshot, with(json!({"colour": "red"})), "colour"),
        (screenshot, with(json!({"instruction": "x"})), "instruction"),
        (screenshot, with(json!({"full_page": "yes"})), "full_page"),
        (screenshot, with(json!({"viewport": {"width": 800}})), "height"),
        (screenshot, with(json!({"viewport": {"width": 0, "height": 1}})), "viewport.width"),
        (screenshot, with(json!({"viewport": {"width": 3841, "height": 1}})), "viewport.width"),
        (screenshot, with(json!({"viewport": {"width": 1, "height": 2161}})), "viewport.height"),
        (screenshot, with(json!({"viewport": {"width": 1, "height": 1, "depth": 1}})), "viewport.depth"),
        (
            screenshot,
            with(json!({"viewport": {"width": 1, "height": 1, "device_scale_factor": 4}})),
            "device_scale_factor",
        ),
        (screenshot, with(json!({"viewport": {"width": 3840, "height": 2160, "device_scale_factor": 3}})), "viewport"),
        (screenshot, with(json!({"format": "gif"})), "format"),
        (screenshot, with(json!({"quality": 0})), "quality"),
        (screenshot, with(json!({"quality": 101})), "quality"),
        (screenshot, with(json!({"color_scheme": "sepia"})), "color_scheme"),
        (screenshot, with(json!({"reduced_motion": 1})), "reduced_motion"),
        (screenshot, with(json!({"wait": {"until": "whenever"}})), "wait.until"),
        (screenshot, with(json!({"wait": {"timeout_ms": 30_001}})), "wait.timeout_ms"),
        (screenshot, with(json!({"wait": {"delay_ms": 10_001}})), "wait.delay_ms"),
        (screenshot, with(json!({"wait": {"for": "x"}})), "wait.for"),
        (screenshot, with(json!({"timeout_ms": 999})), "timeout_ms"),
        (screenshot, with(json!({"timeout_ms": 60_001})), "timeout_ms"),
        (screenshot, with(json!({"timeout_ms": -1})), "timeout_ms"),
        (screenshot, with(json!({"timeout_ms": 1500.5})), "timeout_ms"),
        (screenshot, with(json!({"max_bytes": 1_500_001})), "max_bytes"),
        (screenshot, with(json!({"max_bytes": 0})), "max_bytes"),
        (extract, json!({}), "url"),
        (extract, with(json!({"full_page": true})), "full_page"),
        (extract, with(json!({"max_chars": 20_001})), "max_chars"),
        (extract, with(json!({"max_chars": 0})), "max_chars"),
        (extract, with(json!({"instruction": ["selector: p"]})), "instruction"),
        (extract, with(json!({"owner_token": 7})), "owner_token"),
        ("/create", json!({"ttl_seconds": 59}), "ttl_seconds"),
        ("/create", json!({"ttl_seconds": 2_592_001}), "ttl_seconds"),
        ("/create", json!({"ttl_seconds": "1 day"}), "ttl_seconds"),
        ("/create", json!({"name": "mine"}), "name"),
    ];
    for caller in [stack.caller(), stack.service_caller()] {
        for (route, fields, field) in &cases {
            eprintln!("{route} {fields}");
            caller.post(route, fields.clone()).await.expect_code_about("INVALID_REQUEST", field);
        }
    }
}

#[tokio::test]
async fn a_duplicate_key_is_refused_at_any_depth() {
    let stack = Stack::shared().await;
    let url = stack.site.html("text");
    for caller in [stack.caller(), stack.service_caller()] {
        let (id, token) = (&caller.sandbox_id, &caller.owner_token);
        let start = format!(r#"{{"sandbox_id":"{id}","owner_token":"{token}","url":"{url}""#);
        for end in [format!(r#","url":"{url}"}}"#), r#","viewport":{"width":100,"height":100,"width":100}}"#.to_owned()]
        {
            let answer = caller.post_bytes("/browser-screenshot", format!("{start}{end}")).await;
            answer.expect_code_about("INVALID_REQUEST", "duplicate");
        }
    }
    assert!(stack.site.seen(&url).is_empty());
}

#[tokio::test]
async fn a_body_of_a_megabyte_gets_an_answer_that_can_be_read() {
    let stack = Stack::shared().await;
    for caller in [stack.caller(), stack.service_caller()] {
        for length in [100_000, 1_000_000] {
            let body = format!(r#"{{"url":"{}"}}"#, "x".repeat(length));
            caller.post_bytes("/browser-screenshot", body.clone()).await.expect_code("REQUEST_TOO_LARGE");
            // Chunked, without a Content-Length.
            let pieces: Vec<Result<bytes::Bytes, std::io::Error>> =
                body.as_bytes().chunks(10_000).map(|piece| Ok(bytes::Bytes::copy_from_slice(piece))).collect();
            let body = reqwest::Body::wrap_stream(futures_util::stream::iter(pieces));
            caller.post_bytes("/browser-screenshot", body).await.expect_code("REQUEST_TOO_LARGE");
        }
    }
    stack.expect_alive().await;
}

#[tokio::test]
async fn a_caller_can_not_bring_browserbase_credentials_through_the_worker() {
    let stack = Stack::shared().await;
    let url = stack.site.html("seen by the local browser");
    let fields = json!({"url": url, "browserbase_api_key": "bb_live_mine", "browserbase_project_id": "mine"});
    assert_eq!(stack.extract(fields).await.content(), "seen by the local browser");
    // Whatever their types: the worker removes them without reading them.
    let fields = json!({"url": url, "browserbase_api_key": 7, "browserbase_project_id": {"a": []}});
    assert_eq!(stack.extract(fields).await.content(), "seen by the local browser");
}
