//! A ref by itself: a number, and how it is written.

use std::fmt;
use std::str::FromStr;

/// A ref, `@e5` on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ref(pub u64);

/// A text that is not a ref.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a ref such as @e5")]
pub struct NotARef;

impl fmt::Display for Ref {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@e{}", self.0)
    }
}

impl FromStr for Ref {
    type Err = NotARef;

    /// Reads `@e5` or `e5`.
    fn from_str(text: &str) -> Result<Self, NotARef> {
        let digits = text.strip_prefix('@').unwrap_or(text).strip_prefix('e').ok_or(NotARef)?;
        if digits.is_empty() || digits.starts_with('0') || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(NotARef);
        }
        digits.parse().map(Ref).map_err(|_| NotARef)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ref_is_read_with_and_without_its_sign() {
        assert_eq!("@e5".parse(), Ok(Ref(5)));
        assert_eq!("e12".parse(), Ok(Ref(12)));
        assert_eq!(Ref(7).to_string(), "@e7");
        for wrong in ["", "5", "@5", "@e", "@e05", "@e-1", "@e1x", "@@e1", "@e99999999999999999999"] {
            assert_eq!(wrong.parse::<Ref>(), Err(NotARef), "{wrong}");
        }
    }
}
