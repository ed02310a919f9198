//! Tests of the ladder with pictures over the cap.

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
async fn a_png_of_a_fast_encoder_is_encoded_again_as_png_if_it_fits() {
    // A fast encoder can't compress this: no pixel resembles its neighbours, but every tile repeats.
    let tile = noise(400, 10);
    let picture = RgbImage::from_fn(400, 200, |x, y| *tile.get_pixel(x, y % 10));
    let given = capture(&picture, ImageFormat::Png);
    let tight = lossless::png_within(&picture, usize::MAX).unwrap();
    assert!(tight.len() * 5 < given.bytes.len() * 4, "{} and {} bytes", tight.len(), given.bytes.len());
    for cap in [tight.len(), given.bytes.len() - 1] {
        let given = Capture { truncated: true, ..given.clone() };
        let fitted = fitted(given, 80, cap, 200).await.unwrap();
        assert_eq!((&fitted.bytes[..], fitted.format, fitted.truncated), (&tight[..], ImageFormat::Png, true));
        assert_eq!((fitted.width, fitted.height), (400, 200));
    }
    let error = fitted(given, 80, tight.len() - 1, 200).await.unwrap_err();
    assert!(matches!(error, LadderError::TooLarge { .. }), "as a JPEG it is larger still: {error}");
}

#[tokio::test]
async fn a_picture_over_the_cap_comes_as_jpeg() {
    for format in [ImageFormat::Png, ImageFormat::Webp, ImageFormat::Jpeg] {
        let picture = noise(200, 200);
        let given = capture(&picture, format);
        // No PNG of noise is smaller than its pixels.
        let cap = given.bytes.len().min(picture.len()) - 1;
        let fitted = fitted(given, 100, cap, 200).await.unwrap();
        assert_eq!((fitted.format, fitted.width, fitted.height), (ImageFormat::Jpeg, 200, 200), "{format:?}");
        assert!(fitted.bytes.len() <= cap && !fitted.truncated);
    }
}

#[tokio::test]
async fn a_picture_taller_than_the_viewport_is_cut_to_the_longest_part_that_fits() {
    let picture = noise(200, 1000);
    let cap = Encoding::of(&picture, 1000).unwrap().jpeg.len() / 3;
    let fitted = fitted(capture(&picture, ImageFormat::Png), 80, cap, 100).await.unwrap();
    assert!(fitted.truncated && fitted.bytes.len() <= cap);
    let one_row_more = Encoding::of(&picture, fitted.height + BLOCK_PX).unwrap().jpeg;
    assert!(one_row_more.len() > cap, "{} px of 1000 are not the longest part", fitted.height);
}

#[tokio::test]
async fn uneven_pictures_are_cut_as_well() {
    let mut picture = RgbImage::from_pixel(200, 1000, image::Rgb([255; 3]));
    image::imageops::replace(&mut picture, &noise(200, 200), 0, 800);
    let cap = Encoding::of(&picture, 900).unwrap().jpeg.len();
    let fitted = fitted(capture(&picture, ImageFormat::Png), 80, cap, 100).await.unwrap();
    assert!((896..=904).contains(&fitted.height), "{}", fitted.height);
}

#[tokio::test]
async fn a_picture_no_taller_than_the_viewport_is_too_large() {
    let picture = noise(200, 200);
    let error = fitted(capture(&picture, ImageFormat::Png), 80, 1000, 200).await.unwrap_err();
    assert!(matches!(error, LadderError::TooLarge { max: 1000, .. }), "{error}");
    let error = fitted(capture(&picture, ImageFormat::Png), 80, 10, 100).await.unwrap_err();
    assert!(matches!(error, LadderError::TooLarge { .. }), "nothing fits into ten bytes: {error}");
}

#[tokio::test]
async fn a_jpeg_of_the_ladders_quality_is_not_encoded_again() {
    let picture = noise(200, 400);
    let given = Capture {
        bytes: Encoding::of(&picture, 400).unwrap().jpeg.into(),
        format: ImageFormat::Jpeg,
        truncated: false,
    };
    let cap = given.bytes.len() - 1;
    let fitted = fitted(given, 60, cap, 100).await.unwrap();
    assert!(fitted.truncated && fitted.height < 400);
}
