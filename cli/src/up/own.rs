//! A stack of a command's own: on free ports, with keys that nothing else knows, for as long as the command runs.

use porthole_client::SecretString;
use tokio::sync::oneshot;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use super::addresses::Addresses;
use super::executables;
use super::keys::{Keys, random_key};
use super::stack::Stack;
use crate::args::UpArgs;
use crate::failure::Failed;
use crate::progress::Progress;

/// Service and worker, kept running until this is dropped. The tasks that it was started with have ended once both have.
pub(crate) struct OwnStack {
    worker: String,
    key: SecretString,
    _stop: DropGuard,
}

impl OwnStack {
    /// Starts both and waits until they are ready. A caller that waits no longer ends them.
    pub(crate) async fn start(tasks: &TaskTracker) -> Result<Self, Failed> {
        let executables = executables::find()?;
        let key = random_key()?;
        let args = UpArgs { allow_targets: None, verbose: false, json: false };
        let progress = Progress::new();
        let keys = Keys::fresh()?;
        let mut stack = Stack::new(executables, Addresses::free(), &keys, &args, &progress);
        stack.keep_to_ourselves(&key, &keys);
        let stop = CancellationToken::new();
        let (ready, is_ready) = oneshot::channel();
        // On the main thread, as everything here: both processes are tied to it.
        tasks.spawn(run(stack, progress, ready, stop.clone()));
        let stop = stop.drop_guard();
        let ready = is_ready.await.unwrap_or_else(|_gone| {
            Err(Failed::Up { sentence: "the stack ended before it was ready".to_owned(), setting: false })
        });
        ready.map(|worker| Self { worker, key, _stop: stop })
    }

    /// The worker's URL.
    pub(crate) fn worker(&self) -> &str {
        &self.worker
    }

    /// The client key that the worker asks for.
    pub(crate) fn key(&self) -> &SecretString {
        &self.key
    }
}

async fn run(
    mut stack: Stack,
    progress: Progress,
    ready: oneshot::Sender<Result<String, Failed>>,
    stop: CancellationToken,
) {
    tokio::select! {
        () = start_and_keep(&mut stack, &progress, ready) => {}
        () = stop.cancelled() => {}
    }
    stack.end().await;
}

async fn start_and_keep(stack: &mut Stack, progress: &Progress, ready: oneshot::Sender<Result<String, Failed>>) {
    let started = stack.start(progress).await.map(|ready| ready.worker);
    let failed = started.is_err();
    let _ = ready.send(started);
    if !failed {
        let gave_up = stack.keep().await;
        progress.note(&format!("porthole: {gave_up}"));
    }
}
