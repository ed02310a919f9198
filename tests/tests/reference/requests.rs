//! `docs/reference/requests.md` and `extraction.md` list exactly the fields of the OpenAPI document's types.

use std::collections::BTreeSet;

use serde_json::Value;

use porthole_tests::markdown::{code, tables, text};

const TOOLS: &str = "docs/reference/tools.md";
const SESSIONS: &str = "docs/reference/sessions.md";
/// Routes of sessions that have only the fields of every call.
const WITHOUT_FIELDS: &[&str] = &["StateRequest", "CloseRequest"];

#[test]
fn every_field_is_documented_and_no_other() {
    let openapi: Value = serde_json::from_str(&text("contract/openapi.json")).unwrap();
    let schemas = &openapi["components"]["schemas"];
    let mut types = BTreeSet::new();
    let sessions = tables(SESSIONS);
    let every_call = sessions.iter().find(|table| table.header[0] == "field of every call").expect("the table");
    let every_call: BTreeSet<&str> = every_call.rows.iter().filter_map(|row| code(&row[0])).collect();
    for file in ["docs/reference/requests.md", "docs/reference/extraction.md", SESSIONS, TOOLS] {
        for table in tables(file) {
            let Some(name) = table.header[0].strip_prefix("field of ").and_then(code) else { continue };
            let mut documented: BTreeSet<&str> = table.rows.iter().filter_map(|row| code(&row[0])).collect();
            if file == SESSIONS && name.ends_with("Request") {
                documented.extend(&every_call);
            }
            let in_code = properties(&schemas[name]);
            assert!(!in_code.is_empty(), "no type {name}");
            assert_eq!(documented, in_code, "{name}: left is {file}, right is the OpenAPI document");
            types.insert(name.to_owned());
        }
    }
    let requests = schemas.as_object().unwrap().keys().filter(|name| name.ends_with("Request"));
    for name in requests {
        assert!(types.contains(name) || WITHOUT_FIELDS.contains(&name.as_str()), "{name} is not documented");
    }
    for name in WITHOUT_FIELDS {
        assert_eq!(properties(&schemas[name]), every_call, "{name}");
    }
}

/// The fields of a type, those of its parts included.
fn properties(schema: &Value) -> BTreeSet<&str> {
    let own = schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.as_str());
    let parts = schema["allOf"].as_array().into_iter().flatten().flat_map(properties);
    own.chain(parts).collect()
}
