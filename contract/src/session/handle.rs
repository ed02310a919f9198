//! The names that callers copy: handles of sessions, tabs and files, and refs of elements.

use std::fmt;
use std::str::FromStr;

use serde::de::{Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use crate::json::Invalid;
use crate::limits::HANDLE_MAX_CHARS;

/// What a session's handle begins with. The replica that has the session follows in [`REPLICA_CHARS`] characters.
pub const HANDLE_PREFIX: &str = "ses_";
/// Characters of a replica's id.
pub const REPLICA_CHARS: usize = 8;

/// The replica that a handle names, unverified; `None` for what is no handle.
#[must_use]
pub fn replica_of(handle: &str) -> Option<&str> {
    let rest = handle.strip_prefix(HANDLE_PREFIX).filter(|_| is_handle(handle))?;
    rest.get(..REPLICA_CHARS)
}

/// Whether this could be a handle, of a session, a tab or a file: 1 to 64 letters, digits, `_` and `-`.
#[must_use]
pub fn is_handle(text: &str) -> bool {
    (1..=HANDLE_MAX_CHARS).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

pub(crate) fn check_handle(path: &str, value: Option<&str>) -> Result<(), Invalid> {
    match value {
        Some(value) if !is_handle(value) => {
            Err(Invalid::new(path, format!("must be 1 to {HANDLE_MAX_CHARS} letters, digits, '_' or '-'")))
        }
        _ => Ok(()),
    }
}

/// An element of a snapshot, by its number: `@e5`. `e5` is read too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ElementRef(pub u32);

/// A text that is no ref.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a ref of a snapshot, such as @e5")]
pub struct NotARef;

// === impl ElementRef ===

impl fmt::Display for ElementRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@e{}", self.0)
    }
}

impl FromStr for ElementRef {
    type Err = NotARef;

    fn from_str(text: &str) -> Result<Self, NotARef> {
        let number = text.strip_prefix('@').unwrap_or(text).strip_prefix('e').ok_or(NotARef)?;
        // `parse` would take a sign, and a number has one spelling.
        if !number.bytes().all(|byte| byte.is_ascii_digit()) || number.starts_with('0') {
            return Err(NotARef);
        }
        number.parse().map(Self).map_err(|_| NotARef)
    }
}

impl Serialize for ElementRef {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ElementRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = ElementRef;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a ref such as @e5")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<ElementRef, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refs_have_one_number_and_two_spellings() {
        for text in ["@e5", "e5"] {
            assert_eq!(text.parse(), Ok(ElementRef(5)), "{text}");
        }
        assert_eq!("e4294967295".parse(), Ok(ElementRef(u32::MAX)));
        assert_eq!(serde_json::to_value(ElementRef(12)).unwrap(), "@e12");
        for text in ["", "e", "@e", "5", "@5", "@e0", "e05", "e+5", "@@e5", "E5", "e5 ", "e4294967296", "ref=e5", "e٣"]
        {
            assert_eq!(text.parse::<ElementRef>(), Err(NotARef), "{text}");
        }
    }

    #[test]
    fn handles_are_short_and_plain() {
        let longest = format!("ses_{}", "a".repeat(60));
        for handle in ["ses_abc-DEF_123", "t1", &longest] {
            assert!(is_handle(handle), "{handle}");
        }
        let too_long = format!("{longest}a");
        for text in ["", "ses 1", "ses.1", "ses/../x", "ses_ä", &too_long] {
            assert!(!is_handle(text), "{text}");
        }
    }
}
