//! The `q` parameter of a list: `user_metadata['key']:'value'`, with further keys for nested objects. Compares strings
//! for equality only, as Browserbase does.

use serde_json::{Map, Value};

/// A condition on user metadata.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Query {
    keys: Vec<String>,
    value: String,
}

/// A `q` that can't be parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("querystring/q must be of the form user_metadata['key']:'value'")]
pub(crate) struct UnreadableQuery;

impl Query {
    pub(crate) fn parse(text: &str) -> Result<Self, UnreadableQuery> {
        let mut rest = text.trim().strip_prefix("user_metadata").ok_or(UnreadableQuery)?;
        let mut keys = Vec::new();
        while let Some(after) = rest.strip_prefix('[') {
            let (key, after) = quoted(after).ok_or(UnreadableQuery)?;
            keys.push(key);
            rest = after.strip_prefix(']').ok_or(UnreadableQuery)?;
        }
        let (value, rest) = rest.strip_prefix(':').and_then(|rest| quoted(rest.trim_start())).ok_or(UnreadableQuery)?;
        if keys.is_empty() || !rest.trim().is_empty() {
            return Err(UnreadableQuery);
        }
        Ok(Self { keys, value })
    }

    /// Whether these metadata match.
    pub(crate) fn fits(&self, metadata: Option<&Map<String, Value>>) -> bool {
        let Some((last, outer)) = self.keys.split_last() else { return false };
        let object = outer.iter().try_fold(metadata, |object, key| {
            let inner = object?.get(key)?.as_object()?;
            Some(Some(inner))
        });
        let found = object.flatten().and_then(|object| object.get(last)).and_then(Value::as_str);
        found == Some(&self.value)
    }
}

/// Splits quoted text, in either kind of quotes, from the rest.
fn quoted(text: &str) -> Option<(String, &str)> {
    let quote = text.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
    let (inside, after) = text[1..].split_once(quote)?;
    Some((inside.to_owned(), after))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn strings_are_compared_at_any_depth() {
        let metadata = json!({"porthole": "1", "n": 1, "run": {"id": "a:'b"}});
        let fits = |query: &str| Query::parse(query).unwrap().fits(metadata.as_object());
        assert!(fits("user_metadata['porthole']:'1'"));
        assert!(fits(" user_metadata['run']['id']: \"a:'b\" "));
        for query in [
            "user_metadata['porthole']:'2'",
            "user_metadata['n']:'1'",
            "user_metadata['run']:'a'",
            "user_metadata['porthole']['id']:'1'",
            "user_metadata['missing']:''",
        ] {
            assert!(!fits(query), "{query}");
        }
        assert!(!Query::parse("user_metadata['porthole']:'1'").unwrap().fits(None));
    }

    #[test]
    fn invalid_queries_are_refused() {
        for text in [
            "",
            "porthole:1",
            "user_metadata:'1'",
            "user_metadata['a']",
            "user_metadata['a']:1",
            "user_metadata['a':'1'",
            "user_metadata['a']:'1' AND b",
        ] {
            assert_eq!(Query::parse(text), Err(UnreadableQuery), "{text}");
        }
    }
}
