//! `porthole mcp`: the Model Context Protocol over standard input and output.
//!
//! The end of the input, the loss of the output's reader, a signal or the parent's death ends it: requests in flight
//! have some seconds to finish, then the sessions that it opened are closed, and the stack that it started ends.

mod gone;
mod run;
mod stack;

use std::io;
use std::pin::pin;
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
/// Time for requests in flight: the 5 s that the server gives them, and some for an output that takes no more.
const FINISH_TIMEOUT: Duration = Duration::from_secs(6);
/// Time for closing the sessions. A session that is still open then ends with its stack, or by its idle time.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(8);

pub(crate) async fn run(url: Option<String>, args: &McpArgs) -> Result<(), Failed> {
    let tools = tools(args)?;
    let mut stop = StopSignals::new()?;
    let caller = ToolCaller::new(url, args.own)?;
    let connection = Connection::default();
    let server = Server::of_connection(tools, caller.clone(), connection.clone());
    let served = serve(server, &mut stop).await;
    let ending = async {
        // A stack that no call has needed has no session to close.
        let _ = timeout(CLOSE_TIMEOUT, close_sessions(&caller, connection.take_opened())).await;
        caller.end().await;
    };
    tokio::select! {
        () = ending => {}
        // A further signal kills both processes at once: they are tied to this one.
        () = stop.received() => {}
    }
    served.map_err(|error| Failed::io("speak MCP", error))
}

/// Serves until there is a reason to end, and until the requests in flight have finished.
async fn serve(server: Server<ToolCaller>, stop: &mut StopSignals) -> io::Result<()> {
    let ended = CancellationToken::new();
    let mut serving = pin!(serve_stdio(server, ended.clone()));
    tokio::select! {
        served = &mut serving => return served,
        () = ended.cancelled() => {}
        () = stop.received() => {}
        () = parent_died() => {}
        () = gone::reader_gone() => {}
    }
    ended.cancel();
    tokio::select! {
        served = timeout(FINISH_TIMEOUT, serving) => served.unwrap_or(Ok(())),
        // Clients that have closed the input send one before they kill: the sessions matter more then.
        () = stop.received() => Ok(()),
    }
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
