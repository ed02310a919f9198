//! The tools: their names, descriptions, annotations and input schemas. One file for each kind.

mod act;
mod arguments;
mod look;
mod manage;
mod one_shot;
mod tool;

use std::sync::LazyLock;

pub use self::tool::{Annotations, Tool};

static ALL: LazyLock<Vec<Tool>> =
    LazyLock::new(|| [look::tools(), act::tools(), manage::tools(), one_shot::tools()].into_iter().flatten().collect());

/// Every tool, in the order in which models are told of them.
#[must_use]
pub fn all() -> &'static [Tool] {
    &ALL
}

/// The tool of this name.
#[must_use]
pub fn tool(name: &str) -> Option<&'static Tool> {
    all().iter().find(|tool| tool.name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use porthole_contract::openapi;
    use serde_json::Value;

    use super::*;
    use crate::names::snake;

    /// Names that SESSIONS fixes, in its order but for what it does not order.
    const NAMES: [&str; 21] = [
        "browser_navigate",
        "browser_snapshot",
        "browser_click",
        "browser_type",
        "browser_press",
        "browser_hover",
        "browser_select",
        "browser_check",
        "browser_drag",
        "browser_scroll",
        "browser_upload",
        "browser_wait",
        "browser_screenshot",
        "browser_extract",
        "browser_dialog",
        "browser_tabs",
        "browser_files",
        "browser_close",
        "interactWithPage",
        "sandbox_browser_screenshot",
        "sandbox_browser_extract",
    ];

    #[test]
    fn the_tools_are_those_of_the_contract() {
        let names: BTreeSet<_> = all().iter().map(|tool| tool.name).collect();
        assert_eq!(names, NAMES.into_iter().collect());
        assert_eq!(all().len(), NAMES.len());
        let which = |fits: fn(&Annotations) -> bool| -> BTreeSet<_> {
            all().iter().filter(|tool| fits(&tool.annotations)).map(|tool| tool.name).collect()
        };
        let set = |names: &[&'static str]| -> BTreeSet<_> { names.iter().copied().collect() };
        assert_eq!(
            which(|hints| hints.read_only),
            set(&[
                "browser_snapshot",
                "browser_screenshot",
                "browser_extract",
                "browser_wait",
                "browser_files",
                "sandbox_browser_screenshot",
                "sandbox_browser_extract",
            ])
        );
        assert_eq!(
            which(|hints| hints.destructive),
            set(&[
                "browser_click",
                "browser_type",
                "browser_press",
                "browser_select",
                "browser_check",
                "browser_drag",
                "browser_upload",
                "browser_dialog",
                "interactWithPage",
            ])
        );
        assert_eq!(which(|hints| hints.idempotent), set(&["browser_close"]));
        assert_eq!(which(|hints| hints.open_world).len(), NAMES.len());
    }

    /// The request's schema in the OpenAPI document, with its references followed.
    fn request_schema(document: &Value, route: &str) -> Value {
        let path = &document["paths"][route]["post"]["requestBody"]["content"]["application/json"]["schema"];
        followed(document, path).clone()
    }

    fn followed<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
        let Some(reference) = schema["$ref"].as_str() else { return schema };
        document.pointer(reference.trim_start_matches('#')).unwrap()
    }

    #[test]
    fn every_field_of_a_route_is_an_argument_with_the_same_bounds() {
        const NOT_A_MODELS: [&str; 4] = ["sandbox_id", "owner_token", "browserbase_api_key", "browserbase_project_id"];
        let document = openapi::service();
        for tool in all() {
            let request = request_schema(&document, tool.route);
            let fields = request["properties"].as_object().unwrap();
            let arguments = tool.input_schema["properties"].as_object().unwrap();
            for (name, schema) in arguments {
                let field = fields.get(&snake(name)).unwrap_or_else(|| panic!("{}: {name}", tool.name));
                for bound in ["minimum", "maximum", "maxLength"] {
                    let (ours, theirs) = (&schema[bound], &field[bound]);
                    let equal = ours.as_f64() == theirs.as_f64();
                    assert!(equal || theirs.is_null() || ours.is_null(), "{}.{name} {bound}: {theirs}", tool.name);
                }
                let described = schema["description"].as_str().unwrap_or_default();
                assert!(described.ends_with('.') && described.len() > 10, "{}.{name}: {described:?}", tool.name);
            }
            if tool.takes_session {
                for field in fields.keys().filter(|field| !NOT_A_MODELS.contains(&field.as_str())) {
                    assert!(arguments.keys().any(|name| snake(name) == *field), "{} lacks {field}", tool.name);
                }
            }
            assert_eq!(tool.takes_snapshot, fields.contains_key("snapshot"), "{}", tool.name);
        }
    }

    #[test]
    fn every_nested_argument_is_described() {
        fn check(tool: &str, path: &str, schema: &Value) {
            for (name, property) in schema["properties"].as_object().into_iter().flatten() {
                let described = property["description"].as_str().unwrap_or_default();
                assert!(described.ends_with('.'), "{tool}: {path}.{name}");
                check(tool, &format!("{path}.{name}"), property);
            }
            if schema["items"].is_object() {
                check(tool, path, &schema["items"]);
            }
        }
        for tool in all() {
            check(tool.name, "", &tool.input_schema);
            let told = tool.description.chars().count() + tool.input_schema.to_string().len();
            assert!(told < 5_000, "{}: {told} characters are too many for a model's context", tool.name);
        }
    }
}
