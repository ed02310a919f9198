//! Response bodies. Clients ignore fields that they don't know.

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
    /// The owner token: a JWT.
    #[serde(serialize_with = "expose_on_the_wire")]
    #[schema(value_type = String)]
    pub owner_token: Option<SecretString>,
    /// When the token expires, RFC 3339 in UTC.
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
    /// The page's URL after redirects.
    pub final_url: String,
    /// The HTTP status that the page's server answered with.
    pub status_code: u16,
    /// The image, base64-encoded.
    pub image_base64: String,
    /// The image's media type. The size cap may change it from the requested format.
    pub mime_type: String,
    /// Whether the page continues below the image.
    pub truncated: bool,
    /// The image's width in image pixels.
    pub width: u32,
    /// The image's height in image pixels.
    pub height: u32,
    /// The image's size in bytes, before base64.
    pub bytes: u64,
    /// This request's id.
    pub request_id: String,
    /// Time spent in each phase.
    pub timings_ms: Timings,
    /// Number of the page's own requests that were blocked.
    pub blocked_requests: u64,
    /// Deviations from the request, each as `code: sentence`.
    pub warnings: Vec<String>,
}

/// The answer to `POST browser-extract`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ExtractResponse {
    /// Always true.
    pub ok: bool,
    /// The page's title, cut at 1000 characters.
    pub title: String,
    /// The page's URL after redirects.
    pub final_url: String,
    /// The HTTP status that the page's server answered with.
    pub status_code: u16,
    /// The extracted text, Markdown, HTML, CSV, or JSON as a string.
    pub content: String,
    /// The content as JSON, where it has structure; for an article, its metadata.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub data: Option<Value>,
    /// Whether there is more than `content` holds.
    pub truncated: bool,
    /// The format of `content`: `text`, `html`, `markdown`, `csv`, `json`, or one added later.
    #[schema(value_type = String, examples("text"))]
    pub format: ExtractFormat,
    /// The length of the whole `content` in Unicode scalar values, before it was cut.
    pub total_chars: u64,
    /// Number of matches on the page, if the directive returns several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched: Option<u64>,
    /// The `offset` at which the rest begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
    /// The result of each directive, if there were several; the fields above are those of the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<ExtractResult>,
    /// This request's id.
    pub request_id: String,
    /// Time spent in each phase.
    pub timings_ms: Timings,
    /// Number of the page's own requests that were blocked.
    pub blocked_requests: u64,
    /// Deviations from the request, each as `code: sentence`.
    pub warnings: Vec<String>,
}

/// The result of one of several directives.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ExtractResult {
    /// The directive: its kind, and its selector if it has one.
    pub directive: String,
    /// The format of `content`: `text`, `html`, `markdown`, `csv`, `json`, or one added later.
    #[schema(value_type = String, examples("text"))]
    pub format: ExtractFormat,
    /// The extracted content.
    pub content: String,
    /// The content as JSON, where it has structure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub data: Option<Value>,
    /// Whether there is more than `content` holds.
    pub truncated: bool,
    /// The length of the whole `content` in Unicode scalar values, before it was cut.
    pub total_chars: u64,
    /// Number of matches on the page, if the directive returns several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched: Option<u64>,
    /// The `offset` at which the rest begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
    /// Deviations from the request, each as `code: sentence`; for example, that nothing matched.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// The format of an extract's content. A newer service may send a format that is not listed here.
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
    /// A format added later, by its name.
    #[serde(untagged)]
    Other(String),
}

/// Time spent in each phase of a request, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Timings {
    /// Waiting for a permit.
    #[serde(default)]
    pub queue: u64,
    /// Leasing a page.
    #[serde(default)]
    pub session: u64,
    /// From the navigation's start to `DOMContentLoaded`.
    #[serde(default)]
    pub navigate: u64,
    /// The wait after `DOMContentLoaded`.
    #[serde(default)]
    pub settle: u64,
    /// Capturing the image and fitting it to the size cap, or reading the text.
    #[serde(default)]
    pub capture: u64,
    /// The whole request.
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
            assert!(
                serde_json::to_value(&read).unwrap().get("results").is_none(),
                "empty results are left out, as in earlier versions"
            );
        }
    }
}
