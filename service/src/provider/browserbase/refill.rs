//! Keeps the warm sessions: creates them one at a time, with a pause after a failure.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use porthole_contract::limits::REQUEST_TIMEOUT_MAX_MS;
use tokio::time::{Instant, sleep};

use super::page;
use super::shared::Shared;
use super::warm::AGE_MAX;
use crate::provider::{Credentials, Frames, Lease, ProviderError, Purpose};

/// The longest time for which a request may use one.
const USE_MAX: Duration = Duration::from_millis(REQUEST_TIMEOUT_MAX_MS as u64);
/// Warm sessions serve visits only, never an agent's session.
pub(super) const WARM_PURPOSE: Purpose = Purpose::Visit { frames: Frames::Ordinary };
/// The first and the longest wait after a failed creation.
const REST: Duration = Duration::from_secs(1);
const REST_MAX: Duration = Duration::from_secs(60);

/// Keeps the warm sessions until the provider ends, then releases them.
pub(super) async fn keep(shared: Arc<Shared>, account: Credentials) {
    let warm = &shared.warm;
    let mut rest = REST;
    while !shared.ending.is_cancelled() {
        warm.discard_spent();
        let next = if warm.lacks_one() {
            let since = Instant::now();
            match make(&shared, &account).await {
                Ok(lease) => {
                    warm.add(lease, since);
                    rest = REST;
                    continue;
                }
                Err(error) => {
                    let wait = asked_wait(&error).max(rest);
                    tracing::warn!(%error, ?wait, "a warm remote session could not be created");
                    rest = (2 * rest).min(REST_MAX);
                    sleep(wait).boxed()
                }
            }
        } else {
            async {
                tokio::select! {
                    () = warm.changed() => {}
                    () = warm.one_is_spent() => {}
                }
            }
            .boxed()
        };
        tokio::select! {
            () = next => {}
            () = shared.ending.cancelled() => {}
        }
    }
    warm.clear();
}

async fn make(shared: &Arc<Shared>, account: &Credentials) -> Result<Lease, ProviderError> {
    // Its lifetime covers the longest request that could still get it: until then no replica's reaper releases it and
    // Browserbase does not end it.
    let (session, connect_url) = shared.create(account, WARM_PURPOSE, AGE_MAX + USE_MAX).await?;
    tokio::select! {
        biased;
        () = shared.ending.cancelled() => Err(ProviderError::Ending),
        lease = page::open(session, WARM_PURPOSE, &connect_url, shared.network(), &shared.metrics) => lease,
    }
}

/// Returns how long Browserbase asks us to wait.
fn asked_wait(error: &ProviderError) -> Duration {
    match error {
        ProviderError::RateLimited { retry_after: Some(wait), .. } => *wait,
        _ => Duration::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browserbase_may_ask_for_a_longer_wait() {
        let limited = |retry_after| ProviderError::RateLimited { sentence: String::new(), retry_after };
        assert_eq!(asked_wait(&limited(Some(Duration::from_secs(7)))), Duration::from_secs(7));
        assert_eq!(asked_wait(&limited(None)), Duration::ZERO);
    }
}
