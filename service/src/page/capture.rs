//! Taking a picture of a page: the viewport, the whole page, or one element.

use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use chromiumoxide_cdp::cdp::browser_protocol::page::{
    CaptureScreenshotFormat, CaptureScreenshotParams, GetLayoutMetricsParams, Viewport as Clip,
};
use porthole_contract::ImageFormat;
use porthole_contract::limits::{CAPTURE_TIMEOUT, IMAGE_MAX_HEIGHT_PX, IMAGE_MAX_PIXELS};
use serde::Deserialize;

use super::interact::BoundingBox;
use super::script::BOX;
use super::{Page, PageError};
use crate::cdp::CdpError;

/// The part of the page to capture.
#[derive(Clone, Debug, PartialEq)]
pub enum Region {
    /// The viewport.
    Viewport,
    /// The page from top to bottom.
    FullPage,
    /// The first element that this CSS selector matches.
    Element(String),
    /// A rectangle, in CSS pixels of the viewport as it is scrolled now.
    InView(BoundingBox),
}

/// Where a picture is in the page's viewport.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Its upper left corner, in CSS pixels of the viewport.
    pub origin: (f64, f64),
    /// How many of its pixels a CSS pixel has.
    pub scale: f64,
}

/// A picture as the browser encoded it.
#[derive(Clone, Debug)]
pub struct Capture {
    /// The encoded image.
    pub bytes: Bytes,
    /// Its encoding.
    pub format: ImageFormat,
    /// Whether the region continues below the picture.
    pub truncated: bool,
}

#[derive(Deserialize)]
struct Found {
    #[serde(default)]
    invalid: bool,
    #[serde(rename = "box")]
    rect: Option<Rect>,
}

/// The page's layout, as the browser measures it.
struct Metrics {
    /// The whole document.
    content: Rect,
    /// The page's zoom factor: over 1 is zoomed in.
    zoom: f64,
    /// How far the page is scrolled, to the right and down, in CSS pixels.
    scrolled: (f64, f64),
}

/// A part of the document, in CSS pixels from its top left corner.
#[derive(Clone, Copy, Debug, Deserialize)]
struct Rect {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl Metrics {
    fn scale(&self) -> f64 {
        scale(self.zoom)
    }
}

/// A phone zooms out to show a page that was not made for phones. The picture does too, or it would be wider than the
/// phone. Zooming in does not enlarge it.
fn scale(zoom: f64) -> f64 {
    if zoom > 0.0 { zoom.min(1.0) } else { 1.0 }
}

impl Page {
    /// Captures the region. Its height and area are cut at the contract's limits.
    ///
    /// # Errors
    /// [`PageError`]: no such element, not a selector, took too long, crashed. [`PageError::NoFrame`] if a page drawn
    /// by `begin_frame` draws no frame, or the region is not the viewport.
    pub async fn capture(&self, region: &Region, format: ImageFormat, quality: u8) -> Result<Capture, PageError> {
        if let Some(control) = &self.frame_control {
            // In this mode the browser never answers an ordinary capture.
            return match region {
                Region::Viewport => self.draw_picture(control, format, quality).await,
                Region::FullPage | Region::Element(_) | Region::InView(_) => {
                    Err(PageError::NoFrame("begin_frame captures only the viewport".to_owned()))
                }
            };
        }
        let clip = match region {
            Region::Viewport => None,
            Region::FullPage => {
                let metrics = self.metrics().await?;
                Some(self.clip(metrics.content, metrics.zoom))
            }
            Region::Element(selector) => {
                let (element, metrics) = tokio::join!(self.element(selector), self.metrics());
                Some(self.clip(element?, metrics?.zoom))
            }
            Region::InView(part) => {
                let metrics = self.metrics().await?;
                let (left, top) = (part.x + metrics.scrolled.0, part.y + metrics.scrolled.1);
                let rect = Rect { left: left.max(0.0), top: top.max(0.0), width: part.width, height: part.height };
                Some(self.clip(rect, metrics.zoom))
            }
        };
        let (clip, truncated) = clip.map_or((None, false), |(clip, truncated)| (Some(clip), truncated));
        let params = CaptureScreenshotParams {
            format: Some(match format {
                ImageFormat::Png => CaptureScreenshotFormat::Png,
                ImageFormat::Jpeg => CaptureScreenshotFormat::Jpeg,
                ImageFormat::Webp => CaptureScreenshotFormat::Webp,
            }),
            quality: (format != ImageFormat::Png).then(|| i64::from(quality)),
            // Same pixels in more bytes: the ladder re-encodes pictures over the size cap.
            optimize_for_speed: (format == ImageFormat::Png).then_some(true),
            capture_beyond_viewport: Some(clip.is_some()),
            clip,
            ..Default::default()
        };
        // Meanwhile the page has another size: a person's input would come elsewhere.
        let _beyond = params.clip.is_some().then(|| (self.captures_beyond.begin(), self.acts()));
        let shot = self.within(CAPTURE_TIMEOUT, "capturing the page", self.session.call(&params)).await?;
        let encoded: &[u8] = shot.data.as_ref();
        let bytes = BASE64_STANDARD.decode(encoded).map_err(|error| {
            PageError::Browser(CdpError::Unreadable {
                method: "Page.captureScreenshot".into(),
                reason: error.to_string(),
            })
        })?;
        Ok(Capture { bytes: bytes.into(), format, truncated })
    }

    /// Whether a picture of more than the viewport is being taken, or was within this time.
    #[must_use]
    pub fn is_captured_beyond_viewport(&self, within: Duration) -> bool {
        self.captures_beyond.are_taken(within)
    }

    /// Returns where a picture of this region is in the viewport as it is scrolled now.
    ///
    /// # Errors
    /// [`PageError`]: took too long, crashed.
    pub async fn placement(&self, region: &Region) -> Result<Placement, PageError> {
        let metrics = self.metrics().await?;
        let origin = match region {
            Region::Viewport | Region::Element(_) => (0.0, 0.0),
            Region::FullPage => (-metrics.scrolled.0, -metrics.scrolled.1),
            Region::InView(part) => (part.x, part.y),
        };
        Ok(Placement { origin, scale: metrics.scale() * self.viewport.device_scale_factor })
    }

    async fn metrics(&self) -> Result<Metrics, PageError> {
        let call = self.session.call(&GetLayoutMetricsParams::default());
        let metrics = self.within(CAPTURE_TIMEOUT, "measuring the page", call).await?;
        let size = metrics.css_content_size;
        let content = Rect { left: 0.0, top: 0.0, width: size.width.max(1.0), height: size.height.max(1.0) };
        let viewport = metrics.css_layout_viewport;
        let scrolled = (viewport.page_x as f64, viewport.page_y as f64);
        Ok(Metrics { content, zoom: metrics.css_visual_viewport.scale, scrolled })
    }

    async fn element(&self, selector: &str) -> Result<Rect, PageError> {
        let found: Found = self.run(CAPTURE_TIMEOUT, "measuring the element", BOX, [selector.into()]).await?;
        match found {
            Found { invalid: true, .. } => Err(PageError::InvalidSelector(selector.to_owned())),
            Found { rect: Some(rect), .. } if rect.width >= 1.0 && rect.height >= 1.0 => Ok(rect),
            _ => Err(PageError::SelectorNotFound(selector.to_owned())),
        }
    }

    /// Returns the top part of `rect` that the limits allow, and whether the rest was cut off.
    fn clip(&self, rect: Rect, zoom: f64) -> (Clip, bool) {
        let scale = scale(zoom);
        let image_px = scale * self.viewport.device_scale_factor;
        let width_px = (rect.width * image_px).clamp(1.0, f64::from(IMAGE_MAX_HEIGHT_PX));
        let height_px_max = f64::from(IMAGE_MAX_HEIGHT_PX).min((IMAGE_MAX_PIXELS as f64 / width_px).floor());
        let height_max = height_px_max / image_px;
        let height = rect.height.min(height_max);
        (Clip { x: rect.left, y: rect.top, width: width_px / image_px, height, scale }, height < rect.height)
    }
}
