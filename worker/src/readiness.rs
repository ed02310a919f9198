//! Whether the worker would take a request: it follows its service, asked at most once a second.

use std::time::Duration;

use porthole_contract::{ErrorCode, Failure};
use tokio::sync::Mutex;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::forward::Service;

/// How long the service may take to say so.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);
/// How long its word holds: probes come from many sides.
const FRESH_FOR: Duration = Duration::from_secs(1);

/// The service's last word.
#[derive(Default)]
pub(crate) struct Readiness(Mutex<Option<(Instant, Result<(), Failure>)>>);

impl Readiness {
    /// Whether a request would be taken now.
    ///
    /// # Errors
    /// Why not.
    pub(crate) async fn ask(&self, service: &Service, ending: &CancellationToken) -> Result<(), Failure> {
        if ending.is_cancelled() {
            return Err(Failure::new(ErrorCode::ShuttingDown, "the worker is ending"));
        }
        // Held while the service is asked: who comes meanwhile gets the same answer.
        let mut last = self.0.lock().await;
        match &*last {
            Some((asked, word)) if asked.elapsed() < FRESH_FOR => word.clone(),
            _ => {
                let word = service.ready(ANSWER_TIMEOUT).await.map_err(Failure::from);
                let before = last.replace((Instant::now(), word.clone()));
                tell_a_change(before.map(|(_, word)| word), &word);
                word
            }
        }
    }
}

/// Probes come every second: only what changes is news.
fn tell_a_change(before: Option<Result<(), Failure>>, now: &Result<(), Failure>) {
    match (before, now) {
        (Some(before), now) if before == *now => {}
        (_, Ok(())) => tracing::info!("the service is ready"),
        (_, Err(failure)) => tracing::warn!(%failure, "the service is not ready"),
    }
}
