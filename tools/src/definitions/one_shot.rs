//! Tools that open a page of their own for one call and leave nothing.

use porthole_contract::routes;
use serde_json::{Value, json};

use super::arguments::{boolean, instruction, offset};
use super::tool::{Annotations, Definition, Tool};

pub(super) fn tools() -> Vec<Tool> {
    vec![screenshot(), extract()]
}

fn url() -> (&'static str, Value) {
    let schema = json!({
        "type": "string",
        "description": "The page: an absolute http or https URL.",
        "examples": ["https://example.com/"],
    });
    ("url", schema)
}

fn screenshot() -> Tool {
    let definition = Definition {
        name: "sandbox_browser_screenshot",
        title: "Picture of a URL",
        description: "Takes a picture of a web page, once, without a session. Use browser_navigate where you want to act in \
            the page.",
        route: routes::SCREENSHOT,
        annotations: Annotations::READS,
        arguments: vec![url(), ("fullPage", boolean(false, "The whole page instead of its first screen."))],
        required: &["url"],
        examples: vec![json!({"url": "https://example.com/"})],
    };
    definition.one_shot()
}

fn extract() -> Tool {
    let definition = Definition {
        name: "sandbox_browser_extract",
        title: "Text of a URL",
        description: "Reads a web page, once, without a session: its text, its article, tables, links, or chosen values.",
        route: routes::EXTRACT,
        annotations: Annotations::READS,
        arguments: vec![
            url(),
            ("instruction", instruction()),
            ("offset", offset("Where to go on: the offset that the result before named.")),
        ],
        required: &["url"],
        examples: vec![json!({"url": "https://example.com/", "instruction": "article"})],
    };
    definition.one_shot()
}
