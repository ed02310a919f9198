//! An answer with a file's content, which is read and encoded as its caller takes it.

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use futures_util::stream::{self, StreamExt as _};
use http::{HeaderValue, header};
use porthole_contract::session::{Files, SessionAnswer};
use tokio::fs::File;
use tokio::io::AsyncReadExt as _;

/// Bytes that are encoded at a time: a multiple of three, so that no part but the last is padded.
const PART_BYTES: u64 = 48 * 1024;
/// Where the content stands in an answer that was made without. Quotes inside of strings are escaped.
const EMPTY_CONTENT: &str = r#""content_base64":"""#;

/// Makes the answer of one that has no content yet, and the file that has it.
pub(super) fn with_content(answer: &SessionAnswer<Files>, content: File) -> Response {
    let json = serde_json::to_string(answer).expect("an answer with string keys can be serialised");
    let at = json.rfind(EMPTY_CONTENT).map_or(json.len(), |at| at + EMPTY_CONTENT.len() - 1);
    let (before, after) = json.split_at(at);
    let bytes = answer.result.bytes.unwrap_or_default();
    let length = json.len() as u64 + bytes.div_ceil(3) * 4;
    let content = stream::try_unfold((content, bytes), |(mut content, left)| async move {
        if left == 0 {
            return Ok(None);
        }
        let mut part = vec![0; usize::try_from(left.min(PART_BYTES)).unwrap_or_default()];
        content.read_exact(&mut part).await?;
        let left = left - part.len() as u64;
        Ok::<_, std::io::Error>(Some((BASE64_STANDARD.encode(part), (content, left))))
    });
    let ends = |text: &str| stream::iter([Ok(text.to_owned())]);
    let body = Body::from_stream(ends(before).chain(content).chain(ends(after)));
    let content_type = (header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    ([content_type, (header::CONTENT_LENGTH, length.into())], body).into_response()
}
