//! `porthole up`: starts service and worker on this machine, waits until they are ready, and keeps them running until
//! a signal.

mod addresses;
mod announce;
mod executables;
mod keys;
mod log_lines;
mod own;
mod process;
mod stack;
mod supervise;
pub(crate) mod tied;

use tokio::signal::unix::{Signal, SignalKind, signal};

use self::addresses::Addresses;
use self::announce::{EXAMPLE_PAGE, Ready};
use self::keys::Keys;
pub(crate) use self::own::OwnStack;
use self::stack::Stack;
use super::args::UpArgs;
use super::failure::Failed;
use super::output;
use super::private_files::PrivateFiles;
use super::progress::Progress;

/// Whether `up` keeps running after its first task.
pub(crate) enum Then {
    /// Keep both processes running until a signal.
    Keep,
    /// End both processes.
    End,
}

pub(crate) async fn run(args: &UpArgs) -> Result<(), Failed> {
    run_then(args, EXAMPLE_PAGE, async |_| Ok(Then::Keep)).await
}

/// Runs `up`, and calls `first` with the worker's URL as soon as both are ready. The examples open `page`.
pub(crate) async fn run_then(
    args: &UpArgs,
    page: &str,
    first: impl AsyncFnOnce(&str) -> Result<Then, Failed>,
) -> Result<(), Failed> {
    let mut stop = StopSignals::new()?;
    let executables = executables::find()?;
    let addresses = Addresses::from_environment();
    addresses.must_be_free()?;
    let files = PrivateFiles::of_user().map_err(|error| Failed::io("find your config directory", error))?;
    let keys = Keys::load_or_make(&files)?;

    let progress = Progress::new();
    progress.show("starting the service");
    let mut stack = Stack::new(executables, addresses, &keys, args, &progress);
    let outcome = tokio::select! {
        () = stop.received() => Ok(()),
        ended = start_and_keep(&mut stack, args, page, first, &progress) => ended,
    };
    progress.show("ending both");
    tokio::select! {
        () = stack.end() => {}
        // A second signal kills both at once.
        () = stop.received() => stack.kill().await,
    }
    progress.done();
    outcome
}

/// Starts both processes, calls `first`, prints their addresses and keeps them running.
async fn start_and_keep(
    stack: &mut Stack,
    args: &UpArgs,
    page: &str,
    first: impl AsyncFnOnce(&str) -> Result<Then, Failed>,
    progress: &Progress,
) -> Result<(), Failed> {
    let ready = stack.start(progress).await?;
    progress.done();
    let then = first(&ready.worker).await?;
    match announce(&ready, page, args.json) {
        // A closed standard output needs no announcement; both keep running.
        Ok(()) | Err(Failed::OutputClosed) => {}
        Err(failed) => return Err(failed),
    }
    match then {
        Then::Keep => Err(stack.keep().await),
        Then::End => Ok(()),
    }
}

fn announce(ready: &Ready, page: &str, json: bool) -> Result<(), Failed> {
    if json { output::json(ready) } else { output::text(&ready.text(page)) }
}

/// The signals that end `up`: Ctrl-C, SIGTERM, and SIGHUP of a terminal that was closed.
pub(crate) struct StopSignals {
    interrupt: Signal,
    terminate: Signal,
    hangup: Signal,
}

impl StopSignals {
    pub(crate) fn new() -> Result<Self, Failed> {
        let listen = |kind| signal(kind).map_err(|error| Failed::io("listen for signals", error));
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hangup: listen(SignalKind::hangup())?,
        })
    }

    pub(crate) async fn received(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hangup.recv() => {}
        }
    }
}
