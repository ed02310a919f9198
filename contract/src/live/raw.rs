//! The older protocol of chat studios: no message but status, URL and viewport, none with a `type`.

use serde_json::{Value, json};

use super::server::ServerMessage;

/// A message in `raw` mode; none of those that it does not know.
#[must_use]
pub fn raw_text(message: &ServerMessage) -> Option<String> {
    let value: Value = match message {
        ServerMessage::Status { status } => json!({ "status": status }),
        ServerMessage::Url { url, .. } => json!({ "url": url }),
        ServerMessage::Viewport { width, height, offset_top, page_scale_factor } => json!({ "viewport": {
            "width": width, "height": height, "offset_top": offset_top, "page_scale_factor": page_scale_factor,
        } }),
        _ => return None,
    };
    Some(value.to_string())
}
