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
    let text = plain(text.trim());
    let chars: Vec<char> = text.chars().collect();
    let mut found: Option<(String, usize, usize)> = None;
    let mut at = 0;
    while at < chars.len() {
        if !chars[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        let mut end = at + 1;
        while end < chars.len() {
            let next_digits = chars[end + 1..].iter().take_while(|c| c.is_ascii_digit()).count();
            match chars[end] {
                c if c.is_ascii_digit() => end += 1,
                '.' | ',' | '\'' if next_digits > 0 => end += 1,
                // A space separates groups of three digits.
                ' ' if next_digits == 3 && end - start <= 3
                    || chars[end] == ' ' && next_digits == 3 && chars[start..end].contains(&' ') =>
                {
                    end += 1;
                }
                _ => break,
            }
        }
        if found.is_some() {
            return None;
        }
        found = Some((chars[start..end].iter().collect(), start, end));
        at = end;
    }
    let (digits, start, end) = found?;
    let value = unsigned(&digits, decimal_comma(language))?;
    // A digit in a word, as in `A4`, is not a number.
    if start > 0
        && chars[start - 1].is_alphabetic()
        && chars[start - 1].is_ascii()
        && !text[..text.find(&digits)?].ends_with("R$")
    {
        let before: String = chars[..start].iter().rev().take_while(|c| c.is_alphabetic()).collect();
        if before.len() < 2 {
            return None;
        }
    }
    let factor = match (chars.get(end), chars.get(end + 1)) {
        (Some('k' | 'K'), next) if next.is_none_or(|next| !next.is_alphanumeric()) => 1e3,
        (Some('M'), next) if next.is_none_or(|next| !next.is_alphanumeric()) => 1e6,
        (Some('B'), next) if next.is_none_or(|next| !next.is_alphanumeric()) => 1e9,
        _ => 1.0,
    };
    let rest: String = chars[end..].iter().collect::<String>().trim_start().to_lowercase();
    // Words that change the value are not interpreted.
    if [
        "million", "billion", "mio", "mrd", "thousand", "tausend", "mille", "тыс", "млн", "млрд", "万", "億", "亿",
        "만", "lakh", "crore",
    ]
    .iter()
    .any(|word| rest.starts_with(word))
    {
        return None;
    }
    let before: String = chars[..start].iter().collect();
    let negative = before.trim_end_matches(|c: char| c.is_whitespace() || "€$£¥₹₽".contains(c)).ends_with('-')
        && !before.trim_end().ends_with("--");
    let value = value * factor;
    Some(if negative { -value } else { value })
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
