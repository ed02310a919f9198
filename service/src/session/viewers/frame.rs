//! A frame that viewers share: decoded once, and packed once for each mode that a viewer uses.

use std::sync::OnceLock;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use porthole_contract::live::{FrameHeader, FrameMode, binary_frame, json_frame};
use tokio::time::Instant;

use crate::page::CastFrame;

/// A frame of one tab.
#[derive(Debug)]
pub(super) struct Frame {
    /// Its place in its cast, from 1.
    pub(super) nth: u64,
    /// What viewers are told of it.
    pub(super) header: FrameHeader,
    /// The viewport that it shows.
    pub(super) viewport: ShownViewport,
    /// When it came.
    pub(super) came: Instant,
    jpeg: Bytes,
    binary: OnceLock<Bytes>,
    json: OnceLock<Bytes>,
    raw: OnceLock<Bytes>,
}

/// A viewport as viewers are told of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ShownViewport {
    /// Its width, in CSS pixels.
    pub(super) width: u32,
    /// Its height, in CSS pixels.
    pub(super) height: u32,
    /// What the browser draws above the page, in CSS pixels.
    pub(super) offset_top: f64,
    /// The page's scale by pinching.
    pub(super) page_scale_factor: f64,
}

impl ShownViewport {
    const fn of(frame: &CastFrame) -> Self {
        let CastFrame { viewport: (width, height), offset_top, page_scale_factor, .. } = *frame;
        Self { width, height, offset_top, page_scale_factor }
    }
}

/// A packed frame. Clones share its bytes.
#[derive(Clone, Debug)]
pub enum Packed {
    /// A binary message.
    Binary(Bytes),
    /// A text message: UTF-8.
    Text(Bytes),
}

impl Packed {
    /// Its length, in bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        let (Self::Binary(bytes) | Self::Text(bytes)) = self;
        bytes.len()
    }

    /// Whether it has no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Frame {
    pub(super) fn new(nth: u64, seq: u64, frame: CastFrame) -> Self {
        let shown = ShownViewport::of(&frame);
        let CastFrame { jpeg, size, page_scale_factor, scroll, timestamp_ms, .. } = frame;
        let header = FrameHeader {
            seq,
            width: size.0,
            height: size.1,
            timestamp_ms,
            scroll_x: scroll.0,
            scroll_y: scroll.1,
            page_scale_factor,
        };
        Self {
            nth,
            header,
            viewport: shown,
            came: Instant::now(),
            jpeg,
            binary: OnceLock::new(),
            json: OnceLock::new(),
            raw: OnceLock::new(),
        }
    }

    /// The same frame with another number, packed anew.
    pub(super) fn numbered(&self, seq: u64) -> Self {
        Self {
            nth: self.nth,
            header: FrameHeader { seq, ..self.header },
            viewport: self.viewport,
            came: self.came,
            jpeg: self.jpeg.clone(),
            binary: OnceLock::new(),
            json: OnceLock::new(),
            raw: OnceLock::new(),
        }
    }

    /// Whether this one shows the same picture of the same place.
    pub(super) fn is_as(&self, frame: &CastFrame) -> bool {
        self.viewport == ShownViewport::of(frame)
            && (self.header.scroll_x, self.header.scroll_y) == frame.scroll
            && self.jpeg == frame.jpeg
    }

    /// The frame in this mode.
    pub(super) fn packed(&self, mode: FrameMode) -> Packed {
        match mode {
            FrameMode::Binary => {
                let pack = || binary_frame(&self.header, &self.jpeg).into();
                Packed::Binary(self.binary.get_or_init(pack).clone())
            }
            FrameMode::Json => {
                let pack = || json_frame(&self.header, &self.base64()).into();
                Packed::Text(self.json.get_or_init(pack).clone())
            }
            FrameMode::Raw => Packed::Text(self.raw.get_or_init(|| self.base64().into()).clone()),
        }
    }

    fn base64(&self) -> String {
        BASE64_STANDARD.encode(&self.jpeg)
    }
}
