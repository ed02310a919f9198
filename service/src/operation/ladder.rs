//! The size cap's ladder: the picture unchanged; a PNG encoded again; the picture as JPEG; its longest top part that
//! fits as JPEG; an error.
//!
//! Pictures over the cap are transcoded here: asking the browser again would cost a capture and show another moment.

use std::cell::RefCell;
use std::io::{self, Cursor};

use bytes::Bytes;
use image::codecs::jpeg::JpegEncoder;
use image::{GenericImageView, ImageError, ImageReader, Rgb, RgbImage};
use porthole_contract::ImageFormat;
use porthole_contract::limits::LADDER_JPEG_QUALITY;

use super::lossless;
use crate::page::Capture;

/// The limits that a picture has to fit.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The size cap, in bytes.
    pub max_bytes: usize,
    /// The viewport's height in image pixels: only taller pictures may be cut.
    pub viewport_height_px: u32,
}

/// A picture that fits.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// The encoded image.
    pub bytes: Bytes,
    /// Its encoding.
    pub format: ImageFormat,
    /// Its width in image pixels.
    pub width: u32,
    /// Its height in image pixels.
    pub height: u32,
    /// Whether the page continues below it.
    pub truncated: bool,
}

/// Why no picture fits.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LadderError {
    /// Even the last step is over the cap.
    #[error("the picture is {size} bytes as JPEG, {max} are allowed")]
    TooLarge {
        /// Its size as JPEG, in bytes.
        size: usize,
        /// The cap, in bytes.
        max: usize,
    },
    /// The browser's image can't be read or written again.
    #[error("the picture can't be transcoded: {0}")]
    Unreadable(String),
}

impl From<ImageError> for LadderError {
    fn from(error: ImageError) -> Self {
        LadderError::Unreadable(error.to_string())
    }
}

/// Height of a row of blocks in a JPEG. Its size changes only from row to row, so pictures are cut at rows.
const BLOCK_PX: u32 = 8;

/// Converts CSS pixels to image pixels.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "both factors are bounded by the contract")]
pub(super) fn image_px(css_px: u32, device_scale_factor: f64) -> u32 {
    (f64::from(css_px) * device_scale_factor).ceil() as u32
}

/// Fits a picture into the limits. Transcoding runs on a thread for blocking work.
///
/// # Errors
/// [`LadderError`] if no step fits, or the picture can't be read.
pub async fn fit(capture: Capture, quality: u8, limits: Limits) -> Result<Fitted, LadderError> {
    if capture.bytes.len() <= limits.max_bytes {
        let (width, height) =
            ImageReader::with_format(Cursor::new(&capture.bytes), codec(capture.format)).into_dimensions()?;
        let Capture { bytes, format, truncated } = capture;
        return Ok(Fitted { bytes, format, width, height, truncated });
    }
    tokio::task::spawn_blocking(move || step_down(&capture, quality, limits))
        .await
        .map_err(|error| LadderError::Unreadable(error.to_string()))?
}

fn codec(format: ImageFormat) -> image::ImageFormat {
    match format {
        ImageFormat::Png => image::ImageFormat::Png,
        ImageFormat::Jpeg => image::ImageFormat::Jpeg,
        ImageFormat::Webp => image::ImageFormat::WebP,
    }
}

fn step_down(capture: &Capture, quality: u8, limits: Limits) -> Result<Fitted, LadderError> {
    let picture = ImageReader::with_format(Cursor::new(&capture.bytes), codec(capture.format)).decode()?;
    let stays_lossless = capture.format == ImageFormat::Png && lossless::is_opaque(&picture);
    let picture = picture.into_rgb8();
    let (width, height) = picture.dimensions();
    if stays_lossless && let Some(png) = lossless::png_within(&picture, limits.max_bytes) {
        let Capture { format, truncated, .. } = *capture;
        return Ok(Fitted { bytes: png.into(), format, width, height, truncated });
    }
    let fitted = |bytes: Vec<u8>, height, truncated| Fitted {
        bytes: bytes.into(),
        format: ImageFormat::Jpeg,
        width,
        height,
        truncated,
    };
    let whole = Encoding::of(&picture, height)?;
    let is_ladder_jpeg = capture.format == ImageFormat::Jpeg && quality <= LADDER_JPEG_QUALITY;
    if !is_ladder_jpeg && whole.jpeg.len() <= limits.max_bytes {
        return Ok(fitted(whole.jpeg, height, capture.truncated));
    }
    if height > limits.viewport_height_px {
        let mut top = whole.longest_top(limits.max_bytes);
        while top > 0 {
            let part = Encoding::of(&picture, top)?;
            if part.jpeg.len() <= limits.max_bytes {
                return Ok(fitted(part.jpeg, top, true));
            }
            top = top.saturating_sub(BLOCK_PX);
        }
    }
    Err(LadderError::TooLarge { size: whole.jpeg.len(), max: limits.max_bytes })
}

/// A picture's top part as JPEG, with the offset of each row of blocks: one encoding gives the size of every shorter
/// part, so the longest that fits is known without trying.
struct Encoding {
    jpeg: Vec<u8>,
    /// Bytes written before each row of blocks.
    bytes_before_row: Vec<usize>,
}

/// Bytes after a JPEG's last block: its last bits and the end marker.
const JPEG_END_BYTES: usize = 4;

impl Encoding {
    fn of(picture: &RgbImage, height: u32) -> Result<Self, LadderError> {
        let written = Written::default();
        let source = Watched { picture, height, written: &written, bytes_before_row: RefCell::new(Vec::new()) };
        JpegEncoder::new_with_quality(&written, LADDER_JPEG_QUALITY).encode_image(&source)?;
        let bytes_before_row = source.bytes_before_row.into_inner();
        Ok(Self { jpeg: written.0.into_inner(), bytes_before_row })
    }

    /// Returns the height of the longest top part that should fit, in whole rows of blocks.
    fn longest_top(&self, max_bytes: usize) -> u32 {
        let rows = self.bytes_before_row.iter().rposition(|before| before + JPEG_END_BYTES <= max_bytes).unwrap_or(0);
        u32::try_from(rows).unwrap_or(u32::MAX).saturating_mul(BLOCK_PX)
    }
}

/// The encoder's output, whose length can be read while the encoder is still writing.
#[derive(Default)]
struct Written(RefCell<Vec<u8>>);

impl io::Write for &Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A picture's top part that records the length of the output whenever the encoder begins a new row of blocks.
struct Watched<'a> {
    picture: &'a RgbImage,
    height: u32,
    written: &'a Written,
    bytes_before_row: RefCell<Vec<usize>>,
}

impl GenericImageView for Watched<'_> {
    type Pixel = Rgb<u8>;

    fn dimensions(&self) -> (u32, u32) {
        (self.picture.width(), self.height)
    }

    fn get_pixel(&self, x: u32, y: u32) -> Rgb<u8> {
        if x == 0 && y.is_multiple_of(BLOCK_PX) {
            let mut rows = self.bytes_before_row.borrow_mut();
            if rows.len() == (y / BLOCK_PX) as usize {
                rows.push(self.written.0.borrow().len());
            }
        }
        *self.picture.get_pixel(x, y)
    }
}

#[cfg(test)]
mod tests;
