//! `tools` and `run-tool`.

use clap::{Args, ValueEnum};

use super::session::SessionName;

/// Print a model's tools, or text about them for its system prompt.
///
/// The same tools as over MCP and the worker's tool routes. Needs no worker.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  porthole tools --format openai | jq '.[].function.name'\n  porthole tools --format prompt"
)]
pub(crate) struct ToolsArgs {
    /// Whose shape they have
    #[arg(long, value_enum, default_value = "mcp")]
    pub(crate) format: ToolsFormatArg,
}

/// `--format` of `tools`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ToolsFormatArg {
    /// The Model Context Protocol's
    Mcp,
    /// OpenAI's and that of compatible servers
    Openai,
    /// Anthropic's
    Anthropic,
    /// Text for the system prompt of a model that writes its calls as text
    Prompt,
}

/// Run the calls that a model wrote, and print their results for the model.
///
/// Reads the model's message, finds its calls as the worker does, and runs at most five, in order; after one that
/// failed the rest is skipped. With a tool's NAME runs that tool. Works with any worker, whether its tool routes are
/// on or not.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  porthole run-tool sandbox_browser_extract '{\"url\": \"https://example.com\"}'
  porthole run-tool browser_navigate '{\"url\": \"https://example.com\"}' --json | jq -r .session
  porthole run-tool browser_snapshot --session 1
  echo 'Look: {\"tool\": \"browser_close\"}' | porthole run-tool --session ses_…")]
pub(crate) struct RunToolArgs {
    /// The tool; without it a model's message is read from standard input
    #[arg(value_name = "NAME")]
    pub(crate) tool: Option<String>,
    /// Its arguments, as a JSON object
    #[arg(value_name = "JSON", requires = "tool")]
    pub(crate) arguments: Option<String>,
    /// The session: its handle, as a result named it, or its number in `porthole sessions`
    #[arg(long, value_name = "HANDLE|NUMBER")]
    pub(crate) session: Option<SessionName>,
    /// Print what came of each call as JSON, with cards and pictures
    #[arg(long)]
    pub(crate) json: bool,
}
