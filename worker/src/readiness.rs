//! The worker's readiness: that of its service, which is asked at most once a second.

use std::time::Duration;

use porthole_contract::{ErrorCode, Failure};
use tokio::sync::Mutex;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::forward::Service;

/// Time for the service to answer a readiness request.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);
/// How long an answer is reused; several probers may ask at once.
const FRESH_FOR: Duration = Duration::from_secs(1);

/// The service's last answer.
#[derive(Default)]
pub(crate) struct Readiness(Mutex<Option<(Instant, Result<(), Failure>)>>);

impl Readiness {
    /// Checks whether the worker would accept a request now.
    ///
    /// # Errors
    /// The reason why it would not.
    pub(crate) async fn ask(&self, service: &Service, ending: &CancellationToken) -> Result<(), Failure> {
        if ending.is_cancelled() {
            return Err(Failure::new(ErrorCode::ShuttingDown, "the worker is shutting down"));
        }
        // Locked while the service is asked, so that concurrent probes share one answer.
        let mut last = self.0.lock().await;
        match &*last {
            Some((asked, answer)) if asked.elapsed() < FRESH_FOR => answer.clone(),
            _ => {
                let answer = service.ready(ANSWER_TIMEOUT).await.map_err(Failure::from);
                let before = last.replace((Instant::now(), answer.clone()));
                log_change(before.map(|(_, answer)| answer), &answer);
                answer
            }
        }
    }
}

/// Logs only changes, since probes come every second.
fn log_change(before: Option<Result<(), Failure>>, now: &Result<(), Failure>) {
    match (before, now) {
        (Some(before), now) if before == *now => {}
        (_, Ok(())) => tracing::info!("the service is ready"),
        (_, Err(failure)) => tracing::warn!(%failure, "the service is not ready"),
    }
}
