//! What every connection of one egress shares.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::limits::EgressLimits;
use super::peers::Entrance;
use super::report::Books;
use crate::guard::PageGuard;

/// State shared by every connection of one egress.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) guard: PageGuard,
    pub(super) limits: EgressLimits,
    pub(super) entrance: Entrance,
    pub(super) books: Arc<Books>,
    pub(super) open: CancellationToken,
}

impl Shared {
    /// Runs this task until it ends or the egress is dropped.
    pub(super) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        tokio::spawn(self.open.clone().run_until_cancelled_owned(task));
    }
}
