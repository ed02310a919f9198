//! The soak: mixed traffic at twice the capacity through workers and service, with random faults.
//!
//! It asserts that every request was answered with a code of the contract and its own page's content, and that no page,
//! remote session, process or file is left. Latency and memory are reported, not judged.

mod books;
mod faults;
mod options;
mod traffic;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use nix::sys::signal::Signal;
use tokio::time::Instant;

use books::open_files;
pub use books::{Books, Report};
use faults::Faults;
pub use options::SoakOptions;
use traffic::Traffic;

use crate::emulator::EmulatorOptions;
use crate::eventually::{eventually, so};
use crate::remote::Remote;
use crate::stack::Server;

/// Permits of the service; its queue holds half as many requests.
const PERMITS: usize = 4;
/// Callers for twice the capacity. Each sends its next request as soon as it has an answer.
const CALLERS: usize = 2 * PERMITS;
/// Callers whose worker adds Browserbase credentials: each of their requests starts its own browser.
const REMOTE_CALLERS: usize = 2;
/// Files that may be open in addition to those before the load: connections kept alive for the next request.
const FILES_SPARE: usize = 24;
/// Time after the load until everything is released: the longest request, and a release that is retried.
const IDLE_WITHIN: Duration = Duration::from_secs(100);
/// Interval of the memory samples.
const SAMPLE_EVERY: Duration = Duration::from_secs(1);

/// Runs the soak and returns its report.
///
/// # Panics
/// When the stack does not start, or is not idle after the load.
pub async fn run(options: SoakOptions) -> Report {
    let mut remote = Box::pin(Remote::with(
        EmulatorOptions::new(),
        &[
            ("PORTHOLE_PROVIDER", "auto"),
            ("PORTHOLE_FRAMES", "auto"),
            ("PORTHOLE_MAX_CONCURRENT", &PERMITS.to_string()),
            ("PORTHOLE_MAX_QUEUE", &(PERMITS / 2).to_string()),
            ("PORTHOLE_BROWSERBASE_REAP_SECONDS", "5"),
            ("PORTHOLE_INSTANCE", "soak"),
            // Two threads, as on larger machines; other tests use this machine's default, mostly one.
            ("TOKIO_WORKER_THREADS", "2"),
        ],
    ))
    .await;
    let local_worker = worker_without_credentials(&remote).await;
    // One request first, so that resources created on first use don't count as growth.
    remote.stack.expect_alive().await;
    let files_before = open_files(remote.stack.service.process.pid());

    let books = Arc::new(Books::new(options.seed));
    let traffic = Arc::new(Traffic::new(&remote.stack.site));
    let until = Instant::now() + options.duration;
    let local = crate::Caller { base: local_worker.url("/api/sandbox"), ..remote.stack.caller() };
    let callers: Vec<_> = (0..CALLERS)
        .map(|number| {
            let caller = if number < REMOTE_CALLERS { remote.stack.caller() } else { local.clone() };
            let seed = options.seed.wrapping_add(number as u64);
            tokio::spawn(Arc::clone(&traffic).ask_until(until, caller, fastrand::Rng::with_seed(seed), books.clone()))
        })
        .collect();
    let mut faults = Faults::new(options);
    let mut next_sample = Instant::now();
    while Instant::now() < until {
        faults.strike(&mut remote, &books).await;
        if Instant::now() >= next_sample {
            books.sample(&remote.stack.service.process, &local_worker.process);
            next_sample += SAMPLE_EVERY;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    for caller in callers {
        if let Err(error) = caller.await {
            books.violation(format!("a caller of the soak itself failed: {error}"));
        }
    }
    remote.emulator.clear_faults().await;
    come_to_rest(&mut remote, &books, files_before).await;
    end(remote, local_worker, &books).await;
    books.report(options.duration)
}

/// Starts a second worker of the service, whose callers get local pages.
async fn worker_without_credentials(remote: &Remote) -> Server {
    let mut environment = remote.stack.of_worker.clone();
    environment.retain(|name, _| !name.starts_with("BROWSERBASE_"));
    Server::start("porthole-worker", &environment).await
}

/// After the load: waits until everything is released, and asserts that an ordinary request succeeds.
async fn come_to_rest(remote: &mut Remote, books: &Books, files_before: usize) {
    remote.emulator.expect_all_given_back(IDLE_WITHIN).await;
    remote.stack.expect_idle(IDLE_WITHIN).await;
    eventually(Duration::from_secs(20), async || {
        let ready = remote.stack.admin(&remote.stack.worker, "/readyz").await;
        so(ready.status == 200, format!("{ready:?}"))
    })
    .await;
    remote.stack.expect_alive().await;
    remote.emulator.expect_all_given_back(IDLE_WITHIN).await;
    books.count_leaked(&remote.stack.metrics().await);
    let files = open_files(remote.stack.service.process.pid());
    if files > files_before + FILES_SPARE {
        books.violation(format!("the service holds {files} files open, {files_before} before the load"));
    }
    books.files(files_before, files);
}

/// Ends everything in order, and records processes and files that are left.
async fn end(remote: Remote, local_worker: Server, books: &Books) {
    let Remote { mut stack, emulator } = remote;
    let family = stack.service.process.family();
    stack.service.process.signal(Signal::SIGTERM);
    let _ = stack.service.process.ended(Duration::from_secs(40)).await;
    let left: BTreeMap<i32, String> =
        family.iter().filter(|one| one.is_alive()).map(|one| (one.pid, one.command.join(" "))).collect();
    if !left.is_empty() {
        books.violation(format!("processes were left: {left:#?}"));
    }
    let files = stack.home.left_in_temp();
    if !files.is_empty() {
        books.violation(format!("files were left: {files:?}"));
    }
    drop((stack, local_worker, emulator));
}
