//! The tasks that keep a pool until the provider ends: its warm pages, worn browsers, the quarantine and the spare.

mod quarantine;
mod recycle;
mod spare;
mod warm;

use std::sync::Arc;

use super::kind::BrowserKind;
use super::pool::Pool;

/// Begins the tasks of a pool.
pub(super) fn begin(pool: &Arc<Pool>) {
    pool.tasks.spawn(warm::keep(Arc::clone(pool)));
    pool.tasks.spawn(recycle::run(Arc::clone(pool)));
    if pool.kind != BrowserKind::Session {
        pool.tasks.spawn(quarantine::run(Arc::clone(pool)));
        // Where no page is kept ready, memory is worth more than time.
        if pool.warm.are_wanted() {
            pool.tasks.spawn(spare::run(Arc::clone(pool)));
        }
    }
}
