//! `porthole mcp`: the Model Context Protocol over standard input and output.
//!
//! The end of the input, the loss of the output's reader, a signal or the parent's death ends it: the sessions that it
//! opened are closed, and the stack that it started ends.

mod gone;
mod run;
mod stack;

use std::time::Duration;

use nix::unistd::getppid;
use porthole_mcp::{Connection, Server, Toolset, UnknownTool, close_sessions, serve_stdio};
use tokio::time::{interval, timeout};
use tokio_util::sync::CancellationToken;

use self::run::ToolCaller;
use super::args::McpArgs;
use super::failure::Failed;
use super::settings;
use super::up::StopSignals;

const TOOLS_VARIABLE: &str = "PORTHOLE_MCP_TOOLS";
/// Pause between two looks for the parent. A client that dies closes the input as well, unless another process holds it.
const PARENT_CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Time for closing the sessions. A session that is still open then ends with its stack, or by its idle time.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(8);

pub(crate) async fn run(url: Option<String>, args: &McpArgs) -> Result<(), Failed> {
    let tools = tools(args)?;
    let mut stop = StopSignals::new()?;
    let caller = ToolCaller::new(url, args.own)?;
    let connection = Connection::default();
    let ended = CancellationToken::new();
    let server = Server::of_connection(tools, caller.clone(), connection.clone());
    let served = tokio::select! {
        served = serve_stdio(server, ended.clone()) => served,
        () = stop.received() => Ok(()),
        () = parent_died() => Ok(()),
        () = gone::reader_gone() => Ok(()),
    };
    ended.cancel();
    let ending = async {
        // A stack that no call has needed has no session to close.
        let _ = timeout(CLOSE_TIMEOUT, close_sessions(&caller, connection.take_opened())).await;
        caller.end().await;
    };
    tokio::select! {
        () = ending => {}
        // A second signal kills both processes at once: they are tied to this one.
        () = stop.received() => {}
    }
    served.map_err(|error| Failed::io("speak MCP", error))
}

fn tools(args: &McpArgs) -> Result<Toolset, Failed> {
    let list = match &args.tools {
        Some(list) => list.clone(),
        None => settings::variable(TOOLS_VARIABLE)?.unwrap_or_default(),
    };
    Toolset::parse(&list).map_err(|UnknownTool(name)| {
        Failed::Setting(format!("{TOOLS_VARIABLE} has {name:?}: accepted are {}", Toolset::names().join(", ")))
    })
}

async fn parent_died() {
    let parent = getppid();
    let mut looks = interval(PARENT_CHECK_INTERVAL);
    while getppid() == parent {
        looks.tick().await;
    }
}
