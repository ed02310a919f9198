//! A healthy stack fires no alert under ordinary traffic, and exports every metric that alerts and dashboard use.

use std::collections::BTreeSet;

use porthole_tests::Stack;
use serde_json::{Value, json};

use crate::hurried::RULES;
use crate::prometheus::Prometheus;

/// The Grafana dashboard.
const DASHBOARD: &str = include_str!("../../../deploy/grafana/porthole.json");

/// Number of scrapes of the service that end the test: twelve seconds, which stand for twelve minutes.
const LOOKS: f64 = 12.0;

#[tokio::test]
async fn a_healthy_stack_fires_no_alert() {
    let stack = Stack::with().setting("PORTHOLE_MAX_CONCURRENT", "2").start().await;
    let prometheus = Prometheus::watching(&stack).await;
    let page = stack.site.html("<title>t</title><body>text");
    while prometheus.query("sum(count_over_time(up{job=\"porthole-service\"}[5m]))").await < Some(LOOKS) {
        stack.screenshot(json!({"url": page})).await.expect_ok();
        stack.extract(json!({"url": page})).await.expect_ok();
        // Ordinary failures must not alert: a caller's mistake, an unreachable page, a single blocked target.
        stack
            .extract(json!({"url": page, "instruction": "selector: .not-there"}))
            .await
            .expect_code("SELECTOR_NOT_FOUND");
        stack.extract(json!({"url": stack.site.refusing()})).await.expect_code("NAVIGATION_FAILED");
        stack.extract(json!({"url": "http://10.0.0.1/"})).await.expect_code("BLOCKED_TARGET");
        stack.extract(json!({"url": "no URL"})).await.expect_code("INVALID_URL");
    }
    prometheus.expect_sound_rules().await;
    prometheus.expect_firing(&[], &[]).await;
}

#[tokio::test]
async fn every_metric_of_the_dashboard_and_the_alerts_is_exported() {
    let stack = Stack::start().await;
    let prometheus = Prometheus::watching(&stack).await;
    stack.screenshot(json!({"url": stack.site.html("<title>t</title><body>text")})).await.expect_ok();
    stack.screenshot(json!({"url": "http://10.0.0.1/"})).await.expect_code("BLOCKED_TARGET");
    let mut told = String::new();
    for server in [&stack.service, &stack.worker] {
        told += &String::from_utf8_lossy(&stack.admin(server, "/metrics").await.body);
    }
    let is_told = |name: &str| {
        let family = ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
        told.lines()
            .any(|line| line.strip_prefix("# TYPE ").is_some_and(|line| line.starts_with(&format!("{family} "))))
    };
    assert!(is_told("process_open_fds") && !is_told("porthole_unknown"), "{told}");
    let mut asked_for = metrics_in(RULES);
    for expression in expressions(DASHBOARD) {
        let expression = expression.replace("$__rate_interval", "5s").replace("$instance", ".*");
        prometheus.expect_sound(&expression).await;
        asked_for.extend(metrics_in(&expression));
    }
    assert!(asked_for.len() > 15, "{asked_for:?}");
    let missing: Vec<_> = asked_for.iter().filter(|name| !is_told(name)).collect();
    assert!(missing.is_empty(), "no process exports {missing:?}:\n{told}");
}

/// Returns the expressions of a dashboard's panels.
fn expressions(dashboard: &str) -> Vec<String> {
    let dashboard: Value = serde_json::from_str(dashboard).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let targets = panels.iter().filter_map(|panel| panel["targets"].as_array()).flatten();
    targets.map(|target| target["expr"].as_str().unwrap().to_owned()).collect()
}

/// Returns the names of our metrics that occur in a text.
fn metrics_in(text: &str) -> BTreeSet<String> {
    let words = text.split(|character: char| !(character.is_ascii_alphanumeric() || character == '_'));
    words.filter(|word| word.starts_with("porthole_") || word.starts_with("process_")).map(str::to_owned).collect()
}
