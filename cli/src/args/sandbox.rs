//! `create`.

use clap::Args;

use super::values::parse_seconds;

/// Make a sandbox and print its owner token.
///
/// Other commands do this by themselves; use it to call the worker with other tools. The sandbox is saved, so later
/// commands use it too.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  porthole create\n  porthole create --ttl 2h --json")]
pub(crate) struct CreateArgs {
    /// How long the owner token is valid, such as 3600, 90m, 12h or 7d; from 60 s to 30 d [default: 1d]
    #[arg(long, value_name = "TIME", value_parser = parse_seconds)]
    pub(crate) ttl: Option<u64>,
    /// Print the answer, or the failure, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
