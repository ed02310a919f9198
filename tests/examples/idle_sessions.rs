//! What idle sessions cost: the service's own memory for each, the browser's, and whether pictures wait beside them.
//!
//! `make bench-idle-sessions [BENCH="--sessions 200"]`. Opens sessions, each of which looks at a page, types and clicks,
//! and is left alone then. Before, at each step and after all are closed it reads what the service and its browsers hold
//! that is not of files (`RssAnon`); pictures of a small page are taken one at a time before and beside them. Prints
//! Markdown. Exits with 1 where a session costs more than the aim. The machine should be otherwise idle.
#![expect(clippy::print_stdout, reason = "a program that is run manually")]

use std::process::ExitCode;
use std::time::{Duration, Instant};

use porthole_tests::agent::{Agent, reference, tree};
use porthole_tests::{Caller, Stack};
use serde_json::json;

/// How many sessions, unless `--sessions` is given.
const SESSIONS: usize = 200;
/// How many of them are opened between two readings.
const STEP: usize = 50;
/// Sessions and pictures before the first reading, so that pools and caches are filled.
const WARM_UP: usize = 8;
const PICTURES: usize = 40;
/// Pause between two pictures, so that the service can prepare the next page.
const PAUSE: Duration = Duration::from_millis(50);
/// How long the processes are left alone before they are read.
const CALM: Duration = Duration::from_secs(2);
/// What a session may cost the service, in bytes.
const AIM_BYTES: f64 = 100_000.0;
const PAGE: &str = "<title>form</title><h1>Sign in</h1><form><label>Email <input name=email></label><label>Password <input type=password></label>
    <label><input type=checkbox> Remember me</label><button type=button onclick=\"this.textContent = 'Sent'\">Send</button></form>
    <ul><li>one<li>two<li>three</ul><a href=/x>a link</a>";

/// Memory of a process that is its own, in bytes; 0 if it has ended.
fn anonymous_bytes(pid: i32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok()).unwrap_or_default() * 1_024.0
}

/// The service's own memory, and that of its browsers.
async fn held(stack: &Stack) -> (f64, f64) {
    tokio::time::sleep(CALM).await;
    let browsers: f64 = stack.chromium().iter().map(|one| anonymous_bytes(one.pid)).sum();
    (anonymous_bytes(stack.service.process.pid()), browsers)
}

/// Median and 95th percentile of pictures, one at a time, in milliseconds.
async fn pictures(caller: &Caller, url: &str) -> (f64, f64) {
    let mut times = Vec::new();
    for _ in 0..PICTURES {
        let began = Instant::now();
        caller.screenshot(json!({"url": url, "wait": {"until": "load"}})).await.expect_ok();
        times.push(began.elapsed().as_secs_f64() * 1_000.0);
        tokio::time::sleep(PAUSE).await;
    }
    times.sort_by(f64::total_cmp);
    (times[times.len() / 2], times[times.len() * 95 / 100])
}

/// A session that has done something.
async fn used(caller: Caller, url: &str) -> Agent {
    let (agent, answer) = Agent::at(caller, url).await;
    let tree = tree(&answer);
    agent.does("type", json!({"ref": reference(&tree, "Email"), "text": "ada@example.com"})).await;
    agent.does("click", json!({"ref": reference(&tree, "Send"), "snapshot": "changes"})).await;
    agent
}

fn row(sessions: usize, (service, browsers): (f64, f64), each: Option<f64>, pictures: Option<(f64, f64)>) {
    let each = each.map(|bytes| format!("{:.0}", bytes / 1_000.0)).unwrap_or_default();
    let (p50, p95) = pictures.map(|(p50, p95)| (format!("{p50:.0}"), format!("{p95:.0}"))).unwrap_or_default();
    println!("| {sessions} | {:.1} | {each} | {:.0} | {p50} | {p95} |", service / 1e6, browsers / 1e6);
}

#[tokio::main]
async fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let mut wanted = SESSIONS;
    while let Some(name) = arguments.next() {
        assert_eq!(name, "--sessions", "the only option");
        wanted = arguments.next().expect("a value").parse().expect("a number");
    }
    let most = (wanted + WARM_UP).to_string();
    let stack = Stack::with()
        .as_shipped()
        .setting("PORTHOLE_MAX_SESSIONS", &most)
        .setting("PORTHOLE_MAX_SESSIONS_PER_SANDBOX", &most)
        .setting("PORTHOLE_LOG", "error,porthole_daemon::listen=info")
        .start()
        .await;
    let (caller, url) = (stack.service_caller(), stack.site.html(PAGE));
    for _ in 0..WARM_UP {
        used(caller.clone(), &url).await.does("close", json!({})).await;
    }
    pictures(&caller, &url).await;
    println!(
        "| idle sessions | service, MB | each, KB | browsers, MB | picture, ms | p95 |\n|---|---|---|---|---|---|"
    );
    let (before, alone) = (held(&stack).await, pictures(&caller, &url).await);
    row(0, before, None, Some(alone));
    let (mut agents, mut each) = (Vec::new(), 0.0);
    while agents.len() < wanted {
        for _ in 0..STEP.min(wanted - agents.len()) {
            agents.push(used(caller.clone(), &url).await);
        }
        let now = held(&stack).await;
        each = (now.0 - before.0) / agents.len() as f64;
        let beside = if agents.len() == wanted { Some(pictures(&caller, &url).await) } else { None };
        row(agents.len(), now, Some(each), beside);
    }
    for agent in &agents {
        agent.does("status", json!({})).await;
    }
    for agent in agents {
        agent.does("close", json!({})).await;
    }
    row(0, held(&stack).await, None, Some(pictures(&caller, &url).await));
    if each > AIM_BYTES { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
