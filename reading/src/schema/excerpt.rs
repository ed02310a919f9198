//! How warnings name values and properties.

use serde_json::Value;

/// Longest excerpt of a value in a warning, in characters.
pub(super) const EXCERPT_MAX_CHARS: usize = 60;

/// Names a property.
pub(super) fn name_of(name: &str) -> String {
    let short: String = name.chars().take(EXCERPT_MAX_CHARS).collect();
    format!("the property {short:?}")
}

/// Describes a value briefly.
pub(super) fn brief(value: &Value) -> String {
    match value {
        Value::String(text) if text.chars().nth(EXCERPT_MAX_CHARS).is_some() => {
            format!("{:?}…", text.chars().take(EXCERPT_MAX_CHARS).collect::<String>())
        }
        Value::String(text) => format!("{text:?}"),
        Value::Array(list) => format!("the list of {}", list.len()),
        Value::Object(_) => "the object".to_owned(),
        other => other.to_string(),
    }
}
