//! The user's browser: the session that a command is for, found among the saved ones.

use porthole_client::{CreateResponse, Error, ErrorCode, Session};
use time::OffsetDateTime;

use super::show;
use crate::args::session::{CallArgs, SessionName};
use crate::caller::Caller;
use crate::failure::Failed;
use crate::private_files::PrivateFiles;
use crate::saved_sessions::{OpenSessions, SavedSession, SavedSessions};

/// The user's browser, for one command.
pub(super) struct Browser {
    pub(super) caller: Caller,
    pub(super) saved: SavedSessions,
    pub(super) session: Session,
    /// The handle of the session that was the current one before the command named this one.
    former: Option<String>,
}

impl Browser {
    /// Begins a command without a session yet.
    pub(super) fn begin(url: Option<String>, doing: &str) -> Result<(Caller, SavedSessions), Failed> {
        Ok((Caller::begin(url, doing)?, remembered()?))
    }

    /// Finds the session that `call` names, which becomes the current one, or the current one.
    pub(super) fn resume(url: Option<String>, call: &CallArgs, doing: &str) -> Result<Self, Failed> {
        Self::resume_named(url, call.session.as_ref(), doing)
    }

    pub(super) fn resume_named(url: Option<String>, name: Option<&SessionName>, doing: &str) -> Result<Self, Failed> {
        let browser = Self::find(url, name, doing)?;
        if name.is_some()
            && let Some(handle) = browser.session.handle()
        {
            let chosen = browser.saved.choose(browser.caller.client().url(), &handle);
            chosen.map_err(|error| Failed::io("save the current session", error))?;
        }
        Ok(browser)
    }

    /// The same for a command that ends the session: it doesn't become the current one.
    pub(super) fn find(url: Option<String>, name: Option<&SessionName>, doing: &str) -> Result<Self, Failed> {
        let (caller, saved) = Self::begin(url, doing)?;
        let worker = caller.client().url().to_owned();
        let failed = |error| Failed::io("read the saved sessions", error);
        let all = saved.all(&worker).map_err(failed)?;
        let current = all.iter().find(|session| session.current);
        let found = match name {
            None => current,
            Some(name) => Some(all.iter().find(|session| session.is(name)).ok_or_else(|| no_session(name))?),
        };
        let Some(found) = found else { return Err(Failed::NoSession(saved.open(&worker).map_err(failed)?)) };
        let session = session_of(&caller, found);
        let former = current.map(|session| session.handle.clone());
        Ok(Self { caller, saved, session, former })
    }

    /// Forgets the session, which has ended; says which ones are open now. The one that was the current one before the
    /// command named this one is that again.
    pub(super) fn forget(&self) -> OpenSessions {
        let worker = self.caller.client().url();
        let ended = self.session.handle().unwrap_or_default();
        forget(&self.caller, &self.saved, &ended);
        if let Some(former) = self.former.as_deref().filter(|former| *former != ended)
            && let Err(error) = self.saved.choose(worker, former)
        {
            self.caller.progress.note(&format!("warning: can't save the current session: {error}"));
        }
        open_now(&self.caller, &self.saved)
    }

    /// Remembers a session that was made, and returns its number.
    pub(super) fn remember(
        caller: &Caller,
        saved: &SavedSessions,
        handle: &str,
        sandbox: &CreateResponse,
    ) -> Option<u32> {
        let added = saved.add(caller.client().url(), handle, sandbox, OffsetDateTime::now_utc());
        added.inspect_err(|error| caller.progress.note(&format!("warning: can't save the session: {error}"))).ok()
    }

    /// Passes an outcome on. Of a failure it shows what happened in the session; one that has ended is forgotten.
    pub(super) fn settle<T>(&self, outcome: Result<T, Error>, json: bool) -> Result<T, Failed> {
        self.caller.progress.done();
        outcome.map_err(|error| match has_ended(&error) {
            true => Failed::Ended { error: Box::new(error), open: self.forget() },
            false => show::failed(&self.caller, error, json),
        })
    }
}

/// Returns the sessions that are open now.
pub(super) fn open_now(caller: &Caller, saved: &SavedSessions) -> OpenSessions {
    saved.open(caller.client().url()).unwrap_or_default()
}

/// Says on standard error how to go on after a session ended, where others are open.
pub(super) fn note_open(caller: &Caller, open: &OpenSessions) {
    if !open.is_empty() && open.current.is_none() {
        caller.progress.note(&open.to_string());
    }
}

/// Returns the sessions that are remembered.
fn remembered() -> Result<SavedSessions, Failed> {
    let files = PrivateFiles::of_user().map_err(|error| Failed::io("find the user's directory", error))?;
    Ok(SavedSessions::new(files))
}

/// Returns the remembered session of that name. A handle may be of another one, which a tool's call made.
pub(crate) fn find(caller: &Caller, name: &SessionName) -> Result<Option<SavedSession>, Failed> {
    let all = remembered()?.all(caller.client().url()).map_err(|error| Failed::io("read the saved sessions", error))?;
    match (all.into_iter().find(|session| session.is(name)), name) {
        (None, SessionName::Number(_)) => Err(no_session(name)),
        (found, _) => Ok(found),
    }
}

fn no_session(name: &SessionName) -> Failed {
    Failed::Usage(format!("there is no session {name}; `porthole sessions` lists those that are open"))
}

pub(super) fn session_of(caller: &Caller, saved: &SavedSession) -> Session {
    let CreateResponse { sandbox_id, owner_token, .. } = saved.sandbox.clone();
    caller.client().session(sandbox_id, owner_token).with_handle(&saved.handle)
}

pub(super) fn has_ended(error: &Error) -> bool {
    let code = error.code();
    code == ErrorCode::SessionNotFound || code == ErrorCode::SessionLost
}

pub(super) fn forget(caller: &Caller, saved: &SavedSessions, handle: &str) {
    if let Err(error) = saved.forget(caller.client().url(), handle) {
        caller.progress.note(&format!("warning: can't forget the session: {error}"));
    }
}
