//! A page's screencast: the frames that the browser draws, as JPEGs.
//!
//! The browser has at most three frames under way that are not acknowledged, and drops what it draws beyond them. So
//! acknowledgements set the pace, and memory is bounded.

use std::borrow::Cow;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use chromiumoxide_cdp::cdp::browser_protocol::page::{
    ScreencastFrameAckParams, StartScreencastFormat, StartScreencastParams, StopScreencastParams,
};
use serde::Deserialize;

use super::Page;
use crate::cdp::{Events, SCREENCAST_FRAME, Session};

/// Frames that the browser has under way without an acknowledgement (Chromium's `kMaxScreencastFramesInFlight` is 2, and
/// is compared before the next one).
pub const FRAMES_UNDER_WAY_MAX: usize = 3;

/// How frames are to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CastOptions {
    /// Widest picture, in pixels.
    pub max_width: u32,
    /// Highest picture, in pixels.
    pub max_height: u32,
    /// JPEG quality.
    pub quality: u32,
}

/// A frame as the browser drew it.
#[derive(Clone, Debug)]
pub struct CastFrame {
    /// What [`Screencast::acknowledge`] takes.
    pub number: i64,
    /// The picture.
    pub jpeg: Bytes,
    /// The picture's width and height, in its own pixels.
    pub size: (u32, u32),
    /// The viewport's width and height, in CSS pixels.
    pub viewport: (u32, u32),
    /// What the browser draws above the page, in CSS pixels.
    pub offset_top: f64,
    /// The page's scale by pinching.
    pub page_scale_factor: f64,
    /// How far the page is scrolled, in CSS pixels.
    pub scroll: (f64, f64),
    /// When it was drawn, in milliseconds since 1970; 0 where the browser does not say.
    pub timestamp_ms: u64,
}

/// A running screencast. Dropping it stops it.
pub struct Screencast {
    session: Session,
    events: Events,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Frame<'a> {
    #[serde(borrow)]
    data: Cow<'a, str>,
    metadata: Metadata,
    session_id: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    #[serde(default)]
    offset_top: f64,
    #[serde(default = "one")]
    page_scale_factor: f64,
    device_width: f64,
    device_height: f64,
    #[serde(default)]
    scroll_offset_x: f64,
    #[serde(default)]
    scroll_offset_y: f64,
    #[serde(default)]
    timestamp: f64,
}

const fn one() -> f64 {
    1.0
}

impl Page {
    /// Begins a screencast. The browser sends a frame at once, and one after each change.
    #[must_use]
    pub fn screencast(&self, options: CastOptions) -> Screencast {
        let events = self.session.events(&[SCREENCAST_FRAME]);
        let cast = Screencast { session: self.session.clone(), events };
        cast.start(options);
        cast
    }
}

impl Screencast {
    fn start(&self, options: CastOptions) {
        let start = StartScreencastParams {
            format: Some(StartScreencastFormat::Jpeg),
            quality: Some(options.quality.into()),
            max_width: Some(options.max_width.into()),
            max_height: Some(options.max_height.into()),
            every_nth_frame: None,
        };
        self.session.call(&start).forget();
    }

    /// Begins anew: with other options, or to be sent what the page shows now.
    pub fn restart(&self, options: CastOptions) {
        self.stop();
        self.start(options);
    }

    fn stop(&self) {
        self.session.call(&StopScreencastParams::default()).forget();
    }

    /// Waits for the next frame; `None` when the page or its browser is gone.
    pub async fn next(&mut self) -> Option<CastFrame> {
        loop {
            let event = self.events.next().await?;
            match event.read::<Frame<'_>>() {
                Ok(frame) => match decoded(&frame) {
                    Some(decoded) => return Some(decoded),
                    None => {
                        tracing::warn!("a frame of a screencast is no JPEG");
                        self.acknowledge(frame.session_id);
                    }
                },
                Err(error) => tracing::warn!(%error, "a frame of a screencast can't be read"),
            }
        }
    }

    /// Lets the browser send another frame in place of this one.
    pub fn acknowledge(&self, number: i64) {
        self.session.call(&ScreencastFrameAckParams::new(number)).forget();
    }
}

impl Drop for Screencast {
    fn drop(&mut self) {
        self.stop();
    }
}

fn decoded(frame: &Frame<'_>) -> Option<CastFrame> {
    let jpeg = BASE64_STANDARD.decode(frame.data.as_bytes()).ok()?;
    let size = jpeg_size(&jpeg)?;
    let metadata = &frame.metadata;
    Some(CastFrame {
        number: frame.session_id,
        jpeg: jpeg.into(),
        size,
        viewport: (whole(metadata.device_width), whole(metadata.device_height)),
        offset_top: metadata.offset_top,
        page_scale_factor: metadata.page_scale_factor,
        scroll: (metadata.scroll_offset_x, metadata.scroll_offset_y),
        timestamp_ms: millis(metadata.timestamp),
    })
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a float's conversion saturates")]
fn whole(px: f64) -> u32 {
    px.round() as u32
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a float's conversion saturates")]
fn millis(seconds: f64) -> u64 {
    (seconds * 1000.0).round() as u64
}

/// A JPEG's width and height, from its frame header (ITU-T T.81, B.2.2).
fn jpeg_size(jpeg: &[u8]) -> Option<(u32, u32)> {
    let mut rest = jpeg.strip_prefix(&[0xff, 0xd8])?;
    loop {
        let [0xff, marker, high, low, segment @ ..] = rest else { return None };
        let is_frame_header = matches!(marker, 0xc0..=0xcf) && !matches!(marker, 0xc4 | 0xc8 | 0xcc);
        if is_frame_header {
            let [_precision, height_high, height_low, width_high, width_low, ..] = segment else { return None };
            let number = |high, low| u32::from(u16::from_be_bytes([high, low]));
            return Some((number(*width_high, *width_low), number(*height_high, *height_low)));
        }
        let length = usize::from(u16::from_be_bytes([*high, *low]));
        rest = segment.get(length.checked_sub(2)?..)?;
    }
}

#[cfg(test)]
mod tests {
    use image::codecs::jpeg::JpegEncoder;
    use image::{ExtendedColorType, ImageEncoder as _};

    use super::*;

    fn jpeg(width: u32, height: u32) -> Vec<u8> {
        let mut jpeg = Vec::new();
        let pixels = vec![128; (width * height * 3) as usize];
        JpegEncoder::new_with_quality(&mut jpeg, 70)
            .write_image(&pixels, width, height, ExtendedColorType::Rgb8)
            .unwrap();
        jpeg
    }

    #[test]
    fn a_jpeg_s_size_is_read_from_its_head() {
        for (width, height) in [(1, 1), (640, 360), (1280, 720)] {
            assert_eq!(jpeg_size(&jpeg(width, height)), Some((width, height)));
        }
        let whole = jpeg(8, 8);
        let shortest = (0..whole.len()).find(|length| jpeg_size(&whole[..*length]).is_some()).unwrap();
        assert!((0..shortest).all(|length| jpeg_size(&whole[..length]).is_none()));
        for bytes in [&b"GIF89a"[..], &[0xff, 0xd8, 0xff, 0xe0, 0, 0], &[0xff, 0xd8, 0xff, 0xe0, 0, 1, 2]] {
            assert_eq!(jpeg_size(bytes), None);
        }
    }

    #[test]
    fn a_frame_is_decoded_once_and_keeps_what_is_told_of_it() {
        let data = BASE64_STANDARD.encode(jpeg(4, 2));
        let event = format!(
            r#"{{"data":"{data}","sessionId":7,"metadata":{{"offsetTop":0,"pageScaleFactor":1,"deviceWidth":1280,
            "deviceHeight":720,"scrollOffsetX":0,"scrollOffsetY":12.5,"timestamp":1764000000.25}}}}"#
        );
        let frame = decoded(&serde_json::from_str(&event).unwrap()).unwrap();
        assert_eq!((frame.number, frame.size, frame.viewport), (7, (4, 2), (1280, 720)));
        assert_eq!((frame.scroll, frame.timestamp_ms), ((0.0, 12.5), 1_764_000_000_250));
        assert!(decoded(&serde_json::from_str(&event.replace(&data, "QUJD")).unwrap()).is_none());
    }
}
