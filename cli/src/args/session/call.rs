//! The arguments of every call to a session.

use clap::Args;

use crate::args::values::parse_millis;

/// Which session and tab, how long, and how it is printed.
#[derive(Args, Clone, Debug)]
pub(crate) struct CallArgs {
    /// Another session than the one used last: its number in `porthole sessions`
    #[arg(long, value_name = "NUMBER")]
    pub(crate) session: Option<u32>,
    /// Another tab than the active one, such as t2
    #[arg(long, value_name = "TAB")]
    pub(crate) tab: Option<String>,
    /// The time limit of the call, such as 10s; from 1 s to 60 s [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = parse_millis)]
    pub(crate) timeout: Option<u32>,
    /// Print the answer, or the failure, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A call that acts.
#[derive(Args, Clone, Debug)]
pub(crate) struct ActArgs {
    #[command(flatten)]
    pub(crate) call: CallArgs,
    /// Print the whole page afterwards, not only what changed
    #[arg(long)]
    pub(crate) full: bool,
}
