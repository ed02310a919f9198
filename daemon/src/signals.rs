//! Signals: the first SIGTERM or SIGINT shuts the process down. A second one hurries the drain, or ends a process
//! without a drain at once.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::shutdown::Shutdown;

/// Exit codes of processes ended by a signal, as shells report them: this plus the signal's number.
const EXIT_BY_SIGNAL: i32 = 128;

/// Installs signal handlers. The first signal cancels the token; a second one ends the process at once.
///
/// # Errors
/// When the system refuses to report signals.
pub fn shutdown_on_signals() -> io::Result<CancellationToken> {
    let mut signals = Signals::listen()?;
    let shutdown = CancellationToken::new();
    let asked = shutdown.clone();
    tokio::spawn(async move {
        let name = signals.next().await.0;
        tracing::info!(signal = name, "shutting down; a second signal ends the process at once");
        asked.cancel();
        signals.end_at_once().await;
    });
    Ok(shutdown)
}

/// Installs signal handlers: the first signal begins the drain, the second hurries it, a third ends the process at
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
        tracing::info!(signal = name, "draining; a second signal hurries the drain");
        asked.drain.cancel();
        let name = signals.next().await.0;
        tracing::warn!(signal = name, "hurrying the drain; a third signal ends the process at once");
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
        tracing::warn!(signal = name, "ending at once");
        std::process::exit(EXIT_BY_SIGNAL + number);
    }
}
