//! Lone surrogates in JSON: a page's strings may have them, Rust's have not.

use std::ops::RangeInclusive;

/// The length of an escape such as `\ud83d`.
const UNIT_BYTES: usize = 6;
const HIGH: RangeInclusive<u16> = 0xd800..=0xdbff;
const LOW: RangeInclusive<u16> = 0xdc00..=0xdfff;

/// Returns the same JSON with U+FFFD in the place of each escape of a lone surrogate.
pub(super) fn without_lone(json: &[u8]) -> Vec<u8> {
    let mut written = Vec::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
        let (before, escape) = rest.split_at(at);
        written.extend_from_slice(before);
        let length = match unit(escape) {
            Some(high)
                if HIGH.contains(&high)
                    && escape.get(UNIT_BYTES..).and_then(unit).is_some_and(|low| LOW.contains(&low)) =>
            {
                2 * UNIT_BYTES
            }
            Some(lone) if HIGH.contains(&lone) || LOW.contains(&lone) => {
                written.extend_from_slice(br"\ufffd");
                rest = &escape[UNIT_BYTES..];
                continue;
            }
            // Two bytes at least, so that an escaped backslash begins no escape.
            _ => escape.len().min(2),
        };
        let (whole, after) = escape.split_at(length);
        written.extend_from_slice(whole);
        rest = after;
    }
    written.extend_from_slice(rest);
    written
}

/// The UTF-16 unit that the escape at the start stands for, if it is one of four digits.
fn unit(escape: &[u8]) -> Option<u16> {
    let digits = escape.strip_prefix(br"\u")?.get(..4)?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lone_surrogates_are_replaced() {
        for (json, read) in [
            (r#""plain""#, "plain"),
            (r#""\ud83d\ude00 \u00e9""#, "\u{1f600} é"),
            (r#""\ud800x""#, "\u{fffd}x"),
            (r#""x\udc00""#, "x\u{fffd}"),
            (r#""\ud800\ud83d\ude00\udc00\ud800""#, "\u{fffd}\u{1f600}\u{fffd}\u{fffd}"),
            (r#""\\ud800 \"\\\ud800""#, "\\ud800 \"\\\u{fffd}"),
        ] {
            let written = without_lone(json.as_bytes());
            assert_eq!(serde_json::from_slice::<String>(&written).unwrap(), read, "{json}");
        }
        assert_eq!(without_lone(br"\u"), br"\u", "what is cut off stays");
        assert_eq!(without_lone(br"\"), br"\");
    }
}
