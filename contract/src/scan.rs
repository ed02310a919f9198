//! Splits text at separators outside quotes, brackets and braces.

/// Tracks which bytes of a text are inside quotes or brackets.
pub(crate) struct Scan<'a> {
    text: &'a str,
    /// For each byte, whether it is outside all quotes, brackets and braces.
    outside: Vec<bool>,
}

impl<'a> Scan<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let mut outside = vec![true; bytes.len()];
        let mut depth: Vec<u8> = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let byte = bytes[at];
            outside[at] = depth.is_empty();
            match byte {
                b'\\' => {
                    if let Some(next) = outside.get_mut(at + 1) {
                        *next = false;
                    }
                    at += 1;
                }
                b'"' | b'\'' => {
                    // An apostrophe inside a word and a quote that is never closed are just characters.
                    let in_word = byte == b'\'' && at > 0 && bytes[at - 1].is_ascii_alphanumeric();
                    if !in_word && let Some(end) = closing(bytes, at) {
                        outside[at..=end].fill(false);
                        at = end;
                    }
                }
                b'[' | b'{' | b'(' => {
                    outside[at] = false;
                    depth.push(byte);
                }
                b']' | b'}' | b')' => {
                    outside[at] = false;
                    depth.pop();
                }
                _ => {}
            }
            at += 1;
        }
        Self { text, outside }
    }

    /// Splits at separators outside quotes and brackets; returns at least one part.
    pub(crate) fn split(text: &'a str, separator: &str) -> Vec<&'a str> {
        let scan = Scan::new(text);
        let mut parts = Vec::new();
        let mut from = 0;
        for (at, found) in text.match_indices(separator) {
            if at >= from && scan.outside[at] {
                parts.push(&scan.text[from..at]);
                from = at + found.len();
            }
        }
        parts.push(&text[from..]);
        parts
    }
}

/// Returns the position of the quote that closes the one at `from`.
fn closing(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            byte if byte == bytes[from] => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}
