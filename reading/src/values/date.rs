//! Reads dates as pages write them, and returns them as ISO 8601.

use time::{Date, Month};

use super::plain::{VALUE_MAX_BYTES, plain};

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

/// Returns the date in a text as ISO 8601; a time of day is kept if the text is already ISO 8601.
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
    // Dates such as 2019年11月18日.
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
        // Ambiguous: `03/04` may be the third of April or the fourth of March.
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
    // The longest matching prefix counts.
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

/// Returns a text that is already ISO 8601, without spaces in its time.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ambiguous_dates_are_not_read() {
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
