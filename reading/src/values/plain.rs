//! The plain form of the characters that numbers and dates are written with.

/// Longest text that is read as a number or a date, in bytes.
pub(super) const VALUE_MAX_BYTES: usize = 300;

/// Replaces digits of other scripts by ASCII digits, and signs and separators by their plain forms.
pub(super) fn plain(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\u{660}'..='\u{669}' => digit(c, 0x660),
            '\u{6f0}'..='\u{6f9}' => digit(c, 0x6f0),
            '\u{966}'..='\u{96f}' => digit(c, 0x966),
            '\u{9e6}'..='\u{9ef}' => digit(c, 0x9e6),
            '\u{ff10}'..='\u{ff19}' => digit(c, 0xff10),
            '\u{2212}' | '\u{2013}' | '\u{ff0d}' => '-',
            '\u{66b}' => ',',
            '\u{66c}' | '\u{2019}' | '\u{ff07}' => '\'',
            '\u{ff0c}' => ',',
            '\u{a0}' | '\u{202f}' | '\u{2009}' => ' ',
            c => c,
        })
        .collect()
}

fn digit(c: char, zero: u32) -> char {
    char::from_digit(c as u32 - zero, 10).unwrap_or(c)
}
