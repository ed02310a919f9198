//! Measures what the service and the worker themselves use, without the browser.

use std::time::Duration;

use futures_util::future::join_all;
use porthole_tests::process::{Environment, Process};
use porthole_tests::stack::{Home, Server};
use porthole_tests::{Stack, owner};
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::arguments::Arguments;
use super::usage::pss_kb;

/// Number of screenshots over which processor time is measured.
const COST_SHOTS: usize = 100;
/// Concurrency of the growth shots.
const GROWTH_AT_ONCE: usize = 4;
const STARTS: usize = 9;
/// Idle time of a process before its memory is measured.
const REST: Duration = Duration::from_secs(1);

/// Figures of one process.
#[derive(Debug)]
pub(crate) struct Own {
    pub(crate) name: &'static str,
    pub(crate) idle_mb: f64,
    /// Processor time for each small screenshot.
    pub(crate) cpu_ms: f64,
    /// Time from its start until it answers `/readyz`, without starting a browser.
    pub(crate) ready_ms: Option<f64>,
    /// Memory before and after the growth shots.
    pub(crate) growth_mb: Option<(f64, f64)>,
}

/// Result of the growth shots.
#[derive(Debug)]
pub(crate) struct Soak {
    pub(crate) shots: usize,
    /// Memory of the browsers before and after, in MB.
    pub(crate) browsers_mb: (f64, f64),
    /// Pictures that differ from the first one.
    pub(crate) other_pictures: usize,
    /// Pages that drew no frame by `begin_frame` and were visited again.
    pub(crate) visited_again: usize,
    /// Browsers that ended.
    pub(crate) browsers_ended: usize,
}

/// Measures both processes, and takes `growth_shots` to measure their growth if that is not 0.
pub(crate) async fn measure(
    arguments: &Arguments,
    stack: &Stack,
    url: &str,
    growth_shots: usize,
) -> (Vec<Own>, Option<Soak>) {
    let processes = [("service", &stack.service.process), ("worker", &stack.worker.process)];
    let ready_ms = starts().await;
    let settings = arguments.settings.iter();
    let fresh = settings.fold(Stack::with().as_shipped(), |stack, (name, value)| stack.setting(name, value));
    let fresh = Box::pin(fresh.start()).await;
    sleep(REST).await;
    let memory_mb = || [mb(&fresh.service.process), mb(&fresh.worker.process), browsers_mb(&fresh)];
    let idle = memory_mb();
    let before = processes.map(|(_, process)| own_ticks(process));
    shots(stack, url, COST_SHOTS, 1).await;
    let after = processes.map(|(_, process)| own_ticks(process));
    let mut growth = None;
    let mut soak = None;
    if growth_shots > 0 {
        let url = fresh
            .site
            .html("<title>small</title><h1>small</h1><script>setTimeout(() => document.body.append('!'), 50)</script>");
        // Fill the caches first.
        shots(&fresh, &url, growth_shots / 10, GROWTH_AT_ONCE).await;
        sleep(REST).await;
        let before = memory_mb();
        let other_pictures = shots(&fresh, &url, growth_shots, GROWTH_AT_ONCE).await;
        sleep(REST).await;
        let after = memory_mb();
        growth = Some((before, after));
        let logged = |what: &str| fresh.logs().iter().filter(|line| line.contains(what)).count();
        soak = Some(Soak {
            shots: growth_shots,
            browsers_mb: (before[2], after[2]),
            other_pictures,
            visited_again: logged("drew no frame by begin_frame"),
            browsers_ended: logged("a local browser is gone"),
        });
    }
    let mut measured = Vec::new();
    for (at, (name, _)) in processes.into_iter().enumerate() {
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let cpu_ms = (after[at] - before[at]) as f64 * 10.0 / COST_SHOTS as f64;
        measured.push(Own {
            name,
            idle_mb: idle[at],
            cpu_ms,
            ready_ms: (at == 0).then_some(ready_ms),
            growth_mb: growth.map(|(before, after)| (before[at], after[at])),
        });
    }
    (measured, soak)
}

/// Takes shots of one page; returns how many of the pictures differ from the first.
async fn shots(stack: &Stack, url: &str, shots: usize, at_once: usize) -> usize {
    let first = stack.screenshot(json!({"url": url})).await.json()["image_base64"].clone();
    let workers = (0..at_once).map(|worker| {
        let first = &first;
        async move {
            let mut others = 0;
            for _ in (worker..shots).step_by(at_once) {
                let answer = stack.screenshot(json!({"url": url})).await;
                assert_eq!(answer.code(), None, "{answer:?}");
                others += usize::from(answer.json()["image_base64"] != *first);
            }
            others
        }
    });
    join_all(workers).await.into_iter().sum()
}

fn browsers_mb(stack: &Stack) -> f64 {
    stack.chromium().iter().filter_map(|one| pss_kb(one.pid)).sum::<f64>() / 1_000.0
}

/// Returns the process's own ticks. The kernel counts those of ended children separately, so they are not included.
fn own_ticks(process: &Process) -> i64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.pid())).expect("the process is running");
    let fields: Vec<&str> = stat.rsplit_once(')').expect("a name").1.split_whitespace().collect();
    fields[11..13].iter().map(|field| field.parse::<i64>().expect("a number")).sum()
}

fn mb(process: &Process) -> f64 {
    pss_kb(process.pid()).expect("the process is running") / 1_000.0
}

/// Returns the median time from the service's start until it answers `/readyz`, in milliseconds, without a browser.
async fn starts() -> f64 {
    let home = Home::new();
    let mut environment: Environment = home.environment();
    for (name, value) in [
        ("PORTHOLE_SERVICE_ADDR", "127.0.0.1:0"),
        ("PORTHOLE_SERVICE_ADMIN_ADDR", "127.0.0.1:0"),
        ("PORTHOLE_PROVIDER", "browserbase"),
        ("PORTHOLE_OWNER_KEYS", &owner::FIRST.setting()),
    ] {
        environment.insert(name.to_owned(), value.to_owned());
    }
    let http = reqwest::Client::builder().no_proxy().build().expect("a client with constant options");
    let mut took_ms = Vec::new();
    for _ in 0..STARTS {
        let started = Instant::now();
        let server = Server::start("porthole-service", &environment).await;
        let answer = http.get(server.admin_url("/readyz")).send().await.expect("an answer");
        took_ms.push(started.elapsed().as_secs_f64() * 1_000.0);
        assert!(answer.status().is_success(), "{answer:?}");
    }
    took_ms.sort_by(f64::total_cmp);
    took_ms[STARTS / 2]
}
