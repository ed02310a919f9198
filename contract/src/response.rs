//! What callers get. Readers ignore fields that they don't know.

use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::Value;
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
    /// What was read: text, Markdown, HTML, CSV, or JSON as a string.
    pub content: String,
    /// The same as JSON, where it has structure; about an article what the page says of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub data: Option<Value>,
    /// Whether it goes on beyond `content`.
    pub truncated: bool,
    /// What `content` is: `text`, `html`, `markdown`, `csv`, `json`, or a later format.
    #[schema(value_type = String, examples("text"))]
    pub format: ExtractFormat,
    /// The length of the whole `content` in Unicode scalar values, before it was cut.
    pub total_chars: u64,
    /// How many there were on the page, where several were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched: Option<u64>,
    /// The `offset` that gives the rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
    /// Every directive's result where there were several; the fields above are the first one's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<ExtractResult>,
    /// This request's id.
    pub request_id: String,
    /// Where the time went.
    pub timings_ms: Timings,
    /// How many of the page's own requests were refused.
    pub blocked_requests: u64,
    /// What did not go quite as asked, each `code: sentence`.
    pub warnings: Vec<String>,
}

/// What one of several directives gave.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ExtractResult {
    /// The directive: its kind, and its selector if it has one.
    pub directive: String,
    /// What `content` is: `text`, `html`, `markdown`, `csv`, `json`, or a later format.
    #[schema(value_type = String, examples("text"))]
    pub format: ExtractFormat,
    /// What was read.
    pub content: String,
    /// The same as JSON, where it has structure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub data: Option<Value>,
    /// Whether it goes on beyond `content`.
    pub truncated: bool,
    /// The length of the whole `content` in Unicode scalar values, before it was cut.
    pub total_chars: u64,
    /// How many there were on the page, where several were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched: Option<u64>,
    /// The `offset` that gives the rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
    /// What did not go quite as asked, each `code: sentence`: for one, that nothing matched.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// What the content of an extract is. A service newer than its reader may name a format that is not here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExtractFormat {
    /// Text as a reader sees it.
    #[default]
    Text,
    /// HTML.
    Html,
    /// CommonMark, with GitHub's tables.
    Markdown,
    /// Comma-separated values.
    Csv,
    /// JSON.
    Json,
    /// A later one, by its name.
    #[serde(untagged)]
    Other(String),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_format_and_an_earlier_answer_are_both_read() {
        for (name, format) in [
            ("text", ExtractFormat::Text),
            ("markdown", ExtractFormat::Markdown),
            ("later", ExtractFormat::Other("later".to_owned())),
        ] {
            let answer = serde_json::json!({"ok": true, "title": "", "final_url": "", "status_code": 200, "content": "",
                "truncated": false, "format": name, "total_chars": 0, "request_id": "", "timings_ms": {},
                "blocked_requests": 0, "warnings": []});
            let read: ExtractResponse = serde_json::from_value(answer).unwrap();
            assert_eq!(read.format, format);
            assert_eq!(serde_json::to_value(&read.format).unwrap(), name);
            assert!(serde_json::to_value(&read).unwrap().get("results").is_none(), "absent as it was before");
        }
    }
}
