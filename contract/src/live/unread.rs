//! A message that can't be read, and why.

use std::borrow::Cow;

use serde::Deserialize;

use crate::json::Invalid;

/// Why a viewer's message was ignored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unread {
    /// Its `type` is none that a viewer sends here.
    #[error("unknown type")]
    UnknownType,
    /// Not a JSON object with a `type`, or a field is missing, of the wrong type or out of range.
    #[error("malformed")]
    Malformed,
    /// Files that no field of a page can be given; the viewer is told.
    #[error("unusable: {0}")]
    Unusable(Invalid),
}

#[derive(Deserialize)]
struct Typed<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
}

/// The message's `type`.
pub(super) fn message_type(text: &str) -> Result<Cow<'_, str>, Unread> {
    // Serde would read a struct from an array, too.
    if !text.trim_start().starts_with('{') {
        return Err(Unread::Malformed);
    }
    serde_json::from_str(text).map(|Typed { kind }| kind).map_err(|_| Unread::Malformed)
}
