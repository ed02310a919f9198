//! Regular expressions of a schema: ECMA 262 in, an engine of linear time and bounded size inside.

use std::sync::Arc;

use regex::{Regex, RegexBuilder};

/// Most characters of one pattern.
pub(super) const PATTERN_MAX_CHARS: usize = 1_000;
/// Sizes that a compiled pattern may have, in KiB: the least that suffices tells what a match costs.
const SIZES_KIB: [usize; 6] = [1, 4, 16, 64, 256, 1024];
/// A byte of text costs one step of a check for so many KiB of the compiled pattern: the engine visits each of its states
/// at most once for each byte, and mostly far fewer. The slowest patterns that we know of then take 6 ns for a step.
const KIB_PER_STEP: u64 = 4;
/// The engine's cache of one pattern, in bytes. It only makes matching faster.
const CACHE_MAX_BYTES: usize = 256 * 1024;

/// A compiled pattern.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    regex: Arc<Regex>,
    kib: usize,
}

impl Pattern {
    /// Compiles a pattern; `Err` says what is wrong with it.
    pub(super) fn compile(pattern: &str) -> Result<Self, String> {
        if pattern.chars().count() > PATTERN_MAX_CHARS {
            return Err(format!("must not be longer than {PATTERN_MAX_CHARS} characters"));
        }
        let rust = translated(pattern)?;
        let mut failed = String::new();
        for kib in SIZES_KIB {
            match RegexBuilder::new(&rust).size_limit(kib * 1024).dfa_size_limit(CACHE_MAX_BYTES).build() {
                Ok(regex) => return Ok(Self { regex: Arc::new(regex), kib }),
                Err(regex::Error::CompiledTooBig(_)) => failed = "is too large once compiled".to_owned(),
                // The last line says what is wrong, those before it show where.
                Err(error) => {
                    let text = error.to_string();
                    let reason = text.lines().last().unwrap_or_default().trim();
                    return Err(reason.trim_start_matches("error: ").chars().take(200).collect());
                }
            }
        }
        Err(failed)
    }

    /// What it costs to match it against a text, in steps of a check.
    pub(super) fn steps(&self, text: &str) -> u64 {
        (text.len() as u64 + 1).saturating_mul((self.kib as u64 / KIB_PER_STEP).max(1))
    }

    /// The size of the compiled pattern, in KiB.
    pub(super) fn kib(&self) -> usize {
        self.kib
    }

    pub(super) fn fits(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

/// The pattern in the engine's own language, where the two differ: classes such as `\d` are ASCII, `[` inside a class is
/// a character, `\cX` is a control character.
fn translated(pattern: &str) -> Result<String, String> {
    let mut out = String::with_capacity(pattern.len() + 16);
    let mut in_class = false;
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                let escaped = chars.next().ok_or("ends in a backslash")?;
                match escaped {
                    'd' => out.push_str(if in_class { "0-9" } else { "[0-9]" }),
                    'w' => out.push_str(if in_class { "A-Za-z0-9_" } else { "[A-Za-z0-9_]" }),
                    'D' => out.push_str("[^0-9]"),
                    'W' => out.push_str("[^A-Za-z0-9_]"),
                    // ECMA's white space is Unicode's and the byte order mark.
                    's' => out.push_str(r"[\s\x{FEFF}]"),
                    'S' => out.push_str(r"[^\s\x{FEFF}]"),
                    'c' => {
                        let letter =
                            chars.next().filter(char::is_ascii_alphabetic).ok_or("has `\\c` without a letter")?;
                        out.push_str(&format!("\\x{{{:x}}}", u32::from(letter) % 32));
                    }
                    '0' => out.push_str(r"\x{0}"),
                    'b' if in_class => out.push_str(r"\x08"),
                    // An escaped character that stands for itself; the engine has meanings of its own for some.
                    '<' | '>' | '\'' | '"' | '/' | ' ' | ',' | ':' | ';' | '=' | '@' | '!' | '%' | '`' | '_' => {
                        out.push_str(&regex::escape(escaped.encode_utf8(&mut [0; 4])));
                    }
                    '1'..='9' | 'k' => return Err("refers back to a group, which is not supported".to_owned()),
                    'A' | 'z' | 'Z' | 'a' | 'Q' | 'E' | 'G' => {
                        return Err(format!("has `\\{escaped}`, which is no ECMA 262"));
                    }
                    _ => {
                        out.push('\\');
                        out.push(escaped);
                    }
                }
            }
            '[' if in_class => out.push_str("\\["),
            '[' => {
                in_class = true;
                out.push('[');
                if chars.next_if_eq(&'^').is_some() {
                    out.push('^');
                }
                // `[]` fits nothing and `[^]` everything; the engine takes the bracket for a character.
                if chars.peek() == Some(&']') {
                    return Err("has an empty class".to_owned());
                }
            }
            ']' => {
                out.push_str(if in_class { "]" } else { "\\]" });
                in_class = false;
            }
            // The engine's set operations are doubled characters.
            '&' | '~' if in_class => {
                out.push('\\');
                out.push(c);
            }
            '-' if in_class && chars.peek() == Some(&'-') => out.push_str("\\-"),
            '(' if !in_class && chars.peek() == Some(&'?') => {
                chars.next();
                out.push_str("(?");
                match chars.next() {
                    Some(':') => out.push(':'),
                    Some('<') if !matches!(chars.peek(), Some('=' | '!')) => out.push('<'),
                    Some('=' | '!' | '<') => return Err("looks around, which is not supported".to_owned()),
                    _ => return Err("has a group that is no ECMA 262".to_owned()),
                }
            }
            c => out.push(c),
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_mean_what_they_mean_in_a_browser() {
        for (pattern, text, fits) in [
            (r"^\d{3}$", "123", true),
            (r"^\d{3}$", "١٢٣", false),
            (r"^[\d.]+$", "1.5", true),
            (r"^\w+$", "café", false),
            (r"^\S+@\S+\.\S+$", "a@b.c", true),
            (r"^[[]$", "[", true),
            (r"^[a&&b]+$", "&a", true),
            (r"^[\w-]+$", "a-b", true),
            (r"^\/a\/$", "/a/", true),
            (r"^\cJ$", "\n", true),
            (r"^(?:a|b)+$", "abab", true),
            (r"^(?<year>\d+)$", "2020", true),
            (r"^\u0041$", "A", true),
            (r"^\p{Lu}$", "É", true),
            ("b", "abc", true),
            (r"^[^\d]$", "x", true),
            (r"^[\D]$", "x", true),
            (r"^\s$", "\u{feff}", true),
            ("^.{1,255}$", "any name", true),
        ] {
            let compiled = Pattern::compile(pattern).unwrap_or_else(|reason| panic!("{pattern}: {reason}"));
            assert_eq!(compiled.fits(text), fits, "{pattern} {text}");
        }
    }

    #[test]
    fn patterns_that_take_long_or_much_are_refused() {
        for (pattern, reason) in [
            (r"(a)\1", "refers back"),
            ("(?=a)", "looks around"),
            ("(?<!a)", "looks around"),
            ("(?i)a", "no ECMA 262"),
            ("(((a{1000}){1000}){1000}){1000}", "too large"),
            (r"\p{L}{1000}", "too large"),
            ("(", "unclosed group"),
            ("a**", ""),
            (&"a".repeat(1001), "must not be longer"),
        ] {
            match Pattern::compile(pattern) {
                Err(told) => assert!(told.contains(reason), "{pattern}: {told}"),
                // The engine takes a repeated repetition for what it says; it costs nothing.
                Ok(_) => assert_eq!(pattern, "a**"),
            }
        }
    }
}
