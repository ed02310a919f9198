//! The screen and media preferences that the browser emulates for a page.

use chromiumoxide_cdp::cdp::browser_protocol::emulation::{
    MediaFeature, SetDeviceMetricsOverrideParams, SetEmulatedMediaParams, SetTouchEmulationEnabledParams,
};
use porthole_contract::{ColorScheme, Viewport};

use super::Page;
use crate::cdp::Session;

/// The screen and media preferences that a page sees.
#[derive(Clone, Copy, Debug)]
pub struct Appearance {
    /// The browser window.
    pub viewport: Viewport,
    /// The value of `prefers-color-scheme`, if one is set.
    pub color_scheme: Option<ColorScheme>,
    /// The value of `prefers-reduced-motion`, if one is set.
    pub reduced_motion: Option<bool>,
}

impl Page {
    /// Gives the page a viewport of another size.
    pub fn resize(&self, viewport: &Viewport) {
        resize(&self.session, viewport);
    }
}

fn resize(session: &Session, viewport: &Viewport) {
    let Viewport { width, height, device_scale_factor, mobile } = *viewport;
    session
        .call(&SetDeviceMetricsOverrideParams::new(i64::from(width), i64::from(height), device_scale_factor, mobile))
        .forget();
}

/// Sends the commands that give the page this appearance.
pub(super) fn apply(session: &Session, appearance: &Appearance) {
    resize(session, &appearance.viewport);
    if appearance.viewport.mobile {
        session.call(&SetTouchEmulationEnabledParams::new(true)).forget();
    }
    let mut features = Vec::new();
    if let Some(scheme) = appearance.color_scheme {
        let value = match scheme {
            ColorScheme::Light => "light",
            ColorScheme::Dark => "dark",
        };
        features.push(MediaFeature::new("prefers-color-scheme", value));
    }
    if let Some(reduced) = appearance.reduced_motion {
        features.push(MediaFeature::new("prefers-reduced-motion", if reduced { "reduce" } else { "no-preference" }));
    }
    if !features.is_empty() {
        let media = SetEmulatedMediaParams { features: Some(features), ..Default::default() };
        session.call(&media).forget();
    }
}
