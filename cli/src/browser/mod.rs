//! The commands of sessions. This file dispatches; `resumed` finds the session, the others have a kind of command each.

mod acting;
mod checked;
mod looking;
mod manage;
mod open;
mod resumed;
mod show;
mod state;
mod watch;

use porthole_client::session::HistoryAction;

pub(super) use self::resumed::find;
use self::resumed::{Browser, forget, has_ended, note_open, open_now, session_of};
use super::args::session::SessionCommand;
use super::failure::Failed;

pub(crate) async fn run(url: Option<String>, command: SessionCommand) -> Result<(), Failed> {
    match command {
        SessionCommand::Open(args) => open::open(url, *args).await,
        SessionCommand::Goto(args) => acting::go_to(url, args).await,
        SessionCommand::Click(args) => acting::click(url, &args).await,
        SessionCommand::Type(args) => acting::type_text(url, &args).await,
        SessionCommand::Press(args) => acting::press(url, &args).await,
        SessionCommand::Hover(args) => acting::hover(url, &args).await,
        SessionCommand::Select(args) => acting::select(url, &args).await,
        SessionCommand::Check(args) => acting::check(url, &args).await,
        SessionCommand::Drag(args) => acting::drag(url, &args).await,
        SessionCommand::Scroll(args) => acting::scroll(url, &args).await,
        SessionCommand::Upload(args) => acting::upload(url, &args).await,
        SessionCommand::Wait(args) => acting::wait(url, &args).await,
        SessionCommand::Dialog(args) => acting::dialog(url, args).await,
        SessionCommand::Snapshot(args) => looking::snapshot(url, &args).await,
        SessionCommand::Shot(args) => looking::shot(url, *args).await,
        SessionCommand::Read(args) => looking::read(url, args).await,
        SessionCommand::Tabs(args) => manage::tabs(url, &args).await,
        SessionCommand::Files(args) => manage::files(url, args).await,
        SessionCommand::Watch(args) => manage::watch(url, &args).await,
        SessionCommand::State(args) => state::save(url, &args).await,
        SessionCommand::Close(args) => manage::close(url, &args).await,
        SessionCommand::Sessions(args) => manage::sessions(url, &args).await,
        SessionCommand::Back(act) => acting::history(url, &act, HistoryAction::Back).await,
        SessionCommand::Forward(act) => acting::history(url, &act, HistoryAction::Forward).await,
        SessionCommand::Reload(act) => acting::history(url, &act, HistoryAction::Reload).await,
    }
}
