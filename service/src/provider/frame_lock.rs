//! The lock under which the pages of one browser draw their frames by `begin_frame`.

use std::sync::Arc;

use tokio::sync::{Mutex, OwnedMutexGuard};

/// The frame lock of one browser. Chromium crashes when several of its pages draw a frame at once, so they take turns
/// (decision record "Frames by begin_frame"). Clones share the lock.
#[derive(Clone, Debug, Default)]
pub struct FrameLock(Arc<Mutex<()>>);

impl FrameLock {
    /// Waits for the lock, in the order of the calls. Dropping the guard releases it.
    pub async fn acquire(&self) -> OwnedMutexGuard<()> {
        Arc::clone(&self.0).lock_owned().await
    }
}
