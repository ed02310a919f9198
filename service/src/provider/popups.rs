//! Popups of a remote page: nobody reads them, so each is closed as it opens, before it has asked for anything.

use chromiumoxide_cdp::cdp::browser_protocol::fetch::{EnableParams as EnableFetch, RequestPattern};
use chromiumoxide_cdp::cdp::browser_protocol::target::CloseTargetParams;
use chromiumoxide_cdp::cdp::js_protocol::runtime::RunIfWaitingForDebuggerParams;
use tokio_util::task::AbortOnDropHandle;

use crate::cdp::{Attachments, Connection};

/// Closes what is attached to from now on, until the handle is dropped; in one context only, where one is named.
///
/// A popup stands still until somebody looks at it, and its opener with it. Its opener's session is not told: a target
/// is attached to once, and the browser's own session was first.
pub(super) fn close_all(
    connection: &Connection,
    mut pages: Attachments,
    context: Option<String>,
) -> AbortOnDropHandle<()> {
    let browser = connection.browser();
    AbortOnDropHandle::new(tokio::spawn(async move {
        while let Some(page) = pages.next().await {
            if context.as_ref().is_some_and(|context| *context != page.context_id) {
                continue;
            }
            // Every request of it stands still for good.
            let all = vec![RequestPattern::builder().url_pattern("*").build()];
            page.session.call(&EnableFetch { patterns: Some(all), handle_auth_requests: None }).forget();
            browser.call(&CloseTargetParams::new(page.target_id)).forget();
            page.session.call(&RunIfWaitingForDebuggerParams::default()).forget();
        }
    }))
}
