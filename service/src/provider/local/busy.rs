//! How many pages are in use in all browsers, which share the processors.

use std::sync::Arc;

use tokio::sync::watch;

/// How many pages are in use in all browsers, which share the processors.
#[derive(Debug, Default)]
pub(super) struct Busy(watch::Sender<usize>);

impl Busy {
    /// Waits until a page is in use.
    pub(super) async fn any(&self) {
        // The sender lives as long as `self`.
        let _ = self.0.subscribe().wait_for(|busy| *busy > 0).await;
    }

    /// Counts a page as in use until the returned guard is dropped.
    pub(super) fn in_use(self: &Arc<Self>) -> InUse {
        self.0.send_modify(|busy| *busy += 1);
        InUse(Arc::clone(self))
    }

    /// Returns the number of pages in use.
    pub(super) fn count(&self) -> usize {
        *self.0.borrow()
    }

    /// Returns a receiver that is told of each change of the number.
    pub(super) fn changes(&self) -> watch::Receiver<usize> {
        self.0.subscribe()
    }
}

/// Counts one page as in use.
pub(super) struct InUse(Arc<Busy>);

impl Drop for InUse {
    fn drop(&mut self) {
        self.0.0.send_modify(|busy| *busy -= 1);
    }
}
