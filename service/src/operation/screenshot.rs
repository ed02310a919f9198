//! Takes a screenshot: visits the page, captures it, makes the picture fit the size cap.

use bytes::Bytes;
use porthole_contract::limits::IMAGE_MAX_BYTES;
use porthole_contract::{ImageFormat, ScreenshotRequest, Timings, Until, Viewport, Warning, WarningCode};

use super::annotate;
use super::ladder::{self, Fitted};
use super::phase::phase;
use super::visit::{Stopwatch, Visit, within};
use super::{Browsing, OperationError, credentials};
use crate::admission::Client;
use crate::page::interact::RefBox;
use crate::page::{Appearance, Arrival, Page, PageError, Region};
use crate::provider::Frames;

/// The quality of JPEG and WebP when none is asked for.
const QUALITY_DEFAULT: u8 = 80;

/// A screenshot that was taken.
#[derive(Clone, Debug)]
pub struct Screenshot {
    /// The encoded image.
    pub bytes: Bytes,
    /// Its encoding; the size cap may have changed it from the requested one.
    pub format: ImageFormat,
    /// Its width in image pixels.
    pub width: u32,
    /// Its height in image pixels.
    pub height: u32,
    /// Whether the page continues below it.
    pub truncated: bool,
    /// Where the page was.
    pub arrival: Arrival,
    /// Where the time went.
    pub timings: Timings,
    /// Warnings, each as `code: sentence`.
    pub warnings: Vec<Warning>,
}

impl Browsing {
    /// Takes a screenshot.
    ///
    /// # Errors
    /// [`OperationError`]: every code of the contract that a screenshot can fail with.
    pub async fn screenshot(&self, client: &Client, request: &ScreenshotRequest) -> Result<Screenshot, OperationError> {
        let started = Stopwatch::start();
        within(request.timeout_ms, async |deadline| {
            let frames = frames(request);
            match self.take(client, request, frames, deadline, started).await {
                Err(OperationError::Page(PageError::NoFrame(why))) if frames == Frames::BeginFrame => {
                    tracing::info!(why, "a page drew no frame by begin_frame; visiting it again with an ordinary page");
                    self.take(client, request, Frames::Ordinary, deadline, started).await
                }
                taken => taken,
            }
        })
        .await
    }

    async fn take(
        &self,
        client: &Client,
        request: &ScreenshotRequest,
        frames: Frames,
        deadline: tokio::time::Instant,
        started: Stopwatch,
    ) -> Result<Screenshot, OperationError> {
        let viewport = request.viewport.unwrap_or(Viewport::PHONE);
        let mut visited = self
            .visit(Visit {
                client,
                sandbox_id: &request.sandbox_id,
                url: &request.url,
                appearance: Appearance {
                    viewport,
                    color_scheme: request.color_scheme,
                    reduced_motion: request.reduced_motion,
                },
                wait: request.wait.clone().unwrap_or_default(),
                on_timeout: request.on_timeout.unwrap_or_default(),
                frames,
                deadline,
                credentials: credentials(request.browserbase_api_key.as_ref(), request.browserbase_project_id.as_ref()),
            })
            .await?;
        let work = Stopwatch::start();
        let format = request.format.unwrap_or_default();
        let region = match &request.selector {
            Some(selector) => Region::Element(selector.clone()),
            None if request.full_page => Region::FullPage,
            None => Region::Viewport,
        };
        let (quality, max_bytes) = (request.quality, request.max_bytes);
        let wanted = Wanted { region, format, quality, max_bytes, viewport, marks: Vec::new() };
        let (picture, arrival, of_picture) = picture(&visited.page, &wanted).await?;
        let Fitted { bytes, format: fitted, width, height, truncated } = picture;
        let (timings, mut warnings) = visited.account(&arrival, work, started);
        warnings.extend(of_picture);
        Ok(Screenshot { bytes, format: fitted, width, height, truncated, arrival, timings, warnings })
    }
}

/// The picture that is wanted of a page.
pub(crate) struct Wanted {
    /// What it shows.
    pub region: Region,
    /// Its format, unless the size cap demands another.
    pub format: ImageFormat,
    /// The quality of JPEG and WebP; `None` for [`QUALITY_DEFAULT`].
    pub quality: Option<u8>,
    /// The size cap in bytes; `None` for [`IMAGE_MAX_BYTES`].
    pub max_bytes: Option<u32>,
    /// The page's window.
    pub viewport: Viewport,
    /// The refs that are drawn on it.
    pub marks: Vec<RefBox>,
}

/// Takes a picture of a page and makes it fit the size cap. Returns it with where the page was, and warnings.
///
/// # Errors
/// [`OperationError`]: no such region, too large on every step of the ladder, refused or dead page.
pub(crate) async fn picture(page: &Page, wanted: &Wanted) -> Result<(Fitted, Arrival, Vec<Warning>), OperationError> {
    let Wanted { region, format, quality, max_bytes, viewport, marks } = wanted;
    let quality_or_default = quality.unwrap_or(QUALITY_DEFAULT);
    // What is drawn on is encoded again, and should lose nothing before.
    let captured_as = if marks.is_empty() { *format } else { ImageFormat::Png };
    let capture = phase("capture", page.capture(region, captured_as, quality_or_default));
    let (capture, arrival) = page.arrival(capture).await;
    // The arrival comes first: a page that was refused meanwhile has no picture.
    let (arrival, capture) = (arrival?, capture.map_err(|error| OperationError::of_selector("selector", error))?);
    let capture = if marks.is_empty() {
        capture
    } else {
        let placement = page.placement(region).await?;
        annotate::draw_on(capture, marks, placement, *format, quality_or_default).await?
    };
    let limits = ladder::Limits {
        max_bytes: max_bytes.map_or(IMAGE_MAX_BYTES, |max| max as usize),
        viewport_height_px: ladder::image_px(viewport.height, viewport.device_scale_factor),
    };
    let fitted = ladder::fit(capture, quality_or_default, limits).await?;
    let mut warnings = Vec::new();
    if *format == ImageFormat::Png && quality.is_some() {
        warnings.push(WarningCode::QualityIgnored.says("a PNG has no quality"));
    }
    if fitted.format != *format {
        let kind = fitted.format.mime_type();
        warnings.push(WarningCode::FormatChanged.says(format!("the picture was over the size cap and came as {kind}")));
    }
    Ok((fitted, arrival, warnings))
}

/// Returns how the page of this request draws. `begin_frame` captures only the viewport at scale 1, and suits only
/// waits that do not depend on the page drawing by itself.
fn frames(request: &ScreenshotRequest) -> Frames {
    let viewport = request.viewport.unwrap_or(Viewport::PHONE);
    let wait = request.wait.clone().unwrap_or_default();
    let waits_without_frames = match wait.until {
        Until::Settled => true,
        Until::Load | Until::DomContentLoaded => wait.selector.is_none() && wait.delay_ms.unwrap_or(0) == 0,
        Until::NetworkIdle => false,
    };
    let is_scale_one = (viewport.device_scale_factor - 1.0).abs() < f64::EPSILON;
    let suits = !request.full_page && request.selector.is_none() && is_scale_one && waits_without_frames;
    if suits { Frames::BeginFrame } else { Frames::Ordinary }
}
