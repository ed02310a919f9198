//! Parses request bodies strictly; every error names the field.

use std::fmt;

use serde::de::{DeserializeOwned, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::limits::{BODY_VALUES_MAX, LARGE_BODY_VALUES_MAX, SERVICE_BODY_MAX_BYTES};

/// A field that is missing, unknown, duplicated, of the wrong type or out of range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {reason}")]
pub struct Invalid {
    /// The field's path, such as `viewport.width`; `body` for the body as a whole.
    pub path: String,
    /// What is wrong and which values are accepted.
    pub reason: String,
}

impl Invalid {
    /// Returns an error for the field at `path`.
    pub fn new(path: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { path: path.into(), reason: reason.into() }
    }
}

/// A request whose values can be validated without any lookup.
pub trait Validate {
    /// Checks that every value is in range and reports the first one that is not.
    ///
    /// # Errors
    /// [`Invalid`], with the field's path and what is accepted.
    fn validate(&self) -> Result<(), Invalid>;
}

/// Parses a request from its body and validates its values.
///
/// # Errors
/// [`Invalid`] for a body that is not JSON, an unknown, missing or duplicate field, a wrong type or an invalid value.
pub fn parse<T: DeserializeOwned + Validate>(body: &[u8]) -> Result<T, Invalid> {
    let request: T = read(body)?;
    request.validate()?;
    Ok(request)
}

/// A JSON object without duplicate keys at any depth.
///
/// The worker parses bodies into this type: it needs no knowledge of a route's fields, and the service can't
/// interpret the forwarded body differently.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StrictObject(pub Map<String, Value>);

impl StrictObject {
    /// Parses an object.
    ///
    /// # Errors
    /// [`Invalid`] for a body that is not JSON, is not an object or has a duplicate key.
    pub fn parse(body: &[u8]) -> Result<Self, Invalid> {
        match read::<StrictValue>(body)?.0 {
            Value::Object(object) => Ok(Self(object)),
            _ => Err(Invalid::new("body", "must be a JSON object")),
        }
    }
}

/// Counts separators outside strings, of which a JSON text has about as many as values.
#[must_use]
pub fn values(json: &[u8]) -> usize {
    let (mut count, mut in_string, mut escaped) = (0, false, false);
    for byte in json {
        match (in_string, byte) {
            _ if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (_, b'"') => in_string = !in_string,
            (false, b',' | b'[' | b'{') => count += 1,
            _ => {}
        }
    }
    count
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Invalid> {
    let max = if body.len() > SERVICE_BODY_MAX_BYTES { LARGE_BODY_VALUES_MAX } else { BODY_VALUES_MAX };
    if values(body) > max {
        return Err(Invalid::new("body", format!("has more than {max} values")));
    }
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = match error.path().to_string() {
            root if root == "." => "body".to_owned(),
            path => path,
        };
        Invalid::new(path, error.into_inner().to_string())
    })?;
    deserializer.end().map_err(|error| Invalid::new("body", error.to_string()))?;
    Ok(value)
}

/// Deserializes a field that may hold any JSON without duplicate keys.
pub(crate) fn strict_value<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    let value = <Option<StrictValue> as serde::Deserialize>::deserialize(deserializer)?;
    Ok(value.map(|StrictValue(value)| value))
}

struct StrictValue(Value);

impl<'de> serde::Deserialize<'de> for StrictValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(StrictValue)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("not a finite number"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(StrictValue(value)) = seq.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            let StrictValue(value) = map.next_value()?;
            if object.contains_key(&key) {
                return Err(A::Error::custom(format!("duplicate field `{key}`")));
            }
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ExtractRequest, ScreenshotRequest};

    fn refusal(body: &str) -> String {
        parse::<ScreenshotRequest>(body.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn refusals_name_the_field() {
        for (body, expected) in [
            (r#"{"sandbox_id":"sb-1"}"#, "missing field `url`"),
            (r#"{"sandbox_id":"sb-1","url":"x","colour":1}"#, "colour: unknown field `colour`"),
            (r#"{"sandbox_id":"sb-1","url":7}"#, "url: invalid type: integer `7`, expected a string"),
            (r#"{"sandbox_id":"sb-1","url":"x","viewport":{"width":1}}"#, "viewport: missing field `height`"),
            (
                r#"{"sandbox_id":"sb-1","url":"x","viewport":{"width":1,"height":2,"w":3}}"#,
                "viewport.w: unknown field `w`",
            ),
            (
                r#"{"sandbox_id":"sb-1","url":"x","viewport":{"width":0,"height":2}}"#,
                "viewport.width: must be from 1 to 3840",
            ),
            (
                r#"{"sandbox_id":"sb-1","url":"x","viewport":{"width":3840,"height":2160,"device_scale_factor":3}}"#,
                "viewport: makes a picture of more than",
            ),
            (r#"{"sandbox_id":"sb-1","url":"x","wait":{"until":"idle"}}"#, "wait.until: unknown variant `idle`"),
            (r#"{"sandbox_id":"sb-1","url":"x","timeout_ms":999}"#, "timeout_ms: must be from 1000 to 60000"),
            (r#"{"sandbox_id":"sb-1","url":"x","url":"y"}"#, "duplicate field `url`"),
            (r#"{"sandbox_id":"../x","url":"x"}"#, "sandbox_id: must be"),
            (r#"{"sandbox_id":"sb-1","url":"x"} 1"#, "body: trailing characters"),
            ("[]", "body: "),
            ("nonsense", "body: expected ident"),
        ] {
            let refusal = refusal(body);
            assert!(refusal.contains(expected), "{body}\n  gave {refusal}\n  not  {expected}");
        }
    }

    #[test]
    fn a_token_is_optional_in_the_type_and_never_in_debug_output() {
        let request: ExtractRequest =
            parse(br#"{"sandbox_id":"sb-1","owner_token":"hidden-token","url":"https://example.com"}"#).unwrap();
        assert!(!format!("{request:?}").contains("hidden-token"));
        assert!(serde_json::to_string(&request).unwrap().contains("hidden-token"));
        assert!(parse::<ExtractRequest>(br#"{"sandbox_id":"sb-1","url":"x"}"#).unwrap().owner_token.is_none());
    }

    #[test]
    fn a_duplicate_key_in_a_map_or_schema_is_refused() {
        for field in ["map", "schema"] {
            let body = format!(
                r#"{{"sandbox_id":"sb-1","url":"x","extract":{{"kind":"json","map":{{"a":"p"}},"{field}":{{"b":{{"c":1,"c":2}}}}}}}}"#
            )
            .replace(r#""map":{"a":"p"},"map""#, r#""map""#);
            let refusal = parse::<ExtractRequest>(body.as_bytes()).unwrap_err().to_string();
            assert!(refusal.contains("duplicate field `c`"), "{body}: {refusal}");
        }
    }

    #[test]
    fn a_strict_object_refuses_a_duplicate_key_at_any_depth() {
        assert!(StrictObject::parse(br#"{"a":{"b":[{"c":1,"d":2}]}}"#).is_ok());
        let refusal = StrictObject::parse(br#"{"a":{"b":[{"c":1,"c":2}]}}"#).unwrap_err();
        assert!(refusal.reason.contains("duplicate field `c`"), "{refusal}");
        for (many, max) in [(BODY_VALUES_MAX, BODY_VALUES_MAX), (4 * LARGE_BODY_VALUES_MAX, LARGE_BODY_VALUES_MAX)] {
            let body = format!(r#"{{"a":[{}{{}}]}}"#, "{},".repeat(many));
            let refusal = StrictObject::parse(body.as_bytes()).unwrap_err();
            assert_eq!(refusal.to_string(), format!("body: has more than {max} values"));
            assert!(StrictObject::parse(format!(r#"{{"a":"{}"}}"#, "{},".repeat(many)).as_bytes()).is_ok());
        }
        assert_eq!(StrictObject::parse(b"[1]").unwrap_err().path, "body");
        assert!(StrictObject::parse(format!("{}1", "[".repeat(100_000)).as_bytes()).is_err(), "depth is bounded");
    }
}
