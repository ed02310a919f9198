//! A call: a tool's name and arguments, read into a route and its body.
//!
//! The contract's own request types judge the values, so each limit is stated once.

use std::fmt::Write as _;

use porthole_contract::routes::{self, session};
use porthole_contract::session::{
    CheckRequest, ClickRequest, CloseRequest, DialogRequest, DragRequest, FilesRequest, HoverRequest, InteractRequest,
    NavigateRequest, OPEN_FIELDS, PressRequest, ScrollRequest, SelectRequest, SessionExtractRequest,
    SessionScreenshotRequest, SnapshotRequest, TabsRequest, TypeRequest, UploadRequest, WaitRequest,
};
use porthole_contract::{ErrorAnswer, ErrorCode, ExtractRequest, Failure, Invalid, ScreenshotRequest, parse};
use serde_json::{Map, Value, json};

use crate::definitions::{Tool, all, tool};
use crate::names::{nearest, snake};
use crate::wording::{path_for_model, problem};

/// How much of a wrong name is repeated in a sentence, in characters.
const ECHO_MAX_CHARS: usize = 80;
/// Most edits between a wrong argument and the one that is suggested.
const SUGGESTION_MAX_EDITS: usize = 3;

/// A call that can be sent.
#[derive(Clone, Debug)]
pub struct Call {
    /// The tool.
    pub tool: &'static Tool,
    /// The arguments as the model wrote them.
    pub arguments: Value,
    /// The service's route, without the worker's prefix: one of [`session::ALL`], or a one-shot one.
    pub route: &'static str,
    /// The request's body, without `sandbox_id` and `owner_token`.
    pub body: Map<String, Value>,
}

/// Why a call can't be sent: sentences that a model can act upon.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadCall {
    /// No tool has this name.
    #[error("There is no tool {name:?}.{} The tools are {}.", did_you_mean(.nearest.as_deref()), names())]
    UnknownTool {
        /// What was asked for, cut.
        name: String,
        /// The tool that is probably meant.
        nearest: Option<&'static str>,
    },
    /// The arguments are no JSON object.
    #[error("The arguments of {tool} must be a JSON object, for example {example}.")]
    NotAnObject {
        /// The tool.
        tool: &'static str,
        /// Arguments that are right.
        example: String,
    },
    /// An argument that the tool does not have.
    #[error("{tool} has no argument {argument:?}.{} {has}", did_you_mean(.nearest.as_deref()))]
    UnknownArgument {
        /// The tool.
        tool: &'static str,
        /// What was given: its path, cut.
        argument: String,
        /// The argument that is probably meant.
        nearest: Option<String>,
        /// What it has.
        has: String,
    },
    /// An argument that the tool needs.
    #[error("{tool} needs {argument:?}: {meaning} Example: {example}.")]
    Missing {
        /// The tool.
        tool: &'static str,
        /// The argument.
        argument: &'static str,
        /// What it is.
        meaning: String,
        /// Arguments that are right.
        example: String,
    },
    /// A value that is not accepted.
    #[error("{tool}: {argument:?}{problem}. Example: {example}.")]
    Unfit {
        /// The tool.
        tool: &'static str,
        /// The argument's path.
        argument: String,
        /// What is wrong and what is accepted, from the space or the colon after the argument on.
        problem: String,
        /// Arguments that are right.
        example: String,
    },
}

// === impl Call ===

impl Call {
    /// Reads a call of a tool with these arguments; null stands for none. A tool that takes a session and names none gets
    /// `implied_session`, unless it asks for a new session by how that is to be.
    ///
    /// # Errors
    /// [`BadCall`].
    pub fn read(name: &str, arguments: Value, implied_session: Option<&str>) -> Result<Self, BadCall> {
        let tool = tool(name).ok_or_else(|| BadCall::unknown_tool(name))?;
        let mut body = match &arguments {
            Value::Null => Map::new(),
            Value::Object(fields) => named_fields(tool, &tool.input_schema, "", fields)?,
            _ => return Err(BadCall::NotAnObject { tool: tool.name, example: example(tool) }),
        };
        check_required(tool, &body)?;
        if tool.takes_session {
            let opens = body.keys().any(|field| OPEN_FIELDS.contains(&field.as_str()));
            if let Some(handle) = implied_session.filter(|_| !opens && !body.contains_key("session")) {
                body.insert("session".to_owned(), Value::from(handle));
            }
        }
        if tool.takes_snapshot && !body.contains_key("snapshot") {
            body.insert("snapshot".to_owned(), Value::from("changes"));
        }
        // A page with one dead host is still worth reading.
        if [routes::SCREENSHOT, routes::EXTRACT].contains(&tool.route) {
            body.insert("on_timeout".to_owned(), Value::from("partial"));
        }
        judge(tool.route, &body).map_err(|invalid| BadCall::unfit(tool, &invalid))?;
        Ok(Self { tool, arguments, route: tool.route, body })
    }

    /// The handle in its body.
    #[must_use]
    pub fn session(&self) -> Option<&str> {
        self.body.get("session")?.as_str()
    }

    /// Whether a call that was sent may have changed something, so that it must not be repeated.
    #[must_use]
    pub fn acts(&self) -> bool {
        self.tool.takes_session && session::acts(self.route)
    }
}

// === impl BadCall ===

impl BadCall {
    fn unknown_tool(name: &str) -> Self {
        Self::UnknownTool { name: echo(name), nearest: nearest_tool(name) }
    }

    fn unfit(tool: &'static Tool, invalid: &Invalid) -> Self {
        let argument = path_for_model(&invalid.path);
        let problem = problem(tool, &invalid.path, &invalid.reason);
        Self::Unfit { tool: tool.name, argument, problem, example: example(tool) }
    }

    /// The contract's error of this failure: `INVALID_REQUEST`, the sentence being its details.
    #[must_use]
    pub fn error(&self) -> ErrorAnswer {
        Failure::new(ErrorCode::InvalidRequest, self.to_string()).answer("")
    }
}

fn names() -> String {
    all().iter().map(|tool| tool.name).collect::<Vec<_>>().join(", ")
}

fn did_you_mean(name: Option<&str>) -> String {
    name.map(|name| format!(" Did you mean {name:?}?")).unwrap_or_default()
}

fn example(tool: &Tool) -> String {
    tool.examples.first().map(Value::to_string).unwrap_or_default()
}

fn echo(name: &str) -> String {
    name.chars().take(ECHO_MAX_CHARS).collect()
}

/// Verbs of other tool sets, and the tools that do it here.
const SYNONYMS: &[(&str, &str)] = &[
    ("goto", "browser_navigate"),
    ("open", "browser_navigate"),
    ("visit", "browser_navigate"),
    ("back", "browser_navigate"),
    ("reload", "browser_navigate"),
    ("fill", "browser_type"),
    ("fillform", "browser_type"),
    ("input", "browser_type"),
    ("read", "browser_extract"),
    ("gettext", "browser_extract"),
    ("evaluate", "browser_extract"),
    ("state", "browser_snapshot"),
    ("presskey", "browser_press"),
    ("key", "browser_press"),
    ("takescreenshot", "browser_screenshot"),
    ("vision", "browser_screenshot"),
    ("sleep", "browser_wait"),
    ("waitfor", "browser_wait"),
    ("selectoption", "browser_select"),
    ("doubleclick", "browser_click"),
    ("tap", "browser_click"),
    ("handledialog", "browser_dialog"),
    ("fileupload", "browser_upload"),
    ("download", "browser_files"),
];

/// The tool that a wrong name probably means: by another tool set's word, or as good as spelt.
fn nearest_tool(name: &str) -> Option<&'static str> {
    let letters: String =
        name.chars().filter(char::is_ascii_alphanumeric).take(ECHO_MAX_CHARS).collect::<String>().to_ascii_lowercase();
    let verb = letters.strip_prefix("sandboxbrowser").or_else(|| letters.strip_prefix("browser")).unwrap_or(&letters);
    if let Some((_, tool)) = SYNONYMS.iter().find(|(synonym, _)| *synonym == verb) {
        return Some(*tool);
    }
    let most_edits = SUGGESTION_MAX_EDITS.min(verb.len() / 2);
    let near = |(found, edits): (&'static str, usize)| (edits <= most_edits).then_some(found);
    let whole = nearest(name, all().iter().map(|tool| tool.name)).and_then(near);
    whole.or_else(|| {
        let verb = nearest(verb, all().iter().map(|tool| verb_of(tool.name))).and_then(near)?;
        all().iter().map(|tool| tool.name).find(|&name| verb_of(name) == verb)
    })
}

fn verb_of(tool: &'static str) -> &'static str {
    tool.strip_prefix("sandbox_browser_").or_else(|| tool.strip_prefix("browser_")).unwrap_or(tool)
}

/// An object's fields under the contract's names, as far as the schema knows them. Null is the same as nothing, and an
/// empty handle too: models write both.
fn named_fields(
    tool: &'static Tool,
    schema: &Value,
    path: &str,
    fields: &Map<String, Value>,
) -> Result<Map<String, Value>, BadCall> {
    let Value::Object(properties) = &schema["properties"] else { return Ok(fields.clone()) };
    let mut named = Map::new();
    for (field, value) in fields {
        let wanted = snake(field);
        let Some((name, schema)) = properties.iter().find(|(name, _)| snake(name) == wanted) else {
            return Err(unknown_argument(tool, path, field, properties));
        };
        let is_handle = matches!(name.as_str(), "session" | "tab");
        if value.is_null() || (is_handle && value.as_str() == Some("")) {
            continue;
        }
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        let value = match name.as_str() {
            // Its object form, the snapshot tool's options, is not in the schema: few need it, and all would read it.
            "snapshot" => snapshot_options(value),
            _ => contract_names(tool, schema, &path, value)?,
        };
        named.insert(wanted, value);
    }
    Ok(named)
}

/// A value in which the names of fields are the contract's.
fn contract_names(tool: &'static Tool, schema: &Value, path: &str, value: &Value) -> Result<Value, BadCall> {
    match (value, &schema["properties"], &schema["items"]) {
        (Value::Object(fields), Value::Object(_), _) => named_fields(tool, schema, path, fields).map(Value::Object),
        (Value::Array(items), _, schema) if !schema.is_null() => items
            .iter()
            .map(|item| contract_names(tool, schema, path, item))
            .collect::<Result<_, _>>()
            .map(Value::Array),
        // One where several may be.
        (Value::Object(_), _, items) if items["type"] == "object" => {
            Ok(Value::Array(vec![contract_names(tool, items, path, value)?]))
        }
        (Value::String(_), _, items) if items["type"] == "string" => Ok(Value::Array(vec![value.clone()])),
        _ => Ok(value.clone()),
    }
}

fn snapshot_options(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields.iter().map(|(name, value)| (snake(name), value.clone())).collect(),
        value => value.clone(),
    }
}

fn unknown_argument(tool: &'static Tool, path: &str, field: &str, known: &Map<String, Value>) -> BadCall {
    let names = known.keys().map(String::as_str);
    let near = nearest(field, names).filter(|(_, edits)| *edits <= SUGGESTION_MAX_EDITS);
    let argument = if path.is_empty() { echo(field) } else { format!("{path}.{}", echo(field)) };
    let mut has = if path.is_empty() { "It has".to_owned() } else { format!("{path:?} has") };
    for (at, name) in known.keys().enumerate() {
        let _ = write!(has, "{} {name}", if at == 0 { "" } else { "," });
    }
    has.push('.');
    let nearest = near.map(|(name, _)| name.to_owned());
    BadCall::UnknownArgument { tool: tool.name, argument, nearest, has }
}

fn check_required(tool: &'static Tool, body: &Map<String, Value>) -> Result<(), BadCall> {
    let required = tool.input_schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
    let Some(argument) = required.iter().filter_map(Value::as_str).find(|name| !body.contains_key(&snake(name))) else {
        return Ok(());
    };
    let meaning = tool.input_schema["properties"][argument]["description"].as_str().unwrap_or_default().to_owned();
    Err(BadCall::Missing { tool: tool.name, argument, meaning, example: example(tool) })
}

/// Parses the body as the service will.
fn judge(route: &str, body: &Map<String, Value>) -> Result<(), Invalid> {
    let mut body = body.clone();
    // The runner's to put in; a name that is valid stands for it.
    body.insert("sandbox_id".to_owned(), json!("sandbox"));
    let body = Value::Object(body).to_string();
    let body = body.as_bytes();
    match route {
        session::NAVIGATE => parse::<NavigateRequest>(body).map(drop),
        session::SNAPSHOT => parse::<SnapshotRequest>(body).map(drop),
        session::CLICK => parse::<ClickRequest>(body).map(drop),
        session::TYPE => parse::<TypeRequest>(body).map(drop),
        session::PRESS => parse::<PressRequest>(body).map(drop),
        session::HOVER => parse::<HoverRequest>(body).map(drop),
        session::SELECT => parse::<SelectRequest>(body).map(drop),
        session::CHECK => parse::<CheckRequest>(body).map(drop),
        session::DRAG => parse::<DragRequest>(body).map(drop),
        session::SCROLL => parse::<ScrollRequest>(body).map(drop),
        session::UPLOAD => parse::<UploadRequest>(body).map(drop),
        session::WAIT => parse::<WaitRequest>(body).map(drop),
        session::INTERACT => parse::<InteractRequest>(body).map(drop),
        session::SCREENSHOT => parse::<SessionScreenshotRequest>(body).map(drop),
        session::EXTRACT => parse::<SessionExtractRequest>(body).map(drop),
        session::DIALOG => parse::<DialogRequest>(body).map(drop),
        session::TABS => parse::<TabsRequest>(body).map(drop),
        session::FILES => parse::<FilesRequest>(body).map(drop),
        session::CLOSE => parse::<CloseRequest>(body).map(drop),
        routes::SCREENSHOT => parse::<ScreenshotRequest>(body).map(drop),
        routes::EXTRACT => parse::<ExtractRequest>(body).map(drop),
        _ => Err(Invalid::new("body", "is of a route that no tool has")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, arguments: Value) -> Result<Call, BadCall> {
        Call::read(name, arguments, None)
    }

    fn sentence(name: &str, arguments: Value) -> String {
        read(name, arguments).unwrap_err().to_string()
    }

    #[test]
    fn every_example_is_a_valid_call_and_every_tool_has_one() {
        for tool in all() {
            assert!(!tool.examples.is_empty(), "{}", tool.name);
            for example in &tool.examples {
                let call = read(tool.name, example.clone()).unwrap_or_else(|error| panic!("{error}"));
                assert_eq!(call.route, tool.route);
                assert_eq!(call.body.contains_key("snapshot"), tool.takes_snapshot);
            }
        }
    }

    #[test]
    fn arguments_become_the_contracts_fields() {
        let call = read(
            "interactWithPage",
            json!({"action": "click", "target": {"value": "Save"}, "options": {"timeoutMs": 7000, "post_action_screenshot": true}}),
        );
        assert_eq!(
            Value::Object(call.unwrap().body),
            json!({"action": "click", "target": {"value": "Save"}, "snapshot": "changes",
                "options": {"timeout_ms": 7000, "post_action_screenshot": true}})
        );
        let call =
            read("browser_upload", json!({"ref": "e4", "files": [{"name": "a", "contentBase64": ""}], "tab": ""}));
        assert_eq!(call.unwrap().body["files"][0]["content_base64"], "");
        let call =
            read("browser_extract", json!({"extract": {"kind": "json", "map": {"fooBar": "h1"}, "maxChars": 10}}));
        assert_eq!(
            call.unwrap().body["extract"],
            json!([{"kind": "json", "map": {"fooBar": "h1"}, "max_chars": 10}]),
            "a caller's own names stay"
        );
        let call = read("browser_select", json!({"ref": "@e6", "values": "One", "timeoutMs": null}));
        assert_eq!(Value::Object(call.unwrap().body), json!({"ref": "@e6", "values": ["One"], "snapshot": "changes"}));
        let call = read("browser_click", json!({"ref": "@e6", "snapshot": {"mode": "full", "maxChars": 900}}));
        assert_eq!(call.unwrap().body["snapshot"], json!({"mode": "full", "max_chars": 900}));
    }

    #[test]
    fn the_handle_is_implied_unless_another_or_a_new_session_is_asked_for() {
        let session = |name: &str, arguments: Value| {
            Call::read(name, arguments, Some("ses_last")).unwrap().session().map(str::to_owned)
        };
        assert_eq!(session("browser_snapshot", json!({})).as_deref(), Some("ses_last"));
        assert_eq!(session("browser_snapshot", json!({"session": ""})).as_deref(), Some("ses_last"));
        assert_eq!(session("browser_snapshot", json!({"session": "ses_mine"})).as_deref(), Some("ses_mine"));
        assert_eq!(session("browser_navigate", json!({"url": "http://a"})).as_deref(), Some("ses_last"));
        assert_eq!(session("browser_navigate", json!({"url": "http://a", "locale": "de"})), None);
        assert_eq!(session("sandbox_browser_extract", json!({"url": "http://a"})), None);
    }

    #[test]
    fn what_is_wrong_is_said_so_that_a_model_can_put_it_right() {
        for (name, arguments, expected) in [
            (
                "browser_clik",
                json!({}),
                "There is no tool \"browser_clik\". Did you mean \"browser_click\"? The tools are browser_navigate, ",
            ),
            ("browser_goto", json!({}), "There is no tool \"browser_goto\". Did you mean \"browser_navigate\"?"),
            (
                "sandbox_browser_read",
                json!({}),
                "There is no tool \"sandbox_browser_read\". Did you mean \"browser_extract\"?",
            ),
            ("browser_fill_form", json!({}), "There is no tool \"browser_fill_form\". Did you mean \"browser_type\"?"),
            ("clik", json!({}), "There is no tool \"clik\". Did you mean \"browser_click\"?"),
            ("hello", json!({}), "There is no tool \"hello\". The tools are browser_navigate, "),
            (
                "browser_click",
                json!(["@e1"]),
                "The arguments of browser_click must be a JSON object, for example {\"ref\":\"@e5\"}.",
            ),
            (
                "browser_click",
                json!({"Ref": "@e1"}),
                "browser_click has no argument \"Ref\". Did you mean \"ref\"? It has at, button, ",
            ),
            ("browser_click", json!({"ref": "@e1", "selector": "a"}), "browser_click has no argument \"selector\"."),
            (
                "browser_click",
                json!({"target": {"valeu": "a"}}),
                "browser_click has no argument \"target.valeu\". Did you mean \"value\"? \"target\" has by, exact,",
            ),
            (
                "browser_click",
                json!({}),
                "browser_click: \"ref\" is missing: send one of ref, target and at. Example: {\"ref\":\"@e5\"}.",
            ),
            (
                "browser_click",
                json!({"ref": "Save"}),
                "browser_click: \"ref\" must be a ref of a snapshot, such as @e5.",
            ),
            (
                "browser_click",
                json!({"ref": "@e1", "clickCount": 7}),
                "browser_click: \"clickCount\" must be from 1 to 3.",
            ),
            (
                "browser_click",
                json!({"ref": "@e1", "timeoutMs": 5}),
                "browser_click: \"timeoutMs\" must be from 1000 to 60000.",
            ),
            (
                "browser_click",
                json!({"ref": "@e1", "timeoutMs": "soon"}),
                "browser_click: \"timeoutMs\" must be a whole number from 1000 to 60000, not \"soon\".",
            ),
            ("browser_type", json!({"ref": "@e1"}), "browser_type needs \"text\": What to type."),
            ("browser_navigate", json!({}), "browser_navigate: \"url\" is missing: send one of url and action."),
            (
                "browser_navigate",
                json!({"url": "http://a", "session": "ses_1", "colorScheme": "dark"}),
                "browser_navigate: \"colorScheme\" goes without session: it is for a new one.",
            ),
            ("browser_wait", json!({"text": "a", "networkIdleMs": 5}), "browser_wait: \"networkIdleMs\": send "),
            (
                "interactWithPage",
                json!({"action": "type", "target": {"value": "a"}}),
                "interactWithPage: \"value\" is missing: type needs one.",
            ),
            ("sandbox_browser_screenshot", json!({}), "sandbox_browser_screenshot needs \"url\": The page"),
        ] {
            let said = sentence(name, arguments);
            assert!(said.starts_with(expected), "{said}");
            assert!(
                !said.contains("owner_token") && !said.contains("sandbox_id") && !said.contains(" at line "),
                "{said}"
            );
        }
    }

    #[test]
    fn long_names_are_cut() {
        assert!(sentence(&"browser_".repeat(10_000), json!({})).len() < 1000);
        assert!(sentence("browser_click", json!({"x".repeat(100_000): 1})).len() < 1000);
    }
}
