//! Tools, resources and prompts that the suite expects. Results are written as the JSON that goes over the wire.

use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, ErrorData, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, Implementation, JsonObject, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, LoggingLevel, LoggingMessageNotificationParam, PaginatedRequestParams,
    ProgressNotificationParam, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ServerCapabilities,
    ServerConfig, SetLevelRequestParams, SubscribeRequestParams, Tool, UnsubscribeRequestParams,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::input;

/// A red pixel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==";
/// Silence.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";
/// Time between two notifications of a tool.
const STEP: Duration = Duration::from_millis(50);

/// The server.
#[derive(Clone)]
pub(super) struct Fixtures;

/// Reads what goes over the wire as rmcp's type.
pub(super) fn wire<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

fn unknown(kind: &str, name: &str) -> ErrorData {
    ErrorData::invalid_params(format!("Unknown {kind}: {name}"), None)
}

fn tool(name: &str) -> Tool {
    let schema = match name {
        "json_schema_2020_12_tool" => json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {"address": {"$anchor": "address", "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
            "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
            "allOf": [{"anyOf": [{"required": ["name"]}, {"required": ["address"]}]}],
            "if": {"required": ["address"]},
            "then": {"properties": {"address": {"required": ["street"]}}},
            "else": {"required": ["name"]},
            "additionalProperties": false
        }),
        "test_custom_header" => json!({"type": "object",
            "properties": {"value": {"type": "string", "x-mcp-header": "Value"}}, "required": ["value"]}),
        _ => json!({"type": "object", "properties": {}}),
    };
    let Value::Object(schema) = schema else { unreachable!("schemas are objects") };
    Tool::new(name.to_owned(), format!("The suite's fixture {name}"), schema)
}

const TOOLS: [&str; 12] = [
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_tool_with_logging",
    "test_error_handling",
    "test_tool_with_progress",
    "json_schema_2020_12_tool",
    "test_custom_header",
    "test_logging_tool",
    "test_missing_capability",
];

fn result(name: &str, arguments: &JsonObject) -> Option<Value> {
    let image = json!({"type": "image", "data": PNG, "mimeType": "image/png"});
    let resource = |uri: &str, mime_type: &str, text: &str| json!({"type": "resource", "resource": {"uri": uri, "mimeType": mime_type, "text": text}});
    let text = |text: &str| json!({"type": "text", "text": text});
    Some(match name {
        "test_simple_text" => json!([text("This is a simple text response for testing.")]),
        "test_image_content" => json!([image]),
        "test_audio_content" => json!([{"type": "audio", "data": WAV, "mimeType": "audio/wav"}]),
        "test_embedded_resource" => {
            json!([resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")])
        }
        "test_multiple_content_types" => json!([
            text("Multiple content types test:"),
            image,
            resource("test://mixed-content-resource", "application/json", r#"{"test":"data","value":123}"#)
        ]),
        "test_error_handling" => json!([text("This tool intentionally returns an error for testing")]),
        "test_custom_header" => json!([text(arguments["value"].as_str().unwrap_or_default())]),
        "json_schema_2020_12_tool" | "test_tool_with_logging" | "test_tool_with_progress" | "test_logging_tool" => {
            json!([text("Done.")])
        }
        _ => return None,
    })
}

async fn log(context: &RequestContext<RoleServer>, level: LoggingLevel, words: &str) -> Result<(), ErrorData> {
    let sent = context.peer.notify_logging_message(LoggingMessageNotificationParam::new(level, json!(words))).await;
    sent.map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

impl ServerHandler for Fixtures {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_prompts()
            .enable_resources()
            .enable_tools()
            .enable_logging()
            .enable_completions()
            .build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new("porthole-fixtures", "0"))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        TOOLS.contains(&name).then(|| tool(name))
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(TOOLS.iter().chain(&input::TOOLS).map(|name| tool(name)).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.as_ref();
        if input::TOOLS.contains(&name) {
            return input::called(&request, &context);
        }
        match name {
            "test_tool_with_logging" => {
                for words in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
                    log(&context, LoggingLevel::Info, words).await?;
                    tokio::time::sleep(STEP).await;
                }
            }
            "test_logging_tool" => {
                if let Some(level) = context.meta.log_level() {
                    log(&context, level, "logLevel was requested").await?;
                }
            }
            "test_missing_capability" => return input::needs_sampling(&context),
            "test_tool_with_progress" => {
                for progress in [0.0, 50.0, 100.0] {
                    if let Some(token) = context.meta.get_progress_token() {
                        let progress = ProgressNotificationParam::new(token, progress).with_total(100.0);
                        let _ = context.peer.notify_progress(progress).await;
                    }
                    tokio::time::sleep(STEP).await;
                }
            }
            _ => {}
        }
        let content = result(name, &request.arguments.unwrap_or_default()).ok_or_else(|| unknown("tool", name))?;
        let done: rmcp::model::CallToolResult =
            wire(json!({"content": content, "isError": name == "test_error_handling", "resultType": "complete"}))?;
        Ok(done.into())
    }

    async fn list_resources(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        wire(json!({"resultType": "complete", "resources": [
            {"uri": "test://static-text", "name": "Static text", "description": "A text", "mimeType": "text/plain"},
            {"uri": "test://static-binary", "name": "Static binary", "description": "A picture", "mimeType": "image/png"},
        ]}))
    }

    async fn list_resource_templates(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        wire(json!({"resultType": "complete", "resourceTemplates": [
            {"uriTemplate": "test://template/{id}/data", "name": "Data", "description": "By id", "mimeType": "application/json"},
        ]}))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.as_str();
        let id = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
        let content = match (uri, id) {
            ("test://static-text", _) => {
                json!({"uri": uri, "mimeType": "text/plain", "text": "This is the content of the static text resource."})
            }
            ("test://static-binary", _) => json!({"uri": uri, "mimeType": "image/png", "blob": PNG}),
            (_, Some(id)) => {
                let text = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")}).to_string();
                json!({"uri": uri, "mimeType": "application/json", "text": text})
            }
            _ => return Err(ErrorData::resource_not_found("Resource not found", Some(json!({"uri": uri})))),
        };
        let read: ReadResourceResult = wire(json!({"resultType": "complete", "contents": [content]}))?;
        Ok(read.into())
    }

    async fn subscribe(&self, _: SubscribeRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(&self, _: UnsubscribeRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn set_level(&self, _: SetLevelRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn complete(
        &self,
        _request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        wire(json!({"resultType": "complete", "completion": {"values": ["paris", "park", "party"], "hasMore": false}}))
    }

    async fn list_prompts(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let argument =
            |name: &str, required: bool| json!({"name": name, "description": "An argument", "required": required});
        wire(json!({"resultType": "complete", "prompts": [
            {"name": "test_simple_prompt", "description": "Simple"},
            {"name": "test_prompt_with_arguments", "description": "With arguments",
                "arguments": [argument("arg1", true), argument("arg2", true)]},
            {"name": "test_prompt_with_embedded_resource", "description": "With a resource",
                "arguments": [argument("resourceUri", true)]},
            {"name": "test_prompt_with_image", "description": "With a picture"},
            {"name": input::PROMPT, "description": "Asks for input"},
        ]}))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let argument = |name: &str| {
            request
                .arguments
                .as_ref()
                .and_then(|arguments| arguments.get(name)?.as_str())
                .unwrap_or_default()
                .to_owned()
        };
        let text = |text: String| json!({"role": "user", "content": {"type": "text", "text": text}});
        let messages = match request.name.as_str() {
            input::PROMPT => return input::prompt(&request),
            "test_simple_prompt" => json!([text("This is a simple prompt for testing.".to_owned())]),
            "test_prompt_with_arguments" => {
                let (first, second) = (argument("arg1"), argument("arg2"));
                json!([text(format!("Prompt with arguments: arg1='{first}', arg2='{second}'"))])
            }
            "test_prompt_with_embedded_resource" => {
                let resource = json!({"uri": argument("resourceUri"), "mimeType": "text/plain", "text": "Embedded resource content for testing."});
                json!([
                    {"role": "user", "content": {"type": "resource", "resource": resource}},
                    text("Please process the embedded resource above.".to_owned()),
                ])
            }
            "test_prompt_with_image" => json!([
                {"role": "user", "content": {"type": "image", "data": PNG, "mimeType": "image/png"}},
                text("Please analyze the image above.".to_owned()),
            ]),
            other => return Err(unknown("prompt", other)),
        };
        let got: GetPromptResult = wire(json!({"resultType": "complete", "messages": messages}))?;
        Ok(got.into())
    }
}
