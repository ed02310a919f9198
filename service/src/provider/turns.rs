//! Whose turn it is to draw, in a browser that draws when told to.

use std::sync::Arc;

use tokio::sync::{Mutex, OwnedMutexGuard};

/// The turns of one browser's pages. Several that draw at once end the browser; one after the other they don't.
#[derive(Clone, Debug, Default)]
pub struct Turns(Arc<Mutex<()>>);

impl Turns {
    /// Waits for a turn, in the order of asking; it ends when what is returned is dropped.
    pub async fn take(&self) -> OwnedMutexGuard<()> {
        Arc::clone(&self.0).lock_owned().await
    }
}
