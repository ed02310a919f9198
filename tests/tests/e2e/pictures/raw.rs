//! The image itself instead of JSON, for callers whose `Accept` prefers it.

use http::{Method, StatusCode, header};
use porthole_tests::{Answer, Caller, Picture, Stack};
use serde_json::{Value, json};

async fn shot(caller: &Caller, accept: &str, fields: Value) -> Answer {
    let route = "/browser-screenshot";
    let request = caller.request(Method::POST, route).header(header::ACCEPT, accept).json(&caller.body(route, fields));
    caller.send(request).await
}

#[tokio::test]
async fn a_caller_who_prefers_images_gets_the_image_and_its_metadata_as_headers() {
    let stack = Stack::shared().await;
    let url = stack.site.html("<title>Grüße, 漢字: 100 %</title><body style='background:#00ff00'>image");
    for caller in [stack.caller(), stack.service_caller()] {
        for accept in ["image/*", "image/png", "image/avif,image/webp,*/*;q=0.8", "application/json;q=0.5, image/*"] {
            let answer = shot(&caller, accept, json!({"url": url})).await;
            assert_eq!(answer.status, StatusCode::OK, "{accept}: {answer:?}");
            assert_eq!(answer.header("content-type"), "image/png", "{accept}");
            let picture = Picture::decode(&answer.body);
            picture.expect_size(390, 844).expect_colour(200, 400, [0, 255, 0]);
            assert_eq!(answer.header("x-porthole-final-url"), url);
            assert_eq!(answer.header("x-porthole-status-code"), "200");
            assert_eq!(answer.header("x-porthole-width"), "390");
            assert_eq!(answer.header("x-porthole-height"), "844");
            assert_eq!(answer.header("x-porthole-bytes"), answer.body.len().to_string());
            assert_eq!(answer.header("x-porthole-truncated"), "false");
            assert_eq!(answer.header("x-porthole-blocked-requests"), "0");
            assert!(!answer.header("x-request-id").is_empty());
            let title = answer.header("x-porthole-title");
            assert!(title.is_ascii() && title.contains("Gr%C3%BC%C3%9Fe"), "{title}");
            assert!(title.contains("%E6%BC%A2%E5%AD%97"), "{title}");
        }
    }
}

#[tokio::test]
async fn all_other_callers_get_json() {
    let stack = Stack::shared().await;
    let url = stack.site.html("json");
    for accept in ["*/*", "application/json", "application/json, image/*;q=0.5", "text/html"] {
        let answer = shot(&stack.caller(), accept, json!({"url": url})).await;
        assert!(answer.header("content-type").starts_with("application/json"), "{accept}: {answer:?}");
        assert!(!answer.picture().is_blank());
    }
}

#[tokio::test]
async fn the_image_is_in_the_format_that_was_asked_for() {
    let stack = Stack::shared().await;
    let url = stack.site.html("format");
    for format in ["png", "jpeg", "webp"] {
        let answer = shot(&stack.caller(), "image/*", json!({"url": url, "format": format})).await;
        assert_eq!(answer.header("content-type"), format!("image/{format}"));
        assert_eq!(Picture::decode(&answer.body).format.to_mime_type(), format!("image/{format}"));
    }
}

#[tokio::test]
async fn a_failure_is_json_all_the_same() {
    let stack = Stack::shared().await;
    for caller in [stack.caller(), stack.service_caller()] {
        shot(&caller, "image/*", json!({"url": stack.site.forbidden()})).await.expect_code("BLOCKED_TARGET");
        shot(&caller, "image/*", json!({"url": 7})).await.expect_code("INVALID_REQUEST");
        shot(&caller, "image/*", json!({"url": stack.site.refusing()})).await.expect_code("NAVIGATION_FAILED");
    }
}
