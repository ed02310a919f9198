//! A message that can't be read, and why.

use std::borrow::Cow;

use serde::Deserialize;

/// Why a viewer's message was ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Unread {
    /// Its `type` is none that a viewer sends here.
    #[error("unknown type")]
    UnknownType,
    /// Not a JSON object with a `type`, or a field is missing, of the wrong type or out of range.
    #[error("malformed")]
    Malformed,
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
