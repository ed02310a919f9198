//! Metrics of both processes, in both exposition formats, after requests that succeeded and failed.

use std::collections::{BTreeMap, BTreeSet};

use porthole_contract::ErrorCode;
use porthole_tests::Stack;
use porthole_tests::exposition::{self, Family};
use porthole_tests::markdown;
use porthole_tests::stack::Server;
use serde_json::json;

/// Metrics of both processes: those that the contract names, and some more.
const OF_BOTH: &[(&str, &str)] = &[
    ("porthole_requests_total", "counter"),
    ("porthole_request_duration_seconds", "histogram"),
    ("porthole_requests_in_flight", "gauge"),
    ("porthole_requests_abandoned_total", "counter"),
    ("porthole_bytes_out_total", "counter"),
    ("porthole_connections", "gauge"),
    ("porthole_connections_shed_total", "counter"),
    ("porthole_build_info", "gauge"),
    ("porthole_draining", "gauge"),
    ("process_cpu_seconds_total", "counter"),
    ("process_resident_memory_bytes", "gauge"),
    ("process_virtual_memory_bytes", "gauge"),
    ("process_open_fds", "gauge"),
    ("process_max_fds", "gauge"),
    ("process_threads", "gauge"),
    ("process_start_time_seconds", "gauge"),
];
const OF_THE_SERVICE: &[(&str, &str)] = &[
    ("porthole_queue_duration_seconds", "histogram"),
    ("porthole_phase_duration_seconds", "histogram"),
    ("porthole_pages", "gauge"),
    ("porthole_places", "gauge"),
    ("porthole_queue_limit", "gauge"),
    ("porthole_browsers", "gauge"),
    ("porthole_browser_starts_total", "counter"),
    ("porthole_cdp_read_bytes_total", "counter"),
    ("porthole_cdp_oversized_messages_total", "counter"),
    ("porthole_cdp_floods_total", "counter"),
    ("porthole_sessions_total", "counter"),
    ("porthole_session_seconds_total", "counter"),
    ("porthole_blocked_total", "counter"),
];

async fn scraped(stack: &Stack, server: &Server) -> BTreeMap<String, Family> {
    let plain = stack.admin(server, "/metrics").await;
    assert_eq!(plain.header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    let caller = stack.caller();
    let open = caller.http.get(server.admin_url("/metrics")).header("accept", "application/openmetrics-text");
    let open = caller.send(open).await;
    assert_eq!(open.header("content-type"), "application/openmetrics-text; version=1.0.0; charset=utf-8");
    let plain = exposition::prometheus(std::str::from_utf8(&plain.body).expect("metrics are text"));
    let open = exposition::openmetrics(std::str::from_utf8(&open.body).expect("metrics are text"));
    let series = |families: &BTreeMap<String, Family>| -> BTreeSet<String> {
        families.values().flat_map(|family| family.samples.keys().cloned()).collect()
    };
    assert_eq!(series(&plain), series(&open), "the formats differ in their series");
    plain
}

/// Returns name, kind and labels of every metric in these sections of the reference.
fn documented(sections: &[&str]) -> BTreeMap<String, (String, BTreeSet<String>)> {
    let tables = markdown::tables("docs/reference/metrics.md");
    let rows = tables.iter().filter(|table| sections.contains(&table.section.as_str())).flat_map(|table| &table.rows);
    rows.map(|row| {
        let series = markdown::code(&row[0]).unwrap_or_else(|| panic!("{row:?}"));
        let (name, labels) = series.split_once('{').unwrap_or((series, ""));
        let labels = labels.trim_end_matches('}').split(',').filter(|label| !label.is_empty());
        (name.to_owned(), (row[1].clone(), labels.map(str::to_owned).collect()))
    })
    .collect()
}

fn sample(families: &BTreeMap<String, Family>, series: &str) -> f64 {
    let found = families.values().find_map(|family| family.samples.get(series));
    *found.unwrap_or_else(|| panic!("no {series} in {families:#?}"))
}

#[tokio::test]
async fn both_processes_export_the_metrics_that_the_contract_names() {
    let settings =
        Stack::with().begin_frame().setting("PORTHOLE_MAX_CONCURRENT", "3").setting("PORTHOLE_MAX_QUEUE", "7");
    let stack = settings.start().await;
    let page = stack.site.html("<body>counted");
    stack.screenshot(json!({"url": page})).await.expect_ok();
    stack.extract(json!({"url": page})).await.expect_ok();
    stack.extract(json!({"url": stack.site.forbidden()})).await.expect_code("BLOCKED_TARGET");
    stack.expect_idle(std::time::Duration::from_secs(10)).await;

    let (worker, service) = (scraped(&stack, &stack.worker).await, scraped(&stack, &stack.service).await);
    for (families, names) in [(&worker, OF_BOTH), (&service, OF_BOTH), (&service, OF_THE_SERVICE)] {
        for (name, kind) in names {
            let family = families.get(*name).unwrap_or_else(|| panic!("no {name}: {:?}", families.keys()));
            assert_eq!(&family.kind, kind, "{name}");
            assert!(!family.samples.is_empty(), "{name} has no sample");
        }
    }
    for (families, sections) in [(&worker, &["Both servers"][..]), (&service, &["Both servers", "The service"])] {
        let exposed = families
            .iter()
            .map(|(name, family)| (name.clone(), (family.kind.clone(), exposition::label_names(family))));
        assert_eq!(documented(sections), exposed.collect(), "left is docs/reference/metrics.md");
    }
    for families in [&worker, &service] {
        assert_eq!(sample(families, r#"porthole_requests_total{operation="screenshot",code="OK"}"#), 1.0);
        assert_eq!(sample(families, r#"porthole_requests_total{operation="extract",code="BLOCKED_TARGET"}"#), 1.0);
        assert_eq!(sample(families, r#"porthole_request_duration_seconds_count{operation="extract"}"#), 2.0);
        assert_eq!(sample(families, r#"porthole_requests_in_flight{operation="extract"}"#), 0.0);
        assert_eq!(sample(families, "porthole_draining"), 0.0);
        assert_eq!(sample(families, &format!("porthole_build_info{{version=\"{}\"}}", env!("CARGO_PKG_VERSION"))), 1.0);
        assert!(sample(families, "process_open_fds") > 3.0);
        for series in families["porthole_requests_total"].samples.keys() {
            let code = series.split("code=\"").nth(1).unwrap().trim_end_matches("\"}");
            assert!(code == "OK" || ErrorCode::from_name(code).is_some(), "{series}");
        }
        // The bounds range from 5 ms to a request's maximum of 60 s.
        let bounds = |bound: &str| {
            sample(families, &format!(r#"porthole_request_duration_seconds_bucket{{le="{bound}",operation="create"}}"#))
        };
        assert_eq!((bounds("0.005"), bounds("60.0")), (0.0, 0.0));
    }
    assert_eq!(sample(&service, "porthole_places"), 3.0);
    assert_eq!(sample(&service, "porthole_queue_limit"), 7.0);
    assert_eq!(sample(&service, r#"porthole_pages{state="busy"}"#), 0.0);
    // One ordinary browser, and one whose pages draw with `begin_frame`.
    assert_eq!(sample(&service, r#"porthole_browser_starts_total{reason="first"}"#), 2.0);
    assert_eq!(sample(&service, "porthole_queue_duration_seconds_count"), 2.0);
    for phase in ["session", "navigate", "settle", "capture"] {
        let count = format!("porthole_phase_duration_seconds_count{{phase=\"{phase}\"}}");
        assert_eq!(sample(&service, &count), 2.0, "{phase}");
    }
    assert!(sample(&service, "porthole_session_seconds_total") > 0.0);
}
