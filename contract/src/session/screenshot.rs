//! A picture of a session's page.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::request::session_request;
use super::target::Targeted;
use crate::ImageFormat;
use crate::json::Invalid;
use crate::limits::IMAGE_MAX_BYTES;
use crate::request::in_range;

session_request! {
    /// `POST session/screenshot`: a picture of the session's page.
    SessionScreenshotRequest [maybe_target] {
        /// The whole page instead of the viewport.
        #[serde(default)]
        pub full_page: bool,
        /// The image's format; default `png`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub format: Option<ImageFormat>,
        /// JPEG's or WebP's quality; default 80.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(minimum = 1, maximum = 100)]
        pub quality: Option<u8>,
        /// The size cap, in bytes of image; default 1500000.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(minimum = 1, maximum = 1_500_000, default = 1_500_000)]
        pub max_bytes: Option<u32>,
        /// Whether the refs of the latest snapshot are drawn on the picture.
        #[serde(default)]
        pub annotate: bool,
    }
}

impl SessionScreenshotRequest {
    fn check(&self) -> Result<(), Invalid> {
        if self.full_page && self.target().is_some() {
            return Err(Invalid::new("full_page", "goes without a target: send one of them"));
        }
        in_range("quality", self.quality.map(u64::from), 1, 100)?;
        in_range("max_bytes", self.max_bytes.map(u64::from), 1, IMAGE_MAX_BYTES as u64)
    }
}

/// What `screenshot` answers beside the fields of every answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Picture {
    /// Where the page is: the answer's `url`.
    pub final_url: String,
    /// What the document's server answered; 0 for a page that came from none.
    #[serde(default)]
    pub status_code: u16,
    /// The image.
    pub image_base64: String,
    /// The image's media type: after the size cap it may be another than was asked for.
    pub mime_type: String,
    /// Whether the page goes on below the picture.
    pub truncated: bool,
    /// The image's width in image pixels.
    pub width: u32,
    /// The image's height in image pixels.
    pub height: u32,
    /// The image's size in bytes, before base64.
    pub bytes: u64,
    /// How many of the document's own requests were refused.
    #[serde(default)]
    pub blocked_requests: u64,
}
