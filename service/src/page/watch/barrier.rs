//! The event barrier: waits until every watcher of a page has read the events that have arrived by now. A page's
//! result must not be returned before the events that show where its parts came from.

use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::page::{GetFrameTreeParams, GetNavigationHistoryParams};
use tokio::sync::{broadcast, mpsc};
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
#[derive(Clone)]
pub(in super::super) struct EventBarrier(broadcast::Sender<mpsc::Sender<()>>);

/// One watcher's side of the barrier.
pub(super) type Arrivals = broadcast::Receiver<mpsc::Sender<()>>;

impl EventBarrier {
    pub(in super::super) fn new() -> Self {
        Self(broadcast::channel(1).0)
    }

    /// Registers a watcher. For each message that it receives it reads all events that have arrived, and then drops
    /// the message.
    pub(super) fn join(&self) -> Arrivals {
        self.0.subscribe()
    }

    /// Waits until all watchers have read and judged what has arrived by now.
    pub(in super::super) async fn wait(&self) {
        let (present, mut last) = mpsc::channel(1);
        if self.0.send(present).is_err() {
            return;
        }
        // The channel ends when the last watcher drops its clone.
        if timeout(BARRIER_TIMEOUT, last.recv()).await.is_err() {
            tracing::warn!("a page's events were not all judged in time");
        }
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
