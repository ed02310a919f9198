//! A picture as a PNG that is as small as is sensible, where it fits a limit.
//!
//! The browser is asked for quick PNGs. This makes up for it: no larger than the browser's own careful ones would be.

use std::io::{self, Write};

use image::{DynamicImage, RgbImage};
use png::{BitDepth, ColorType, DeflateCompression, Encoder, EncodingError, Filter};

/// What the browser's careful encoder works with. Higher levels take twice the time and more, for one part in a hundred.
const LEVEL: u8 = 6;
/// How much is compressed before it is written, in bytes: how soon it shows that a picture won't fit.
const CHUNK_BYTES: usize = 32 * 1024;

/// Whether nothing shows through: then the picture without its alpha channel is the same picture.
pub(super) fn is_opaque(picture: &DynamicImage) -> bool {
    !picture.color().has_alpha()
        || picture.as_rgba8().is_some_and(|pixels| pixels.pixels().all(|pixel| pixel.0[3] == u8::MAX))
}

/// The picture as a PNG of at most `max_bytes`, if it can be. As soon as it is longer it is given up.
pub(super) fn png_within(picture: &RgbImage, max_bytes: usize) -> Option<Vec<u8>> {
    let mut written = Bounded { bytes: Vec::new(), max_bytes };
    // Memory can't fail to be written to: the only error is that the picture does not fit.
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

/// Memory that takes so much and no more.
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
    fn it_fits_to_the_byte_or_not_at_all() {
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
