//! Traces: one trace spans worker and service, in logs and export, with the caller's trace id if it sent one.

use std::time::Duration;

use http::Method;
use porthole_tests::collector::{Collector, Span};
use porthole_tests::eventually::{eventually, so};
use porthole_tests::process::Process;
use porthole_tests::{Answer, Stack};
use serde_json::{Value, json};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLERS_SPAN: &str = "00f067aa0ba902b7";
const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const CLIENT_KEY: &str = "client-key-that-nobody-may-trace-0001";
const SERVICE_KEY: &str = "service-key-that-nobody-may-trace-001";
const API_KEY: &str = "bb_live_that_nobody_may_trace";

async fn traced(stack: &Stack, traceparent: &str, operation: &str, fields: Value) -> Answer {
    let caller = stack.caller();
    let route = format!("/browser-{operation}");
    let request = caller.request(Method::POST, &route).json(&caller.body(&route, fields));
    caller.send(request.header("traceparent", traceparent).header("tracestate", "vendor=of-the-caller")).await
}

#[track_caller]
fn named<'a>(spans: &'a [Span], service: &str, name: &str) -> &'a Span {
    let found = spans.iter().find(|span| span.service == service && span.name == name);
    found.unwrap_or_else(|| panic!("no {name} of {service} in {spans:#?}"))
}

#[tokio::test]
async fn a_request_is_one_trace_of_the_callers_without_a_secret_in_it() {
    let collector = Collector::start();
    let mut stack = Stack::with()
        .setting("PORTHOLE_CLIENT_KEYS", CLIENT_KEY)
        .setting("PORTHOLE_SERVICE_KEY", SERVICE_KEY)
        .setting("BROWSERBASE_API_KEY", API_KEY)
        .setting("BROWSERBASE_PROJECT_ID", "project-that-nobody-may-trace")
        .setting("PORTHOLE_PROVIDER", "local");
    for (name, value) in collector.settings() {
        stack = stack.setting(name, &value);
    }
    let stack = stack.start().await;
    let page = stack.site.html("<title>title-of-the-page</title><body>traced");
    let url = format!("{page}?token=in-the-query#in-the-fragment");
    stack.site.put(&url, porthole_tests::Reply::html("<title>title-of-the-page</title><body>traced"));
    traced(&stack, PARENT, "screenshot", json!({"url": url})).await.expect_ok();

    let spans = collector.trace(TRACE, 8).await;
    let answered = named(&spans, "porthole-worker", "POST /api/sandbox/browser-screenshot");
    let asked = named(&spans, "porthole-worker", "POST /browser-screenshot");
    let served = named(&spans, "porthole-service", "POST /browser-screenshot");
    assert_eq!(answered.parent_id, CALLERS_SPAN);
    assert_eq!((&asked.parent_id, &served.parent_id), (&answered.span_id, &asked.span_id));
    for name in ["queue", "lease", "navigate", "settle", "capture"] {
        assert_eq!(named(&spans, "porthole-service", name).parent_id, served.span_id, "{name}");
    }
    assert_eq!(spans.len(), 8, "{spans:#?}");
    for span in &spans {
        assert!(!span.failed && span.trace_state == "vendor=of-the-caller", "{span:#?}");
    }
    for (span, route) in [(answered, "/api/sandbox/browser-screenshot"), (served, "/browser-screenshot")] {
        let said = |name: &str| span.attributes[name].as_str();
        let expected = ("POST", route, "200");
        assert_eq!((said("http.request.method"), said("http.route"), said("http.response.status_code")), expected);
    }
    assert_eq!(answered.attributes["porthole.request_id"], served.attributes["porthole.request_id"]);
    assert_eq!(named(&spans, "porthole-service", "navigate").attributes["server.address"], "127.0.0.1");

    // The page's site receives no trace headers.
    let visits = stack.site.seen(&url);
    assert!(!visits.is_empty());
    for header in ["traceparent", "tracestate", "x-request-id"] {
        assert!(visits.iter().all(|visit| !visit.headers.contains_key(header)), "{header}: {visits:?}");
    }

    let other = "11111111111111111111111111111111";
    let parent = format!("00-{other}-{CALLERS_SPAN}-01");
    traced(&stack, &parent, "extract", json!({"url": stack.site.forbidden()})).await.expect_code("BLOCKED_TARGET");
    let spans = collector.trace(other, 3).await;
    let refused = named(&spans, "porthole-service", "POST /browser-extract");
    assert_eq!(refused.attributes["error.type"], "BLOCKED_TARGET");
    assert!(!refused.failed, "a caller's mistake counts as the service's error: {refused:#?}");

    let third = "22222222222222222222222222222222";
    let parent = format!("00-{third}-{CALLERS_SPAN}-01");
    traced(&stack, &parent, "extract", json!({"url": stack.site.refusing()})).await.expect_code("NAVIGATION_FAILED");
    let spans = collector.trace(third, 6).await;
    let failed = |name| named(&spans, "porthole-service", name).failed;
    assert!(failed("navigate") && failed("POST /browser-extract") && !failed("lease"), "{spans:#?}");

    let token = stack.caller().owner_token;
    let secrets = [CLIENT_KEY, SERVICE_KEY, API_KEY, "nobody-may-trace", "in-the-query", "in-the-fragment"];
    let text: String = collector.bodies().iter().map(|body| String::from_utf8_lossy(body).into_owned()).collect();
    for secret in secrets.into_iter().chain([token.as_str(), "title-of-the-page"]) {
        assert!(!text.contains(secret), "{secret} was exported");
    }
}

#[tokio::test]
async fn a_trace_that_its_caller_does_not_record_is_not_exported() {
    let collector = Collector::start();
    let mut stack = Stack::with();
    for (name, value) in collector.settings() {
        stack = stack.setting(name, &value);
    }
    let stack = stack.start().await;
    let page = stack.site.html("traced or not");
    let unrecorded = format!("00-{TRACE}-{CALLERS_SPAN}-00");
    traced(&stack, &unrecorded, "extract", json!({"url": page})).await.expect_ok();
    let other = "33333333333333333333333333333333";
    traced(&stack, &format!("00-{other}-{CALLERS_SPAN}-01"), "extract", json!({"url": page})).await.expect_ok();
    collector.trace(other, 8).await;
    let spans = collector.spans();
    assert!(spans.iter().all(|span| span.trace_id != TRACE), "{spans:#?}");
    // The log has the trace id whether the caller records the trace or not.
    for process in [&stack.worker.process, &stack.service.process] {
        assert!(trace_ids(process).contains(&TRACE.to_owned()), "{:#?}", process.stderr());
    }
}

/// Returns the trace ids of a process's extract requests from its log.
fn trace_ids(process: &Process) -> Vec<String> {
    let lines = process.stderr();
    let lines = lines.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines
        .filter(|line| {
            line["message"] == "answered" && line["route"].as_str().is_some_and(|route| route.contains("extract"))
        })
        .map(|line| {
            assert_eq!(line["span"]["request_id"], line["request_id"], "{line}");
            line["span"]["trace_id"].as_str().unwrap_or_default().to_owned()
        })
        .collect()
}

#[tokio::test]
async fn without_an_export_the_log_has_the_callers_trace_and_a_malformed_one_begins_anew() {
    let stack = Stack::start().await;
    let page = stack.site.html("logged");
    traced(&stack, PARENT, "extract", json!({"url": page})).await.expect_ok();
    for malformed in ["", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7", &PARENT.to_uppercase()] {
        traced(&stack, malformed, "extract", json!({"url": page})).await.expect_ok();
    }
    let ids = eventually(Duration::from_secs(5), async || {
        let ids = [&stack.worker.process, &stack.service.process].map(trace_ids);
        so(ids.iter().all(|ids| ids.len() == 4), format!("{ids:?}"))?;
        Ok(ids)
    })
    .await;
    assert_eq!(ids[0], ids[1], "worker and service logged different traces");
    assert_eq!(ids[0][0], TRACE);
    for id in &ids[0][1..] {
        assert!(id.len() == 32 && id != TRACE && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
    }
    assert!(ids[0][1] != ids[0][2] && ids[0][2] != ids[0][3], "{ids:?}");
    assert!(stack.site.seen(&page).iter().all(|visit| !visit.headers.contains_key("traceparent")));
}

#[tokio::test]
async fn a_collector_that_is_not_there_costs_no_request() {
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let stack = Stack::with()
        .setting("OTEL_EXPORTER_OTLP_ENDPOINT", &format!("http://{gone}"))
        .setting("OTEL_BSP_SCHEDULE_DELAY", "50")
        .start()
        .await;
    let page = stack.site.html("served");
    stack.extract(json!({"url": page})).await.expect_ok();
    eventually(Duration::from_secs(20), async || {
        let told =
            |process: &Process| process.stderr().iter().filter(|line| line.contains("spans can't be sent")).count();
        let told = [&stack.worker.process, &stack.service.process].map(told);
        so(told == [1, 1], format!("worker and service logged it {told:?} times"))
    })
    .await;
    stack.extract(json!({"url": page})).await.expect_ok();
}
