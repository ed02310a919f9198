//! Reads texts as numbers, dates and booleans, by the page's language. Ambiguous texts are not read.

mod date;
mod number;

pub use date::date;
pub use number::number;

/// Longest text that is read as a number or a date, in bytes.
const VALUE_MAX_BYTES: usize = 300;

/// Replaces digits of other scripts by ASCII digits, and signs and separators by their plain forms.
fn plain(text: &str) -> String {
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

/// Returns whether a text means yes or no; `None` if neither.
#[must_use]
pub fn boolean(text: &str) -> Option<bool> {
    let text = text.trim().trim_end_matches(['.', '!']).to_lowercase();
    match text.as_str() {
        "true" | "yes" | "y" | "1" | "on" | "ja" | "oui" | "sí" | "si" | "sì" | "sim" | "да" | "是" | "有" | "はい"
        | "예" | "tak" | "✓" | "✔" | "✔️" | "✅" | "available" | "in stock" | "checked" => Some(true),
        "false" | "no" | "n" | "0" | "off" | "nein" | "non" | "não" | "нет" | "否" | "无" | "いいえ" | "아니요"
        | "nie" | "nee" | "✗" | "✘" | "❌" | "✕" | "unavailable" | "out of stock" | "sold out" => Some(false),
        _ => None,
    }
}
