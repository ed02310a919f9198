//! The user's browser: the session that a command is for, found among the saved ones.

use porthole_client::{CreateResponse, Error, ErrorCode, Session};
use time::OffsetDateTime;

use super::show;
use crate::args::session::{CallArgs, SessionName};
use crate::caller::Caller;
use crate::failure::Failed;
use crate::private_files::PrivateFiles;
use crate::saved_sessions::{SavedSession, SavedSessions};

/// The user's browser, for one command.
pub(super) struct Browser {
    pub(super) caller: Caller,
    pub(super) saved: SavedSessions,
    pub(super) session: Session,
}

impl Browser {
    /// Begins a command without a session yet.
    pub(super) fn begin(url: Option<String>, doing: &str) -> Result<(Caller, SavedSessions), Failed> {
        Ok((Caller::begin(url, doing)?, remembered()?))
    }

    /// Finds the session that `call` names, or the one used last.
    pub(super) fn resume(url: Option<String>, call: &CallArgs, doing: &str) -> Result<Self, Failed> {
        Self::resume_named(url, call.session.as_ref(), doing)
    }

    pub(super) fn resume_named(url: Option<String>, name: Option<&SessionName>, doing: &str) -> Result<Self, Failed> {
        let (caller, saved) = Self::begin(url, doing)?;
        let worker = caller.client().url().to_owned();
        let failed = |error| Failed::io("read the saved sessions", error);
        let mut all = saved.all(&worker).map_err(failed)?;
        let at = match name {
            None => all.len().checked_sub(1).ok_or(Failed::NoSession)?,
            Some(name) => all.iter().position(|session| session.is(name)).ok_or_else(|| no_session(name))?,
        };
        let found = all.remove(at);
        if name.is_some() {
            saved.use_last(&worker, &found.handle).map_err(failed)?;
        }
        let session = session_of(&caller, &found);
        Ok(Self { caller, saved, session })
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
