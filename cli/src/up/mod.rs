//! `porthole up`: service and worker on this machine, from nothing to ready, and kept so until a signal ends them.

mod addresses;
mod announce;
mod executables;
mod keys;
mod log_lines;
mod process;
mod stack;
mod supervise;
pub(crate) mod tied;

use tokio::signal::unix::{Signal, SignalKind, signal};

use self::addresses::Addresses;
use self::announce::{EXAMPLE_PAGE, Ready};
use self::keys::Keys;
use self::stack::Stack;
use super::args::UpArgs;
use super::failure::Failed;
use super::output;
use super::private_files::PrivateFiles;
use super::progress::Progress;

/// Whether `up` goes on once what it was started for is done.
pub(crate) enum Then {
    /// Until a signal ends it.
    Keep,
    /// No: both end.
    End,
}

pub(crate) async fn run(args: &UpArgs) -> Result<(), Failed> {
    run_then(args, EXAMPLE_PAGE, async |_| Ok(Then::Keep)).await
}

/// The same, and does `first` (given the worker's URL) as soon as both are ready. The examples are about `page`.
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
        ended = stand(&mut stack, args, page, first, &progress) => ended,
    };
    progress.show("ending both");
    tokio::select! {
        () = stack.end() => {}
        // Who asks twice means it.
        () = stop.received() => stack.kill().await,
    }
    progress.done();
    outcome
}

/// Starts both, does what comes first, tells where they are and keeps them running.
async fn stand(
    stack: &mut Stack,
    args: &UpArgs,
    page: &str,
    first: impl AsyncFnOnce(&str) -> Result<Then, Failed>,
    progress: &Progress,
) -> Result<(), Failed> {
    let ready = stack.start(progress).await?;
    progress.done();
    let then = first(&ready.worker).await?;
    match tell(&ready, page, args.json) {
        // Who closed standard output wants no more told, but still wants both running.
        Ok(()) | Err(Failed::OutputClosed) => {}
        Err(failed) => return Err(failed),
    }
    match then {
        Then::Keep => Err(stack.keep().await),
        Then::End => Ok(()),
    }
}

fn tell(ready: &Ready, page: &str, json: bool) -> Result<(), Failed> {
    if json { output::json(ready) } else { output::text(&ready.text(page)) }
}

/// The signals that end `up`: Ctrl-C, SIGTERM, and SIGHUP of a terminal that was closed.
struct StopSignals {
    interrupt: Signal,
    terminate: Signal,
    hangup: Signal,
}

impl StopSignals {
    fn new() -> Result<Self, Failed> {
        let listen = |kind| signal(kind).map_err(|error| Failed::io("listen for signals", error));
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hangup: listen(SignalKind::hangup())?,
        })
    }

    async fn received(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hangup.recv() => {}
        }
    }
}
