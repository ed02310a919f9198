//! An answer with a file that is too large to be read: what stands before the file's content.

use std::fmt;

use serde::Deserializer as _;
use serde::de::{MapAccess, Visitor};
use serde_json::{Map, Value};

/// The field with a file's content, the last one of its answer.
const CONTENT: &str = "content_base64";

/// Returns the fields before the content of a file, from the beginning of an answer; `None` if no content begins there.
pub(super) fn fields_before_content(beginning: &[u8]) -> Option<Map<String, Value>> {
    let mut fields = BeforeContent::default();
    // What follows is not read, and cut off.
    let _ = serde_json::Deserializer::from_slice(beginning).deserialize_map(&mut fields);
    fields.has_content.then_some(fields.before)
}

#[derive(Default)]
struct BeforeContent {
    before: Map<String, Value>,
    has_content: bool,
}

impl<'de> Visitor<'de> for &mut BeforeContent {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an answer with a file")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        while let Some(name) = map.next_key::<String>()? {
            if name == CONTENT {
                self.has_content = true;
                return Ok(());
            }
            self.before.insert(name, map.next_value()?);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use porthole_contract::session::{FileInfo, Files, SessionAnswer};
    use serde_json::json;

    use super::*;

    #[test]
    fn a_files_answer_is_read_up_to_its_content_and_no_other_is() {
        let file = FileInfo { file: "f1".to_owned(), name: "a.bin".to_owned(), ..FileInfo::default() };
        let answer = SessionAnswer { result: Files::one(file, "A".repeat(1000)), ..SessionAnswer::default() };
        let mut answer = serde_json::to_vec(&answer).unwrap();
        answer.truncate(answer.len() - 500);
        let fields = fields_before_content(&answer).unwrap();
        assert_eq!((&fields["file"], &fields["name"], &fields["bytes"]), (&json!("f1"), &json!("a.bin"), &json!(0)));
        assert!(!fields.contains_key(CONTENT));
        for other in [r#"{"ok":true,"content":"AAAA"#, r#"{"a":{"content_base64":"A"}"#, "[", ""] {
            assert_eq!(fields_before_content(other.as_bytes()), None, "{other}");
        }
    }
}
