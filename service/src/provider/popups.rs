//! Popups of a remote page, which nobody reads, and shared workers of a guest's, which nobody can judge: each is closed
//! as it opens, before it has asked for anything.

use chromiumoxide_cdp::cdp::browser_protocol::fetch::{EnableParams as EnableFetch, RequestPattern};
use chromiumoxide_cdp::cdp::browser_protocol::target::CloseTargetParams;
use chromiumoxide_cdp::cdp::js_protocol::runtime::RunIfWaitingForDebuggerParams;

use crate::cdp::{Attachments, Session};

/// Closes the pages and shared workers that are attached to from now on.
///
/// A popup stands still until somebody looks at it, and its opener with it. Its opener's session is not told: a target
/// is attached to once, and the browser's own session was first.
pub(super) async fn close_all(browser: Session, mut opened: Attachments) {
    while let Some(target) = opened.next().await {
        match target.kind.as_str() {
            "page" => {
                // Every request of it stands still for good.
                let all = vec![RequestPattern::builder().url_pattern("*").build()];
                target.session.call(&EnableFetch { patterns: Some(all), handle_auth_requests: None }).forget();
                browser.call(&CloseTargetParams::new(target.target_id)).forget();
                target.session.call(&RunIfWaitingForDebuggerParams::default()).forget();
            }
            // Its requests can't be stopped on its own session (tried), so it never runs.
            "shared_worker" => browser.call(&CloseTargetParams::new(target.target_id)).forget(),
            // Attached to on this session as well, by whoever watches the page that started it.
            _ => {}
        }
    }
}
