//! What a viewer sends after its hello.

use serde::{Deserialize, Deserializer, Serialize};

use super::input::{ImeEvent, KeyEvent, MouseEvent, TouchEvent};
use super::ping::PingId;
use super::unread::{Unread, message_type};
use crate::json;
use crate::limits::{LIVE_FPS_MAX, LIVE_PING_ID_MAX_BYTES, LIVE_QUALITY_MAX, VIEWPORT_MAX_HEIGHT, VIEWPORT_MAX_WIDTH};
use crate::session::{HistoryAction, UploadFile, check_files, is_handle};

/// How many values a message has that has no list of choices or files: a touch has 16 points.
const VALUES_MAX: usize = 500;

/// A message of a viewer. Fields that it has beside those named here are ignored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum ViewerMessage {
    /// The pointer.
    Mouse {
        /// What happened.
        event: MouseEvent,
    },
    /// The keyboard.
    Keyboard {
        /// What happened.
        event: KeyEvent,
    },
    /// Fingers.
    Touch {
        /// What happened.
        event: TouchEvent,
    },
    /// An input method.
    Ime {
        /// What happened.
        event: ImeEvent,
    },
    /// Puts text in as if pasted.
    Paste {
        /// The text.
        text: String,
    },
    /// Asks for what the page's selection holds.
    Copy,
    /// Goes to a page.
    Navigate(Goto),
    /// Answers the open field; null closes it.
    Choose {
        /// The chosen values.
        #[serde(deserialize_with = "nullable")]
        values: Option<Vec<String>>,
    },
    /// Answers the open dialog.
    Dialog(Answer),
    /// Answers the file chooser; none cancels it.
    Files {
        /// The files.
        files: Vec<UploadFile>,
    },
    /// Makes the viewport another size.
    Resize(Size),
    /// Takes or releases control.
    Control {
        /// Which.
        action: ControlAction,
    },
    /// Which tab this viewer watches; null follows the active one.
    Tab {
        /// The tab.
        #[serde(deserialize_with = "nullable")]
        tab: Option<String>,
    },
    /// Changes what the hello said of quality and frame rate.
    Quality(QualityChange),
    /// The frame has been shown; from the first one on at most two frames are under way.
    Ack {
        /// The frame's `seq`.
        seq: u64,
    },
    /// Asks for a pong.
    Ping {
        /// What the pong repeats.
        #[serde(default)]
        id: Option<PingId>,
    },
}

/// Where to go: a URL or a step in the history, one of the two.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Goto {
    /// The URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<HistoryAction>,
}

/// The answer to a dialog.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// OK, or Cancel.
    pub accept: bool,
    /// The text of a prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// The size of a viewport, in CSS pixels; larger ones than a viewport may be are clamped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// Its width.
    pub width: u32,
    /// Its height.
    pub height: u32,
}

/// What a viewer does about control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ControlAction {
    /// Takes it.
    Take,
    /// Gives it back.
    Release,
}

/// What changes of quality and frame rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QualityChange {
    /// JPEG quality, 1 to 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quality: Option<u32>,
    /// Most frames a second, 1 to 60.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_fps: Option<u32>,
}

impl ViewerMessage {
    /// The types of a viewer's messages.
    pub const TYPES: &'static [&'static str] = &[
        "mouse", "keyboard", "touch", "ime", "paste", "copy", "navigate", "choose", "dialog", "files", "resize",
        "control", "tab", "quality", "ack", "ping",
    ];

    /// Reads a message.
    ///
    /// # Errors
    /// [`Unread`]: the message is to be ignored and counted.
    pub fn parse(text: &str) -> Result<Self, Unread> {
        let kind = message_type(text)?;
        if !Self::TYPES.contains(&kind.as_ref()) {
            return Err(Unread::UnknownType);
        }
        // Counted before they are made: a touch of thousands of points would take milliseconds.
        let has_lists = matches!(kind.as_ref(), "choose" | "files");
        if !has_lists && json::values(text.as_bytes()) > VALUES_MAX {
            return Err(Unread::Malformed);
        }
        let mut message: Self = serde_json::from_str(text).map_err(|_| Unread::Malformed)?;
        if let Self::Files { files } = &message {
            check_files(files).map_err(Unread::Unusable)?;
        }
        if message.settle() { Ok(message) } else { Err(Unread::Malformed) }
    }

    /// Whether it counts from a viewer that only watches.
    #[must_use]
    pub fn only_watches(&self) -> bool {
        matches!(self, Self::Tab { .. } | Self::Quality(_) | Self::Ack { .. } | Self::Ping { .. })
    }

    /// Clamps what is clamped; whether the rest is in range.
    fn settle(&mut self) -> bool {
        match self {
            Self::Mouse { event } => event.settle(),
            Self::Keyboard { event } => event.is_valid(),
            Self::Touch { event } => event.is_valid(),
            Self::Navigate(Goto { url, action }) => url.is_some() != action.is_some(),
            Self::Resize(size) => {
                size.width = size.width.min(VIEWPORT_MAX_WIDTH);
                size.height = size.height.min(VIEWPORT_MAX_HEIGHT);
                size.width > 0 && size.height > 0
            }
            Self::Tab { tab } => tab.as_deref().is_none_or(is_handle),
            Self::Quality(QualityChange { quality, max_fps }) => {
                (quality.is_some() || max_fps.is_some())
                    && quality.is_none_or(|quality| (1..=LIVE_QUALITY_MAX).contains(&quality))
                    && max_fps.is_none_or(|fps| (1..=LIVE_FPS_MAX).contains(&fps))
            }
            Self::Ping { id: Some(PingId::Text(text)) } => text.len() <= LIVE_PING_ID_MAX_BYTES,
            Self::Ime { .. }
            | Self::Paste { .. }
            | Self::Copy
            | Self::Choose { .. }
            | Self::Files { .. }
            | Self::Dialog(_)
            | Self::Control { .. }
            | Self::Ack { .. }
            | Self::Ping { .. } => true,
        }
    }
}

/// A field that must be there and may be null.
fn nullable<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    Option::deserialize(deserializer)
}
