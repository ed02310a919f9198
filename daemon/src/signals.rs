//! Signals: the first SIGTERM or SIGINT asks the process to end, a second one ends it at once.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// How a shell reports a process that a signal ended: this plus the signal's number.
const EXIT_BY_SIGNAL: i32 = 128;

/// Listens for signals from now on. The token is cancelled by the first one.
///
/// # Errors
/// When the system refuses to report signals.
pub fn shutdown_on_signals() -> io::Result<CancellationToken> {
    let mut signals = Signals { term: signal(SignalKind::terminate())?, int: signal(SignalKind::interrupt())? };
    let shutdown = CancellationToken::new();
    let asked = shutdown.clone();
    tokio::spawn(async move {
        let name = signals.next().await.0;
        tracing::info!(signal = name, "ending; the same again ends at once");
        asked.cancel();
        let (name, number) = signals.next().await;
        tracing::warn!(signal = name, "ended at once");
        std::process::exit(EXIT_BY_SIGNAL + number);
    });
    Ok(shutdown)
}

struct Signals {
    term: Signal,
    int: Signal,
}

impl Signals {
    async fn next(&mut self) -> (&'static str, i32) {
        tokio::select! {
            _ = self.term.recv() => ("SIGTERM", SignalKind::terminate().as_raw_value()),
            _ = self.int.recv() => ("SIGINT", SignalKind::interrupt().as_raw_value()),
        }
    }
}
