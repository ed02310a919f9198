//! What the server tells a viewer, beside frames.

use serde::{Deserialize, Serialize};

use super::field::OpenField;
use super::ping::PingId;
use crate::error::ErrorCode;
use crate::session::{BoundingBox, Control, DialogKind, ElementRef, TabInfo, ViewerRole};

/// A message to a viewer, as JSON text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ServerMessage {
    /// The hello was good.
    Welcome {
        /// What this viewer may do.
        role: ViewerRole,
        /// The session's handle.
        session: String,
        /// The tab that this viewer watches.
        tab: String,
    },
    /// How the picture does.
    Status {
        /// How.
        status: LiveStatus,
    },
    /// The viewport's size in CSS pixels, before the first frame of that size.
    Viewport {
        /// Its width.
        width: u32,
        /// Its height.
        height: u32,
        /// What the browser draws above the page, in CSS pixels.
        offset_top: f64,
        /// The page's scale by pinching.
        page_scale_factor: f64,
    },
    /// Where the watched tab is.
    Url {
        /// Its URL.
        url: String,
        /// Its page's title.
        title: String,
    },
    /// The session's tabs.
    Tabs {
        /// All of them.
        tabs: Vec<TabInfo>,
        /// The session's active one.
        active: String,
    },
    /// The pointer's shape.
    Cursor {
        /// A CSS name.
        cursor: String,
    },
    /// A field opened whose popup is in no frame.
    Select(OpenField),
    /// That field closed.
    SelectClosed,
    /// A dialog opened.
    Dialog {
        /// Which.
        kind: DialogKind,
        /// What it says.
        message: String,
        /// The text that a prompt begins with.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        default: Option<String>,
    },
    /// That dialog closed.
    DialogClosed,
    /// The page asks for files.
    FileChooser {
        /// Whether for more than one.
        multiple: bool,
        /// The field's `accept` attribute.
        accept: String,
    },
    /// Who has control.
    Control {
        /// Who.
        holder: Control,
        /// Whether this viewer.
        you: bool,
    },
    /// The agent acts.
    Action {
        /// The tool's name.
        tool: String,
        /// The element's ref, if it has one.
        #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
        reference: Option<ElementRef>,
        /// Where the element or the point is.
        #[serde(default, rename = "box", skip_serializing_if = "Option::is_none")]
        bounding_box: Option<BoundingBox>,
        /// The key that is pressed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<String>,
    },
    /// What the page's selection holds, to a `copy`.
    Clipboard {
        /// The text.
        text: String,
    },
    /// The answer to a `ping`.
    Pong {
        /// The ping's.
        id: Option<PingId>,
    },
    /// What this viewer asked for was refused.
    Error {
        /// Why.
        error: ErrorCode,
        /// The same as a sentence.
        message: String,
    },
}

/// How the picture does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LiveStatus {
    /// The viewer is connected; no frame has come.
    Connected,
    /// The tab's renderer starts anew.
    BrowserStarting,
    /// Frames come as the page draws.
    Streaming,
    /// Nothing is drawn: a dialog holds the page.
    Paused,
    /// The session ended.
    BrowserClosed,
}

impl ServerMessage {
    /// The types of these messages, and that of frames in `json` mode.
    pub const TYPES: &'static [&'static str] = &[
        "welcome",
        "status",
        "viewport",
        "url",
        "tabs",
        "cursor",
        "select",
        "select_closed",
        "dialog",
        "dialog_closed",
        "file_chooser",
        "control",
        "action",
        "clipboard",
        "pong",
        "error",
        "frame",
    ];

    /// The message as JSON text.
    #[must_use]
    pub fn text(&self) -> String {
        // No map has a key other than text, so that this can't fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}
