//! How a page is left whose network is not ours.
//!
//! With a page's sessions go its defences: Chromium lets go of what stands still, and workers run on for a moment, seen by
//! nobody. So a page goes to an empty one first, while it is still watched: its workers and frames end with its document.

use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::page::NavigateParams;
use tokio::time::timeout;

use crate::cdp::Session;

/// How long a page may take to go. One that hangs is ended as it is.
const LEAVE_TIMEOUT: Duration = Duration::from_secs(5);

/// Ends what the page runs. It can't fail: who can't go by then is gone with the browser or the context.
pub(super) async fn leave(page: &Session) {
    let left = timeout(LEAVE_TIMEOUT, page.call(&NavigateParams::new("about:blank"))).await;
    if !matches!(left, Ok(Ok(_))) {
        tracing::debug!("a page could not be left in time");
    }
}
