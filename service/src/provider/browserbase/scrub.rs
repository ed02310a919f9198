//! Scrubs Browserbase's messages before they are repeated: they may quote keys, connect URLs and other input.

use secrecy::ExposeSecret as _;

use crate::provider::Credentials;

/// The longest message that is repeated, in characters.
const SENTENCE_MAX_CHARS: usize = 300;
/// A word of at least this length with a digit in it is taken for a key, a token or an id.
const SECRET_MIN_CHARS: usize = 20;
const REMOVED: &str = "[removed]";

/// Returns the sentence without secrets, URLs and control characters, cut to [`SENTENCE_MAX_CHARS`].
pub(super) fn scrubbed(sentence: &str, credentials: &Credentials) -> String {
    let secrets = [Some(&credentials.api_key), credentials.project_id.as_ref()];
    let mut sentence: String = sentence.chars().take(16 * SENTENCE_MAX_CHARS).collect();
    for secret in secrets.into_iter().flatten().map(|secret| secret.expose_secret()).filter(|secret| !secret.is_empty())
    {
        sentence = sentence.replace(secret, REMOVED);
    }
    let words: Vec<&str> = sentence
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .map(|word| if may_be_secret(word) { REMOVED } else { word })
        .collect();
    let words = words.join(" ");
    if words.is_empty() { "no reason given".to_owned() } else { words.chars().take(SENTENCE_MAX_CHARS).collect() }
}

fn may_be_secret(word: &str) -> bool {
    let is_long = word.chars().count() >= SECRET_MIN_CHARS && word.chars().any(|c| c.is_ascii_digit());
    is_long
        || word.contains("://")
        || word.contains("signingKey")
        || word.contains("bb_live_")
        || word.contains("bb_test_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn credentials() -> Credentials {
        Credentials { api_key: "bb_live_k".into(), project_id: Some("the-project".into()) }
    }

    #[test]
    fn an_ordinary_message_is_kept() {
        let message = "You've exceeded your max concurrent sessions limit (limit 1, currently 1).";
        assert_eq!(scrubbed(message, &credentials()), message);
    }

    #[test]
    fn keys_urls_tokens_and_control_characters_go() {
        let message = "key bb_live_k of the-project\nat wss://connect.example/?signingKey=e30 with \
                    eyJhbGciOiJIUzI1NiIsInR5cCI6 and\u{1b}[31m red";
        let clean = scrubbed(message, &credentials());
        assert_eq!(clean, "key [removed] of [removed] at [removed] with [removed] and [31m red");
    }

    #[test]
    fn an_empty_message_is_replaced_and_a_long_one_cut() {
        assert_eq!(scrubbed(" \n", &credentials()), "no reason given");
        assert_eq!(scrubbed(&"word ".repeat(10_000), &credentials()).chars().count(), SENTENCE_MAX_CHARS);
    }
}
