//! The soak: mixed traffic at twice the capacity through workers and service, while faults strike at random.
//!
//! What must hold at the end: every request was answered, with a code of the contract and with its own page's content;
//! no page, session, process or file is left. How long it took and what memory did is told, not judged.

mod books;
mod faults;
mod traffic;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use nix::sys::signal::Signal;
use serde_json::json;
use tokio::time::Instant;

use books::open_files;
pub use books::{Books, Report};
use faults::Faults;
use traffic::Traffic;

use crate::emulator::EmulatorOptions;
use crate::eventually::{eventually, so};
use crate::remote::Remote;
use crate::stack::Server;

/// Pages at once; half as many may wait.
const PLACES: usize = 4;
/// Twice the capacity, and each asks again as soon as it has its answer.
const CALLERS: usize = 2 * PLACES;
/// Of these callers, who have Browserbase's credentials put in: each of their requests starts a browser of its own.
const REMOTE_CALLERS: usize = 2;
/// What may be open beyond what was open before the load: connections kept for the next request.
const FILES_SPARE: usize = 24;
/// What the end of the load may take until all is given back: the longest request, and a release that is tried again.
const IDLE_WITHIN: Duration = Duration::from_secs(100);
/// How often memory is looked at.
const SAMPLE_EVERY: Duration = Duration::from_secs(1);

/// How long, and which dice.
#[derive(Clone, Copy, Debug)]
pub struct SoakOptions {
    /// How long there is load.
    pub duration: Duration,
    /// Seed of everything random.
    pub seed: u64,
}

/// Runs it and gives what was seen.
///
/// # Panics
/// When the stack does not start, or does not come to rest after the load.
pub async fn run(options: SoakOptions) -> Report {
    let mut remote = Box::pin(Remote::with(
        EmulatorOptions::new(),
        &[
            ("PORTHOLE_PROVIDER", "auto"),
            ("PORTHOLE_MAX_CONCURRENT", &PLACES.to_string()),
            ("PORTHOLE_MAX_QUEUE", &(PLACES / 2).to_string()),
            ("PORTHOLE_BROWSERBASE_REAP_SECONDS", "5"),
            ("PORTHOLE_INSTANCE", "soak"),
            // As on larger machines; other tests have as many threads as this one gives, mostly one.
            ("TOKIO_WORKER_THREADS", "2"),
        ],
    ))
    .await;
    let local_worker = worker_without_credentials(&remote).await;
    // Once each, so that what is made on first use is not taken for growth.
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

/// The same service's second door, whose callers get local pages.
async fn worker_without_credentials(remote: &Remote) -> Server {
    let mut environment = remote.stack.of_worker.clone();
    environment.retain(|name, _| !name.starts_with("BROWSERBASE_"));
    Server::start("porthole-worker", &environment).await
}

/// Nothing is asked any more: all is given back, and an ordinary request succeeds.
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

/// Ends everything in order, and looks at what is left.
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

/// A body that asks for a page, with a limit that keeps hostile ones short.
fn asking(url: &str) -> serde_json::Value {
    json!({"url": url, "timeout_ms": 20_000})
}
