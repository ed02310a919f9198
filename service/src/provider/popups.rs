//! Popups of a remote page, which nobody reads, and shared workers of a guest's, which nobody can judge: each is closed
//! as it opens, before it has asked for anything.

use crate::cdp::Attachments;

/// Closes the pages and shared workers that are attached to from now on.
///
/// A popup stands still until somebody looks at it, and its opener with it. Its opener's session is not told: a target
/// is attached to once, and the browser's own session was first.
pub(super) async fn close_all(mut opened: Attachments) {
    while let Some(target) = opened.next().await {
        match target.kind.as_str() {
            "page" => target.close(),
            // Its requests can't be stopped on its own session (tried), so it never runs.
            "shared_worker" => target.close_halted(),
            // Attached to on this session as well, by whoever watches the page that started it.
            _ => {}
        }
    }
}
