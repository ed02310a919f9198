//! The commands of sessions. This file finds the session and dispatches; the others have a kind of command each.

mod acting;
mod hold;
mod looking;
mod show;
mod watch;

use porthole_client::{CreateResponse, Error, ErrorCode, Session};
use time::OffsetDateTime;

use super::args::session::{CallArgs, SessionCommand};
use super::caller::Caller;
use super::failure::Failed;
use super::private_files::PrivateFiles;
use super::saved_sessions::{SavedSession, SavedSessions};

pub(crate) async fn run(url: Option<String>, command: SessionCommand) -> Result<(), Failed> {
    if let Some(action) = command.history() {
        return acting::history(url, &command, action).await;
    }
    match command {
        SessionCommand::Open(args) => acting::open(url, *args).await,
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
        SessionCommand::Tabs(args) => hold::tabs(url, &args).await,
        SessionCommand::Files(args) => hold::files(url, args).await,
        SessionCommand::Close(args) => hold::close(url, &args).await,
        SessionCommand::Sessions(args) => hold::sessions(url, &args).await,
        SessionCommand::Back(_) | SessionCommand::Forward(_) | SessionCommand::Reload(_) => Ok(()),
    }
}

/// The user's browser, for one command.
struct Browser {
    caller: Caller,
    saved: SavedSessions,
    session: Session,
}

impl Browser {
    /// Begins a command without a session yet.
    fn begin(url: Option<String>, doing: &str) -> Result<(Caller, SavedSessions), Failed> {
        let caller = Caller::begin(url, doing)?;
        let files = PrivateFiles::of_user().map_err(|error| Failed::io("find the user's directory", error))?;
        Ok((caller, SavedSessions::new(files)))
    }

    /// Finds the session that `call` names, or the one used last.
    fn resume(url: Option<String>, call: &CallArgs, doing: &str) -> Result<Self, Failed> {
        Self::resume_numbered(url, call.session, doing)
    }

    fn resume_numbered(url: Option<String>, number: Option<u32>, doing: &str) -> Result<Self, Failed> {
        let (caller, saved) = Self::begin(url, doing)?;
        let worker = caller.client().url().to_owned();
        let failed = |error| Failed::io("read the saved sessions", error);
        let mut all = saved.all(&worker).map_err(failed)?;
        let at = match number {
            None => all.len().checked_sub(1).ok_or(Failed::NoSession)?,
            Some(number) => all.iter().position(|session| session.number == number).ok_or_else(|| {
                Failed::Usage(format!("there is no session {number}; `porthole sessions` lists those that are open"))
            })?,
        };
        let found = all.remove(at);
        if number.is_some() {
            saved.use_last(&worker, &found.handle).map_err(failed)?;
        }
        let session = session_of(&caller, &found);
        Ok(Self { caller, saved, session })
    }

    /// Remembers a session that was made.
    fn remember(caller: &Caller, saved: &SavedSessions, handle: &str, sandbox: &CreateResponse) {
        if let Err(error) = saved.add(caller.client().url(), handle, sandbox, OffsetDateTime::now_utc()) {
            caller.progress.note(&format!("warning: can't save the session: {error}"));
        }
    }

    /// Passes an outcome on. Of a failure it shows what happened in the session; one that has ended is forgotten.
    fn settle<T>(&self, outcome: Result<T, Error>, json: bool) -> Result<T, Failed> {
        self.caller.progress.done();
        outcome.map_err(|error| {
            if has_ended(&error)
                && let Some(handle) = self.session.handle()
            {
                forget(&self.caller, &self.saved, &handle);
            }
            show::failed(&self.caller, error, json)
        })
    }
}

fn session_of(caller: &Caller, saved: &SavedSession) -> Session {
    let CreateResponse { sandbox_id, owner_token, .. } = saved.sandbox.clone();
    caller.client().session(sandbox_id, owner_token).with_handle(&saved.handle)
}

fn has_ended(error: &Error) -> bool {
    let code = error.code();
    code == ErrorCode::SessionNotFound || code == ErrorCode::SessionLost
}

fn forget(caller: &Caller, saved: &SavedSessions, handle: &str) {
    if let Err(error) = saved.forget(caller.client().url(), handle) {
        caller.progress.note(&format!("warning: can't forget the session: {error}"));
    }
}
