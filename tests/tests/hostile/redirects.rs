//! Redirects within TLS, which the egress doesn't see, to targets that it refuses.

use std::time::Duration;

use porthole_tests::agent::{Agent, reference, tree};
use porthole_tests::eventually::{eventually, so};
use serde_json::json;

use super::names::ZONE;
use super::scene::{Ground, Scene};
use super::service::Service;
use super::tls::TlsSite;

/// How often a page tries to leave, and how long that may take.
const TRIES: u64 = 10;
const TRIES_WITHIN: Duration = Duration::from_secs(60);
/// How far away the redirecting site is. The service has that long to have the redirect reported (decision 88).
const DISTANCE: Duration = Duration::from_millis(250);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_redirect_within_tls_to_a_refused_target_leaves_a_session_where_it_was() {
    let scene = Scene::set(Ground::loopback()).await;
    let name = format!("public-moved.{ZONE}");
    let refused = format!("Location: http://{}/secret\r\n", scene.authority(&scene.ground.forbidden.to_string()));
    let site = TlsSite::answering(scene.ground.public.into(), &name, "302 Found", &refused, "", Duration::ZERO).await;
    let service = Service::lacking(&scene, &[], std::slice::from_ref(&site.trusting)).await;
    let moved = format!("https://{name}:{}/", site.addr.port());
    let first = scene.site.html(&format!("<title>first</title><a href='{moved}'>go</a>"));
    let (agent, answer) = Agent::at(service.caller().clone(), &first).await;

    agent.call("navigate", json!({"url": moved})).await.expect_code("BLOCKED_TARGET");
    assert_eq!(agent.does("status", json!({})).await["url"], first.as_str(), "commanded");
    let link = reference(&tree(&answer), "go");
    let clicked = agent.does("click", json!({"ref": link, "snapshot": "full"})).await;
    assert_eq!(clicked["navigated"], false, "{clicked:?}");
    assert!(clicked["warnings"].to_string().contains("blocked_target"), "{clicked:?}");
    assert!(clicked["events"].to_string().contains("blocked"), "{clicked:?}");
    assert_eq!((&clicked["url"], &clicked["title"]), (&json!(first), &json!("first")));
    assert!(tree(&clicked).contains("go"), "{clicked:?}");
    agent.does("close", json!({})).await;
    service.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_that_leaves_by_itself_for_a_refused_target_stays_where_it_was() {
    let scene = Scene::set(Ground::loopback()).await;
    let name = format!("public-leaving.{ZONE}");
    let refused = format!("Location: http://{}/secret\r\n", scene.authority(&scene.ground.forbidden.to_string()));
    let site = TlsSite::answering(scene.ground.public.into(), &name, "302 Found", &refused, "", DISTANCE).await;
    let service = Service::lacking(&scene, &[], std::slice::from_ref(&site.trusting)).await;
    let moved = format!("https://{name}:{}/", site.addr.port());
    // It leaves again and again while it is there, and no call is under way.
    let page = format!(
        "<title>first</title><a href='/'>stays</a><script>setInterval(() => location = '{moved}', 600)</script>"
    );
    let first = scene.site.html(&page);
    let (agent, _) = Agent::at(service.caller().clone(), &first).await;

    let mut blocked = 0;
    eventually(TRIES_WITHIN, async || {
        let status = agent.does("status", json!({})).await;
        let events = status["events"].as_array().cloned().unwrap_or_default();
        blocked += events.iter().filter_map(|event| event["count"].as_u64()).sum::<u64>();
        so(blocked >= TRIES, format!("refused {blocked} times, at {}", status["url"]))
    })
    .await;
    let seen = agent.does("snapshot", json!({})).await;
    assert_eq!((&seen["url"], &seen["title"]), (&json!(first), &json!("first")));
    assert!(tree(&seen).contains("stays"), "{seen:?}");
    agent.does("close", json!({})).await;
    service.end().await;
}
