//! A frame on the wire: its header, and how `binary` and `json` pack header and picture.

use serde::{Deserialize, Serialize};

/// What is told of a frame beside its JPEG.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FrameHeader {
    /// Grows from frame to frame; a viewer may miss numbers.
    pub seq: u64,
    /// The picture's width, in its own pixels.
    pub width: u32,
    /// The picture's height, in its own pixels.
    pub height: u32,
    /// When the browser drew it, in milliseconds since 1970.
    pub timestamp_ms: u64,
    /// How far the page is scrolled to the right, in CSS pixels.
    pub scroll_x: f64,
    /// How far the page is scrolled down, in CSS pixels.
    pub scroll_y: f64,
    /// The page's scale by pinching.
    pub page_scale_factor: f64,
}

/// A message that is no binary frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a binary frame")]
pub struct NotAFrame;

/// Bytes of the header's length, big-endian.
const LENGTH_BYTES: usize = 4;

/// A frame in `binary` mode: the header's length in 4 bytes (big-endian), the header as JSON, the JPEG.
#[must_use]
pub fn binary_frame(header: &FrameHeader, jpeg: &[u8]) -> Vec<u8> {
    let header = serde_json::to_vec(header).unwrap_or_default();
    let length = u32::try_from(header.len()).unwrap_or(u32::MAX);
    let mut message = Vec::with_capacity(LENGTH_BYTES + header.len() + jpeg.len());
    message.extend_from_slice(&length.to_be_bytes());
    message.extend_from_slice(&header);
    message.extend_from_slice(jpeg);
    message
}

/// Splits a frame in `binary` mode into its header and its JPEG.
///
/// # Errors
/// [`NotAFrame`] for a message that is too short or whose header can't be read.
pub fn split_binary_frame(message: &[u8]) -> Result<(FrameHeader, &[u8]), NotAFrame> {
    let (length, rest) = message.split_first_chunk::<LENGTH_BYTES>().ok_or(NotAFrame)?;
    let length = usize::try_from(u32::from_be_bytes(*length)).map_err(|_| NotAFrame)?;
    let (header, jpeg) = rest.split_at_checked(length).ok_or(NotAFrame)?;
    Ok((serde_json::from_slice(header).map_err(|_| NotAFrame)?, jpeg))
}

/// A frame in `json` mode, with the JPEG in base64 as `data`.
#[must_use]
pub fn json_frame(header: &FrameHeader, jpeg_base64: &str) -> String {
    // Base64 needs no escaping, so that the picture is copied once and never scanned.
    let header = serde_json::to_string(header).unwrap_or_default();
    let fields = header.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or_default();
    format!(r#"{{"type":"frame",{fields},"data":"{jpeg_base64}"}}"#)
}
