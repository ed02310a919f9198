//! Alerts about processes: they are killed, restart in a loop, drain too slowly, run out of file descriptors.

use std::process::Command;
use std::time::Duration;

use nix::sys::signal::Signal;
use porthole_tests::eventually::{eventually, so};
use porthole_tests::stack::Server;
use porthole_tests::{Reply, Stack};
use serde_json::json;

use crate::prometheus::Prometheus;

/// Limit for a killed process to be gone, and for Prometheus to have scraped its successor.
const SEEN_WITHIN: Duration = Duration::from_secs(30);

#[tokio::test]
async fn a_service_that_was_killed_is_down_and_its_callers_get_errors() {
    let mut stack = Stack::start().await;
    let prometheus = Prometheus::watching(&stack).await;
    stack.service.process.signal(Signal::SIGKILL);
    stack.service.process.ended(SEEN_WITHIN).await;
    let caller = stack.caller();
    let asking = async {
        loop {
            caller.extract(json!({"url": "https://example.com/"})).await.expect_code("SERVICE_UNAVAILABLE");
        }
    };
    tokio::select! {
        () = asking => {}
        () = prometheus.expect_firing(&["PortholeDown", "PortholeErrors"], &[]) => {}
    }
}

#[tokio::test]
async fn a_service_that_restarts_in_a_loop_fires_its_alert() {
    let mut stack = Stack::start().await;
    let prometheus = Prometheus::watching(&stack).await;
    let mut environment = stack.of_service.clone();
    environment.insert("PORTHOLE_SERVICE_ADDR".to_owned(), stack.service.main.to_string());
    environment.insert("PORTHOLE_SERVICE_ADMIN_ADDR".to_owned(), stack.service.admin.to_string());
    for _ in 0..3 {
        let began = "process_start_time_seconds{job=\"porthole-service\"}";
        let before = prometheus.query(began).await;
        stack.service.process.signal(Signal::SIGKILL);
        stack.service.process.ended(SEEN_WITHIN).await;
        stack.service = Server::start("porthole-service", &environment).await;
        eventually(SEEN_WITHIN, async || {
            let now = prometheus.query(began).await;
            so(
                now.is_some() && now != before,
                format!("Prometheus has not scraped the new process: start time {now:?}"),
            )
        })
        .await;
    }
    prometheus.expect_firing(&["PortholeRestarting"], &["PortholeDown"]).await;
}

#[tokio::test]
async fn a_drain_that_does_not_end_fires_its_alert() {
    let stack = Stack::start().await;
    let prometheus = Prometheus::watching(&stack).await;
    let hanging = stack.site.page(Reply::never());
    let caller = stack.caller();
    let asking = async {
        caller.extract(json!({"url": hanging})).await;
        // The request has ended, and nothing delays the drain any longer; only the alert may end this test.
        std::future::pending::<()>().await;
    };
    let draining = async {
        eventually(SEEN_WITHIN, async || so(stack.metrics().await["pages"]["busy"] == 1, "no page is busy")).await;
        stack.service.process.signal(Signal::SIGTERM);
        prometheus.expect_firing(&["PortholeDrainStuck"], &[]).await;
    };
    tokio::select! {
        () = asking => {}
        () = draining => {}
    }
}

#[tokio::test]
async fn a_process_short_of_file_descriptors_fires_its_alert() {
    let stack = Stack::start().await;
    let prometheus = Prometheus::watching(&stack).await;
    let open = prometheus.query("process_open_fds{job=\"porthole-service\"}").await.unwrap();
    // A tenth of the limit stays free, enough to answer scrapes.
    let limit = format!("--nofile={:.0}:", open / 0.9);
    let pid = stack.service.process.pid().to_string();
    let limited = Command::new("prlimit").args(["--pid", &pid, &limit]).status().unwrap();
    assert!(limited.success(), "{limited}");
    prometheus.expect_firing(&["PortholeFilesShort"], &[]).await;
}
