//! The routes of sessions in the OpenAPI document.

use utoipa::OpenApi;

use crate::ErrorAnswer;
use crate::session::{
    Acted, CheckRequest, ClickRequest, CloseRequest, Closed, DialogRequest, DragRequest, Extracted, Files,
    FilesRequest, HoverRequest, InteractRequest, Interacted, NavigateRequest, OpenRequest, Picture, Plain,
    PressRequest, ScrollRequest, SelectRequest, SessionAnswer, SessionExtractRequest, SessionScreenshotRequest,
    SnapshotRequest, State, StateRequest, Status, StatusRequest, Tabs, TabsRequest, TypeRequest, UploadRequest,
    ViewerAnswer, ViewerRequest, WaitRequest,
};

/// Declares a route's path; `$operation` is its name in the document.
macro_rules! session_paths {
    ($($(#[doc = $doc:literal])+ $operation:ident, $path:literal, $request:ty, $answer:ty, $description:literal;)+) => {
        $(
            $(#[doc = $doc])+
            #[utoipa::path(
                post,
                path = $path,
                request_body = $request,
                responses(
                    (status = 200, description = $description, body = $answer),
                    (status = "default", description = "What went wrong, by its code", body = ErrorAnswer),
                )
            )]
            #[expect(dead_code, reason = "the macro reads the function, nothing calls it")]
            fn $operation() {}
        )+

        /// Paths as the service has them.
        #[derive(OpenApi)]
        #[openapi(paths($($operation),+))]
        pub(super) struct SessionApi;
    };
}

session_paths! {
    /// Makes a session with given options.
    session_open, "/session/open", OpenRequest, SessionAnswer<Plain>, "The session";
    /// Goes to a URL or through the history; without a session it makes one.
    session_navigate, "/session/navigate", NavigateRequest, SessionAnswer<Acted>, "The page";
    /// What is on the page, one element a line, with refs to act by.
    session_snapshot, "/session/snapshot", SnapshotRequest, SessionAnswer<Plain>, "The snapshot";
    /// Clicks an element or a point.
    session_click, "/session/click", ClickRequest, SessionAnswer<Acted>, "What it did";
    /// Types into a field.
    session_type, "/session/type", TypeRequest, SessionAnswer<Acted>, "What it did";
    /// Presses a key or a combination of keys.
    session_press, "/session/press", PressRequest, SessionAnswer<Acted>, "What it did";
    /// Moves the pointer over an element or to a point.
    session_hover, "/session/hover", HoverRequest, SessionAnswer<Acted>, "What it did";
    /// Chooses in a select.
    session_select, "/session/select", SelectRequest, SessionAnswer<Acted>, "What it did";
    /// Sets a checkbox, a radio button or a switch.
    session_check, "/session/check", CheckRequest, SessionAnswer<Acted>, "What it did";
    /// Drags one element to another.
    session_drag, "/session/drag", DragRequest, SessionAnswer<Acted>, "What it did";
    /// Scrolls the page or a part of it, or an element into view.
    session_scroll, "/session/scroll", ScrollRequest, SessionAnswer<Acted>, "What it did";
    /// Puts files into a file field.
    session_upload, "/session/upload", UploadRequest, SessionAnswer<Acted>, "What it did";
    /// Waits for one condition.
    session_wait, "/session/wait", WaitRequest, SessionAnswer<Plain>, "It came";
    /// Acts on what a person would name.
    session_interact, "/session/interact", InteractRequest, SessionAnswer<Interacted>, "What it did";
    /// Takes a picture of the session's page.
    session_screenshot, "/session/screenshot", SessionScreenshotRequest, SessionAnswer<Picture>, "The picture";
    /// Reads the session's page, as it stands.
    session_extract, "/session/extract", SessionExtractRequest, SessionAnswer<Extracted>, "The text";
    /// Answers the dialog that holds the page.
    session_dialog, "/session/dialog", DialogRequest, SessionAnswer<Acted>, "What it did";
    /// Lists, opens, selects and closes tabs.
    session_tabs, "/session/tabs", TabsRequest, SessionAnswer<Tabs>, "The tabs";
    /// Lists and reads what was downloaded.
    session_files, "/session/files", FilesRequest, SessionAnswer<Files>, "The files";
    /// The session's cookies and local storage, for `open` later. A secret.
    session_state, "/session/state", StateRequest, SessionAnswer<State>, "The state";
    /// Tabs, age, idle time and control of a session.
    session_status, "/session/status", StatusRequest, SessionAnswer<Status>, "The status";
    /// Makes a ticket for the live view.
    session_viewer, "/session/viewer", ViewerRequest, ViewerAnswer, "The ticket";
    /// Ends a session; a second time is a success too.
    session_close, "/session/close", CloseRequest, SessionAnswer<Closed>, "It has ended";
}
