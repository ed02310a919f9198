//! Replaces worn browsers.

use std::sync::{Arc, Weak};
use std::time::Duration;

use crate::provider::local::browser::Browser;
use crate::provider::local::pool::Pool;
use crate::provider::local::recycle::worn;
use crate::telemetry::StartReason;

/// How often memory is measured, which reads some files of every process.
const MEMORY_CHECK_EVERY: Duration = Duration::from_secs(5);

/// Replaces worn browsers until the provider ends. The new one starts while the old one still makes pages; the old
/// one's warm pages are used up or replaced, and it ends with its last lease.
pub(super) async fn run(pool: Arc<Pool>) {
    let mut retiring: Weak<Browser> = Weak::new();
    loop {
        tokio::select! {
            () = pool.recycling.one_is_worn() => {}
            () = tokio::time::sleep(MEMORY_CHECK_EVERY) => {}
            () = pool.ending.cancelled() => return,
        }
        // One at a time: retired browsers whose last pages take long must not pile up.
        if retiring.strong_count() > 0 {
            continue;
        }
        let Some(old) = pool.running().await else { continue };
        let Some(worn) = worn(&old, pool.setup.options.recycle).await else { continue };
        match pool.launch(StartReason::Worn).await {
            Ok(new) => {
                tracing::info!(worn, pages = old.pages_made(), "a local browser is replaced");
                pool.replace(&old, new).await;
                retiring = Arc::downgrade(&old);
            }
            Err(error) => tracing::warn!(%error, worn, "replacing a worn local browser failed"),
        }
    }
}
