//! Regular expressions of a schema: ECMA 262 syntax, run by an engine of linear time and bounded size.

use std::iter::Peekable;
use std::str::Chars;
use std::sync::Arc;

use regex::{Regex, RegexBuilder};

/// Most characters of one pattern.
pub(super) const PATTERN_MAX_CHARS: usize = 1_000;
/// Size limits tried for a compiled pattern, in KiB: the smallest that suffices determines the cost of a match.
const SIZES_KIB: [usize; 6] = [1, 4, 16, 64, 256, 1024];
/// KiB of a compiled pattern for which a byte of text costs one step at least.
const KIB_PER_STEP: u64 = 4;
/// Steps that a byte may cost for each KiB: the engine visits each of its states at most once, and mostly far fewer. The slowest
/// pattern that we know of, `(?:(?:a?b?){50}){50}c$`, takes 78 ns.
const STEPS_PER_KIB_MAX: u64 = 8;
/// Largest cache of the engine for one pattern, in bytes. It affects only the speed of matching.
const CACHE_MAX_BYTES: usize = 256 * 1024;

/// A compiled pattern.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    regex: Arc<Regex>,
    kib: usize,
}

impl Pattern {
    /// Compiles a pattern; `Err` describes what is wrong with it.
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
                // The last line contains the reason, those before it show the position.
                Err(error) => {
                    let text = error.to_string();
                    let reason = text.lines().last().unwrap_or_default().trim();
                    return Err(reason.trim_start_matches("error: ").chars().take(200).collect());
                }
            }
        }
        Err(failed)
    }

    /// Returns the least that matching it against a text costs, in steps of a check. What it takes is known only afterwards.
    pub(super) fn steps(&self, text: &str) -> u64 {
        (text.len() as u64 + 1).saturating_mul((self.kib as u64 / KIB_PER_STEP).max(1))
    }

    /// Returns the most that it may cost: a match can't be stopped.
    pub(super) fn steps_max(&self, text: &str) -> u64 {
        (text.len() as u64).saturating_mul(self.kib as u64 * STEPS_PER_KIB_MAX)
    }

    /// Returns the size of the compiled pattern, in KiB.
    pub(super) fn kib(&self) -> usize {
        self.kib
    }

    pub(super) fn fits(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

/// Translates a pattern into the engine's language where the two differ: classes such as `\d` are ASCII, `[` inside a
/// class is a character, `\cX` is a control character.
fn translated(pattern: &str) -> Result<String, String> {
    let mut out = String::with_capacity(pattern.len() + 16);
    let mut in_class = false;
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                escape(&mut out, &mut chars, in_class)?;
            }
            '[' if in_class => out.push_str("\\["),
            '[' => {
                in_class = true;
                out.push('[');
                if chars.next_if_eq(&'^').is_some() {
                    out.push('^');
                }
                // `[]` matches nothing and `[^]` everything; the engine would read the bracket as a character.
                if chars.peek() == Some(&']') {
                    return Err("has an empty class".to_owned());
                }
            }
            ']' => {
                out.push_str(if in_class { "]" } else { "\\]" });
                in_class = false;
            }
            // The engine's set operators are doubled characters.
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
                    Some('=' | '!' | '<') => return Err("uses look-around, which is not supported".to_owned()),
                    _ => return Err("has a group that is not ECMA 262".to_owned()),
                }
            }
            c => out.push(c),
        }
    }
    Ok(out)
}

/// Translates what follows a backslash.
fn escape(out: &mut String, chars: &mut Peekable<Chars<'_>>, in_class: bool) -> Result<(), String> {
    let escaped = chars.next().ok_or("ends in a backslash")?;
    match escaped {
        'd' => out.push_str(if in_class { "0-9" } else { "[0-9]" }),
        'w' => out.push_str(if in_class { "A-Za-z0-9_" } else { "[A-Za-z0-9_]" }),
        'D' => out.push_str("[^0-9]"),
        'W' => out.push_str("[^A-Za-z0-9_]"),
        // ECMA's white space is Unicode's plus the byte order mark.
        's' => out.push_str(r"[\s\x{FEFF}]"),
        'S' => out.push_str(r"[^\s\x{FEFF}]"),
        'c' => {
            let letter = chars.next().filter(char::is_ascii_alphabetic).ok_or("has `\\c` without a letter")?;
            out.push_str(&format!("\\x{{{:x}}}", u32::from(letter) % 32));
        }
        '0' => out.push_str(r"\x{0}"),
        'b' if in_class => out.push_str(r"\x08"),
        // Escaped characters that stand for themselves; the engine gives some of them other meanings.
        '<' | '>' | '\'' | '"' | '/' | ' ' | ',' | ':' | ';' | '=' | '@' | '!' | '%' | '`' | '_' => {
            out.push_str(&regex::escape(escaped.encode_utf8(&mut [0; 4])));
        }
        '1'..='9' | 'k' => return Err("refers back to a group, which is not supported".to_owned()),
        'A' | 'z' | 'Z' | 'a' | 'Q' | 'E' | 'G' => {
            return Err(format!("has `\\{escaped}`, which is not ECMA 262"));
        }
        _ => {
            out.push('\\');
            out.push(escaped);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_a_browser() {
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
    fn unsupported_and_large_patterns_are_refused() {
        for (pattern, reason) in [
            (r"(a)\1", "refers back"),
            ("(?=a)", "uses look-around"),
            ("(?<!a)", "uses look-around"),
            ("(?i)a", "not ECMA 262"),
            ("(((a{1000}){1000}){1000}){1000}", "too large"),
            (r"\p{L}{1000}", "too large"),
            ("(", "unclosed group"),
            ("a**", ""),
            (&"a".repeat(1001), "must not be longer"),
        ] {
            match Pattern::compile(pattern) {
                Err(told) => assert!(told.contains(reason), "{pattern}: {told}"),
                // The engine accepts a repeated repetition; it costs nothing.
                Ok(_) => assert_eq!(pattern, "a**"),
            }
        }
    }
}
