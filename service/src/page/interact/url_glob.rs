//! URL patterns: `*` matches within a part of the path, `**` across parts.

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

    /// Follows all ways through the pattern at once, so that no pattern takes long.
    fn is(&self, text: &str) -> bool {
        let end = self.tokens.len();
        let mut at = vec![false; end + 1];
        at[0] = true;
        self.skip(&mut at);
        for character in text.chars().take(URL_MAX_CHARS) {
            let mut next = vec![false; end + 1];
            for (place, token) in self.tokens.iter().enumerate().filter(|(place, _)| at[*place]) {
                match token {
                    Token::One(one) if *one == character => next[place + 1] = true,
                    Token::Within if character != '/' => next[place] = true,
                    Token::Across => next[place] = true,
                    Token::One(_) | Token::Within => {}
                }
            }
            self.skip(&mut next);
            at = next;
        }
        at[end]
    }

    /// Stars may stand for nothing.
    fn skip(&self, at: &mut [bool]) {
        for (place, token) in self.tokens.iter().enumerate() {
            if at[place] && matches!(token, Token::Within | Token::Across) {
                at[place + 1] = true;
            }
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
    fn no_pattern_takes_long() {
        let glob = UrlGlob::parse(&"**a*".repeat(400)).unwrap();
        let many = "a".repeat(10_000);
        assert!(glob.matches(&format!("https://a.example/{many}")));
        assert!(!glob.matches(&format!("https://a.example/{many}/b")));
    }
}
