//! Texts as numbers, dates and yes-or-no, by the page's language. What can be read in two ways is read in none.

use time::{Date, Month};

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

/// Digits of any script as ASCII, other signs in their plain form.
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

/// A text that is longer is no number and no date, in bytes.
const VALUE_MAX_BYTES: usize = 300;

/// The one number in a text; nothing where there is none, several, or one that could be two.
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
                // A space parts groups of three.
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
    // Part of a word, as in `A4`, is none.
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
    // Words that change the value are not guessed at.
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

const MONTHS: &[(&str, u8)] = &[
    ("jan", 1),
    ("feb", 2),
    ("fev", 2),
    ("fév", 2),
    ("mar", 3),
    ("mär", 3),
    ("maa", 3),
    ("mrt", 3),
    ("apr", 4),
    ("avr", 4),
    ("abr", 4),
    ("may", 5),
    ("mai", 5),
    ("mei", 5),
    ("mag", 5),
    ("maj", 5),
    ("jun", 6),
    ("juin", 6),
    ("giu", 6),
    ("jul", 7),
    ("juil", 7),
    ("lug", 7),
    ("aug", 8),
    ("aoû", 8),
    ("aou", 8),
    ("ago", 8),
    ("sep", 9),
    ("set", 9),
    ("oct", 10),
    ("okt", 10),
    ("ott", 10),
    ("out", 10),
    ("nov", 11),
    ("dec", 12),
    ("dez", 12),
    ("déc", 12),
    ("dic", 12),
    ("ene", 1),
    ("gen", 1),
    ("янв", 1),
    ("фев", 2),
    ("мар", 3),
    ("апр", 4),
    ("мая", 5),
    ("май", 5),
    ("июн", 6),
    ("июл", 7),
    ("авг", 8),
    ("сен", 9),
    ("окт", 10),
    ("ноя", 11),
    ("дек", 12),
];

/// The date in a text as ISO 8601; a time of day stays where the text is ISO 8601 already.
#[must_use]
pub fn date(text: &str, language: &str) -> Option<String> {
    if text.len() > VALUE_MAX_BYTES {
        return None;
    }
    let text = plain(text.trim());
    if let Some(iso) = iso(&text) {
        return Some(iso);
    }
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    // 2019年11月18日 and its like.
    if let Some((year, rest)) = lower.split_once(['年', '년'])
        && let Some((month, rest)) = rest.split_once(['月', '월'])
        && let Some((day, _)) = rest.split_once(['日', '일'])
    {
        return made(year.trim().parse().ok()?, month.trim().parse().ok()?, day.trim().parse().ok()?);
    }
    let month = words.iter().position(|word| month_of(word).is_some());
    if let Some(place) = month {
        let month = month_of(words[place])?;
        let numbers: Vec<(usize, u32)> =
            words.iter().enumerate().filter_map(|(at, word)| Some((at, ordinal(word)?))).collect();
        let year = numbers.iter().find(|(_, value)| (1000..=9999).contains(value))?.1;
        let mut days = numbers.iter().filter(|(at, value)| (1..=31).contains(value) && at.abs_diff(place) <= 2);
        let day = days.next()?.1;
        return made(i32::try_from(year).ok()?, month, u8::try_from(day).ok()?);
    }
    let numbers: Vec<u32> = words.iter().take(3).map(|word| word.parse().ok()).collect::<Option<_>>()?;
    let [first, second, third] = numbers[..] else { return None };
    if words.len() > 3 && words[3..].iter().any(|word| word.len() > 2 && word.chars().all(|c| c.is_ascii_digit())) {
        return None;
    }
    if first >= 1000 {
        return made(i32::try_from(first).ok()?, u8::try_from(second).ok()?, u8::try_from(third).ok()?);
    }
    if third < 1000 {
        return None;
    }
    let year = i32::try_from(third).ok()?;
    let (first, second) = (u8::try_from(first).ok()?, u8::try_from(second).ok()?);
    let dotted = text.contains('.');
    let region = language.to_ascii_uppercase();
    let month_first = region.ends_with("-US") || region.ends_with("_US") || region.ends_with("-PH");
    let is_plain_english = region == "EN" || region.is_empty();
    match (first, second) {
        (day, month) if day > 12 => made(year, month, day),
        (month, day) if day > 12 => made(year, month, day),
        (day, month) if day == month || dotted => made(year, month, day),
        (month, day) if month_first => made(year, month, day),
        // The third of April or the fourth of March: nobody can tell.
        _ if is_plain_english => None,
        (day, month) => made(year, month, day),
    }
}

fn ordinal(word: &str) -> Option<u32> {
    let digits = word.trim_end_matches(|c: char| c.is_alphabetic());
    let ending = &word[digits.len()..];
    matches!(ending, "" | "st" | "nd" | "rd" | "th" | "er" | "º" | "ª" | "o").then(|| digits.parse().ok()).flatten()
}

fn month_of(word: &str) -> Option<u8> {
    if word.chars().next()?.is_ascii_digit() {
        return None;
    }
    let fits = |name: &str| word.starts_with(name) && word.chars().count() <= 10;
    // `juil` before `ju`: the longest beginning counts.
    MONTHS
        .iter()
        .filter(|(name, _)| fits(name))
        .max_by_key(|(name, _)| name.len())
        .map(|(_, month)| *month)
        .filter(|_| !matches!(word, "market" | "mary" | "decent" | "general" | "general:"))
}

fn made(year: i32, month: u8, day: u8) -> Option<String> {
    let date = Date::from_calendar_date(year, Month::try_from(month).ok()?, day).ok()?;
    Some(format!("{:04}-{:02}-{:02}", date.year(), u8::from(date.month()), date.day()))
}

/// A text that is ISO 8601 already.
fn iso(text: &str) -> Option<String> {
    let day = text.get(..10)?;
    let mut parts = day.split('-');
    let (year, month, date) = (parts.next()?, parts.next()?, parts.next()?);
    if (year.len(), month.len(), date.len()) != (4, 2, 2) {
        return None;
    }
    made(year.parse().ok()?, month.parse().ok()?, date.parse().ok()?)?;
    let rest = text[10..].trim();
    let is_time = rest.is_empty()
        || rest
            .trim_start_matches('T')
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, ':' | '.' | '+' | '-' | 'Z' | 'z' | ' '));
    if !is_time {
        return Some(day.to_owned());
    }
    Some(if rest.is_empty() {
        day.to_owned()
    } else {
        format!("{day}T{}", rest.trim_start_matches('T').replace(' ', ""))
    })
}

/// Whether a text says yes or no.
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

    #[test]
    fn dates_that_could_be_two_are_none() {
        for (text, language, value) in [
            ("2019-11-18", "en", Some("2019-11-18")),
            ("2019-11-18T07:45:00Z", "en", Some("2019-11-18T07:45:00Z")),
            ("Monday November 18, 2019 7:45 am PST", "en", Some("2019-11-18")),
            ("18. November 2019", "de", Some("2019-11-18")),
            ("1er février 2020", "fr", Some("2020-02-01")),
            ("3 de março de 2021", "pt", Some("2021-03-03")),
            ("14 juillet 2020", "fr", Some("2020-07-14")),
            ("5 мая 2020 г.", "ru", Some("2020-05-05")),
            ("18.11.2019", "de", Some("2019-11-18")),
            ("11/18/2019", "en", Some("2019-11-18")),
            ("03/04/2020", "en-US", Some("2020-03-04")),
            ("03/04/2020", "en-GB", Some("2020-04-03")),
            ("03/04/2020", "en", None),
            ("2019年11月18日", "ja", Some("2019-11-18")),
            ("2019/11/18", "ja", Some("2019-11-18")),
            ("31 February 2020", "en", None),
            ("soon", "en", None),
        ] {
            assert_eq!(date(text, language).as_deref(), value, "{text} {language}");
        }
    }
}
