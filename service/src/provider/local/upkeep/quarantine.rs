//! Puts noisy browsers in quarantine, and ends it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use porthole_chromium::lower_group;

use crate::provider::local::browser::Browser;
use crate::provider::local::pool::Pool;
use crate::provider::local::quarantine::Quarantine;
use crate::provider::local::recycle;
use crate::telemetry::StartReason;

/// How long other sandboxes' pages may stay in a browser in quarantine before its priority is lowered nevertheless.
const OTHERS_LEAVE_WITHIN: Duration = Duration::from_secs(5);
/// How often their number is read meanwhile.
const OTHERS_CHECK_EVERY: Duration = Duration::from_millis(50);
/// How often the quarantine is looked after: whether it is still needed, and how much memory it uses.
const CHECK_EVERY: Duration = Duration::from_secs(5);

/// Puts noisy browsers in quarantine, and ends it, until the provider ends.
pub(super) async fn run(pool: Arc<Pool>) {
    let quarantine = &pool.quarantine;
    loop {
        tokio::select! {
            () = quarantine.noise_was_found() => {
                if quarantine.has_room() {
                    change(&pool).await;
                }
            }
            () = tokio::time::sleep(CHECK_EVERY) => check(&pool).await,
            () = pool.ending.cancelled() => return,
        }
    }
}

/// Puts the noisy browser in quarantine, and the spare or another one in its place.
async fn change(pool: &Arc<Pool>) {
    let Some(old) = pool.noisy().await else { return };
    // Wait for a spare that is starting: it is the replacement.
    let changing = pool.spare.changing.lock().await;
    let (new, page) = if pool.spare.take_if(&old) {
        old.relieve();
        (None, None)
    } else if let Some(spare) = pool.spare.browser() {
        drop(pool.spare.take());
        (Some(spare), None)
    } else {
        match pool.launch(StartReason::Noisy).await {
            Ok(new) => {
                // A page to begin with: the warm pages of the noisy browser are discarded.
                let page = pool.blank_from(&new).await.ok();
                (Some(new), page)
            }
            Err(error) => {
                tracing::warn!(%error, "replacing a noisy local browser failed");
                return;
            }
        }
    };
    tracing::info!("a page keeps its local browser busy; other sandboxes get another browser");
    if let Some(new) = new {
        pool.replace(&old, new).await;
    }
    pool.warm.renew(page);
    old.quarantine();
    pool.quarantine.put(Arc::clone(&old));
    drop(changing);
    give_way(&pool.quarantine, &old).await;
}

/// Lowers the priority of the whole browser, once other sandboxes' pages have left it.
async fn give_way(quarantine: &Quarantine, browser: &Browser) {
    let until = Instant::now() + OTHERS_LEAVE_WITHIN;
    while browser.noise.has_others(|sandbox| quarantine.has_marked(sandbox)) && Instant::now() < until {
        tokio::time::sleep(OTHERS_CHECK_EVERY).await;
    }
    let group = browser.group();
    let _ = tokio::task::spawn_blocking(move || lower_group(group)).await;
}

/// Ends the quarantine when no sandbox is marked any more, or when its browser uses too much memory.
async fn check(pool: &Arc<Pool>) {
    let Some(browser) = pool.quarantine.needed() else { return };
    if let Some(worn) = recycle::worn(&browser, pool.setup.options.recycle).await {
        tracing::info!(worn, pages = browser.pages_made(), "the local browser in quarantine ends with its last page");
        drop(pool.quarantine.take());
    }
}
