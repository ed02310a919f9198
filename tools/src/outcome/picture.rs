//! Pictures for models: on their longer side no longer than models look at.

use std::io::Cursor;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::codecs::jpeg::JpegEncoder;
use image::{ImageReader, Limits};

/// The longer side of a picture in a result, in pixels: models scale larger ones down themselves, and count them in full.
pub const PICTURE_MAX_SIDE_PX: u32 = 1568;
/// A tall or wide picture is not made narrower than this: the rest of it is cut off, since nothing could be read on it.
const READABLE_MIN_SIDE_PX: u32 = 400;
/// Memory for a decoded picture, in bytes: the largest that the service makes, 50 million pixels of three or four bytes.
const DECODED_MAX_BYTES: u64 = 210_000_000;
/// JPEG quality of scaled pictures.
const SCALED_QUALITY: u8 = 85;

/// A picture in a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The picture, base64 with padding.
    pub base64: String,
    /// Its media type.
    pub mime_type: String,
    /// Its width in pixels.
    pub width: u32,
    /// Its height in pixels.
    pub height: u32,
    /// The size of the picture that it was made from, where it was scaled or cut.
    pub made_from: Option<(u32, u32)>,
    /// Whether a part of that is missing.
    pub cut: bool,
}

/// How a picture is scaled and cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Plan {
    /// The part that is kept, from the upper left corner.
    kept: (u32, u32),
    /// What that is scaled to.
    scaled: (u32, u32),
}

/// The size of a picture, from its header.
pub(super) fn size(base64: &str) -> Option<(u32, u32)> {
    let bytes = STANDARD.decode(base64).ok()?;
    ImageReader::new(Cursor::new(bytes)).with_guessed_format().ok()?.into_dimensions().ok()
}

/// The picture as a model gets it: unchanged where it is small enough. `None` for what is no picture.
pub(super) fn fitted(base64: String, mime_type: &str) -> Option<Image> {
    let (width, height) = size(&base64)?;
    let Some(plan) = plan(width, height) else {
        return Some(Image { base64, mime_type: mime_type.to_owned(), width, height, made_from: None, cut: false });
    };
    let mut reader = ImageReader::new(Cursor::new(STANDARD.decode(&base64).ok()?)).with_guessed_format().ok()?;
    drop(base64);
    let mut limits = Limits::default();
    limits.max_alloc = Some(DECODED_MAX_BYTES);
    reader.limits(limits);
    let (kept_width, kept_height) = plan.kept;
    let decoded = reader.decode().ok()?.crop_imm(0, 0, kept_width, kept_height);
    let (width_px, height_px) = plan.scaled;
    let scaled = decoded.thumbnail_exact(width_px, height_px).into_rgb8();
    let mut jpeg = Vec::new();
    JpegEncoder::new_with_quality(&mut jpeg, SCALED_QUALITY).encode_image(&scaled).ok()?;
    Some(Image {
        base64: STANDARD.encode(jpeg),
        mime_type: "image/jpeg".to_owned(),
        width: width_px,
        height: height_px,
        made_from: Some((width, height)),
        cut: plan.kept != (width, height),
    })
}

/// How a picture is made small enough; nothing where it is.
fn plan(width: u32, height: u32) -> Option<Plan> {
    let (long, short) = (width.max(height), width.min(height));
    if long <= PICTURE_MAX_SIDE_PX {
        return None;
    }
    let scaled = |side: u32, from: u32, to: u32| {
        let scaled = u64::from(side) * u64::from(to) / u64::from(from.max(1));
        u32::try_from(scaled).unwrap_or(u32::MAX).max(1)
    };
    // The whole of it, unless that leaves too little to be read.
    let whole_short = scaled(short, long, PICTURE_MAX_SIDE_PX);
    let short_px = whole_short.max(short.min(READABLE_MIN_SIDE_PX));
    let (kept_long, long_px) = if short_px > whole_short {
        (scaled(PICTURE_MAX_SIDE_PX, short_px, short).min(long), PICTURE_MAX_SIDE_PX)
    } else {
        (long, PICTURE_MAX_SIDE_PX)
    };
    let in_order = |long_side: u32, short_side: u32| {
        if width >= height { (long_side, short_side) } else { (short_side, long_side) }
    };
    Some(Plan { kept: in_order(kept_long, short), scaled: in_order(long_px, short_px) })
}

#[cfg(test)]
mod tests {
    use image::{DynamicImage, ImageFormat, RgbImage};

    use super::*;

    #[test]
    fn pictures_are_scaled_whole_or_cut_where_nothing_could_be_read() {
        for ((width, height), expected) in [
            ((1280, 720), None),
            ((1568, 1568), None),
            ((2560, 1440), Some(((2560, 1440), (1568, 882)))),
            ((1280, 3136), Some(((1280, 3136), (640, 1568)))),
            ((1280, 12_544), Some(((1280, 5017), (400, 1568)))),
            ((390, 16_384), Some(((390, 1568), (390, 1568)))),
            ((16_384, 10), Some(((1568, 10), (1568, 10)))),
        ] {
            let planned = plan(width, height).map(|plan| (plan.kept, plan.scaled));
            assert_eq!(planned, expected, "{width}×{height}");
        }
    }

    #[test]
    fn a_large_picture_becomes_a_small_jpeg_and_a_small_one_stays() {
        let png = |width, height| {
            let mut bytes = Cursor::new(Vec::new());
            DynamicImage::ImageRgb8(RgbImage::new(width, height)).write_to(&mut bytes, ImageFormat::Png).unwrap();
            STANDARD.encode(bytes.into_inner())
        };
        let small = png(100, 50);
        let same = fitted(small.clone(), "image/png").unwrap();
        assert_eq!((same.base64, same.width, same.height, same.made_from), (small, 100, 50, None));
        let scaled = fitted(png(3136, 100), "image/png").unwrap();
        assert_eq!((scaled.mime_type.as_str(), scaled.width, scaled.height), ("image/jpeg", 1568, 100));
        assert_eq!((scaled.made_from, scaled.cut), (Some((3136, 100)), true));
        assert_eq!(size(&scaled.base64), Some((1568, 100)));
        assert_eq!(fitted("AAAA".to_owned(), "image/png"), None);
        assert_eq!(fitted("no base64".to_owned(), "image/png"), None);
    }
}
