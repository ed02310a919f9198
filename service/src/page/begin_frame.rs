//! Frames by hand: a page of a browser that draws when told to, and only then. Its frames go with its own clock, which is
//! run ahead, and the picture comes with the last of them.

use std::io::Cursor;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use chromiumoxide_cdp::cdp::browser_protocol::headless_experimental::{
    BeginFrameParams, BeginFrameReturns, ScreenshotParams, ScreenshotParamsFormat,
};
use image::ImageReader;
use porthole_contract::ImageFormat;
use tokio::sync::OwnedMutexGuard;
use tokio::time::{Instant, Sleep, sleep, timeout};

use super::{Capture, Page, PageError};
use crate::cdp::{Call, CdpError};
use crate::provider::FrameLock;

/// How long one frame may take. A page whose script hangs within one would hold up all others.
const FRAME_TIMEOUT: Duration = Duration::from_secs(2);
/// How long a page waits for its lock: some others' frames, one of which may hang.
const LOCK_TIMEOUT: Duration = Duration::from_secs(4);
/// By how much a frame is later than the one before while the clock stands still: no two are of the same time.
const FRAME_LATER_MS: f64 = 0.01;
/// How many frames may come without the picture, or with one of an earlier size, while a page begins (seen: up to six).
const FRAMES_WITHOUT_PICTURE_MAX: usize = 30;

/// What a page that draws only when told to needs.
#[derive(Debug)]
pub(super) struct FrameControl {
    frame_lock: FrameLock,
    clock: Mutex<Clock>,
    /// The end of a frame's time. One timer for all frames: a new one that ends before all others wakes the runtime.
    limit: tokio::sync::Mutex<Pin<Box<Sleep>>>,
}

/// A frame that the browser draws. Its lock lasts until the browser has answered, or a frame's time is over, whoever still
/// waits for it.
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

/// The page's own time, in the browser's count of milliseconds.
#[derive(Clone, Copy, Debug, Default)]
struct Clock {
    /// When the clock was first let run ahead; nothing before that.
    base_ms: Option<f64>,
    /// How far it has run since.
    passed_ms: f64,
    /// How many frames were drawn: each is a little later than the last.
    frames: u32,
}

impl FrameControl {
    pub(super) fn new(frame_lock: FrameLock) -> Self {
        Self { frame_lock, clock: Mutex::default(), limit: tokio::sync::Mutex::new(Box::pin(sleep(FRAME_TIMEOUT))) }
    }

    /// The page's clock has run ahead by so much, since that base.
    pub(super) fn passed(&self, base_ms: f64, by_ms: u32) {
        let mut clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        clock.base_ms.get_or_insert(base_ms);
        clock.passed_ms += f64::from(by_ms);
    }

    /// The time that the next frame is of; none where it is the real one.
    fn frame_time_ms(&self) -> Option<f64> {
        let mut clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        clock.frames += 1;
        clock.base_ms.map(|base| base + clock.passed_ms + f64::from(clock.frames) * FRAME_LATER_MS)
    }
}

impl Page {
    /// Has the page draw a frame; whether anything was new in it.
    pub(super) async fn draw(&self, control: &FrameControl) -> Result<bool, PageError> {
        Ok(self.frame(control, None).await?.has_damage)
    }

    /// The picture of the viewport.
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
            if self.is_of_the_viewport(&bytes) {
                return Ok(Capture { bytes: bytes.into(), format, truncated: false });
            }
        }
        Err(PageError::NoFrame("none had a picture".to_owned()))
    }

    /// A frame drawn in the page's lock, which lasts until the browser has answered, whoever still waits for it.
    async fn frame(
        &self,
        control: &FrameControl,
        screenshot: Option<ScreenshotParams>,
    ) -> Result<BeginFrameReturns, PageError> {
        let lock = timeout(LOCK_TIMEOUT, control.frame_lock.acquire()).await;
        let lock = lock.map_err(|_| PageError::NoFrame("others took too long".to_owned()))?;
        let mut limit = control.limit.lock().await;
        limit.as_mut().reset(Instant::now() + FRAME_TIMEOUT);
        let frame = BeginFrameParams { frame_time_ticks: control.frame_time_ms(), screenshot, ..Default::default() };
        let mut drawn = Frame { answer: Some(self.session.call(&frame)), lock: Some(lock) };
        tokio::select! {
            biased;
            stop = self.stop() => Err(stop.into()),
            drawn = drawn.answer() => match drawn {
                // It does not want to: whoever asked for it takes another kind of page.
                Err(error) if !error.is_gone() => Err(PageError::NoFrame(error.to_string())),
                drawn => Ok(drawn?),
            },
            () = limit.as_mut() => {
                drawn.give_up();
                Err(PageError::NoFrame("it took too long".to_owned()))
            }
        }
    }

    /// The first frames after a change of size can still be of the size before.
    fn is_of_the_viewport(&self, picture: &[u8]) -> bool {
        let size = ImageReader::new(Cursor::new(picture)).with_guessed_format().map(ImageReader::into_dimensions);
        matches!(size, Ok(Ok(size)) if size == (self.viewport.width, self.viewport.height))
    }
}
