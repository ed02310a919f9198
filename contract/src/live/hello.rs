//! The first message of a viewer.

use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use super::unread::{Unread, message_type};
use crate::json::Invalid;
use crate::limits::{
    LIVE_FPS_DEFAULT, LIVE_FPS_MAX, LIVE_HEIGHT_DEFAULT, LIVE_QUALITY_DEFAULT, LIVE_QUALITY_MAX, LIVE_SIZE_MAX,
    LIVE_WIDTH_DEFAULT,
};
use crate::request::in_range;
use crate::secret::expose_value;

/// The first message: the ticket, and how the viewer wants its frames.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename = "hello")]
pub struct Hello {
    /// The ticket of `session/viewer`.
    #[serde(serialize_with = "expose_value")]
    pub ticket: SecretString,
    /// How frames are packed.
    #[serde(default)]
    pub frames: FrameMode,
    /// Widest picture, in its own pixels.
    #[serde(default = "width")]
    pub max_width: u32,
    /// Highest picture, in its own pixels.
    #[serde(default = "height")]
    pub max_height: u32,
    /// JPEG quality, 1 to 100.
    #[serde(default = "quality")]
    pub quality: u32,
    /// Most frames a second, 1 to 60.
    #[serde(default = "fps")]
    pub max_fps: u32,
}

/// How frames are packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FrameMode {
    /// One binary message: length, header, JPEG.
    #[default]
    Binary,
    /// One text message: the header's fields and the JPEG as `data`.
    Json,
    /// The older protocol of chat studios: bare base64, and no message but status, url and viewport.
    Raw,
}

impl Hello {
    /// A hello with this ticket and the defaults.
    #[must_use]
    pub fn new(ticket: SecretString) -> Self {
        Self {
            ticket,
            frames: FrameMode::default(),
            max_width: width(),
            max_height: height(),
            quality: quality(),
            max_fps: fps(),
        }
    }

    /// Reads the first message.
    ///
    /// # Errors
    /// [`Unread`] for what is not a hello, lacks its ticket or has a value out of range.
    pub fn parse(text: &str) -> Result<Self, Unread> {
        match message_type(text)?.as_ref() {
            "hello" => {}
            _ => return Err(Unread::UnknownType),
        }
        let hello: Self = serde_json::from_str(text).map_err(|_| Unread::Malformed)?;
        hello.check().map_err(|_| Unread::Malformed)?;
        Ok(hello)
    }

    fn check(&self) -> Result<(), Invalid> {
        in_range("max_width", Some(self.max_width.into()), 1, LIVE_SIZE_MAX.into())?;
        in_range("max_height", Some(self.max_height.into()), 1, LIVE_SIZE_MAX.into())?;
        in_range("quality", Some(self.quality.into()), 1, LIVE_QUALITY_MAX.into())?;
        in_range("max_fps", Some(self.max_fps.into()), 1, LIVE_FPS_MAX.into())
    }
}

const fn width() -> u32 {
    LIVE_WIDTH_DEFAULT
}

const fn height() -> u32 {
    LIVE_HEIGHT_DEFAULT
}

const fn quality() -> u32 {
    LIVE_QUALITY_DEFAULT
}

const fn fps() -> u32 {
    LIVE_FPS_DEFAULT
}
