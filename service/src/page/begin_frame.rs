//! Drawing by `begin_frame`, in a browser that draws a frame only on that command. Frames follow the page's virtual
//! time, which runs ahead, and the picture comes with the last frame.

use std::io::Cursor;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use chromiumoxide_cdp::cdp::browser_protocol::headless_experimental::{
    BeginFrameParams, BeginFrameReturns, ScreenshotParams, ScreenshotParamsFormat,
};
use image::ImageReader;
use porthole_contract::ImageFormat;
use tokio::sync::OwnedMutexGuard;
use tokio::time::{Instant, timeout};

use super::frame_control::{FRAME_TIMEOUT, FrameControl};
use super::{Capture, Page, PageError};
use crate::cdp::{Call, CdpError};

/// Time limit for the frame lock: a few frames of other pages, one of which may hang.
const LOCK_TIMEOUT: Duration = Duration::from_secs(4);
/// Maximum number of frames without a picture, or with one of an earlier size, at a page's start (seen: up to six).
const FRAMES_WITHOUT_PICTURE_MAX: usize = 30;

/// A frame that the browser is drawing. It holds the frame lock until the browser has answered or [`FRAME_TIMEOUT`]
/// is over, even if the caller no longer waits for it.
struct Frame {
    answer: Option<Call<BeginFrameReturns>>,
    lock: Option<OwnedMutexGuard<()>>,
}

impl Frame {
    async fn answer(&mut self) -> Result<BeginFrameReturns, CdpError> {
        let Some(answer) = &mut self.answer else { return std::future::pending().await };
        let answered = answer.await;
        self.give_up();
        answered
    }

    fn give_up(&mut self) {
        (self.answer, self.lock) = (None, None);
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        if let (Some(answer), Some(lock)) = (self.answer.take(), self.lock.take()) {
            tokio::spawn(async move {
                drop(timeout(FRAME_TIMEOUT, answer).await);
                drop(lock);
            });
        }
    }
}

impl Page {
    /// Makes the page draw a frame; returns whether anything in it is new.
    pub(super) async fn draw(&self, control: &FrameControl) -> Result<bool, PageError> {
        Ok(self.frame(control, None).await?.has_damage)
    }

    /// Draws frames until one has a picture of the viewport, and returns that.
    pub(super) async fn draw_picture(
        &self,
        control: &FrameControl,
        format: ImageFormat,
        quality: u8,
    ) -> Result<Capture, PageError> {
        let picture = ScreenshotParams {
            format: Some(match format {
                ImageFormat::Png => ScreenshotParamsFormat::Png,
                ImageFormat::Jpeg => ScreenshotParamsFormat::Jpeg,
                ImageFormat::Webp => ScreenshotParamsFormat::Webp,
            }),
            quality: (format != ImageFormat::Png).then(|| i64::from(quality)),
            optimize_for_speed: Some(format == ImageFormat::Png),
        };
        for _ in 0..FRAMES_WITHOUT_PICTURE_MAX {
            let drawn = self.frame(control, Some(picture.clone())).await?;
            let Some(encoded) = drawn.screenshot_data else { continue };
            let encoded: &[u8] = encoded.as_ref();
            let bytes = BASE64_STANDARD.decode(encoded).map_err(|error| PageError::NoFrame(error.to_string()))?;
            if self.has_viewport_size(&bytes) {
                return Ok(Capture { bytes: bytes.into(), format, truncated: false });
            }
        }
        Err(PageError::NoFrame("no frame had a picture of the viewport".to_owned()))
    }

    /// Draws a frame under the frame lock, which is held until the browser has answered, even if the caller no longer
    /// waits.
    async fn frame(
        &self,
        control: &FrameControl,
        screenshot: Option<ScreenshotParams>,
    ) -> Result<BeginFrameReturns, PageError> {
        let lock = timeout(LOCK_TIMEOUT, control.frame_lock.acquire()).await;
        let lock = lock.map_err(|_| PageError::NoFrame("the frame lock was not free in time".to_owned()))?;
        let mut limit = control.limit.lock().await;
        limit.as_mut().reset(Instant::now() + FRAME_TIMEOUT);
        let frame = BeginFrameParams { frame_time_ticks: control.frame_time_ms(), screenshot, ..Default::default() };
        let mut drawn = Frame { answer: Some(self.session.call(&frame)), lock: Some(lock) };
        tokio::select! {
            biased;
            stop = self.stop() => Err(stop.into()),
            drawn = drawn.answer() => match drawn {
                // The browser rejected the command: the operation repeats the visit with an ordinary page.
                Err(error) if !error.is_gone() => Err(PageError::NoFrame(error.to_string())),
                drawn => Ok(drawn?),
            },
            () = limit.as_mut() => {
                drawn.give_up();
                Err(PageError::NoFrame("the browser did not answer in time".to_owned()))
            }
        }
    }

    /// Whether the picture has the viewport's size: the first frames after a change of size can have the earlier one.
    fn has_viewport_size(&self, picture: &[u8]) -> bool {
        let size = ImageReader::new(Cursor::new(picture)).with_guessed_format().map(ImageReader::into_dimensions);
        matches!(size, Ok(Ok(size)) if size == (self.viewport.width, self.viewport.height))
    }
}
