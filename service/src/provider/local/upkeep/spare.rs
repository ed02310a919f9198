//! Starts the spare browser while it is needed, and ends it.

use std::sync::Arc;
use std::time::Duration;

use crate::provider::local::pool::Pool;
use crate::provider::local::recycle;
use crate::telemetry::StartReason;

/// How often it is looked after: whether one is to be started, is still needed, or is worn.
const CHECK_EVERY: Duration = Duration::from_secs(5);

/// Starts the spare while it is needed, and ends it, until the provider ends.
pub(super) async fn run(pool: Arc<Pool>) {
    loop {
        tokio::select! {
            () = pool.spare.several() => {}
            () = tokio::time::sleep(CHECK_EVERY) => {}
            () = pool.ending.cancelled() => return,
        }
        check(&pool).await;
    }
}

async fn check(pool: &Arc<Pool>) {
    let _changing = pool.spare.changing.lock().await;
    let is_needed = pool.spare.is_needed();
    let running = pool.spare.kept();
    if let Some(browser) = running {
        let worn = recycle::worn(&browser, pool.setup.options.recycle).await;
        if browser.is_alive() && worn.is_none() && is_needed {
            return;
        }
        if !browser.is_alive() {
            pool.recycling.ended_after(browser.age());
        }
        tracing::info!(worn, pages = browser.pages_made(), "the spare local browser ends with its last page");
        drop(pool.spare.take());
        browser.relieve();
        pool.warm.renew(None);
    }
    // The first browser starts with the first request; without it there is nothing to be spared.
    if !is_needed || pool.running().await.is_none() {
        return;
    }
    match pool.launch(StartReason::Spare).await {
        Ok(browser) if !pool.ending.is_cancelled() => {
            pool.spare.put(browser);
            pool.warm.browser_started();
        }
        Ok(_) => {}
        Err(error) => tracing::debug!(%error, "no spare local browser could be started"),
    }
}
