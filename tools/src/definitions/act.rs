//! Tools that act on a page.

use porthole_contract::limits::{
    CLICK_COUNT_MAX, KEY_MAX_CHARS, LABEL_MAX_CHARS, NETWORK_IDLE_MAX_MS, REQUEST_TIMEOUT_MAX_MS, SCROLL_AMOUNT_MAX_PX,
    TARGET_WAIT_DEFAULT_MS, UPLOAD_FILES_MAX,
};
use porthole_contract::routes::session;
use serde_json::{Value, json};

use super::arguments::{boolean, point, reference, semantic, target};
use super::tool::{Annotations, Definition, Tool};

pub(super) fn tools() -> Vec<Tool> {
    vec![click(), type_text(), press(), hover(), select(), check(), drag(), scroll(), upload(), interact()]
}

/// Arguments with the target's before them.
fn on_target(own: Vec<(&'static str, Value)>) -> Vec<(&'static str, Value)> {
    target().into_iter().chain(own).collect()
}

fn click() -> Tool {
    let definition = Definition {
        name: "browser_click",
        title: "Click",
        description: "Clicks an element or a point, and shows what that changed.",
        route: session::CLICK,
        annotations: Annotations::DESTROYS,
        arguments: on_target(vec![
            (
                "button",
                json!({
                    "type": "string", "enum": ["left", "middle", "right"], "default": "left",
                    "description": "The mouse button.",
                }),
            ),
            (
                "clickCount",
                json!({
                    "type": "integer", "minimum": 1, "maximum": CLICK_COUNT_MAX, "default": 1,
                    "description": "2 for a double click, 3 for a triple one.",
                }),
            ),
            (
                "modifiers",
                json!({
                    "type": "array",
                    "items": {"type": "string", "enum": ["Alt", "Control", "Meta", "Shift"]},
                    "description": "Keys held meanwhile.",
                }),
            ),
        ]),
        required: &[],
        examples: vec![json!({"ref": "@e5"}), json!({"target": {"by": "role", "value": "button", "name": "Save"}})],
    };
    definition.of_session(true)
}

fn type_text() -> Tool {
    let definition = Definition {
        name: "browser_type",
        title: "Type",
        description: "Types text into a field, in place of what was there. submit presses Enter afterwards.",
        route: session::TYPE,
        annotations: Annotations::DESTROYS,
        arguments: on_target(vec![
            (
                "text",
                json!({
                    "type": "string",
                    "description": "What to type. Dates as 2026-11-30, times as 09:30, colours as #rrggbb.",
                }),
            ),
            ("clear", boolean(true, "Empty the field before.")),
            ("submit", boolean(false, "Press Enter afterwards.")),
            ("slowly", boolean(false, "Key by key, for pages that react to each key.")),
        ]),
        required: &["text"],
        examples: vec![json!({"ref": "@e1", "text": "ada@example.com", "submit": true})],
    };
    definition.of_session(true)
}

fn press() -> Tool {
    let definition = Definition {
        name: "browser_press",
        title: "Press a key",
        description: "Presses a key or a combination, on an element or on what has the focus.",
        route: session::PRESS,
        annotations: Annotations::DESTROYS,
        arguments: on_target(vec![(
            "key",
            json!({
                "type": "string",
                "maxLength": KEY_MAX_CHARS,
                "description": "DOM key names with + between them.",
                "examples": ["Enter", "Escape", "ArrowDown", "Control+A"],
            }),
        )]),
        required: &["key"],
        examples: vec![json!({"key": "Escape"})],
    };
    definition.of_session(true)
}

fn hover() -> Tool {
    let definition = Definition {
        name: "browser_hover",
        title: "Move the pointer",
        description: "Moves the pointer over an element or to a point: opens menus and hints that show on hover.",
        route: session::HOVER,
        annotations: Annotations::ACTS,
        arguments: on_target(vec![]),
        required: &[],
        examples: vec![json!({"ref": "@e7"})],
    };
    definition.of_session(true)
}

fn select() -> Tool {
    let definition = Definition {
        name: "browser_select",
        title: "Choose in a list",
        description: "Chooses options of a select field (combobox or listbox with options).",
        route: session::SELECT,
        annotations: Annotations::DESTROYS,
        arguments: on_target(vec![(
            "values",
            json!({
                "type": "array",
                "items": {"type": "string"},
                "description": "The options to choose, each by its label or value. None deselects all.",
            }),
        )]),
        required: &["values"],
        examples: vec![json!({"ref": "@e6", "values": ["Switzerland"]})],
    };
    definition.of_session(true)
}

fn check() -> Tool {
    let definition = Definition {
        name: "browser_check",
        title: "Check or uncheck",
        description: "Sets a checkbox, a radio button or a switch.",
        route: session::CHECK,
        annotations: Annotations::DESTROYS,
        arguments: on_target(vec![("checked", boolean(true, "Whether it is to be checked."))]),
        required: &[],
        examples: vec![json!({"ref": "@e3"}), json!({"ref": "@e3", "checked": false})],
    };
    definition.of_session(true)
}

fn drag() -> Tool {
    let definition = Definition {
        name: "browser_drag",
        title: "Drag and drop",
        description: "Drags one element or point to another.",
        route: session::DRAG,
        annotations: Annotations::DESTROYS,
        arguments: on_target(vec![(
            "to",
            json!({
                "type": "object",
                "description": "Where to drop it: one of ref, target and at.",
                "properties": {
                    "ref": reference("The element's ref."),
                    "target": semantic("The element by name."),
                    "at": point("A point of the viewport."),
                },
                "additionalProperties": false,
                "examples": [{"ref": "@e9"}],
            }),
        )]),
        required: &["to"],
        examples: vec![json!({"ref": "@e2", "to": {"ref": "@e9"}})],
    };
    definition.of_session(true)
}

fn scroll() -> Tool {
    let definition = Definition {
        name: "browser_scroll",
        title: "Scroll",
        description: "Scrolls the page. With an element: within it, or, without direction and to, until it is in view.",
        route: session::SCROLL,
        annotations: Annotations::ACTS,
        arguments: on_target(vec![
            (
                "direction",
                json!({"type": "string", "enum": ["up", "down", "left", "right"], "description": "In which direction."}),
            ),
            (
                "to",
                json!({"type": "string", "enum": ["top", "bottom"], "description": "To an end, instead of a direction."}),
            ),
            (
                "amount",
                json!({
                    "type": "integer", "minimum": 1, "maximum": SCROLL_AMOUNT_MAX_PX,
                    "description": "How far, in CSS pixels. Default: most of a viewport.",
                }),
            ),
        ]),
        required: &[],
        examples: vec![json!({"direction": "down"}), json!({"ref": "@e8"})],
    };
    definition.of_session(true)
}

fn upload() -> Tool {
    let definition = Definition {
        name: "browser_upload",
        title: "Upload files",
        description: "Puts files into a file field.",
        route: session::UPLOAD,
        annotations: Annotations::DESTROYS,
        arguments: on_target(vec![(
            "files",
            json!({
                "type": "array",
                "maxItems": UPLOAD_FILES_MAX,
                "description": "The files. None empties the field.",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string", "description": "The file's name, without folders."},
                        "mimeType": {"type": "string", "description": "Its media type.", "examples": ["text/plain"]},
                        "contentBase64": {"type": "string", "description": "Its content, base64 with padding."},
                    },
                    "required": ["name", "contentBase64"],
                    "additionalProperties": false,
                },
            }),
        )]),
        required: &["files"],
        examples: vec![
            json!({"ref": "@e4", "files": [{"name": "note.txt", "mimeType": "text/plain", "contentBase64": "SGVsbG8="}]}),
        ],
    };
    definition.of_session(true)
}

fn interact() -> Tool {
    let definition = Definition {
        name: "interactWithPage",
        title: "Act by name",
        description: "Acts on what a person would name, such as the field with the label Email, without a ref. Use the \
            browser_… tools where you have refs.",
        route: session::INTERACT,
        annotations: Annotations::DESTROYS,
        arguments: vec![
            (
                "action",
                json!({
                    "type": "string",
                    "enum": ["click", "type", "select", "check", "uncheck", "keypress", "hover", "waitForSelector"],
                    "description": "What to do.",
                }),
            ),
            ("target", semantic("The element. Only keypress goes without.")),
            (
                "value",
                json!({
                    "type": "string",
                    "description": "The text of type, the option of select, the key of keypress.",
                }),
            ),
            ("options", interact_options()),
        ],
        required: &["action"],
        examples: vec![
            json!({"action": "type", "target": {"by": "placeholder", "value": "Email"}, "value": "user@example.com"}),
            json!({"action": "click", "target": {"value": "button \"Save\""}, "options": {"timeoutMs": 7000}}),
        ],
    };
    definition.of_session(true)
}

fn interact_options() -> Value {
    let millis = |max: u32, default: u32, description: &str| json!({"type": "integer", "minimum": 0, "maximum": max, "default": default, "description": description});
    json!({
        "type": "object",
        "description": "How to do it.",
        "properties": {
            "timeoutMs": millis(REQUEST_TIMEOUT_MAX_MS, TARGET_WAIT_DEFAULT_MS, "How long to wait for the element."),
            "waitForVisible": boolean(true, "Wait until it is visible. false: act in the DOM on what is hidden."),
            "waitForEnabled": boolean(true, "Wait until it is enabled."),
            "waitForNetworkIdleMs": millis(NETWORK_IDLE_MAX_MS, 0, "Afterwards, wait for no request for this long."),
            "postActionScreenshot": boolean(false, "Take a picture afterwards."),
            "screenshotLabel": {"type": "string", "maxLength": LABEL_MAX_CHARS, "description": "A name for that picture."},
            "fallbackToCdp": boolean(true, "The browser's own input where the DOM did not take it."),
            "frameSelector": {"type": "string", "description": "The frame of the element, as CSS; frames in frames have >> between them."},
        },
        "additionalProperties": false,
    })
}
