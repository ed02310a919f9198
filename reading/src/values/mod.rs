//! Reads texts as numbers, dates and booleans, by the page's language. Ambiguous texts are not read.

mod date;
mod number;
mod plain;

pub use date::date;
pub use number::number;

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
