//! Models' tool calls: what the worker's tool routes take and answer, and cards.

use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::error::{ErrorAnswer, ErrorCode};
use crate::json::{Invalid, Validate, strict_value};
use crate::request;
use crate::secret::expose_on_the_wire;
use crate::session::ErrorContext;

/// `POST tools/run`: runs the calls in what a model wrote, or one call.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolsRunRequest {
    /// The sandbox that `create` named.
    #[schema(max_length = 128)]
    pub sandbox_id: String,
    /// Its owner's token.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "expose_on_the_wire")]
    #[schema(value_type = String, required = true)]
    pub owner_token: Option<SecretString>,
    /// The handle of the session that the calls are for, unless they name one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 64)]
    pub session: Option<String>,
    /// What the model wrote; its calls are found. Send one of `message` and `call`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// One call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<ToolCall>,
}

/// A call of a tool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolCall {
    /// The tool's name.
    pub tool: String,
    /// Its arguments: an object; none is the same as an empty one.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "strict_value")]
    #[schema(value_type = Option<Object>)]
    pub args: Option<Value>,
}

impl Validate for ToolsRunRequest {
    fn validate(&self) -> Result<(), Invalid> {
        request::sandbox_id(&self.sandbox_id)?;
        crate::session::check_handle("session", self.session.as_deref())?;
        match (&self.message, &self.call) {
            (None, None) => Err(Invalid::new("message", "is missing: send one of message and call")),
            (Some(_), Some(_)) => Err(Invalid::new("call", "goes without message: send one of them")),
            _ => Ok(()),
        }
    }
}

/// The answer to `tools/run`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolsRunAnswer {
    /// Always true: the message was read, whatever its calls came to.
    pub ok: bool,
    /// The handle of the session that the last call was for, to be sent with the next message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The calls in their order, at most five.
    pub calls: Vec<ToolOutcome>,
    /// The message without its calls and the fences that this empties, trimmed.
    pub rest: String,
    /// Whether the message ends in a call that is cut off, which is none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub incomplete: bool,
    /// Calls beyond the fifth, which were not run.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub omitted: u64,
    /// This request's id.
    #[serde(default)]
    pub request_id: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// What came of one call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolOutcome {
    /// The tool's name, as the call had it.
    pub tool: String,
    /// The arguments, as the call had them.
    #[schema(value_type = Object)]
    pub args: Value,
    /// Whether it succeeded.
    pub ok: bool,
    /// The result as text for the model: bounded, a page's words between boundary lines, after a failure what to do next.
    pub result: String,
    /// What to show to people; none of a call that was skipped or has no tool.
    pub card: Option<Card>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ToolError>,
    /// Whether it was not run, since a call before it failed or no time was left.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub skipped: bool,
}

/// Why a call failed: the error's answer without `ok`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolError {
    /// What went wrong.
    pub error: ErrorCode,
    /// A sentence to show to people.
    pub message: String,
    /// Details for debugging.
    #[serde(default)]
    pub details: String,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// How long to wait before a retry, in milliseconds, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// This request's id.
    #[serde(default)]
    pub request_id: String,
    /// Where in a session it failed.
    #[serde(flatten)]
    #[schema(inline)]
    pub context: Box<ErrorContext>,
}

impl From<ErrorAnswer> for ToolError {
    fn from(answer: ErrorAnswer) -> Self {
        let ErrorAnswer { ok: _, error, message, details, retryable, retry_after_ms, request_id, context } = answer;
        Self { error, message, details, retryable, retry_after_ms, request_id, context }
    }
}

/// The answer to `GET tools`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolsAnswer {
    /// Always true.
    pub ok: bool,
    /// The tools, each in the vendor's shape; none while they are switched off.
    #[schema(value_type = Vec<Object>)]
    pub tools: Vec<Value>,
    /// Text about the tools for a model's system prompt, where `format` is `prompt`; empty while they are switched off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
}

/// `POST tools/intent`: whether a message asks for a browser.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolsIntentRequest {
    /// What a person wrote.
    pub message: String,
}

impl Validate for ToolsIntentRequest {
    fn validate(&self) -> Result<(), Invalid> {
        Ok(())
    }
}

/// The answer to `tools/intent`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ToolsIntentAnswer {
    /// Always true.
    pub ok: bool,
    /// Whether it asks for a browser.
    pub browser_intent: bool,
    /// The URLs that it names, absolute, each once, at most ten.
    pub urls: Vec<String>,
    /// Text to put before the model; null where it asks for no browser.
    pub hint: Option<String>,
}

/// What a chat app shows of a call. Its texts come from pages: show them as text, never as markup.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", content = "data")]
pub enum Card {
    /// A picture of a page.
    #[serde(rename = "browser-screenshot")]
    Screenshot(ScreenshotCard),
    /// What was read of a page.
    #[serde(rename = "browser-extract")]
    Extract(ExtractCard),
    /// What a session did.
    #[serde(rename = "browser-session")]
    Session(SessionCard),
}

/// A picture of a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ScreenshotCard {
    /// What was asked for; for a session's picture, where its page is.
    pub url: String,
    /// Where the page is after redirects.
    pub final_url: String,
    /// The page's title.
    pub title: String,
    /// The HTTP status of the page's server; 0 where there is none.
    pub status_code: u16,
    /// The picture, base64; empty where there is none.
    pub image_base64: String,
    /// Its media type.
    pub mime_type: String,
    /// Its width in image pixels.
    pub width: u32,
    /// Its height in image pixels.
    pub height: u32,
    /// Whether the page goes on below it.
    pub truncated: bool,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<CardError>,
}

/// What was read of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExtractCard {
    /// What was asked for; for a session, where its page is.
    pub url: String,
    /// Where the page is after redirects.
    pub final_url: String,
    /// The page's title.
    pub title: String,
    /// The HTTP status of the page's server; 0 where there is none.
    pub status_code: u16,
    /// What was read.
    pub content: String,
    /// `text`, `html`, `markdown`, `csv` or `json`.
    pub format: String,
    /// Whether there is more.
    pub truncated: bool,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<CardError>,
}

/// What a session did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionCard {
    /// Its handle; empty where there is none.
    pub session: String,
    /// Where its page is.
    pub url: String,
    /// The page's title.
    pub title: String,
    /// The tool that was called.
    pub action: String,
    /// The live view's page with a ticket in it, on the card of the call that made the session. A secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live_url: Option<String>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<CardError>,
}

/// Why a card has nothing to show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CardError {
    /// The code.
    pub code: ErrorCode,
    /// Its sentence for people.
    pub message: String,
    /// Whether the same call may succeed later.
    pub retryable: bool,
}

impl From<&ErrorAnswer> for CardError {
    fn from(error: &ErrorAnswer) -> Self {
        Self { code: error.error, message: error.message.clone(), retryable: error.retryable }
    }
}
