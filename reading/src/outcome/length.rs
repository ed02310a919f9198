//! How long an answer may be, and the warning where the page's own text was bounded before.

use porthole_contract::limits::TEXT_MAX_CHARS;
use porthole_contract::{Directive, WarningCode};

/// The warning about a text that was bounded before.
pub(super) fn bounded() -> String {
    WarningCode::PageCut.says("the matched content exceeds the read budget, so its end was not read").into()
}

pub(super) fn max_chars(directive: &Directive) -> usize {
    directive.max_chars.map_or(TEXT_MAX_CHARS, |max| max as usize)
}
