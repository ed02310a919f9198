//! URL patterns: `*` matches within a part of the path, `**` across parts.

use std::collections::HashMap;
use std::fmt;

use porthole_contract::limits::TARGET_VALUE_MAX_CHARS;
use url::Url;

/// Longest pattern, in characters.
const PATTERN_MAX_CHARS: usize = TARGET_VALUE_MAX_CHARS;
/// How much of a URL is compared, in characters.
const URL_MAX_CHARS: usize = 16_000;

/// A pattern of URLs. One that begins with `/` is about path, query and fragment alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UrlGlob {
    pattern: String,
    tokens: Vec<Token>,
}

/// A text that is no pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a URL pattern of 1 to {PATTERN_MAX_CHARS} characters")]
pub struct NotAGlob;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    One(char),
    /// `*`
    Within,
    /// `**`
    Across,
}

impl UrlGlob {
    /// Reads a pattern.
    ///
    /// # Errors
    /// [`NotAGlob`] where it is empty or too long.
    pub fn parse(pattern: &str) -> Result<Self, NotAGlob> {
        let pattern = pattern.trim();
        if pattern.is_empty() || pattern.chars().count() > PATTERN_MAX_CHARS {
            return Err(NotAGlob);
        }
        let mut tokens = Vec::new();
        for character in pattern.chars() {
            match (character, tokens.last()) {
                ('*', Some(Token::Across)) => {}
                ('*', Some(Token::Within)) => {
                    tokens.pop();
                    tokens.push(Token::Across);
                }
                ('*', _) => tokens.push(Token::Within),
                (one, _) => tokens.push(Token::One(one)),
            }
        }
        Ok(Self { pattern: pattern.to_owned(), tokens })
    }

    /// Whether a URL is of the pattern. The `/` of an empty path may be left out.
    #[must_use]
    pub fn matches(&self, url: &str) -> bool {
        let parsed = Url::parse(url).ok();
        let is_bare = parsed.as_ref().is_some_and(|url| url.path() == "/" && url.query().is_none());
        if self.pattern.starts_with('/') {
            return parsed.is_some_and(|parsed| self.is(&parsed[url::Position::BeforePath..]));
        }
        self.is(url) || (is_bare && url.strip_suffix('/').is_some_and(|bare| self.is(bare)))
    }

    /// Follows all ways through the pattern at once, 64 places at a time, so that no pattern takes long.
    fn is(&self, text: &str) -> bool {
        let words = self.tokens.len() / WORD_BITS + 1;
        let mut places = Places::new(words);
        for (place, token) in self.tokens.iter().enumerate() {
            places.note(place, *token);
        }
        let mut at = vec![0_u64; words];
        at[0] = 1;
        places.skip(&mut at);
        for character in text.chars().take(URL_MAX_CHARS) {
            places.read(&mut at, character);
        }
        let end = self.tokens.len();
        at[end / WORD_BITS] & bit(end) != 0
    }
}

/// The places of a pattern, as bits of words: of each character, and of the two kinds of star.
struct Places {
    ones: HashMap<char, Vec<u64>>,
    within: Vec<u64>,
    across: Vec<u64>,
    words: usize,
}

const WORD_BITS: usize = u64::BITS as usize;

fn bit(place: usize) -> u64 {
    1 << (place % WORD_BITS)
}

impl Places {
    fn new(words: usize) -> Self {
        Self { ones: HashMap::new(), within: vec![0; words], across: vec![0; words], words }
    }

    fn note(&mut self, place: usize, token: Token) {
        let places = match token {
            Token::One(one) => self.ones.entry(one).or_insert_with(|| vec![0; self.words]),
            Token::Within => &mut self.within,
            Token::Across => &mut self.across,
        };
        places[place / WORD_BITS] |= bit(place);
    }

    /// Goes on from all places with one character.
    fn read(&self, at: &mut [u64], character: char) {
        let ones = self.ones.get(&character);
        let mut carried = 0;
        for (word, here) in at.iter_mut().enumerate() {
            let passed = *here & ones.map_or(0, |ones| ones[word]);
            let within = if character == '/' { 0 } else { self.within[word] };
            let stayed = *here & (within | self.across[word]);
            *here = (passed << 1) | carried | stayed;
            carried = passed >> (WORD_BITS - 1);
        }
        self.skip(at);
    }

    /// Stars may stand for nothing. No two stand side by side, so one step is enough.
    fn skip(&self, at: &mut [u64]) {
        let mut carried = 0;
        for (word, here) in at.iter_mut().enumerate() {
            let stars = *here & (self.within[word] | self.across[word]);
            // A place that is reached by the carry is no star's.
            *here |= (stars << 1) | carried;
            carried = stars >> (WORD_BITS - 1);
        }
    }
}

impl fmt::Display for UrlGlob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.pattern)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_star_stays_within_a_part_and_two_go_across() {
        for (pattern, url, is) in [
            ("https://a.example/*", "https://a.example/one", true),
            ("https://a.example/*", "https://a.example/one/two", false),
            ("https://a.example/**", "https://a.example/one/two?x=1#y", true),
            ("https://a.example", "https://a.example/", true),
            ("**/done", "https://a.example/shop/done", true),
            ("**/done", "https://a.example/shop/done?x", false),
            ("**/done?x=*", "https://a.example/shop/done?x=1", true),
            ("/shop/*/edit", "https://a.example/shop/7/edit", true),
            ("/shop/*/edit", "https://a.example/a/shop/7/edit", false),
            ("/shop/**", "https://a.example/shop/", true),
            ("*done*", "https://a.example/done", false),
            ("**done**", "https://a.example/done", true),
            ("a*b", "a.b", true),
        ] {
            assert_eq!(UrlGlob::parse(pattern).unwrap().matches(url), is, "{pattern} {url}");
        }
        assert_eq!(UrlGlob::parse(" "), Err(NotAGlob));
    }

    #[test]
    fn long_patterns_are_followed_as_short_ones() {
        for length in 55..70 {
            let (head, tail) = ("a".repeat(length), "b".repeat(length));
            let glob = UrlGlob::parse(&format!("**/{head}*{tail}")).unwrap();
            assert!(glob.matches(&format!("https://a.example/x/{head}aa{tail}")), "{length}");
            assert!(!glob.matches(&format!("https://a.example/x/{head}a/a{tail}")), "{length}");
            assert!(!glob.matches(&format!("https://a.example/x/{head}{}", "b".repeat(length - 1))), "{length}");
        }
    }

    #[test]
    fn no_pattern_takes_long() {
        let glob = UrlGlob::parse(&"**a*".repeat(1_000)).unwrap();
        let many = "a".repeat(15_000);
        assert!(glob.matches(&format!("https://a.example/{many}")));
        assert!(!glob.matches(&format!("https://a.example/{many}/b")));
    }
}
