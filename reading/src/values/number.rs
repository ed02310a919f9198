//! Reads numbers as pages write them, with the separators of their language.

use super::plain::{VALUE_MAX_BYTES, plain};

/// Languages that write one and a half as `1,5`.
const DECIMAL_COMMA: &[&str] = &[
    "af", "az", "be", "bg", "bs", "ca", "cs", "da", "de", "el", "es", "et", "eu", "fi", "fo", "fr", "gl", "hr", "hu",
    "hy", "id", "is", "it", "ka", "kk", "ky", "lt", "lv", "mk", "nb", "nl", "nn", "no", "pl", "pt", "ro", "ru", "sk",
    "sl", "sq", "sr", "sv", "tr", "uk", "uz", "vi",
];

fn decimal_comma(language: &str) -> bool {
    let mut parts = language.split(['-', '_']);
    let tongue = parts.next().unwrap_or_default().to_ascii_lowercase();
    let region = parts.next_back().unwrap_or_default().to_ascii_uppercase();
    match (tongue.as_str(), region.as_str()) {
        ("de" | "fr" | "it", "CH" | "LI") | ("es", "MX" | "US" | "GT" | "HN" | "NI" | "PA" | "DO" | "SV" | "PR") => {
            false
        }
        (tongue, _) => DECIMAL_COMMA.contains(&tongue),
    }
}

/// Returns the only number in a text; `None` if there is none, several or an ambiguous one.
#[must_use]
pub fn number(text: &str, language: &str) -> Option<f64> {
    if text.len() > VALUE_MAX_BYTES {
        return None;
    }
    let chars: Vec<char> = plain(text.trim()).chars().collect();
    let (start, end) = only_run(&chars)?;
    let digits: String = chars[start..end].iter().collect();
    let value = unsigned(&digits, decimal_comma(language))?;
    let (before, after) = (&chars[..start], &chars[end..]);
    if is_within_word(before) || is_multiplied_by_word(after) {
        return None;
    }
    let value = value * factor(after);
    Some(if is_negative(before) { -value } else { value })
}

/// Returns where the only run of digits and their separators is; `None` if there is none or several.
fn only_run(chars: &[char]) -> Option<(usize, usize)> {
    let start = chars.iter().position(char::is_ascii_digit)?;
    let mut end = start + 1;
    while end < chars.len() {
        let next_digits = chars[end + 1..].iter().take_while(|c| c.is_ascii_digit()).count();
        match chars[end] {
            c if c.is_ascii_digit() => end += 1,
            '.' | ',' | '\'' if next_digits > 0 => end += 1,
            // A space separates groups of three digits.
            ' ' if next_digits == 3 && (end - start <= 3 || chars[start..end].contains(&' ')) => end += 1,
            _ => break,
        }
    }
    (!chars[end..].iter().any(char::is_ascii_digit)).then_some((start, end))
}

/// Whether the text before a digit makes it part of a word, as in `A4`. A currency, as in `R$5` or `EUR5`, does not.
fn is_within_word(before: &[char]) -> bool {
    let touches = before.last().is_some_and(char::is_ascii_alphabetic);
    touches && before.iter().rev().take_while(|c| c.is_alphabetic()).count() < 2
}

/// Whether a word follows that changes the value. Such words are not interpreted.
fn is_multiplied_by_word(after: &[char]) -> bool {
    const WORDS: [&str; 16] = [
        "million", "billion", "mio", "mrd", "thousand", "tausend", "mille", "тыс", "млн", "млрд", "万", "億", "亿",
        "만", "lakh", "crore",
    ];
    let after = after.iter().collect::<String>().trim_start().to_lowercase();
    WORDS.iter().any(|word| after.starts_with(word))
}

/// Returns the factor of a suffix: `k`, `M` or `B`.
fn factor(after: &[char]) -> f64 {
    let ends = after.get(1).is_none_or(|next| !next.is_alphanumeric());
    match after.first() {
        Some('k' | 'K') if ends => 1e3,
        Some('M') if ends => 1e6,
        Some('B') if ends => 1e9,
        _ => 1.0,
    }
}

/// Whether a minus stands before the number or its currency sign.
fn is_negative(before: &[char]) -> bool {
    let before: String = before.iter().collect();
    before.trim_end_matches(|c: char| c.is_whitespace() || "€$£¥₹₽".contains(c)).ends_with('-')
        && !before.trim_end().ends_with("--")
}

fn unsigned(digits: &str, comma: bool) -> Option<f64> {
    let compact: String = digits.chars().filter(|c| !matches!(c, ' ' | '\'')).collect();
    let (dots, commas) = (compact.matches('.').count(), compact.matches(',').count());
    let grouped = |text: &str, mark: char| {
        let mut groups = text.split(mark);
        let first = groups.next().unwrap_or_default();
        (1..=3).contains(&first.len())
            && groups.clone().all(|group| group.len() == 3 || group.len() == 2)
            && groups.next_back().is_none_or(|last| last.len() == 3)
    };
    let (group, decimal) = match (dots, commas) {
        (0, 0) => return compact.parse().ok(),
        (_, _) if dots > 0 && commas > 0 => {
            let last = compact.rfind(['.', ','])?;
            if compact.as_bytes()[last] == b'.' { (',', Some('.')) } else { ('.', Some(',')) }
        }
        (2.., 0) => ('.', None),
        (0, 2..) => (',', None),
        _ => {
            let (mark, own) = if dots == 1 { ('.', !comma) } else { (',', comma) };
            let (whole, part) = compact.split_once(mark)?;
            let could_group = part.len() == 3 && (1..=3).contains(&whole.len()) && whole != "0";
            if could_group && !own { (mark, None) } else { (if mark == '.' { ',' } else { '.' }, Some(mark)) }
        }
    };
    let (whole, part) = match decimal {
        Some(mark) => compact.split_once(mark)?,
        None => (compact.as_str(), ""),
    };
    if part.contains(['.', ',']) || (whole.contains(group) && !grouped(whole, group)) {
        return None;
    }
    format!("{}.{}", whole.replace(group, ""), if part.is_empty() { "0" } else { part }).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_by_the_pages_language() {
        for (text, language, value) in [
            ("1,234.56", "en", Some(1234.56)),
            ("1.234,56 €", "de", Some(1234.56)),
            ("1.234", "de", Some(1234.0)),
            ("1.234", "en", Some(1.234)),
            ("1,234", "de-DE", Some(1.234)),
            ("1,234", "", Some(1234.0)),
            ("1'234.50", "de-CH", Some(1234.5)),
            ("12 345,6", "fr", Some(12345.6)),
            ("1\u{202f}299,00\u{a0}€", "fr-FR", Some(1299.0)),
            ("12,34,567.8", "en-IN", Some(1_234_567.8)),
            ("−5", "en", Some(-5.0)),
            ("-$5.20", "en", Some(-5.2)),
            ("€ 0,99", "nl", Some(0.99)),
            ("0.125", "de", Some(0.125)),
            ("١٢٣", "ar", Some(123.0)),
            ("USD 19", "en", Some(19.0)),
            ("12.5k", "en", Some(12500.0)),
            ("5kg", "en", Some(5.0)),
            ("3 items", "en", Some(3.0)),
            ("4.5 out of 5", "en", None),
            ("10–20", "en", None),
            ("2 million", "en", None),
            ("A4", "en", None),
            ("none", "en", None),
            ("1,23,4", "en", None),
        ] {
            assert_eq!(number(text, language), value, "{text} {language}");
        }
    }
}
