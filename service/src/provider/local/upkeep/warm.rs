//! Makes warm pages, one at a time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::provider::local::pool::Pool;
use crate::provider::local::warm::AGE_MAX;

/// The pause after a page could not be made.
const REST: Duration = Duration::from_secs(1);

/// Keeps warm pages until the provider ends.
pub(super) async fn keep(pool: Arc<Pool>) {
    let warm = &pool.warm;
    let mut busy = pool.setup.busy.changes();
    loop {
        let aged_at = warm.discard_aged().unwrap_or_else(|| Instant::now() + AGE_MAX);
        tokio::select! {
            () = warm.started() => {}
            _ = busy.changed() => {}
            () = tokio::time::sleep_until(aged_at.into()) => {}
            () = pool.ending.cancelled() => return,
        }
        // This starts no browser: the first request or the readiness check does.
        while !pool.ending.is_cancelled()
            && let Some(browser) = pool.lacks_page().await
        {
            match pool.blank_from(&browser).await {
                Ok(page) if !pool.ending.is_cancelled() => {
                    warm.add(page);
                }
                Ok(_) => return,
                Err(error) => {
                    tracing::debug!(%error, "a warm page could not be made");
                    tokio::select! {
                        () = tokio::time::sleep(REST) => {}
                        () = pool.ending.cancelled() => return,
                    }
                }
            }
        }
    }
}
