//! Re-encodes a picture as a PNG that is reasonably small, if it then fits a limit.
//!
//! The browser is asked for fast, large PNGs. Re-encoded they are no larger than the browser's slow ones.

use std::io::{self, Write};

use image::{DynamicImage, RgbImage};
use png::{BitDepth, ColorType, DeflateCompression, Encoder, EncodingError, Filter};

/// The compression level of the browser's slow encoder. Higher levels take twice the time or more, and save 1 %.
const LEVEL: u8 = 6;
/// Bytes compressed before any are written: how soon the encoder notices that a picture won't fit.
const CHUNK_BYTES: usize = 32 * 1024;

/// Whether all pixels are opaque, so that the picture is the same without its alpha channel.
pub(super) fn is_opaque(picture: &DynamicImage) -> bool {
    !picture.color().has_alpha()
        || picture.as_rgba8().is_some_and(|pixels| pixels.pixels().all(|pixel| pixel.0[3] == u8::MAX))
}

/// Encodes the picture as a PNG of at most `max_bytes`. Stops as soon as it is longer, and returns `None`.
pub(super) fn png_within(picture: &RgbImage, max_bytes: usize) -> Option<Vec<u8>> {
    let mut written = Bounded { bytes: Vec::new(), max_bytes };
    // Writing to memory can't fail: the only error is that the picture does not fit.
    encode(picture, &mut written).ok()?;
    Some(written.bytes)
}

fn encode(picture: &RgbImage, to: &mut Bounded) -> Result<(), EncodingError> {
    let mut encoder = Encoder::new(to, picture.width(), picture.height());
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_filter(Filter::Adaptive);
    encoder.set_deflate_compression(DeflateCompression::Level(LEVEL));
    let mut writer = encoder.write_header()?;
    // Not `write_image_data`: that compresses the whole picture before it writes any of it.
    let mut stream = writer.stream_writer_with_size(CHUNK_BYTES)?;
    stream.write_all(picture.as_raw())?;
    stream.finish()?;
    writer.finish()
}

/// A buffer of at most `max_bytes`.
struct Bounded {
    bytes: Vec<u8>,
    max_bytes: usize,
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > self.max_bytes {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use image::{Rgb, RgbaImage};

    use super::*;

    fn slope(width: u32, height: u32) -> RgbImage {
        RgbImage::from_fn(width, height, |x, y| Rgb([x, y, x + y].map(|channel| channel.to_le_bytes()[0])))
    }

    #[test]
    fn a_png_fits_its_exact_size_and_no_less() {
        let picture = slope(300, 200);
        let png = png_within(&picture, usize::MAX).unwrap();
        assert_eq!(png_within(&picture, png.len()).unwrap(), png);
        assert!(png_within(&picture, png.len() - 1).is_none());
        assert!(png_within(&picture, 0).is_none());
        let read = image::load_from_memory_with_format(&png, image::ImageFormat::Png).unwrap();
        assert_eq!(read.into_rgb8(), picture);
    }

    #[test]
    fn a_single_pixel_that_is_not_opaque_counts() {
        let mut pixels = RgbaImage::from_pixel(3, 3, image::Rgba([1, 2, 3, 255]));
        assert!(is_opaque(&pixels.clone().into()) && is_opaque(&slope(3, 3).into()));
        pixels.get_pixel_mut(2, 2).0[3] = 254;
        assert!(!is_opaque(&pixels.into()));
    }
}
