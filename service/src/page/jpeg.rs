//! What is read in a JPEG, and left out of one, without decoding it.

/// A JPEG's width and height, from its frame header (ITU-T T.81, B.2.2).
pub(super) fn jpeg_size(jpeg: &[u8]) -> Option<(u32, u32)> {
    let mut rest = jpeg.strip_prefix(&[0xff, 0xd8])?;
    loop {
        let [0xff, marker, high, low, segment @ ..] = rest else { return None };
        let is_frame_header = matches!(marker, 0xc0..=0xcf) && !matches!(marker, 0xc4 | 0xc8 | 0xcc);
        if is_frame_header {
            let [_precision, height_high, height_low, width_high, width_low, ..] = segment else { return None };
            let number = |high, low| u32::from(u16::from_be_bytes([high, low]));
            return Some((number(*width_high, *width_low), number(*height_high, *height_low)));
        }
        let length = usize::from(u16::from_be_bytes([*high, *low]));
        rest = segment.get(length.checked_sub(2)?..)?;
    }
}

/// Leaves out a capture's colour profile, sRGB, so that it has the bytes of a cast's frame that shows the same.
pub(super) fn drop_colour_profile(jpeg: &mut Vec<u8>) {
    let mut at = 2;
    while let Some([0xff, marker @ 0xe0..=0xef, high, low]) = jpeg.get(at..at + 4) {
        let end = at + 2 + usize::from(u16::from_be_bytes([*high, *low]));
        if *marker == 0xe2 && end <= jpeg.len() {
            jpeg.drain(at..end);
            return;
        }
        at = end;
    }
}

#[cfg(test)]
pub(super) mod tests {
    use image::codecs::jpeg::JpegEncoder;
    use image::{ExtendedColorType, ImageEncoder as _};

    use super::*;

    /// A grey picture.
    pub(in crate::page) fn jpeg(width: u32, height: u32) -> Vec<u8> {
        let mut jpeg = Vec::new();
        let pixels = vec![128; (width * height * 3) as usize];
        JpegEncoder::new_with_quality(&mut jpeg, 70)
            .write_image(&pixels, width, height, ExtendedColorType::Rgb8)
            .unwrap();
        jpeg
    }

    #[test]
    fn a_jpeg_s_size_is_read_from_its_head() {
        for (width, height) in [(1, 1), (640, 360), (1280, 720)] {
            assert_eq!(jpeg_size(&jpeg(width, height)), Some((width, height)));
        }
        let whole = jpeg(8, 8);
        let shortest = (0..whole.len()).find(|length| jpeg_size(&whole[..*length]).is_some()).unwrap();
        assert!((0..shortest).all(|length| jpeg_size(&whole[..length]).is_none()));
        for bytes in [&b"GIF89a"[..], &[0xff, 0xd8, 0xff, 0xe0, 0, 0], &[0xff, 0xd8, 0xff, 0xe0, 0, 1, 2]] {
            assert_eq!(jpeg_size(bytes), None);
        }
    }

    #[test]
    fn a_capture_s_colour_profile_is_left_out() {
        let plain = jpeg(8, 8);
        let (mut with, after_the_head) = (plain.clone(), 2 + 2 + 16);
        assert_eq!(plain[2..6], [0xff, 0xe0, 0, 16]);
        with.splice(after_the_head..after_the_head, [0xff, 0xe2, 0, 6, 1, 2, 3, 4]);
        for mut one in [plain.clone(), with] {
            drop_colour_profile(&mut one);
            assert_eq!(one, plain);
        }
        for mut one in [vec![0xff, 0xd8], vec![0xff, 0xd8, 0xff, 0xe2, 0xff, 0xff], Vec::new()] {
            let before = one.clone();
            drop_colour_profile(&mut one);
            assert_eq!(one, before);
        }
    }
}
