//! Escapes of lone surrogates in JSON, which JavaScript and browsers write for text that was cut within an emoji, and which
//! serde refuses.

/// Length of an escape such as `\ud83d`.
const ESCAPE_BYTES: usize = 6;

/// Replaces each escape of a lone surrogate by that of U+FFFD, which is as long. The rest stays as it is, whether it is JSON
/// or not.
pub fn replace_lone_surrogates(json: &mut [u8]) {
    let mut at = 0;
    while let Some(found) = json.get(at..).and_then(|rest| rest.iter().position(|byte| *byte == b'\\')) {
        at += found;
        at += match unit(json, at) {
            Some(0xd800..=0xdbff) if matches!(unit(json, at + ESCAPE_BYTES), Some(0xdc00..=0xdfff)) => 2 * ESCAPE_BYTES,
            Some(0xd800..=0xdfff) => {
                json[at + 2..at + ESCAPE_BYTES].copy_from_slice(b"fffd");
                ESCAPE_BYTES
            }
            // Another escape, such as that of a backslash.
            _ => 2,
        };
    }
}

/// The UTF-16 code unit of the escape at `at`, if there is one.
fn unit(json: &[u8], at: usize) -> Option<u16> {
    let digits = json.get(at..at + ESCAPE_BYTES)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_surrogates_are_replaced_and_pairs_stay() {
        for (json, expected) in [
            (r#""a\ud83db""#, "a\u{fffd}b"),
            (r#""\uDE00""#, "\u{fffd}"),
            (r#""\ud83d\ude00""#, "\u{1f600}"),
            (r#""\ud83d\ud83d\ude00\ude00""#, "\u{fffd}\u{1f600}\u{fffd}"),
            (r#""\ud83d\n\u0041""#, "\u{fffd}\nA"),
            (r#""\\ud83d""#, "\\ud83d"),
            (r#""\\ud800 \"\\\ud800""#, "\\ud800 \"\\\u{fffd}"),
            (r#""x\udc00""#, "x\u{fffd}"),
            (r#""\\\ud83d""#, "\\\u{fffd}"),
        ] {
            let mut bytes = json.as_bytes().to_vec();
            replace_lone_surrogates(&mut bytes);
            assert_eq!(serde_json::from_slice::<String>(&bytes).ok().as_deref(), Some(expected), "{json}");
        }
        for cut_off in [r#""\ud8"#, "\\", r#"\u"#, r#"\ud83d\u"#] {
            let mut bytes = cut_off.as_bytes().to_vec();
            replace_lone_surrogates(&mut bytes);
            assert_eq!(bytes.len(), cut_off.len());
        }
    }
}
