//! The command line: commands, their flags and their help texts, one file for each subject. `values` parses the flags'
//! values.

mod metrics;
mod page;
mod sandbox;
pub(crate) mod session;
mod start;
pub(crate) mod target;
mod tools;
mod values;
mod visit;

use clap::{Parser, Subcommand};

pub(crate) use self::metrics::MetricsArgs;
pub(crate) use self::page::{ExtractArgs, FormatArg, ScreenshotArgs};
pub(crate) use self::sandbox::CreateArgs;
use self::session::SessionCommand;
pub(crate) use self::start::{DemoArgs, McpArgs, UpArgs};
pub(crate) use self::tools::{RunToolArgs, ToolsArgs, ToolsFormatArg};
pub(crate) use self::visit::WindowArgs;

const SETTINGS_HELP: &str = "\
Settings (environment):
  PORTHOLE_URL        where the worker is [default: http://127.0.0.1:8787]
  PORTHOLE_KEY        the client key, if the worker requires one; or PORTHOLE_KEY_FILE, a path
  PORTHOLE_MCP_TOOLS  the tools of `porthole mcp`, comma-separated [default: all]
  PORTHOLE_LOG        the log filter for standard error, such as porthole_client=debug
  XDG_CONFIG_HOME     the directory for saved sandboxes, sessions and keys [default: ~/.config]

Exit codes: 0 done, 1 the request failed, 2 wrong usage, 64 a wrong setting.";

const EXAMPLES: &str = "\
Examples:
  porthole up                                     start everything on this machine
  porthole screenshot https://example.com         a picture, as example.com.png
  porthole extract https://example.com            the page's text
  porthole open https://example.com               a browser that stays: click, type, snapshot, close

";

/// See the web through a browser that is not yours: a URL in, a picture of the page or its text out.
#[derive(Debug, Parser)]
#[command(name = "porthole", version, after_help = [EXAMPLES, SETTINGS_HELP].concat())]
pub(crate) struct Cli {
    /// Where the worker is [env: PORTHOLE_URL] [default: http://127.0.0.1:8787]
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) url: Option<String>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands. The help text of each is the doc comment of its arguments.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Up(UpArgs),
    Demo(DemoArgs),
    Create(CreateArgs),
    Screenshot(Box<ScreenshotArgs>),
    Extract(Box<ExtractArgs>),
    #[command(flatten)]
    Session(SessionCommand),
    Mcp(McpArgs),
    Tools(ToolsArgs),
    RunTool(RunToolArgs),
    Metrics(MetricsArgs),
    /// Print a completion script for a shell
    #[command(
        after_help = "Example:\n  porthole completions bash > ~/.local/share/bash-completion/completions/porthole"
    )]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the man page
    #[command(after_help = "Example:\n  porthole man | man -l -")]
    Man,
}

impl Command {
    /// Returns whether the command prints JSON.
    pub(crate) fn json(&self) -> bool {
        match self {
            Command::Up(args) => args.json,
            Command::Create(args) => args.json,
            Command::Screenshot(args) => args.json,
            Command::Extract(args) => args.json,
            Command::Session(command) => command.json(),
            Command::RunTool(args) => args.json,
            Command::Metrics(args) => args.json,
            Command::Tools(_) | Command::Demo(_) | Command::Mcp(_) | Command::Completions { .. } | Command::Man => {
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_has_examples_in_its_help() {
        for command in Cli::command().get_subcommands() {
            let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(examples.contains("  porthole "), "{}", command.get_name());
        }
    }
}
