//! Signals: the first SIGTERM or SIGINT asks the process to end. A second one hurries a process that drains, and ends
//! any other at once.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::shutdown::Shutdown;

/// How a shell reports a process that a signal ended: this plus the signal's number.
const EXIT_BY_SIGNAL: i32 = 128;

/// Listens for signals from now on. The token is cancelled by the first one.
///
/// # Errors
/// When the system refuses to report signals.
pub fn shutdown_on_signals() -> io::Result<CancellationToken> {
    let mut signals = Signals::listen()?;
    let shutdown = CancellationToken::new();
    let asked = shutdown.clone();
    tokio::spawn(async move {
        let name = signals.next().await.0;
        tracing::info!(signal = name, "ending; the same again ends at once");
        asked.cancel();
        signals.end_at_once().await;
    });
    Ok(shutdown)
}

/// Listens for signals from now on: the first begins the drain, the second hurries it, a third ends the process at
/// once.
///
/// # Errors
/// When the system refuses to report signals.
pub fn drain_on_signals() -> io::Result<Shutdown> {
    let mut signals = Signals::listen()?;
    let shutdown = Shutdown::default();
    let asked = shutdown.clone();
    tokio::spawn(async move {
        let name = signals.next().await.0;
        tracing::info!(signal = name, "draining; the same again hurries");
        asked.drain.cancel();
        let name = signals.next().await.0;
        tracing::warn!(signal = name, "hurrying; the same again ends at once");
        asked.hurry.cancel();
        signals.end_at_once().await;
    });
    Ok(shutdown)
}

struct Signals {
    term: Signal,
    int: Signal,
}

impl Signals {
    fn listen() -> io::Result<Self> {
        Ok(Self { term: signal(SignalKind::terminate())?, int: signal(SignalKind::interrupt())? })
    }

    async fn next(&mut self) -> (&'static str, i32) {
        tokio::select! {
            _ = self.term.recv() => ("SIGTERM", SignalKind::terminate().as_raw_value()),
            _ = self.int.recv() => ("SIGINT", SignalKind::interrupt().as_raw_value()),
        }
    }

    async fn end_at_once(&mut self) {
        let (name, number) = self.next().await;
        tracing::warn!(signal = name, "ended at once");
        std::process::exit(EXIT_BY_SIGNAL + number);
    }
}
