//! A page's screencast: the frames that the browser draws, as JPEGs.
//!
//! The browser has at most three frames under way that are not acknowledged, and drops what it draws beyond them. So
//! acknowledgements set the pace, and memory is bounded. But it copies each frame that it draws, whether that is sent or
//! not: of a page that moves, a few pictures a second cost less as captures.

use std::borrow::Cow;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use chromiumoxide_cdp::cdp::browser_protocol::page::{
    CaptureScreenshotFormat, CaptureScreenshotParams, GetLayoutMetricsParams, ScreencastFrameAckParams,
    StartScreencastFormat, StartScreencastParams, StopScreencastParams,
};
use serde::Deserialize;

use super::Page;
use super::jpeg::{drop_colour_profile, jpeg_size};
use crate::cdp::{CdpError, Events, SCREENCAST_FRAME, Session};

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
    /// What [`Screencast::acknowledge`] takes; 0 of a capture.
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

    /// Captures the viewport as a frame of a screencast: in CSS pixels, so that the page's pixels must be of that size.
    ///
    /// # Errors
    /// [`CdpError`] where the browser refuses or is gone. A page that a dialog holds does not answer.
    pub async fn captured_frame(&self, quality: u32, viewport: (u32, u32)) -> Result<Option<CastFrame>, CdpError> {
        let capture = CaptureScreenshotParams {
            format: Some(CaptureScreenshotFormat::Jpeg),
            quality: Some(quality.into()),
            optimize_for_speed: Some(true),
            ..CaptureScreenshotParams::default()
        };
        // Both are sent before either is awaited.
        let (capture, metrics) = (self.session.call(&capture), self.session.call(&GetLayoutMetricsParams::default()));
        let (capture, shown) = (capture.await?, metrics.await?.css_visual_viewport);
        let Ok(mut jpeg) = BASE64_STANDARD.decode(AsRef::<[u8]>::as_ref(&capture.data)) else { return Ok(None) };
        let Some(size) = jpeg_size(&jpeg) else { return Ok(None) };
        drop_colour_profile(&mut jpeg);
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(Some(CastFrame {
            number: 0,
            jpeg: jpeg.into(),
            size,
            viewport,
            offset_top: 0.0,
            page_scale_factor: shown.scale,
            scroll: (shown.page_x, shown.page_y),
            timestamp_ms: millis(since_1970.as_secs_f64()),
        }))
    }

    /// Whether its browser runs beside us, so that an answer takes no time on a line.
    #[must_use]
    pub fn is_local(&self) -> bool {
        self.network.egress().is_some()
    }
}

impl Screencast {
    /// Begins again after [`Self::stop`].
    pub fn start(&self, options: CastOptions) {
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

    /// Has the browser send no more frames; some may still be under way.
    pub fn stop(&self) {
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
                        tracing::warn!("a screencast frame is not a JPEG");
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::jpeg::tests::jpeg;

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
