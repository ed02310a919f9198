//! The worker's tool routes in its OpenAPI document.

use utoipa::OpenApi;

use crate::ErrorAnswer;
use crate::tools::{ToolsAnswer, ToolsIntentAnswer, ToolsIntentRequest, ToolsRunAnswer, ToolsRunRequest};

/// Paths as the worker has them, without its prefix.
#[derive(OpenApi)]
#[openapi(paths(tools, tools_run, tools_intent))]
pub(super) struct ToolsApi;

/// A model's tools in a vendor's shape, or as text for a system prompt. Empty unless the worker's tools are on.
#[utoipa::path(
    get,
    path = "/tools",
    params(("format" = Option<String>, Query, description = "`mcp` (the default), `openai`, `anthropic`, or `prompt`: text")),
    responses(
        (status = 200, description = "The tools", content((ToolsAnswer = "application/json"), (String = "text/plain"))),
        (status = "default", description = "What went wrong, by its code", body = ErrorAnswer),
    )
)]
#[expect(dead_code, reason = "the macro reads the function, nothing calls it")]
fn tools() {}

/// Runs the calls that a model wrote into a message, at most five, in order; those after one that failed are skipped.
#[utoipa::path(
    post,
    path = "/tools/run",
    request_body = ToolsRunRequest,
    responses(
        (status = 200, description = "What came of each call", body = ToolsRunAnswer),
        (status = "default", description = "What went wrong, by its code", body = ErrorAnswer),
    )
)]
#[expect(dead_code, reason = "the macro reads the function, nothing calls it")]
fn tools_run() {}

/// Judges whether a person's message asks for a browser, by its words.
#[utoipa::path(
    post,
    path = "/tools/intent",
    request_body = ToolsIntentRequest,
    responses(
        (status = 200, description = "What it asks for", body = ToolsIntentAnswer),
        (status = "default", description = "What went wrong, by its code", body = ErrorAnswer),
    )
)]
#[expect(dead_code, reason = "the macro reads the function, nothing calls it")]
fn tools_intent() {}
