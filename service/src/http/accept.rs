//! Decides which kind of answer a caller prefers.

use http::{HeaderMap, header};

/// Whether `Accept` prefers an image to JSON. A tie, or no header, means JSON.
pub(super) fn prefers_image(headers: &HeaderMap) -> bool {
    let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let ranges: Vec<Range<'_>> = values.flat_map(|value| value.split(',')).map(Range::parse).collect();
    let quality = |fits: fn(&str) -> Option<u8>| {
        // The most specific range that fits decides (RFC 9110, 12.5.1); of several images, the one of the highest
        // quality.
        ranges
            .iter()
            .filter_map(|range| fits(range.media).map(|specific| (specific, range.quality)))
            .max_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)))
            .map_or(0.0, |(_, quality)| quality)
    };
    let image = quality(|media| match media {
        "*/*" => Some(0),
        "image/*" | "image/png" | "image/jpeg" | "image/webp" => Some(1),
        _ => None,
    });
    let json = quality(|media| match media {
        "*/*" => Some(0),
        "application/*" => Some(1),
        "application/json" => Some(2),
        _ => None,
    });
    image > json
}

struct Range<'a> {
    media: &'a str,
    quality: f32,
}

impl<'a> Range<'a> {
    fn parse(text: &'a str) -> Self {
        let mut parts = text.split(';').map(str::trim);
        let media = parts.next().unwrap_or_default();
        let quality = parts
            .filter_map(|part| part.split_once('='))
            .find(|(name, _)| name.trim().eq_ignore_ascii_case("q"))
            .and_then(|(_, quality)| quality.trim().parse().ok())
            .unwrap_or(1.0);
        Self { media, quality }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_sent_only_if_it_is_preferred() {
        for (accept, image) in [
            ("image/*", true),
            ("image/png", true),
            ("image/avif,image/webp,*/*;q=0.8", true),
            ("image/*;q=0.5, application/json;q=0.4", true),
            ("application/json, image/*", false),
            ("image/*;q=0.5, application/json", false),
            ("*/*", false),
            ("", false),
            ("text/html", false),
            ("image/*;q=0", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, accept.parse().unwrap());
            assert_eq!(prefers_image(&headers), image, "{accept}");
        }
        assert!(!prefers_image(&HeaderMap::new()));
    }
}
