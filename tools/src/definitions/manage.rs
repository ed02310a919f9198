//! Tools for what belongs to a session as a whole.

use porthole_contract::limits::HANDLE_MAX_CHARS;
use porthole_contract::routes::session;
use serde_json::json;

use super::tool::{Annotations, Definition, Tool};

pub(super) fn tools() -> Vec<Tool> {
    vec![dialog(), tabs(), files(), close()]
}

fn dialog() -> Tool {
    let definition = Definition {
        name: "browser_dialog",
        title: "Answer a dialog",
        description: "Answers the dialog (alert, confirm, prompt) that holds the page.",
        route: session::DIALOG,
        annotations: Annotations::DESTROYS,
        arguments: vec![
            ("accept", json!({"type": "boolean", "description": "true for OK, false for Cancel."})),
            ("text", json!({"type": "string", "description": "The answer to a prompt; goes with accept: true."})),
        ],
        required: &["accept"],
        examples: vec![json!({"accept": true})],
    };
    definition.of_session(true)
}

fn tabs() -> Tool {
    let definition = Definition {
        name: "browser_tabs",
        title: "Tabs",
        description: "Lists, opens, selects and closes tabs. select needs tab; close takes the active one without it.",
        route: session::TABS,
        annotations: Annotations::ACTS,
        arguments: vec![
            (
                "action",
                json!({"type": "string", "enum": ["list", "new", "select", "close"], "description": "What to do."}),
            ),
            ("url", json!({"type": "string", "description": "Where a new tab goes: an http or https URL."})),
        ],
        required: &["action"],
        examples: vec![json!({"action": "list"}), json!({"action": "select", "tab": "t2"})],
    };
    definition.of_session(true)
}

fn files() -> Tool {
    let definition = Definition {
        name: "browser_files",
        title: "Downloaded files",
        description: "Lists what the session has downloaded, or reads one file: texts and pictures are shown.",
        route: session::FILES,
        annotations: Annotations::READS,
        arguments: vec![
            (
                "action",
                json!({"type": "string", "enum": ["list", "get"], "description": "What to do; get needs file."}),
            ),
            (
                "file",
                json!({
                    "type": "string", "maxLength": HANDLE_MAX_CHARS,
                    "description": "The file, as list or a download event named it.",
                }),
            ),
        ],
        required: &["action"],
        examples: vec![json!({"action": "list"})],
    };
    definition.of_session(false)
}

fn close() -> Tool {
    let definition = Definition {
        name: "browser_close",
        title: "Close the browser",
        description: "Ends the browser session. Do it when you need the browser no more.",
        route: session::CLOSE,
        annotations: Annotations::ENDS,
        arguments: vec![],
        required: &[],
        examples: vec![json!({})],
    };
    definition.of_session(false)
}
