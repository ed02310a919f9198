//! What viewers ask of the pictures of a tab.

use std::time::Duration;

use porthole_contract::Viewport;
use porthole_contract::limits::LIVE_FPS_MAX;

use crate::page::CastOptions;

/// What the viewers of a tab ask for together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wish {
    pub(super) max_width: u32,
    pub(super) max_height: u32,
    pub(super) quality: u32,
    pub(super) max_fps: u32,
    /// The viewport's width and height, in CSS pixels; none in what one viewer asks for.
    pub(super) viewport: Option<(u32, u32)>,
    /// Whether the picture's pixels are the page's own, so that a capture is of the cast's size.
    pub(super) is_unscaled: bool,
}

impl Wish {
    /// The larger of both in every respect.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            max_width: self.max_width.max(other.max_width),
            max_height: self.max_height.max(other.max_height),
            quality: self.quality.max(other.quality),
            max_fps: self.max_fps.max(other.max_fps),
            viewport: self.viewport,
            is_unscaled: self.is_unscaled,
        }
    }

    /// The browser sends no picture of which a side would be less than a pixel.
    pub(super) fn in_pixels_of(self, viewport: Viewport) -> Self {
        let (width, height) = (viewport.width.max(1), viewport.height.max(1));
        let fits = width <= self.max_width && height <= self.max_height;
        Self {
            max_width: self.max_width.max(width.div_ceil(height)),
            max_height: self.max_height.max(height.div_ceil(width)),
            viewport: Some((width, height)),
            is_unscaled: fits && (viewport.device_scale_factor - 1.0).abs() < f64::EPSILON,
            ..self
        }
    }

    pub(super) fn options(self) -> CastOptions {
        CastOptions { max_width: self.max_width, max_height: self.max_height, quality: self.quality }
    }

    /// Whether a picture of this width and height, in its own pixels, is as large as was asked for, but for a tenth.
    pub(super) fn is_met_by(self, (picture_width, picture_height): (u32, u32)) -> bool {
        let Some((width, height)) = self.viewport else { return true };
        let scale = |most: u32, of: u32| f64::from(most) / f64::from(of);
        let scale = scale(self.max_width, width).min(scale(self.max_height, height)).min(1.0);
        let is_large = |side: u32, of: u32| f64::from(side) >= f64::from(of) * scale * 0.9;
        if width >= height { is_large(picture_width, width) } else { is_large(picture_height, height) }
    }

    /// The least time between two acknowledgements: none at the highest rate, which is the browser's own.
    pub(super) fn interval(self) -> Duration {
        if self.max_fps >= LIVE_FPS_MAX { Duration::ZERO } else { Duration::from_secs(1) / self.max_fps.max(1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_viewport_has_a_picture() {
        let wish =
            Wish { max_width: 1280, max_height: 720, quality: 70, max_fps: 30, viewport: None, is_unscaled: false };
        for (width, height) in [(3840, 1), (1, 2160), (1280, 720), (3840, 2160), (500, 900)] {
            let viewport = Viewport { width, height, ..Viewport::DESKTOP };
            let Wish { max_width, max_height, .. } = wish.in_pixels_of(viewport);
            let scale =
                (f64::from(max_width) / f64::from(width)).min(f64::from(max_height) / f64::from(height)).min(1.0);
            assert!(f64::from(width.min(height)) * scale >= 1.0, "{width}×{height} within {max_width}×{max_height}");
            let is_long = width / height > 1_000 || height / width > 700;
            assert_eq!((max_width, max_height) == (1280, 720), !is_long, "{width}×{height}");
        }
    }

    #[test]
    fn a_picture_that_is_scaled_by_another_viewport_is_too_small() {
        let wish =
            Wish { max_width: 1280, max_height: 720, quality: 70, max_fps: 30, viewport: None, is_unscaled: false };
        assert!(wish.is_met_by((1, 1)), "of no viewport");
        let of = |width, height| wish.in_pixels_of(Viewport { width, height, ..Viewport::DESKTOP });
        assert!(of(1280, 720).is_met_by((1280, 720)) && !of(1280, 720).is_met_by((287, 161)));
        assert!(of(500, 900).is_met_by((400, 720)) && !of(500, 900).is_met_by((200, 360)));
        assert!(of(3840, 1).is_met_by((3840, 1)) && of(3, 3).is_met_by((3, 3)));
    }

    #[test]
    fn a_picture_of_the_page_s_own_pixels_is_unscaled() {
        let wish =
            Wish { max_width: 1280, max_height: 720, quality: 70, max_fps: 15, viewport: None, is_unscaled: false };
        let of = |width, height, device_scale_factor| {
            wish.in_pixels_of(Viewport { width, height, device_scale_factor, ..Viewport::DESKTOP }).is_unscaled
        };
        assert!(of(1280, 720, 1.0) && of(390, 600, 1.0));
        assert!(!of(1281, 720, 1.0) && !of(390, 844, 1.0) && !of(390, 600, 3.0));
    }
}
