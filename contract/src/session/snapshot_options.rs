//! What a snapshot is to have: as its own route asks for it, and as every other call asks for one in its answer.

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::handle::ElementRef;
use crate::json::Invalid;
use crate::limits::{OFFSET_MAX, SNAPSHOT_CHARS_DEFAULT, SNAPSHOT_CHARS_MAX, SNAPSHOT_CHARS_MIN, SNAPSHOT_DEPTH_MAX};
use crate::request::in_range;

/// What a snapshot is to have, with the defaults filled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnapshotOptions {
    /// What changed since the last snapshot, instead of everything.
    pub changes: bool,
    /// Only what can be acted upon.
    pub interactive_only: bool,
    /// Levels below the top.
    pub max_depth: Option<u32>,
    /// The element whose part of the page is wanted.
    pub root: Option<ElementRef>,
    /// Children of the root left out before.
    pub offset: u32,
    /// The tree's length, in Unicode scalar values.
    pub max_chars: u32,
    /// Boxes on each line.
    pub boxes: bool,
}

// === impl SnapshotOptions ===

impl Default for SnapshotOptions {
    fn default() -> Self {
        Self {
            changes: false,
            interactive_only: true,
            max_depth: None,
            root: None,
            offset: 0,
            max_chars: SNAPSHOT_CHARS_DEFAULT,
            boxes: false,
        }
    }
}

impl SnapshotOptions {
    pub(super) fn check(&self, prefix: &str) -> Result<(), Invalid> {
        let path = |field: &str| format!("{prefix}{field}");
        in_range(&path("max_depth"), self.max_depth.map(u64::from), 0, SNAPSHOT_DEPTH_MAX.into())?;
        in_range(&path("offset"), Some(self.offset.into()), 0, OFFSET_MAX.into())?;
        let (min, max) = (SNAPSHOT_CHARS_MIN.into(), SNAPSHOT_CHARS_MAX.into());
        in_range(&path("max_chars"), Some(self.max_chars.into()), min, max)
    }
}

/// How a call asks for the snapshot in its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum SnapshotInAnswer {
    /// With the defaults.
    Mode(SnapshotMode),
    /// With options.
    Options(SnapshotWithMode),
}

/// A mode, or an object with a mode and the snapshot route's options.
#[derive(ToSchema)]
#[schema(as = SnapshotInAnswer)]
#[serde(untagged)]
#[expect(dead_code, reason = "the macro reads the type, nothing makes one")]
pub(super) enum SnapshotInAnswerSchema {
    Mode(SnapshotMode),
    Options(SnapshotWithMode),
}

/// Which snapshot an answer has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SnapshotMode {
    /// None.
    #[default]
    None,
    /// What changed since the last one.
    Changes,
    /// All of it.
    Full,
}

/// A mode with the snapshot route's options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SnapshotWithMode {
    /// Which snapshot.
    pub mode: SnapshotMode,
    /// Only what can be acted upon, and what tells it apart; default true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(default = true)]
    pub interactive_only: Option<bool>,
    /// Levels below the top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1000)]
    pub max_depth: Option<u32>,
    /// The element whose part of the page is wanted, by its ref.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub root: Option<ElementRef>,
    /// Children of `root` left out before; default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 100_000_000, default = 0)]
    pub offset: Option<u32>,
    /// The tree's length, in Unicode scalar values; default 20000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 500, maximum = 100_000, default = 20_000)]
    pub max_chars: Option<u32>,
    /// `[box=x,y,width,height]` on each line.
    #[serde(default)]
    pub boxes: bool,
}

// === impl SnapshotInAnswer ===

impl SnapshotInAnswer {
    /// What the snapshot is to have, or nothing where none is wanted.
    #[must_use]
    pub fn options(&self) -> Option<SnapshotOptions> {
        let asked = match *self {
            Self::Mode(mode) => SnapshotWithMode { mode, ..SnapshotWithMode::default() },
            Self::Options(asked) => asked,
        };
        (asked.mode != SnapshotMode::None).then(|| asked.options())
    }
}

// === impl SnapshotWithMode ===

impl SnapshotWithMode {
    /// What the snapshot is to have, with the defaults filled in.
    pub(super) fn options(&self) -> SnapshotOptions {
        let default = SnapshotOptions::default();
        SnapshotOptions {
            changes: self.mode == SnapshotMode::Changes,
            interactive_only: self.interactive_only.unwrap_or(default.interactive_only),
            max_depth: self.max_depth.or(default.max_depth),
            root: self.root.or(default.root),
            offset: self.offset.unwrap_or(default.offset),
            max_chars: self.max_chars.unwrap_or(default.max_chars),
            boxes: self.boxes,
        }
    }
}

/// By hand, so that a refusal names the field: an untagged enum would only say that neither shape fits.
impl<'de> Deserialize<'de> for SnapshotInAnswer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ModeOrObject;
        impl<'de> Visitor<'de> for ModeOrObject {
            type Value = SnapshotInAnswer;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("`none`, `changes`, `full`, or an object with one of them as `mode`")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<SnapshotInAnswer, E> {
                SnapshotMode::deserialize(serde::de::value::StrDeserializer::new(text)).map(SnapshotInAnswer::Mode)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<SnapshotInAnswer, A::Error> {
                SnapshotWithMode::deserialize(MapAccessDeserializer::new(map)).map(SnapshotInAnswer::Options)
            }
        }
        deserializer.deserialize_any(ModeOrObject)
    }
}
