//! Decodes pictures and asserts their size, colours and equality.

use std::collections::BTreeSet;

use image::{ImageFormat, RgbImage};

/// A decoded picture.
#[derive(Clone)]
pub struct Picture {
    pixels: RgbImage,
    /// Its format, detected from the bytes.
    pub format: ImageFormat,
    /// Its encoded size in bytes.
    pub bytes: usize,
}

impl Picture {
    /// Decodes PNG, JPEG or WebP.
    ///
    /// # Panics
    /// When the bytes have another format or are broken.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Self {
        let format = image::guess_format(bytes).expect("an image's magic bytes");
        let mut reader = image::ImageReader::with_format(std::io::Cursor::new(bytes), format);
        reader.no_limits();
        let pixels = reader.decode().expect("an image that decodes").to_rgb8();
        Self { pixels, format, bytes: bytes.len() }
    }

    /// Returns width and height.
    #[must_use]
    pub fn size(&self) -> (u32, u32) {
        self.pixels.dimensions()
    }

    /// Returns the colour of a pixel.
    ///
    /// # Panics
    /// When the pixel is outside the picture.
    #[must_use]
    pub fn at(&self, x: u32, y: u32) -> [u8; 3] {
        self.pixels.get_pixel(x, y).0
    }

    /// Asserts the colour of a pixel, with a tolerance of 12 per channel for lossy formats.
    ///
    /// # Panics
    /// When the colour differs more.
    #[track_caller]
    pub fn expect_colour(&self, x: u32, y: u32, expected: [u8; 3]) -> &Self {
        let seen = self.at(x, y);
        let near = seen.iter().zip(expected).all(|(seen, expected)| seen.abs_diff(expected) <= 12);
        assert!(near, "at {x},{y} of {:?} is {seen:?}, not {expected:?}", self.size());
        self
    }

    /// Asserts the picture's size.
    ///
    /// # Panics
    /// When the size differs.
    #[track_caller]
    pub fn expect_size(&self, width: u32, height: u32) -> &Self {
        assert_eq!(self.size(), (width, height), "the picture's size");
        self
    }

    /// Asserts that both pictures are equal, pixel by pixel.
    ///
    /// # Panics
    /// When they differ, with the number of differing pixels and their bounding box.
    #[track_caller]
    pub fn expect_same_as(&self, other: &Self) -> &Self {
        assert_eq!(self.size(), other.size(), "the pictures' sizes");
        let differs = |(x, y, pixel): &(u32, u32, &image::Rgb<u8>)| pixel.0 != other.at(*x, *y);
        let differing: Vec<_> = self.pixels.enumerate_pixels().filter(differs).map(|(x, y, _)| (x, y)).collect();
        if let Some(&(x, y)) = differing.first() {
            let (columns, rows): (BTreeSet<_>, BTreeSet<_>) = differing.iter().copied().unzip();
            panic!(
                "{} pixels differ, x from {:?} to {:?}, y from {:?} to {:?}; at {x},{y} are {:?} and {:?}",
                differing.len(),
                columns.first(),
                columns.last(),
                rows.first(),
                rows.last(),
                self.at(x, y),
                other.at(x, y),
            );
        }
        self
    }

    /// Returns whether every pixel has the same colour.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        let first = self.pixels.get_pixel(0, 0);
        self.pixels.pixels().all(|pixel| pixel == first)
    }

    /// Returns the pixels of a part, row by row.
    #[must_use]
    pub fn part(&self, left: u32, top: u32, width: u32, height: u32) -> Vec<[u8; 3]> {
        (top..top + height)
            .flat_map(|y| (left..left + width).map(move |x| (x, y)))
            .map(|(x, y)| self.at(x, y))
            .collect()
    }
}

/// Returns a PNG of one colour.
///
/// # Panics
/// Never: writing to memory does not fail.
#[must_use]
pub fn png_of(width: u32, height: u32, colour: [u8; 3]) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    RgbImage::from_pixel(width, height, image::Rgb(colour))
        .write_to(&mut bytes, ImageFormat::Png)
        .expect("a PNG in memory");
    bytes.into_inner()
}
