//! `docs/reference/requests.md` and `extraction.md` list exactly the fields of the OpenAPI document's types.

use std::collections::BTreeSet;

use serde_json::Value;

use porthole_tests::markdown::{code, tables, text};

#[test]
fn every_field_is_documented_and_no_other() {
    let openapi: Value = serde_json::from_str(&text("contract/openapi.json")).unwrap();
    let schemas = &openapi["components"]["schemas"];
    let mut types = BTreeSet::new();
    for file in ["docs/reference/requests.md", "docs/reference/extraction.md"] {
        for table in tables(file) {
            let Some(name) = table.header[0].strip_prefix("field of ").and_then(code) else { continue };
            let documented: BTreeSet<&str> = table.rows.iter().filter_map(|row| code(&row[0])).collect();
            let properties = schemas[name]["properties"].as_object().unwrap_or_else(|| panic!("no type {name}"));
            let in_code: BTreeSet<&str> = properties.keys().map(String::as_str).collect();
            assert_eq!(documented, in_code, "{name}: left is {file}, right is the OpenAPI document");
            types.insert(name.to_owned());
        }
    }
    let requests = schemas.as_object().unwrap().keys().filter(|name| name.ends_with("Request"));
    for name in requests {
        assert!(types.contains(name), "{name} is not documented");
    }
}
