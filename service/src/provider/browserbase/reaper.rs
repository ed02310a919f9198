//! Finds and releases remote sessions that a killed process left behind. Normally the lease releases them.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::time::MissedTickBehavior;

use super::metadata::MARK;
use super::shared::Shared;
use crate::provider::Credentials;

/// Searches all known accounts at the start, at each interval and for each new account, until the provider ends.
pub(super) async fn run(shared: Arc<Shared>, every: Duration) {
    let mut ticks = tokio::time::interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = shared.accounts.learned() => {}
            () = shared.ending.cancelled() => return,
        }
        for account in shared.accounts.all() {
            if let Err(error) = reap(&shared, &account).await {
                tracing::warn!(%error, "searching for leftover remote sessions failed");
            }
        }
    }
}

async fn reap(shared: &Shared, account: &Credentials) -> Result<(), super::api::ApiError> {
    let now = SystemTime::now();
    for session in shared.api.running(account, MARK.0, MARK.1).await? {
        if !shared.process.was_left_behind(&session.user_metadata, now) {
            continue;
        }
        match shared.api.release(account, &session.id).await {
            Ok(()) => {
                tracing::warn!(remote_session = session.id, "released a leftover remote session");
                shared.metrics.reaped();
            }
            // The next search finds it again.
            Err(error) => {
                tracing::warn!(remote_session = session.id, %error, "a leftover remote session could not be released");
            }
        }
    }
    Ok(())
}
