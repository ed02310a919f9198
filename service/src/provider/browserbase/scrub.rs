//! Other people's sentences, made fit to be repeated: they quote keys, connect URLs and whatever else they were sent.

use secrecy::ExposeSecret as _;

use crate::provider::Credentials;

/// How much of a sentence is repeated, in characters.
const SENTENCE_MAX_CHARS: usize = 300;
/// A run of this many characters without a space that has a digit in it is nobody's word: it is a key, a token or an id.
const WORD_MAX_CHARS: usize = 20;
const REMOVED: &str = "[removed]";

/// The sentence without secrets, URLs and control characters, and no longer than somebody reads.
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
    let is_long = word.chars().count() >= WORD_MAX_CHARS && word.chars().any(|c| c.is_ascii_digit());
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
    fn what_people_read_stays() {
        let said = "You've exceeded your max concurrent sessions limit (limit 1, currently 1).";
        assert_eq!(scrubbed(said, &credentials()), said);
    }

    #[test]
    fn keys_urls_tokens_and_control_characters_go() {
        let said = "key bb_live_k of the-project\nat wss://connect.example/?signingKey=e30 with \
                    eyJhbGciOiJIUzI1NiIsInR5cCI6 and\u{1b}[31m red";
        let told = scrubbed(said, &credentials());
        assert_eq!(told, "key [removed] of [removed] at [removed] with [removed] and [31m red");
    }

    #[test]
    fn nothing_said_and_too_much_said() {
        assert_eq!(scrubbed(" \n", &credentials()), "no reason given");
        assert_eq!(scrubbed(&"word ".repeat(10_000), &credentials()).chars().count(), SENTENCE_MAX_CHARS);
    }
}
