//! Draws refs on a picture: a box around each element and its number in the box's corner. The page is not touched.

use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::codecs::webp::WebPEncoder;
use image::{ImageReader, Rgb, RgbImage};
use porthole_contract::ImageFormat;

use super::ladder::LadderError;
use crate::page::interact::RefBox;
use crate::page::{Capture, Placement};

/// An element to mark, in pixels of the picture. It may reach out of it.
#[derive(Clone, Debug, PartialEq)]
struct Mark {
    /// The number of its ref.
    number: u64,
    /// Its left edge.
    left: f64,
    /// Its upper edge.
    top: f64,
    /// Its width.
    width: f64,
    /// Its height.
    height: f64,
}

/// Colours of neighbouring marks; white digits can be read on each.
const COLOURS: [Rgb<u8>; 6] = [
    Rgb([0xc6, 0x28, 0x28]),
    Rgb([0x15, 0x65, 0xc0]),
    Rgb([0x2e, 0x7d, 0x32]),
    Rgb([0x6a, 0x1b, 0x9a]),
    Rgb([0xad, 0x14, 0x57]),
    Rgb([0x4e, 0x34, 0x2e]),
];
const WHITE: Rgb<u8> = Rgb([0xff; 3]);
/// A box's line, in CSS pixels.
const LINE_PX: f64 = 2.0;
/// A dot of a digit, in CSS pixels.
const DOT_PX: f64 = 2.0;
/// Dots of a character, and with the gap after it.
const GLYPH_WIDTH: u32 = 3;
const GLYPH_HEIGHT: u32 = 5;
const ADVANCE: u32 = GLYPH_WIDTH + 1;

/// The digits from 0 to 9 and `e`: five rows of three dots, the left one in the highest bit.
const GLYPHS: [[u8; GLYPH_HEIGHT as usize]; 11] = [
    [0b111, 0b101, 0b101, 0b101, 0b111],
    [0b010, 0b110, 0b010, 0b010, 0b111],
    [0b111, 0b001, 0b111, 0b100, 0b111],
    [0b111, 0b001, 0b111, 0b001, 0b111],
    [0b101, 0b101, 0b111, 0b001, 0b001],
    [0b111, 0b100, 0b111, 0b001, 0b111],
    [0b111, 0b100, 0b111, 0b101, 0b111],
    [0b111, 0b001, 0b010, 0b010, 0b010],
    [0b111, 0b101, 0b111, 0b101, 0b111],
    [0b111, 0b101, 0b111, 0b001, 0b111],
    [0b111, 0b101, 0b111, 0b100, 0b111],
];
const LETTER_E: usize = 10;

/// Draws refs on a PNG and encodes it as wanted, on a thread for blocking work.
///
/// # Errors
/// [`LadderError::Unreadable`].
pub(crate) async fn draw_on(
    capture: Capture,
    boxes: &[RefBox],
    placement: Placement,
    format: ImageFormat,
    quality: u8,
) -> Result<Capture, LadderError> {
    let Placement { origin, scale } = placement;
    let marks: Vec<Mark> = boxes
        .iter()
        .map(|RefBox { reference, bounds: [x, y, width, height] }| Mark {
            number: reference.0,
            left: (*x as f64 - origin.0) * scale,
            top: (*y as f64 - origin.1) * scale,
            width: *width as f64 * scale,
            height: *height as f64 * scale,
        })
        .collect();
    tokio::task::spawn_blocking(move || draw(&capture, &marks, scale, format, quality))
        .await
        .map_err(|error| LadderError::Unreadable(error.to_string()))?
}

/// Draws marks on a PNG and encodes it as wanted. `scale` is how many pixels of the picture a CSS pixel has.
///
/// # Errors
/// [`LadderError::Unreadable`].
fn draw(
    capture: &Capture,
    marks: &[Mark],
    scale: f64,
    format: ImageFormat,
    quality: u8,
) -> Result<Capture, LadderError> {
    let picture = ImageReader::with_format(Cursor::new(&capture.bytes), image::ImageFormat::Png).decode()?;
    let mut picture = picture.into_rgb8();
    let size = picture.dimensions();
    let visible = |mark: &&Mark| {
        let (right, bottom) = (mark.left + mark.width, mark.top + mark.height);
        right > 0.0 && bottom > 0.0 && mark.left < f64::from(size.0) && mark.top < f64::from(size.1)
    };
    for mark in marks.iter().filter(visible) {
        let colour = COLOURS[usize::try_from(mark.number).unwrap_or_default() % COLOURS.len()];
        outline(&mut picture, mark, pixels(LINE_PX * scale).max(1), colour);
    }
    // Above all boxes.
    for mark in marks.iter().filter(visible) {
        let colour = COLOURS[usize::try_from(mark.number).unwrap_or_default() % COLOURS.len()];
        label(&mut picture, mark, pixels(DOT_PX * scale).max(1), colour);
    }
    let mut bytes = Vec::new();
    match format {
        ImageFormat::Png => picture.write_with_encoder(PngEncoder::new(&mut bytes))?,
        ImageFormat::Jpeg => picture.write_with_encoder(JpegEncoder::new_with_quality(&mut bytes, quality))?,
        ImageFormat::Webp => picture.write_with_encoder(WebPEncoder::new_lossless(&mut bytes))?,
    }
    Ok(Capture { bytes: bytes.into(), format, truncated: capture.truncated })
}

fn outline(picture: &mut RgbImage, mark: &Mark, line: i64, colour: Rgb<u8>) {
    let (left, top) = (pixels(mark.left), pixels(mark.top));
    let (right, bottom) = (pixels(mark.left + mark.width), pixels(mark.top + mark.height));
    fill(picture, (left, top), (right, top + line), colour);
    fill(picture, (left, bottom - line), (right, bottom), colour);
    fill(picture, (left, top), (left + line, bottom), colour);
    fill(picture, (right - line, top), (right, bottom), colour);
}

/// Writes a ref into its box's upper left corner, moved into the picture where that is outside.
fn label(picture: &mut RgbImage, mark: &Mark, dot: i64, colour: Rgb<u8>) {
    let number = mark.number.to_string();
    let digits = number.bytes().map(|digit| usize::from(digit - b'0'));
    let glyphs: Vec<usize> = std::iter::once(LETTER_E).chain(digits).collect();
    let count = i64::try_from(glyphs.len()).unwrap_or_default();
    let (width, height) = ((count * i64::from(ADVANCE) + 1) * dot, (i64::from(GLYPH_HEIGHT) + 2) * dot);
    let within = |at: f64, size: i64, room: u32| pixels(at).clamp(0, (i64::from(room) - size).max(0));
    let left = within(mark.left, width, picture.width());
    let top = within(mark.top, height, picture.height());
    fill(picture, (left, top), (left + width, top + height), colour);
    let mut x = left + dot;
    for glyph in glyphs {
        let mut y = top + dot;
        for row in GLYPHS[glyph] {
            for column in 0..i64::from(GLYPH_WIDTH) {
                if row & (0b100 >> column) != 0 {
                    fill(picture, (x + column * dot, y), (x + (column + 1) * dot, y + dot), WHITE);
                }
            }
            y += dot;
        }
        x += i64::from(ADVANCE) * dot;
    }
}

/// Fills a rectangle as far as it is in the picture.
fn fill(picture: &mut RgbImage, from: (i64, i64), to: (i64, i64), colour: Rgb<u8>) {
    let clamp = |at: i64, size: u32| u32::try_from(at.clamp(0, size.into())).unwrap_or(size);
    let (width, height) = picture.dimensions();
    for y in clamp(from.1, height)..clamp(to.1, height) {
        for x in clamp(from.0, width)..clamp(to.0, width) {
            picture.put_pixel(x, y, colour);
        }
    }
}

/// The nearest pixel. A box may be as large as a page says.
#[expect(clippy::cast_possible_truncation, reason = "a cast saturates, and what is outside of the picture is clamped")]
fn pixels(length: f64) -> i64 {
    length.round().clamp(-1e9, 1e9) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn white(width: u32, height: u32) -> Capture {
        let mut bytes = Vec::new();
        let picture = RgbImage::from_pixel(width, height, WHITE);
        picture.write_with_encoder(PngEncoder::new(&mut bytes)).unwrap();
        Capture { bytes: bytes.into(), format: ImageFormat::Png, truncated: false }
    }

    fn drawn(mark: Mark) -> RgbImage {
        let drawn = draw(&white(100, 60), &[mark], 1.0, ImageFormat::Png, 80).unwrap();
        image::load_from_memory(&drawn.bytes).unwrap().into_rgb8()
    }

    #[test]
    fn a_mark_is_a_box_with_its_ref() {
        let picture = drawn(Mark { number: 7, left: 20.0, top: 10.0, width: 60.0, height: 40.0 });
        let colour = COLOURS[1];
        for corner in [(20, 10), (79, 10), (20, 49), (79, 49)] {
            assert_eq!(*picture.get_pixel(corner.0, corner.1), colour, "{corner:?}");
        }
        assert_eq!(*picture.get_pixel(60, 40), WHITE, "the element itself stays to be seen");
        assert_eq!(*picture.get_pixel(19, 10), WHITE);
        // The upper bar of the `e`, and the background beside it.
        assert_eq!((*picture.get_pixel(22, 12), *picture.get_pixel(21, 11)), (WHITE, colour));
    }

    #[test]
    fn marks_that_reach_out_of_the_picture_do_no_harm() {
        for mark in [
            Mark { number: 1, left: -50.0, top: -50.0, width: 1e12, height: 1e12 },
            Mark { number: u64::MAX, left: 95.0, top: 55.0, width: 10.0, height: 10.0 },
            Mark { number: 3, left: f64::NAN, top: 0.0, width: f64::INFINITY, height: 0.0 },
        ] {
            assert_eq!(drawn(mark).dimensions(), (100, 60));
        }
    }
}
