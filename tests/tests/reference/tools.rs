//! `docs/reference/tools.md` lists exactly the tools and the fields of their routes.

use porthole_tests::markdown::{code, tables, text};
use porthole_tools::{Call, all, detect};
use serde_json::Value;

const FILE: &str = "docs/reference/tools.md";

#[test]
fn every_tool_is_listed_with_its_kind() {
    let tables = tables(FILE);
    let table = tables.iter().find(|table| table.header[0] == "tool").expect("the table");
    let documented: Vec<(&str, &str)> =
        table.rows.iter().map(|row| (code(&row[0]).expect("a name"), row[1].as_str())).collect();
    let in_code: Vec<(&str, &str)> = all()
        .iter()
        .map(|tool| match tool.annotations {
            hints if hints.read_only => (tool.name, "reads"),
            hints if hints.destructive => (tool.name, "destroys"),
            hints if hints.idempotent => (tool.name, "ends"),
            _ => (tool.name, "acts"),
        })
        .collect();
    assert_eq!(documented, in_code);
}

#[test]
fn every_field_of_their_answers_is_documented() {
    let openapi: Value = serde_json::from_str(&text("contract/openapi.json")).expect("the golden file is JSON");
    let mut seen = 0;
    for table in tables(FILE) {
        let Some(name) = table.header[0].strip_prefix("field of ").and_then(code) else { continue };
        let mut documented: Vec<&str> = table.rows.iter().filter_map(|row| code(&row[0])).collect();
        let schema = &openapi["components"]["schemas"][name]["properties"];
        let mut in_code: Vec<&str> =
            schema.as_object().unwrap_or_else(|| panic!("no type {name}")).keys().map(String::as_str).collect();
        documented.sort_unstable();
        in_code.sort_unstable();
        assert_eq!(documented, in_code, "{name}");
        seen += 1;
    }
    assert_eq!(seen, 10);
}

#[test]
fn the_example_without_a_server_is_true() {
    let page = text(FILE);
    let message =
        page.split_once("let message = ").and_then(|(_, rest)| rest.split_once(";\n")).expect("the example").0;
    let message: String = serde_json::from_str(message).expect("a string");
    let found = detect(&message);
    let call = Call::read(&found.calls[0].tool, found.calls[0].args.clone(), None).expect("a valid call");
    assert_eq!((call.route, found.rest.as_str()), ("/session/navigate", "Let me look."));
}
