//! What callers get. Readers ignore fields that they don't know.

use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::secret::expose_on_the_wire;

/// The answer to `POST create`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct CreateResponse {
    /// Always true.
    pub ok: bool,
    /// The sandbox's name, `sb-…`.
    pub sandbox_id: String,
    /// The token that its owner presents: a JWT.
    #[serde(serialize_with = "expose_on_the_wire")]
    #[schema(value_type = String)]
    pub owner_token: Option<SecretString>,
    /// When the token ends, RFC 3339 in UTC.
    #[schema(format = DateTime)]
    pub expires_at: String,
}

/// The answer to `POST browser-screenshot`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ScreenshotResponse {
    /// Always true.
    pub ok: bool,
    /// The page's title, cut at 1000 characters.
    pub title: String,
    /// Where the page is after its redirects.
    pub final_url: String,
    /// What the page's server answered.
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
    /// This request's id.
    pub request_id: String,
    /// Where the time went.
    pub timings_ms: Timings,
    /// How many of the page's own requests were refused.
    pub blocked_requests: u64,
    /// What did not go quite as asked, each `code: sentence`.
    pub warnings: Vec<String>,
}

/// The answer to `POST browser-extract`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ExtractResponse {
    /// Always true.
    pub ok: bool,
    /// The page's title, cut at 1000 characters.
    pub title: String,
    /// Where the page is after its redirects.
    pub final_url: String,
    /// What the page's server answered.
    pub status_code: u16,
    /// The text.
    pub content: String,
    /// Whether the text goes on beyond `content`.
    pub truncated: bool,
    /// What `content` is.
    pub format: ExtractFormat,
    /// The whole text's length in Unicode scalar values.
    pub total_chars: u64,
    /// This request's id.
    pub request_id: String,
    /// Where the time went.
    pub timings_ms: Timings,
    /// How many of the page's own requests were refused.
    pub blocked_requests: u64,
    /// What did not go quite as asked, each `code: sentence`.
    pub warnings: Vec<String>,
}

/// What the content of an extract is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExtractFormat {
    /// Text as a reader sees it.
    #[default]
    Text,
}

/// Where a request's time went, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Timings {
    /// Waiting for a place.
    #[serde(default)]
    pub queue: u64,
    /// Getting a page.
    #[serde(default)]
    pub session: u64,
    /// From the navigation's start to `DOMContentLoaded`.
    #[serde(default)]
    pub navigate: u64,
    /// The wait after it.
    #[serde(default)]
    pub settle: u64,
    /// Taking and fitting the picture, or reading the text.
    #[serde(default)]
    pub capture: u64,
    /// All of it.
    #[serde(default)]
    pub total: u64,
}
