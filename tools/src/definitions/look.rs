//! Tools that go to a page and look at it.

use porthole_contract::limits::{IMAGE_MAX_BYTES, NETWORK_IDLE_MAX_MS, SESSION_WAIT_MAX_MS, TEXT_MAX_CHARS};
use porthole_contract::routes::session;
use serde_json::{Value, json};

use super::arguments::{boolean, instruction, offset, reference, semantic, target, viewport};
use super::tool::{Annotations, Definition, Tool};

pub(super) fn tools() -> Vec<Tool> {
    vec![navigate(), snapshot(), screenshot(), extract(), wait()]
}

fn navigate() -> Tool {
    let definition = Definition {
        name: "browser_navigate",
        title: "Go to a page",
        description: "Goes to a URL in a browser that stays open, or back, forward, or reloads. Without a session it opens \
            one; the result has its handle and what is on the page, with refs (@e1, @e2, …) to act by.",
        route: session::NAVIGATE,
        annotations: Annotations::ACTS,
        arguments: vec![
            (
                "url",
                json!({
                    "type": "string",
                    "description": "The page: an absolute http or https URL.",
                    "examples": ["https://example.com/"],
                }),
            ),
            (
                "action",
                json!({
                    "type": "string",
                    "enum": ["back", "forward", "reload"],
                    "description": "A step through the history instead of a URL.",
                }),
            ),
            (
                "waitUntil",
                json!({
                    "type": "string",
                    "enum": ["load", "domcontentloaded", "networkidle"],
                    "default": "load",
                    "description": "The state of the page to wait for.",
                }),
            ),
            ("viewport", viewport("The window of a new session. Default: 1280 by 720.")),
            (
                "colorScheme",
                json!({"type": "string", "enum": ["light", "dark"], "description": "Colours of a new session's pages."}),
            ),
            ("reducedMotion", boolean(false, "Whether a new session asks pages for less motion.")),
            ("locale", json!({"type": "string", "description": "A new session's language.", "examples": ["de-CH"]})),
            (
                "timeZone",
                json!({"type": "string", "description": "A new session's time zone.", "examples": ["Europe/Zurich"]}),
            ),
            ("userAgent", json!({"type": "string", "description": "What a new session's browser calls itself."})),
            (
                "allowHosts",
                json!({
                    "type": "array",
                    "items": {"type": "string"},
                    "maxItems": 100,
                    "description": "The only hosts that a new session may reach.",
                    "examples": [["example.com", "*.example.com"]],
                }),
            ),
            (
                "idleSeconds",
                json!({
                    "type": "integer", "minimum": 1, "maximum": 300,
                    "description": "A new session ends after this long without a call.",
                }),
            ),
            (
                "storageState",
                json!({"type": "object", "description": "Cookies and local storage of a new session, as saved before."}),
            ),
        ],
        required: &[],
        examples: vec![json!({"url": "https://example.com/"}), json!({"action": "back"})],
    };
    definition.of_session(true)
}

fn snapshot() -> Tool {
    let definition = Definition {
        name: "browser_snapshot",
        title: "See what is on the page",
        description: "Shows what is on the page, one element a line, with refs (@e5) to act by. Prefer it to a screenshot. \
            Results of actions already show what changed.",
        route: session::SNAPSHOT,
        annotations: Annotations::READS,
        arguments: vec![
            (
                "interactiveOnly",
                boolean(true, "Only what can be acted upon and what tells it apart; false: all text too."),
            ),
            (
                "maxDepth",
                json!({"type": "integer", "minimum": 0, "maximum": 1000, "description": "Levels below the top to show."}),
            ),
            ("root", reference("The element whose part of the page to show, by its ref. Default: the whole page.")),
            ("offset", offset("Children of root to leave out, to go on where a folded list ended.")),
            (
                "maxChars",
                json!({
                    "type": "integer", "minimum": 500, "maximum": 100_000, "default": 20_000,
                    "description": "Longest tree, in characters.",
                }),
            ),
            ("changes", boolean(false, "Only what changed since the last snapshot.")),
            ("boxes", boolean(false, "Show each element's box as x,y,width,height.")),
        ],
        required: &[],
        examples: vec![json!({}), json!({"root": "@e12", "offset": 10})],
    };
    definition.of_session(false)
}

fn screenshot() -> Tool {
    let [reference, semantic, at] = target();
    let definition = Definition {
        name: "browser_screenshot",
        title: "Take a picture of the page",
        description: "Takes a picture of the session's page: the viewport, the whole page, or one element. Use it for what \
            only a picture shows; browser_snapshot is what to act by.",
        route: session::SCREENSHOT,
        annotations: Annotations::READS,
        arguments: vec![
            ("fullPage", boolean(false, "The whole page instead of the viewport.")),
            reference,
            semantic,
            at,
            (
                "format",
                json!({
                    "type": "string", "enum": ["png", "jpeg", "webp"], "default": "png",
                    "description": "The picture's format.",
                }),
            ),
            (
                "quality",
                json!({"type": "integer", "minimum": 1, "maximum": 100, "description": "Quality of JPEG and WebP."}),
            ),
            (
                "maxBytes",
                json!({
                    "type": "integer", "minimum": 1, "maximum": IMAGE_MAX_BYTES, "default": IMAGE_MAX_BYTES,
                    "description": "Largest picture, in bytes.",
                }),
            ),
            ("annotate", boolean(false, "Draw the refs of the latest snapshot on the picture.")),
        ],
        required: &[],
        examples: vec![json!({}), json!({"fullPage": true}), json!({"ref": "@e3"})],
    };
    definition.of_session(false)
}

fn extract() -> Tool {
    let definition = Definition {
        name: "browser_extract",
        title: "Read the page",
        description: "Reads the session's page as it stands: its text, its article, tables, links, or chosen values.",
        route: session::EXTRACT,
        annotations: Annotations::READS,
        arguments: vec![
            ("instruction", instruction()),
            ("extract", directives()),
            (
                "maxChars",
                json!({
                    "type": "integer", "minimum": 1, "maximum": TEXT_MAX_CHARS, "default": TEXT_MAX_CHARS,
                    "description": "Longest text, in characters.",
                }),
            ),
            ("offset", offset("Where to go on: the offset that the result before named.")),
        ],
        required: &[],
        examples: vec![json!({}), json!({"instruction": "article"}), json!({"instruction": "table: #prices"})],
    };
    definition.of_session(false)
}

/// The typed form of an instruction.
fn directives() -> Value {
    let text = |description: &str| json!({"type": "string", "description": description});
    json!({
        "type": "array",
        "maxItems": 16,
        "description": "The same as instruction, typed; send one of them.",
        "items": {
            "type": "object",
            "properties": {
                "kind": {
                    "type": "string",
                    "enum": ["text", "html", "markdown", "article", "links", "images", "metadata", "headings", "table",
                        "tables", "json"],
                    "description": "What to read.",
                },
                "selector": text("Where: CSS, or with css:, xpath:, text:, role:, testid: before it; >> between steps."),
                "all": boolean(false, "All matches instead of the first."),
                "frames": boolean(false, "For text: that of the page's frames too."),
                "links": boolean(false, "For tables: each cell with its links."),
                "format": {"type": "string", "enum": ["json", "csv"], "description": "For table: how it is written."},
                "map": {"type": "object", "description": "For json: each field's name with the selector of its value."},
                "schema": {"type": "object", "description": "For json: a JSON Schema to check the result against."},
                "includeHidden": boolean(false, "Hidden content too."),
                "offset": offset("Where to go on."),
                "maxChars": {"type": "integer", "minimum": 1, "maximum": TEXT_MAX_CHARS, "description": "Longest text."},
            },
            "additionalProperties": false,
        },
        "examples": [[{"kind": "table", "selector": "#prices"}]],
    })
}

fn wait() -> Tool {
    let millis = |min: u32, max: u32, description: &str| json!({"type": "integer", "minimum": min, "maximum": max, "description": description});
    let text = |description: &str| json!({"type": "string", "description": description});
    let definition = Definition {
        name: "browser_wait",
        title: "Wait for something",
        description: "Waits for exactly one condition. Actions wait by themselves for what they begin; use this for what a \
            page shows later on its own.",
        route: session::WAIT,
        annotations: Annotations::READS,
        arguments: vec![
            ("ms", millis(0, SESSION_WAIT_MAX_MS, "This long, in milliseconds.")),
            ("ref", reference("The element whose state to wait for, by its ref.")),
            ("target", semantic("The element whose state to wait for, by name.")),
            (
                "state",
                json!({
                    "type": "string", "enum": ["visible", "hidden", "enabled"], "default": "visible",
                    "description": "The state of ref or target.",
                }),
            ),
            ("text", text("Text that comes.")),
            ("textGone", text("Text that goes.")),
            ("url", text("The page's URL: * stands for anything within a part of its path, ** across parts.")),
            ("networkIdleMs", millis(1, NETWORK_IDLE_MAX_MS, "No request for this long, in milliseconds.")),
        ],
        required: &[],
        examples: vec![json!({"text": "Saved"}), json!({"ref": "@e4", "state": "enabled"})],
    };
    definition.of_session(true)
}
