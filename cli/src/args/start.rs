//! Commands that start a stack: `up`, `demo`, `mcp`.

use clap::Args;

use super::values::parse_page;

/// Start service and worker on this machine and keep them running.
///
/// Makes an owner key and a service key on the first start and keeps them in the user's config directory
/// (porthole/keys.json, mode 0600). Every other setting of service and worker is taken from the environment, such as
/// PORTHOLE_WORKER_ADDR, PORTHOLE_SERVICE_ADDR or PORTHOLE_CHROMIUM; PORTHOLE_SERVICE_URL is always the service
/// started here. A process that dies is restarted; after five deaths within a minute `up` ends.
///
/// Warnings and errors of both processes go to standard error. Ctrl-C or SIGTERM ends both.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  porthole up\n  porthole up --allow-targets localhost:3000\n  PORTHOLE_WORKER_ADDR=127.0.0.1:9000 porthole up --verbose"
)]
pub(crate) struct UpArgs {
    /// Private targets that may be visited: comma-separated names and addresses, with or without a port, and
    /// CIDR ranges
    /// [env: PORTHOLE_ALLOW_TARGETS]
    #[arg(long, value_name = "LIST")]
    pub(crate) allow_targets: Option<String>,
    /// Show every log line of both processes
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// Print the addresses as one line of JSON once both are ready
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show Porthole at work: start service and worker, take a picture of a page, read it, and keep serving.
///
/// Without a URL it shows a built-in page, which this command serves on loopback.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  porthole demo\n  porthole demo https://example.com --once")]
pub(crate) struct DemoArgs {
    /// The page
    #[arg(value_name = "PAGE", value_parser = parse_page)]
    pub(crate) page: Option<String>,
    /// End after showing the picture and the text
    #[arg(long)]
    pub(crate) once: bool,
    /// Where the picture is written
    #[arg(short, long, value_name = "FILE", default_value = "porthole-demo.png")]
    pub(crate) output: String,
    /// Show every log line of both processes
    #[arg(short, long)]
    pub(crate) verbose: bool,
}

/// Serve the Model Context Protocol on standard input and output, for agents and editors.
///
/// Uses the worker that --url or PORTHOLE_URL names, or that `porthole up` runs; else it starts a service and a worker of
/// its own on free ports when the first tool is called. The end of the input closes the sessions that it opened and ends
/// what it started.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  porthole mcp\n  porthole mcp --tools browser_navigate,browser_snapshot,browser_click\n\nIn a client's configuration:\n  {\"mcpServers\": {\"porthole\": {\"command\": \"porthole\", \"args\": [\"mcp\"]}}}"
)]
pub(crate) struct McpArgs {
    /// The tools to offer: comma-separated names, such as browser_navigate,browser_snapshot
    /// [env: PORTHOLE_MCP_TOOLS] [default: all]
    #[arg(long, value_name = "LIST")]
    pub(crate) tools: Option<String>,
    /// Start a stack of its own even where PORTHOLE_URL names one or `porthole up` runs one
    #[arg(long, conflicts_with = "url")]
    pub(crate) own: bool,
}
