//! Arguments that several tools have.

use porthole_contract::limits::{REQUEST_TIMEOUT_MAX_MS, REQUEST_TIMEOUT_MIN_MS, SESSION_TIMEOUT_DEFAULT_MS};
use serde_json::{Value, json};

/// Arguments of every call to a session. They are in every tool that a model reads: no word and no bound that it can do
/// without, since the contract judges the values.
pub(super) fn of_each_call() -> [(&'static str, Value); 3] {
    [
        (
            "session",
            json!({
                "type": "string",
                "description": "The session's handle (ses_…) from an earlier result.",
            }),
        ),
        ("tab", json!({"type": "string", "description": "Such as t2. Default: the one used last."})),
        (
            "timeoutMs",
            json!({
                "type": "integer",
                "minimum": REQUEST_TIMEOUT_MIN_MS,
                "maximum": REQUEST_TIMEOUT_MAX_MS,
                "default": SESSION_TIMEOUT_DEFAULT_MS,
                "description": "Limit of the whole call, in ms.",
            }),
        ),
    ]
}

/// The snapshot in an answer.
pub(super) fn snapshot() -> (&'static str, Value) {
    let schema = json!({
        "type": "string",
        "enum": ["none", "changes", "full"],
        "default": "changes",
        "description": "What the result shows of the page.",
    });
    ("snapshot", schema)
}

/// The element or point that is acted on.
pub(super) fn target() -> [(&'static str, Value); 3] {
    [
        ("ref", reference("The element's ref. Send one of ref, target and at.")),
        ("target", semantic("The element by name, if it has no ref.")),
        ("at", point("A point of the viewport instead.")),
    ]
}

pub(super) fn reference(description: &str) -> Value {
    json!({"type": "string", "description": description, "examples": ["@e5"]})
}

pub(super) fn semantic(description: &str) -> Value {
    json!({
        "type": "object",
        "description": description,
        "properties": {
            "by": {
                "type": "string",
                "enum": ["testid", "role", "label", "text", "placeholder", "name", "css", "xpath"],
                "description": "What value is. Default: all kinds are tried.",
            },
            "value": {"type": "string", "description": "The label, text or selector; for role, the role."},
            "name": {"type": "string", "description": "For role: its accessible name."},
            "exact": {
                "type": "boolean",
                "description": "true: case counts. false: a part is enough. Default: whole text, any case.",
            },
        },
        "required": ["value"],
        "additionalProperties": false,
        "examples": [{"by": "role", "value": "button", "name": "Save"}],
    })
}

pub(super) fn point(description: &str) -> Value {
    let coordinate = |edge: &str| json!({"type": "number", "description": format!("CSS px from the {edge}.")});
    json!({
        "type": "object",
        "description": description,
        "properties": {"x": coordinate("left"), "y": coordinate("top")},
        "required": ["x", "y"],
        "additionalProperties": false,
    })
}

/// A window.
pub(super) fn viewport(description: &str) -> Value {
    json!({
        "type": "object",
        "description": description,
        "properties": {
            "width": {"type": "integer", "minimum": 1, "maximum": 3840, "description": "Width in CSS pixels."},
            "height": {"type": "integer", "minimum": 1, "maximum": 2160, "description": "Height in CSS pixels."},
            "deviceScaleFactor": {
                "type": "number", "minimum": 0.5, "maximum": 3, "default": 1,
                "description": "Image pixels per CSS pixel.",
            },
            "mobile": {"type": "boolean", "default": false, "description": "Whether the page sees a mobile device."},
        },
        "required": ["width", "height"],
        "additionalProperties": false,
    })
}

/// What to read of a page.
pub(super) fn instruction() -> Value {
    json!({
        "type": "string",
        "description": "What to read, one directive a line: article, markdown, links, images, headings, metadata, tables, \
            html, \"selector: CSS\", \"all: CSS\", \"table: CSS\", \"csv: CSS\", \"text: …\", \"role: button \\\"Name\\\"\", or \
            \"json: {\\\"price\\\": \\\".price\\\"}\". Default: the page's text.",
        "examples": ["article", "table: #prices", "json: {\"title\": \"h1\", \"price\": \".price\"}"],
    })
}

pub(super) fn offset(description: &str) -> Value {
    json!({"type": "integer", "minimum": 0, "maximum": 100_000_000, "description": description})
}

pub(super) fn boolean(default: bool, description: &str) -> Value {
    json!({"type": "boolean", "default": default, "description": description})
}
