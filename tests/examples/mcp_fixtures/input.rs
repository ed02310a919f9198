//! Tools and a prompt that need input of the client's, as 2026-07-28 has it: a result that asks, and the same request
//! again with the answers. Porthole has none; the suite does.

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock, ErrorData,
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, InputRequiredResult,
};
use rmcp::service::RequestContext;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::things::wire;

pub(super) const PROMPT: &str = "test_input_required_result_prompt";

pub(super) const TOOLS: [&str; 9] = [
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_tampered_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_capabilities",
    "test_streaming_elicitation",
];

/// Signs the state that travels with the client. A suite needs no secret.
const KEY: &str = "fixtures";

fn elicitation(message: &str, field: &str, kind: &str) -> Value {
    json!({"method": "elicitation/create", "params": {"mode": "form", "message": message,
        "requestedSchema": {"type": "object", "properties": {field: {"type": kind}}, "required": [field]}}})
}

fn sampling(prompt: &str) -> Value {
    json!({"method": "sampling/createMessage", "params": {"maxTokens": 100,
        "messages": [{"role": "user", "content": {"type": "text", "text": prompt}}]}})
}

fn roots() -> Value {
    json!({"method": "roots/list", "params": {}})
}

fn asked(requests: &Value, state: Option<&str>) -> Result<InputRequiredResult, ErrorData> {
    let mut result = json!({"resultType": "input_required", "inputRequests": requests});
    if let Some(state) = state {
        result["requestState"] = json!(sealed(state));
    }
    wire(result)
}

fn sealed(state: &str) -> String {
    let mac: String = Sha256::digest(format!("{KEY}\0{state}")).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{state}.{mac}")
}

/// The state that came back, if it is one of ours.
fn opened(state: &str) -> Result<&str, ErrorData> {
    let inside = state.rsplit_once('.').map(|(inside, _)| inside).filter(|inside| sealed(inside) == state);
    inside.ok_or_else(|| ErrorData::invalid_params("requestState failed integrity verification", None))
}

fn done(text: impl Into<String>) -> CallToolResponse {
    CallToolResult::success(vec![ContentBlock::text(text.into())]).into()
}

/// An answer that is an object; any other is as if it were missing.
fn answered<'a>(answers: &'a Value, name: &str) -> Option<&'a Map<String, Value>> {
    answers[name].as_object()
}

fn field<'a>(answer: &'a Map<String, Value>, path: &str) -> &'a str {
    answer.get("content").and_then(|content| content[path].as_str()).unwrap_or("nobody")
}

pub(super) fn called(
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let answers = serde_json::to_value(&request.input_responses).unwrap_or_default();
    let state = request.request_state.as_deref().map(opened).transpose()?;
    let name = elicitation("What is your name?", "name", "string");
    let ask = |requests: Value, state: Option<&str>| asked(&requests, state).map(CallToolResponse::from);
    match request.name.as_ref() {
        "test_input_required_result_elicitation" => match answered(&answers, "user_name") {
            Some(answer) => Ok(done(format!("Hello, {}!", field(answer, "name")))),
            None => ask(json!({"user_name": name}), None),
        },
        "test_input_required_result_sampling" => match answered(&answers, "capital_question") {
            Some(answer) => Ok(done(format!("Sampling response: {}", field(answer, "text")))),
            None => ask(json!({"capital_question": sampling("What is the capital of France?")}), None),
        },
        "test_input_required_result_list_roots" => match answered(&answers, "client_roots") {
            Some(answer) => Ok(done(format!("Client roots: {}", answer.get("roots").unwrap_or(&Value::Null)))),
            None => ask(json!({"client_roots": roots()}), None),
        },
        "test_input_required_result_request_state" | "test_input_required_result_tampered_state" => match state {
            Some(_ours) => Ok(done("Confirmed: state-ok")),
            None => ask(json!({"confirm": elicitation("Please confirm", "ok", "boolean")}), Some("confirm")),
        },
        "test_input_required_result_multiple_inputs" => {
            let all = ["user_name", "greeting", "client_roots"];
            if state.is_some() && all.iter().all(|name| answered(&answers, name).is_some()) {
                return Ok(done("All inputs received"));
            }
            let requests =
                json!({"user_name": name, "greeting": sampling("Generate a greeting"), "client_roots": roots()});
            ask(requests, Some("gather"))
        }
        "test_input_required_result_multi_round" => match state {
            None => ask(json!({"step1": elicitation("Step 1: What is your name?", "name", "string")}), Some("1")),
            Some("1") => {
                ask(json!({"step2": elicitation("Step 2: What is your favorite color?", "color", "string")}), Some("2"))
            }
            Some(_last) => Ok(done("Multi-round flow complete")),
        },
        "test_input_required_result_capabilities" if answers.is_null() => {
            let capabilities = serde_json::to_value(context.meta.client_capabilities()).unwrap_or_default();
            let mut requests = Map::new();
            for (capability, key, request) in [
                ("elicitation", "user_name", name),
                ("sampling", "greeting", sampling("Generate a greeting")),
                ("roots", "client_roots", roots()),
            ] {
                if !capabilities[capability].is_null() {
                    requests.insert(key.to_owned(), request);
                }
            }
            ask(Value::Object(requests), None)
        }
        "test_streaming_elicitation" => {
            ask(json!({"streaming_elicitation": elicitation("Provide a value", "value", "string")}), None)
        }
        _ => Ok(done("Complete")),
    }
}

pub(super) fn prompt(request: &GetPromptRequestParams) -> Result<GetPromptResponse, ErrorData> {
    let answers = serde_json::to_value(&request.input_responses).unwrap_or_default();
    match answered(&answers, "user_context") {
        Some(answer) => {
            let text = format!("Prompt with elicited context: {}", field(answer, "context"));
            let got: GetPromptResult = wire(json!({"resultType": "complete",
                "messages": [{"role": "user", "content": {"type": "text", "text": text}}]}))?;
            Ok(got.into())
        }
        None => {
            let question = elicitation("What context should the prompt use?", "context", "string");
            Ok(asked(&json!({"user_context": question}), None)?.into())
        }
    }
}

/// A tool that is only for clients that can be asked for a sample.
pub(super) fn needs_sampling(context: &RequestContext<RoleServer>) -> Result<CallToolResponse, ErrorData> {
    let capabilities = serde_json::to_value(context.meta.client_capabilities()).unwrap_or_default();
    if !capabilities["sampling"].is_null() {
        return Ok(done("Required capability declared"));
    }
    let needed: ClientCapabilities = wire(json!({"sampling": {}}))?;
    Err(ErrorData::missing_required_client_capability(needed))
}
