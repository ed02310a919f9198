//! The size cap's ladder: the picture as it is; the same as JPEG; its longest top part that fits; none.
//!
//! What is over the cap is transcoded here: asking the browser again would cost a capture and show another moment.

use std::io::Cursor;

use bytes::Bytes;
use image::codecs::jpeg::JpegEncoder;
use image::{ExtendedColorType, ImageError, ImageReader, RgbImage};
use porthole_contract::ImageFormat;
use porthole_contract::limits::LADDER_JPEG_QUALITY;

use crate::page::Capture;

/// What a picture has to fit into.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The size cap, in bytes.
    pub max_bytes: usize,
    /// The viewport's height in image pixels: only what is taller may be cut.
    pub viewport_height_px: u32,
}

/// A picture that fits.
#[derive(Clone, Debug)]
pub(super) struct Fitted {
    pub bytes: Bytes,
    pub format: ImageFormat,
    pub width: u32,
    pub height: u32,
    pub truncated: bool,
}

/// No picture that fits.
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

/// JPEG works in rows of blocks of this height: between them a picture's size does not change.
const BLOCK_PX: u32 = 8;

/// CSS pixels in image pixels.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "both factors are bounded by the contract")]
pub(super) fn image_px(css_px: u32, device_scale_factor: f64) -> u32 {
    (f64::from(css_px) * device_scale_factor).ceil() as u32
}

/// Fits a picture into the limits. The heavy part is done on a thread for blocking work.
pub(super) async fn fit(capture: Capture, quality: u8, limits: Limits) -> Result<Fitted, LadderError> {
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
    let picture = ImageReader::with_format(Cursor::new(&capture.bytes), codec(capture.format)).decode()?.into_rgb8();
    let (width, height) = picture.dimensions();
    let fitted = |bytes: Vec<u8>, height, truncated| Fitted {
        bytes: bytes.into(),
        format: ImageFormat::Jpeg,
        width,
        height,
        truncated,
    };
    let is_such_a_jpeg = capture.format == ImageFormat::Jpeg && quality <= LADDER_JPEG_QUALITY;
    let whole = if is_such_a_jpeg {
        capture.bytes.len()
    } else {
        let whole = top_as_jpeg(&picture, height)?;
        if whole.len() <= limits.max_bytes {
            return Ok(fitted(whole, height, capture.truncated));
        }
        whole.len()
    };
    if height > limits.viewport_height_px
        && let Some((bytes, height)) = longest_top(&picture, whole, limits.max_bytes)?
    {
        return Ok(fitted(bytes, height, true));
    }
    Err(LadderError::TooLarge { size: whole, max: limits.max_bytes })
}

/// The longest top part that fits, to the row of blocks: sought by estimate between a part that fits and one that
/// does not, since a picture's bytes are spread unevenly but never shrink as it grows.
fn longest_top(picture: &RgbImage, whole: usize, max_bytes: usize) -> Result<Option<(Vec<u8>, u32)>, LadderError> {
    let mut fits: Option<(Vec<u8>, u32)> = None;
    let (mut too_tall, mut too_large) = (picture.height(), whole);
    for round in 0.. {
        let (low, low_bytes) = fits.as_ref().map_or((0, 0), |(bytes, height)| (*height, bytes.len()));
        let rows_left = (too_tall - low).div_ceil(BLOCK_PX);
        if rows_left <= 1 {
            return Ok(fits);
        }
        // Every other round halves what is left, so that no spread of bytes makes this long.
        let share = if round % 2 == 1 {
            0.5
        } else {
            (max_bytes - low_bytes) as f64 / too_large.saturating_sub(low_bytes).max(1) as f64
        };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of a small number of rows"
        )]
        let step = ((f64::from(rows_left) * share) as u32).clamp(1, rows_left - 1);
        let height = low + step * BLOCK_PX;
        let bytes = top_as_jpeg(picture, height)?;
        if bytes.len() <= max_bytes {
            fits = Some((bytes, height));
        } else {
            (too_tall, too_large) = (height, bytes.len());
        }
    }
    Ok(fits)
}

fn top_as_jpeg(picture: &RgbImage, height: u32) -> Result<Vec<u8>, LadderError> {
    let mut bytes = Vec::new();
    let pixels = picture.width() as usize * height as usize * 3;
    JpegEncoder::new_with_quality(&mut bytes, LADDER_JPEG_QUALITY).encode(
        &picture.as_raw()[..pixels],
        picture.width(),
        height,
        ExtendedColorType::Rgb8,
    )?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Noise from a fixed seed: nothing compresses it.
    fn noise(width: u32, height: u32) -> RgbImage {
        let mut state = 0x2545_F491_u32;
        RgbImage::from_fn(width, height, |_, _| {
            image::Rgb(std::array::from_fn(|_| {
                state ^= state << 13;
                state ^= state >> 17;
                state ^= state << 5;
                state.to_le_bytes()[0]
            }))
        })
    }

    fn capture(picture: &RgbImage, format: ImageFormat) -> Capture {
        let mut bytes = Cursor::new(Vec::new());
        picture.write_to(&mut bytes, codec(format)).unwrap();
        Capture { bytes: bytes.into_inner().into(), format, truncated: false }
    }

    async fn fitted(
        capture: Capture,
        quality: u8,
        max_bytes: usize,
        viewport_height_px: u32,
    ) -> Result<Fitted, LadderError> {
        fit(capture, quality, Limits { max_bytes, viewport_height_px }).await
    }

    #[tokio::test]
    async fn a_picture_under_the_cap_stays_as_it_is() {
        for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Webp] {
            let given = capture(&noise(40, 30), format);
            let fitted = fitted(given.clone(), 80, given.bytes.len(), 30).await.unwrap();
            assert_eq!((fitted.bytes, fitted.format, fitted.width, fitted.height), (given.bytes, format, 40, 30));
            assert!(!fitted.truncated);
        }
    }

    #[tokio::test]
    async fn a_picture_over_the_cap_comes_as_jpeg() {
        for format in [ImageFormat::Png, ImageFormat::Webp, ImageFormat::Jpeg] {
            let given = capture(&noise(200, 200), format);
            let cap = given.bytes.len() - 1;
            let fitted = fitted(given, 100, cap, 200).await.unwrap();
            assert_eq!((fitted.format, fitted.width, fitted.height), (ImageFormat::Jpeg, 200, 200), "{format:?}");
            assert!(fitted.bytes.len() <= cap && !fitted.truncated);
        }
    }

    #[tokio::test]
    async fn what_is_taller_than_the_viewport_is_cut_to_the_longest_part_that_fits() {
        let picture = noise(200, 1000);
        let cap = top_as_jpeg(&picture, 1000).unwrap().len() / 3;
        let fitted = fitted(capture(&picture, ImageFormat::Png), 80, cap, 100).await.unwrap();
        assert!(fitted.truncated && fitted.bytes.len() <= cap);
        let one_row_more = top_as_jpeg(&picture, fitted.height + BLOCK_PX).unwrap();
        assert!(one_row_more.len() > cap, "{} px of 1000 are not the longest part", fitted.height);
    }

    #[tokio::test]
    async fn uneven_pictures_are_cut_as_well() {
        let mut picture = RgbImage::from_pixel(200, 1000, image::Rgb([255; 3]));
        image::imageops::replace(&mut picture, &noise(200, 200), 0, 800);
        let cap = top_as_jpeg(&picture, 900).unwrap().len();
        let fitted = fitted(capture(&picture, ImageFormat::Png), 80, cap, 100).await.unwrap();
        assert!((896..=904).contains(&fitted.height), "{}", fitted.height);
    }

    #[tokio::test]
    async fn what_is_not_taller_than_the_viewport_is_too_large() {
        let picture = noise(200, 200);
        let error = fitted(capture(&picture, ImageFormat::Png), 80, 1000, 200).await.unwrap_err();
        assert!(matches!(error, LadderError::TooLarge { max: 1000, .. }), "{error}");
        let error = fitted(capture(&picture, ImageFormat::Png), 80, 10, 100).await.unwrap_err();
        assert!(matches!(error, LadderError::TooLarge { .. }), "nothing fits into ten bytes: {error}");
    }

    #[tokio::test]
    async fn a_jpeg_of_that_quality_is_not_made_again() {
        let picture = noise(200, 400);
        let given =
            Capture { bytes: top_as_jpeg(&picture, 400).unwrap().into(), format: ImageFormat::Jpeg, truncated: false };
        let cap = given.bytes.len() - 1;
        let fitted = fitted(given, 60, cap, 100).await.unwrap();
        assert!(fitted.truncated && fitted.height < 400);
    }
}
