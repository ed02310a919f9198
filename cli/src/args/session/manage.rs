//! Commands about a session as a whole: its dialog, tabs, files and end.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use porthole_client::session::TabsAction;

use super::{ActArgs, CallArgs, SessionName};
use crate::args::values::page_url;

/// Answer the dialog that holds the page.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  porthole dialog accept\n  porthole dialog accept 'my answer'\n  porthole dialog dismiss"
)]
pub(crate) struct DialogArgs {
    /// OK, or Cancel
    #[arg(value_enum)]
    pub(crate) answer: DialogAnswer,
    /// The text of a prompt
    pub(crate) text: Option<String>,
    #[command(flatten)]
    pub(crate) act: ActArgs,
}

/// List, open, select and close tabs.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  porthole tabs
  porthole tabs new https://example.com
  porthole tabs select t2
  porthole tabs close")]
pub(crate) struct TabsArgs {
    /// What is done
    #[arg(value_enum, default_value = "list")]
    action: TabsActionArg,
    /// The URL of a new tab, or the tab
    #[arg(value_name = "URL|TAB")]
    pub(crate) word: Option<String>,
    #[command(flatten)]
    pub(crate) call: CallArgs,
}

/// List downloads, or get one.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  porthole files\n  porthole files f1 -o report.pdf")]
pub(crate) struct FilesArgs {
    /// The download to get
    pub(crate) file: Option<String>,
    /// Where it is written, - for standard output [default: a new file of its name]
    #[arg(short, long, value_name = "FILE", requires = "file")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) call: CallArgs,
}

/// Print the address of the live view, in which you watch and help; open it where there is a desktop. The address is a
/// secret: anyone who has it can act in this browser.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  porthole watch\n  porthole watch --view-only")]
pub(crate) struct WatchArgs {
    /// An address that lets its holder watch, and not act
    #[arg(long)]
    pub(crate) view_only: bool,
    /// Another session than the current one, which it becomes: its number in `porthole sessions`, or its handle
    #[arg(long, value_name = "NUMBER|HANDLE")]
    pub(crate) session: Option<SessionName>,
    /// Print the answer, or the failure, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Print the cookies and local storage, for a later `porthole open --state`. They are secrets: they log in.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  porthole state -o login.json
  porthole open https://example.com --state login.json")]
pub(crate) struct StateArgs {
    /// The file to write, which only you can read [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Another session than the current one, which it becomes: its number in `porthole sessions`, or its handle
    #[arg(long, value_name = "NUMBER|HANDLE")]
    pub(crate) session: Option<SessionName>,
    /// Print the answer, or the failure, as JSON
    #[arg(long, conflicts_with = "output")]
    pub(crate) json: bool,
}

/// End the browser.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  porthole close\n  porthole close --all")]
pub(crate) struct CloseArgs {
    /// End all that are remembered
    #[arg(long, conflicts_with = "session")]
    pub(crate) all: bool,
    /// Another session than the current one: its number in `porthole sessions`, or its handle
    #[arg(long, value_name = "NUMBER|HANDLE")]
    pub(crate) session: Option<SessionName>,
    /// Print the answer, or the failure, as JSON; with --all one line each
    #[arg(long)]
    pub(crate) json: bool,
}

/// List the browsers that are open, the current one marked by *. Looking keeps them open, as any command does.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  porthole sessions")]
pub(crate) struct SessionsArgs {
    /// Print them as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// An answer to a dialog on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DialogAnswer {
    /// OK
    Accept,
    /// Cancel
    Dismiss,
}

/// What is done with tabs, on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum TabsActionArg {
    /// All of them
    List,
    /// Another one
    New,
    /// Make one active
    Select,
    /// Close one
    Close,
}

impl TabsArgs {
    pub(crate) fn action(&self) -> TabsAction {
        match self.action {
            TabsActionArg::List => TabsAction::List,
            TabsActionArg::New => TabsAction::New,
            TabsActionArg::Select => TabsAction::Select,
            TabsActionArg::Close => TabsAction::Close,
        }
    }

    /// The URL of a new tab.
    pub(crate) fn page(&self) -> Option<String> {
        self.word.as_deref().map(page_url)
    }
}
