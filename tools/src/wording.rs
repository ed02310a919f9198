//! What is wrong with an argument, in words for a model: the contract's refusals and serde's with the names that the
//! tools have, and without Rust's types.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde_json::Value;

use crate::definitions::{Tool, all};
use crate::names::{camel, snake};

/// How much of a wrong value is repeated in a sentence, in characters.
const VALUE_MAX_CHARS: usize = 80;

/// The contract's names of all arguments, at any depth.
static FIELDS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let mut fields = BTreeSet::new();
    all().iter().for_each(|tool| collect(&tool.input_schema, &mut fields));
    fields
});

static NO_SCHEMA: Value = Value::Null;

fn collect(schema: &Value, fields: &mut BTreeSet<String>) {
    for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
        fields.insert(snake(name));
        collect(schema, fields);
    }
    if schema["items"].is_object() {
        collect(&schema["items"], fields);
    }
}

/// A path of the contract as a model writes it. The names below `map` are the caller's own.
pub(crate) fn path_for_model(path: &str) -> String {
    match path.split_once(".map.") {
        _ if path == "body" => "arguments".to_owned(),
        Some((before, own)) => format!("{}.map.{own}", in_camel(before)),
        None => in_camel(path),
    }
}

/// What is wrong with the argument at the contract's `path`. It goes on from the argument's name: with a verb, or with
/// `: ` and a sentence.
pub(crate) fn problem(tool: &Tool, path: &str, reason: &str) -> String {
    let reason = in_camel(&reworded(without_position(reason), schema_of(tool, path)));
    let has_verb =
        ["must ", "is ", "goes ", "has ", "makes ", "needs ", "says "].iter().any(|verb| reason.starts_with(verb));
    if has_verb { format!(" {reason}") } else { format!(": {reason}") }
}

/// Serde's reason without the place in our re-serialised body, which the model has not seen.
fn without_position(reason: &str) -> &str {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match reason.rsplit_once(" at line ") {
        Some((before, place)) if place.split_once(" column ").is_some_and(|(l, c)| is_number(l) && is_number(c)) => {
            before
        }
        _ => reason,
    }
}

fn schema_of<'a>(tool: &'a Tool, path: &str) -> &'a Value {
    let mut schema = &tool.input_schema;
    for part in path.split('.') {
        let name = part.split('[').next().unwrap_or_default();
        let found = schema["properties"].as_object().into_iter().flatten().find(|(known, _)| snake(known) == name);
        schema = match found {
            Some((_, schema)) if part.contains('[') => &schema["items"],
            Some((_, schema)) => schema,
            None => return &NO_SCHEMA,
        };
    }
    schema
}

/// Serde's reasons as sentences; others stay.
fn reworded(reason: &str, schema: &Value) -> String {
    let wrong =
        ["invalid type: ", "invalid value: ", "unknown variant "].iter().find_map(|kind| reason.strip_prefix(kind));
    if let Some((given, wanted)) = wrong.and_then(|rest| rest.rsplit_once(", expected ")) {
        return format!("must be {}, not {}", wanted_in_words(wanted, schema), given_in_words(given));
    }
    if let Some(field) = reason.strip_prefix("missing field ") {
        return format!("needs {}", field.trim_matches('`'));
    }
    if let Some((_, known)) = reason.strip_prefix("unknown field ").and_then(|rest| rest.rsplit_once(", expected ")) {
        return format!("is not known; known are {}", known.trim_start_matches("one of "));
    }
    if reason.starts_with("data did not match any variant") {
        return "has none of the forms that are accepted".to_owned();
    }
    reason.to_owned()
}

fn wanted_in_words(wanted: &str, schema: &Value) -> String {
    if let Some(words) = schema["enum"].as_array() {
        let words: Vec<String> = words.iter().map(Value::to_string).collect();
        return format!("one of {}", words.join(", "));
    }
    let kind = match wanted {
        "u8" | "u16" | "u32" | "u64" | "usize" | "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a boolean" => return "true or false".to_owned(),
        "a sequence" => return "a list".to_owned(),
        "a map" => return "an object".to_owned(),
        "string or map" => return "a string".to_owned(),
        wanted if wanted.starts_with("struct ") => return "an object".to_owned(),
        wanted => return wanted.to_owned(),
    };
    match (&schema["minimum"], &schema["maximum"]) {
        (Value::Number(min), Value::Number(max)) => format!("{kind} from {min} to {max}"),
        (Value::Number(min), _) => format!("{kind} of at least {min}"),
        _ => kind.to_owned(),
    }
}

fn given_in_words(given: &str) -> String {
    match given {
        "map" => return "an object".to_owned(),
        "sequence" => return "a list".to_owned(),
        _ => {}
    }
    let kinds = ["string ", "integer ", "floating point ", "boolean ", "character "];
    let value = match kinds.iter().find_map(|kind| given.strip_prefix(kind)) {
        Some(value) if value.starts_with('`') => value.trim_matches('`'),
        Some(value) => value,
        // A word of an enum.
        None if given.starts_with('`') => return format!("{:?}", shortened(given.trim_matches('`'))),
        None => given,
    };
    shortened(value)
}

fn shortened(value: &str) -> String {
    match value.char_indices().nth(VALUE_MAX_CHARS) {
        Some((end, _)) => format!("{}…", &value[..end]),
        None => value.to_owned(),
    }
}

/// The names of arguments as a model writes them; what stands in quotes is the caller's and stays.
fn in_camel(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut word = String::new();
    let (mut is_quoted, mut is_escaped) = (false, false);
    let end_word = |word: &mut String, out: &mut String| {
        match FIELDS.contains(word.as_str()) {
            true => out.push_str(&camel(word)),
            false => out.push_str(word),
        }
        word.clear();
    };
    for c in text.chars() {
        if !is_quoted && (c.is_ascii_alphanumeric() || c == '_') {
            word.push(c);
            continue;
        }
        end_word(&mut word, &mut out);
        out.push(c);
        if c == '"' && !is_escaped {
            is_quoted = !is_quoted;
        }
        is_escaped = is_quoted && c == '\\' && !is_escaped;
    }
    end_word(&mut word, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definitions::tool;

    fn said(path: &str, reason: &str) -> String {
        let tool = tool("browser_wait").unwrap();
        format!("{:?}{}", path_for_model(path), problem(tool, path, reason))
    }

    #[test]
    fn reasons_are_sentences_with_the_names_that_a_model_knows() {
        for (path, reason, expected) in [
            (
                "timeout_ms",
                "invalid type: string \"soon\", expected u32 at line 1 column 34",
                "\"timeoutMs\" must be a whole number from 1000 to 60000, not \"soon\"",
            ),
            (
                "timeout_ms",
                "invalid value: integer `-5`, expected u32 at line 1 column 2",
                "\"timeoutMs\" must be a whole number from 1000 to 60000, not -5",
            ),
            (
                "text_gone",
                "invalid type: map, expected a string at line 1 column 2",
                "\"textGone\" must be a string, not an object",
            ),
            ("target", "missing field `value` at line 1 column 2", "\"target\" needs value"),
            ("x", "unknown variant `text_gone`, expected `a` or `b`", "\"x\" must be `a` or `b`, not \"text_gone\""),
            ("network_idle_ms", "send text_gone or url", "\"networkIdleMs\": send textGone or url"),
            ("body", "has more than 5 values", "\"arguments\" has more than 5 values"),
        ] {
            assert_eq!(said(path, reason), expected, "{reason}");
        }
    }

    #[test]
    fn what_the_caller_wrote_stays_as_it_is() {
        let value = "timeout_ms \\\" at line 1 text_gone";
        let reason = format!("invalid type: string \"{value}\", expected a boolean at line 1 column 60");
        assert_eq!(said("x", &reason), format!("\"x\" must be true or false, not \"{value}\""));
        assert_eq!(path_for_model("extract[0].map.max_chars"), "extract[0].map.max_chars");
        assert_eq!(path_for_model("extract[0].max_chars"), "extract[0].maxChars");
        assert!(said("x", &format!("invalid type: string \"{}\", expected u32", "y".repeat(10_000))).len() < 200);
    }
}
