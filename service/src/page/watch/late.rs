//! Finds a document that the browser did not report.
//!
//! There are two kinds: the document of a window that had navigated before we attached to it (a remote browser does not
//! halt windows as they open), and a document that was there before its renderer reported anything.

use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::page::{GetFrameTreeParams, SetLifecycleEventsEnabledParams};
use porthole_contract::limits::CAPTURE_TIMEOUT;
use tokio::sync::watch::Sender;
use tokio::time::timeout;

use super::state::{BLANK, Document, PageState};
use crate::cdp::Session;
use crate::net_error::NetError;

/// Waits before a window is asked again what it shows, as long as no document is known.
const ASKED_AGAIN_AFTER: [Duration; 6] = [
    Duration::from_millis(250),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(4),
    Duration::from_secs(8),
];

/// Finds the first document of a window, whose arrival no command of ours awaits. It may come at any time, reported or
/// not; a window that has died is not asked again.
pub(in super::super) async fn find_first_document(session: Session, known: Sender<PageState>) {
    let mut state = known.subscribe();
    for wait in ASKED_AGAIN_AFTER {
        find_document(session.clone(), known.clone()).await;
        if timeout(wait, state.wait_for(|state| state.arrivals > 0 || state.fatal.is_some())).await.is_ok() {
            return;
        }
    }
}

/// Asks for the document, once the page's events are enabled, and has its loading told again.
pub(in super::super) async fn find_document(session: Session, known: Sender<PageState>) {
    let asked = timeout(CAPTURE_TIMEOUT, session.call(&GetFrameTreeParams::default())).await;
    let Ok(Ok(found)) = asked else {
        return tracing::debug!("a window did not report its document in time");
    };
    let frame = found.frame_tree.frame;
    let loader = String::from(frame.loader_id);
    let was_missed = known.send_if_modified(|state| {
        if state.document.loader == loader && state.document.url.is_empty() {
            state.document.url.clone_from(&frame.url);
            return true;
        }
        let is_unknown = !state.has_arrived(&loader) && !frame.url.is_empty() && frame.url != BLANK;
        if is_unknown {
            let failure = frame.unreachable_url.as_ref().map(|_| NetError::Failed);
            state.asked_for = frame.unreachable_url.unwrap_or_else(|| frame.url.clone());
            state.arrive(Document { loader, url: frame.url, missed: true, failure, ..Document::default() });
        }
        is_unknown
    });
    if was_missed {
        // Once they are enabled, the browser also reports the events that the present document has already had.
        session.call(&SetLifecycleEventsEnabledParams::new(true)).forget();
    }
}
