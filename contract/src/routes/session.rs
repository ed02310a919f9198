//! The routes of sessions, as the service has them, and how large their bodies may be at the worker.

use crate::limits::{OPEN_BODY_MAX_BYTES, UPLOAD_BODY_MAX_BYTES, WORKER_BODY_MAX_BYTES};

/// Makes a session with given options.
pub const OPEN: &str = "/session/open";
/// Goes to a page; makes a session where there is none.
pub const NAVIGATE: &str = "/session/navigate";
/// What is on the page, with refs.
pub const SNAPSHOT: &str = "/session/snapshot";
/// Clicks an element.
pub const CLICK: &str = "/session/click";
/// Types into a field.
pub const TYPE: &str = "/session/type";
/// Presses a key or a combination.
pub const PRESS: &str = "/session/press";
/// Moves the pointer over an element.
pub const HOVER: &str = "/session/hover";
/// Chooses in a select.
pub const SELECT: &str = "/session/select";
/// Sets a checkbox, a radio button or a switch.
pub const CHECK: &str = "/session/check";
/// Drags one element to another.
pub const DRAG: &str = "/session/drag";
/// Scrolls.
pub const SCROLL: &str = "/session/scroll";
/// Puts files into a file field.
pub const UPLOAD: &str = "/session/upload";
/// Waits for one condition.
pub const WAIT: &str = "/session/wait";
/// Acts on what a person would name.
pub const INTERACT: &str = "/session/interact";
/// Takes a picture of the session's page.
pub const SCREENSHOT: &str = "/session/screenshot";
/// Reads the session's page.
pub const EXTRACT: &str = "/session/extract";
/// Answers the dialog that holds the page.
pub const DIALOG: &str = "/session/dialog";
/// Lists, opens, selects and closes tabs.
pub const TABS: &str = "/session/tabs";
/// Lists and reads downloads.
pub const FILES: &str = "/session/files";
/// Cookies and local storage.
pub const STATE: &str = "/session/state";
/// Age, tabs and control of a session.
pub const STATUS: &str = "/session/status";
/// Makes a ticket for the live view.
pub const VIEWER: &str = "/session/viewer";
/// Ends a session.
pub const CLOSE: &str = "/session/close";

/// Every route of sessions.
pub const ALL: &[&str] = &[
    OPEN, NAVIGATE, SNAPSHOT, CLICK, TYPE, PRESS, HOVER, SELECT, CHECK, DRAG, SCROLL, UPLOAD, WAIT, INTERACT,
    SCREENSHOT, EXTRACT, DIALOG, TABS, FILES, STATE, STATUS, VIEWER, CLOSE,
];

/// What a body of this route may have at the worker, in bytes.
#[must_use]
pub fn body_max_bytes(route: &str) -> usize {
    match route {
        OPEN => OPEN_BODY_MAX_BYTES,
        UPLOAD => UPLOAD_BODY_MAX_BYTES,
        _ => WORKER_BODY_MAX_BYTES,
    }
}

/// Whether a call of this route may change the page or the session, so that one that may have arrived is never sent
/// again.
#[must_use]
pub fn acts(route: &str) -> bool {
    ![SNAPSHOT, SCREENSHOT, EXTRACT, WAIT, FILES, STATE, STATUS, VIEWER, CLOSE].contains(&route)
}
