//! The event barrier: waits until every watcher of a page has read the events that have arrived by now. A page's
//! result must not be returned before the events that show where its parts came from.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::page::{GetFrameTreeParams, GetNavigationHistoryParams};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::cdp::Session;
use crate::guard::CatchUp;

/// Time limit of the barrier. A verdict that waits for DNS may take longer.
const BARRIER_TIMEOUT: Duration = Duration::from_secs(5);

/// Time limit for the browser's answer. After it, the page counts as one with unknown documents.
const BROWSER_TIMEOUT: Duration = Duration::from_secs(5);
/// Time limit for a renderer's answer. A timeout has no consequences for the page.
const RENDERER_TIMEOUT: Duration = Duration::from_millis(500);

/// The event barrier of one page. Clones are the same barrier.
#[derive(Clone, Default)]
pub(in super::super) struct EventBarrier(Arc<Mutex<Vec<mpsc::UnboundedSender<Reached>>>>);

/// Dropped by a watcher that has read and judged what had arrived.
pub(super) type Reached = mpsc::Sender<()>;

/// One watcher's side of the barrier: a message for each wait.
pub(super) type Arrivals = mpsc::UnboundedReceiver<Reached>;

impl EventBarrier {
    /// Registers a watcher. For each message that it receives it reads all events that have arrived, and then drops
    /// the message.
    pub(super) fn join(&self) -> Arrivals {
        let (watcher, arrivals) = mpsc::unbounded_channel();
        let mut watchers = self.watchers();
        watchers.retain(|watcher| !watcher.is_closed());
        watchers.push(watcher);
        arrivals
    }

    /// Waits until all watchers have read and judged what has arrived by now. Waits that overlap are each waited for.
    pub(in super::super) async fn wait(&self) {
        let (reached, mut last) = mpsc::channel(1);
        for watcher in self.watchers().iter() {
            let _ = watcher.send(reached.clone());
        }
        drop(reached);
        // The channel ends when the last watcher drops its clone.
        if timeout(BARRIER_TIMEOUT, last.recv()).await.is_err() {
            tracing::warn!("a page's events were not all judged in time");
        }
    }

    fn watchers(&self) -> MutexGuard<'_, Vec<mpsc::UnboundedSender<Reached>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the function by which the page's guard gets the page's events read up to the present. The browser process
/// answers after all events that it sent, a renderer after all of its own. A busy renderer is soon given up: the
/// events that it sent before it was busy have arrived by then.
pub(in super::super) fn catch_up(session: &Session, barrier: &EventBarrier) -> CatchUp {
    let (session, barrier) = (session.clone(), barrier.clone());
    Box::new(move |renderer| {
        let (session, barrier) = (session.clone(), barrier.clone());
        Box::pin(async move {
            let browser = session.call(&GetNavigationHistoryParams::default());
            let asked = renderer.then(|| timeout(RENDERER_TIMEOUT, session.call(&GetFrameTreeParams::default())));
            if !matches!(timeout(BROWSER_TIMEOUT, browser).await, Ok(Ok(_))) {
                return false;
            }
            if let Some(asked) = asked {
                drop(asked.await);
            }
            barrier.wait().await;
            true
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn waits_that_overlap_each_wait_for_every_watcher() {
        let barrier = EventBarrier::default();
        let (mut first, second) = (barrier.join(), barrier.join());
        drop(second);
        let waits: Vec<_> = (0..3)
            .map(|_| {
                let barrier = barrier.clone();
                tokio::spawn(async move { barrier.wait().await })
            })
            .collect();
        let mut messages = Vec::new();
        for _ in 0..3 {
            messages.push(first.recv().await.expect("a message for each wait"));
        }
        assert!(waits.iter().all(|wait| !wait.is_finished()), "nothing was read yet");
        drop(messages);
        for wait in waits {
            wait.await.unwrap();
        }
    }
}
