//! The commands of sessions: a browser that stays open between commands. `target` has what they act on.

mod act;
mod call;
mod manage;
mod page;

use clap::Subcommand;

pub(crate) use self::act::{
    CheckArgs, ClickArgs, DragArgs, HoverArgs, PressArgs, ScrollArgs, SelectArgs, TypeArgs, UploadArgs, WaitForArgs,
};
pub(crate) use self::call::{ActArgs, CallArgs, SessionName};
pub(crate) use self::manage::{
    CloseArgs, DialogAnswer, DialogArgs, FilesArgs, SessionsArgs, StateArgs, TabsArgs, WatchArgs,
};
pub(crate) use self::page::{GotoArgs, OpenArgs, ReadArgs, ShotArgs, SnapshotArgs};

/// The commands of sessions.
#[derive(Debug, Subcommand)]
pub(crate) enum SessionCommand {
    Open(Box<OpenArgs>),
    Goto(GotoArgs),
    /// Go back in the tab's history
    #[command(after_help = "Example:\n  porthole back")]
    Back(ActArgs),
    /// Go forward in the tab's history
    #[command(after_help = "Example:\n  porthole forward")]
    Forward(ActArgs),
    /// Load the page again
    #[command(after_help = "Example:\n  porthole reload")]
    Reload(ActArgs),
    Snapshot(SnapshotArgs),
    Click(Box<ClickArgs>),
    Type(Box<TypeArgs>),
    Press(Box<PressArgs>),
    Hover(Box<HoverArgs>),
    Select(Box<SelectArgs>),
    Check(Box<CheckArgs>),
    Drag(Box<DragArgs>),
    Scroll(Box<ScrollArgs>),
    Upload(Box<UploadArgs>),
    Wait(Box<WaitForArgs>),
    Shot(Box<ShotArgs>),
    Read(ReadArgs),
    Dialog(DialogArgs),
    Tabs(TabsArgs),
    Files(FilesArgs),
    Watch(WatchArgs),
    State(StateArgs),
    Close(CloseArgs),
    Sessions(SessionsArgs),
}

impl SessionCommand {
    /// Returns whether the command prints JSON.
    pub(crate) fn json(&self) -> bool {
        match self {
            Self::Open(args) => args.json,
            Self::Goto(args) => args.act.call.json,
            Self::Back(act) | Self::Forward(act) | Self::Reload(act) => act.call.json,
            Self::Snapshot(args) => args.call.json,
            Self::Click(args) => args.act.call.json,
            Self::Type(args) => args.act.call.json,
            Self::Press(args) => args.act.call.json,
            Self::Hover(args) => args.act.call.json,
            Self::Select(args) => args.act.call.json,
            Self::Check(args) => args.act.call.json,
            Self::Drag(args) => args.act.call.json,
            Self::Scroll(args) => args.act.call.json,
            Self::Upload(args) => args.act.call.json,
            Self::Wait(args) => args.act.call.json,
            Self::Shot(args) => args.call.json,
            Self::Read(args) => args.call.json,
            Self::Dialog(args) => args.act.call.json,
            Self::Tabs(args) => args.call.json,
            Self::Files(args) => args.call.json,
            Self::Watch(args) => args.json,
            Self::State(args) => args.json,
            Self::Close(args) => args.json,
            Self::Sessions(args) => args.json,
        }
    }
}
