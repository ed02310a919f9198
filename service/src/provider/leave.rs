//! Leaves a page of a remote browser before it is released.
//!
//! Closing a page's target sessions ends its interception: Chromium resumes halted targets and paused requests, and
//! workers run on unwatched for a moment. So the page first navigates to `about:blank` while it is still watched: its
//! workers and frames end with its document.

use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::page::NavigateParams;
use tokio::time::timeout;

use crate::cdp::Session;

/// How long the navigation may take. A page that hangs is released as it is.
const LEAVE_TIMEOUT: Duration = Duration::from_secs(5);

/// Ends everything that the page runs. Best effort: a page that won't unload ends with its browser or context.
pub(super) async fn leave(page: &Session) {
    let left = timeout(LEAVE_TIMEOUT, page.call(&NavigateParams::new("about:blank"))).await;
    if !matches!(left, Ok(Ok(_))) {
        tracing::debug!("a page did not navigate to about:blank in time");
    }
}
