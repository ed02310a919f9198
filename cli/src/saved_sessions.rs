//! The sessions that the user opened, by worker, in `sessions.json`: no handle has to be pasted. At most one of a worker is
//! the current one, which commands are for unless they name another. When it ends, none is: refs are numbered anew in each
//! session, so a command must not reach another one unasked.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::time::Duration;

use porthole_client::{CreateResponse, SecretString};
use secrecy::ExposeSecret as _;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::args::session::SessionName;
use super::private_files::PrivateFiles;

const FILE: &str = "sessions.json";

/// Sessions older than this have ended: a service keeps none longer.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(24 * 3600);
/// Sessions remembered for each worker.
const SESSIONS_MAX: usize = 32;

/// A session that the user opened.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct SavedSession {
    /// What the user calls it.
    pub(crate) number: u32,
    /// Its handle.
    pub(crate) handle: String,
    /// The sandbox that it belongs to, with its token.
    pub(crate) sandbox: CreateResponse,
    /// When it was opened, in seconds since 1970.
    opened_at: i64,
    /// Whether commands are for this one.
    #[serde(default)]
    pub(crate) current: bool,
}

impl SavedSession {
    pub(crate) fn is(&self, name: &SessionName) -> bool {
        match name {
            SessionName::Number(number) => self.number == *number,
            SessionName::Handle(handle) => self.handle == *handle,
        }
    }
}

#[derive(Default, Deserialize, Serialize)]
struct Saved {
    #[serde(default)]
    workers: BTreeMap<String, Vec<SavedSession>>,
}

/// The saved sessions of the user.
#[derive(Clone, Debug)]
pub(crate) struct SavedSessions(PrivateFiles);

impl SavedSessions {
    pub(crate) fn new(files: PrivateFiles) -> Self {
        Self(files)
    }

    /// Returns the sessions of that worker, the one chosen last at the end.
    pub(crate) fn all(&self, worker: &str) -> io::Result<Vec<SavedSession>> {
        Ok(self.load()?.workers.remove(worker).unwrap_or_default())
    }

    /// Returns which sessions of that worker are open.
    pub(crate) fn open(&self, worker: &str) -> io::Result<OpenSessions> {
        let all = self.all(worker)?;
        let mut numbers: Vec<u32> = all.iter().map(|session| session.number).collect();
        numbers.sort_unstable();
        let current = all.iter().find(|session| session.current).map(|session| session.number);
        Ok(OpenSessions { numbers, current })
    }

    /// Saves a new session as the current one, and returns its number, the smallest free one.
    pub(crate) fn add(
        &self,
        worker: &str,
        handle: &str,
        sandbox: &CreateResponse,
        now: OffsetDateTime,
    ) -> io::Result<u32> {
        self.change(worker, |sessions| {
            sessions
                .retain(|session| now.unix_timestamp() - session.opened_at < FORGOTTEN_AFTER.as_secs().cast_signed());
            if sessions.len() == SESSIONS_MAX {
                sessions.remove(0);
            }
            let taken = |number: &u32| sessions.iter().any(|session| session.number == *number);
            let number = (1..).find(|number| !taken(number)).unwrap_or(u32::MAX);
            let opened_at = now.unix_timestamp();
            sessions.iter_mut().for_each(|session| session.current = false);
            let (handle, sandbox) = (handle.to_owned(), sandbox.clone());
            sessions.push(SavedSession { number, handle, sandbox, opened_at, current: true });
            number
        })
    }

    /// Makes a session the current one, if it is still known.
    pub(crate) fn choose(&self, worker: &str, handle: &str) -> io::Result<()> {
        self.change(worker, |sessions| {
            if sessions.iter().any(|session| session.handle == handle) {
                sessions.iter_mut().for_each(|session| session.current = session.handle == handle);
                sessions.sort_by_key(|session| session.current);
            }
        })
    }

    /// Removes a session that has ended. If it was the current one, none is.
    pub(crate) fn forget(&self, worker: &str, handle: &str) -> io::Result<()> {
        self.change(worker, |sessions| sessions.retain(|session| session.handle != handle))
    }

    fn change<T>(&self, worker: &str, change: impl FnOnce(&mut Vec<SavedSession>) -> T) -> io::Result<T> {
        let _lock = self.0.lock()?;
        let mut saved = self.load()?;
        let changed = change(saved.workers.entry(worker.to_owned()).or_default());
        saved.workers.retain(|_, sessions| !sessions.is_empty());
        let text = serde_json::to_string_pretty(&saved).map_err(io::Error::other)?;
        self.0.write(FILE, &SecretString::from(text))?;
        Ok(changed)
    }

    /// Reads the file. An invalid file counts as empty: its sessions end by themselves.
    fn load(&self) -> io::Result<Saved> {
        let text = self.0.read(FILE)?;
        Ok(text.and_then(|text| serde_json::from_str(text.expose_secret()).ok()).unwrap_or_default())
    }
}

/// Which sessions are open, by their numbers. Displays as a sentence that says which one commands are for, or how to
/// choose it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OpenSessions {
    numbers: Vec<u32>,
    pub(crate) current: Option<u32>,
}

impl OpenSessions {
    pub(crate) fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }
}

impl fmt::Display for OpenSessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.numbers.as_slice(), self.current) {
            ([], _) => f.write_str("No page is open: porthole open URL"),
            (_, Some(current)) => write!(f, "Session {current} is the current one."),
            ([one], None) => {
                write!(f, "Session {one} is open, and not chosen: name it with --session {one}; ")?;
                f.write_str("`porthole sessions` shows its page.")
            }
            ([first, ..], None) => {
                let numbers: Vec<String> = self.numbers.iter().map(u32::to_string).collect();
                write!(f, "Sessions {} are open, and none is chosen: ", numbers.join(", "))?;
                write!(f, "name one, as with --session {first}; `porthole sessions` shows their pages.")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORKER: &str = "http://w";

    fn saved() -> (tempfile::TempDir, SavedSessions) {
        let home = tempfile::tempdir().unwrap();
        let saved = SavedSessions::new(PrivateFiles::at(home.path().to_owned()));
        (home, saved)
    }

    fn sandbox() -> CreateResponse {
        CreateResponse {
            ok: true,
            sandbox_id: "sb-1".to_owned(),
            owner_token: Some(SecretString::from("token")),
            expires_at: "2999-01-01T00:00:00Z".to_owned(),
        }
    }

    fn at(seconds: i64) -> OffsetDateTime {
        OffsetDateTime::from_unix_timestamp(seconds).unwrap()
    }

    fn numbers(saved: &SavedSessions) -> Vec<u32> {
        saved.all(WORKER).unwrap().iter().map(|session| session.number).collect()
    }

    #[test]
    fn the_session_chosen_last_stands_last_and_numbers_are_given_again() {
        let (_home, saved) = saved();
        for handle in ["a", "b", "c"] {
            saved.add(WORKER, handle, &sandbox(), at(0)).unwrap();
        }
        saved.add("http://other", "d", &sandbox(), at(0)).unwrap();
        assert_eq!(numbers(&saved), [1, 2, 3]);
        saved.choose(WORKER, "a").unwrap();
        assert_eq!(numbers(&saved), [2, 3, 1]);
        saved.forget(WORKER, "b").unwrap();
        assert_eq!(saved.add(WORKER, "e", &sandbox(), at(0)).unwrap(), 2);
        assert_eq!(numbers(&saved), [3, 1, 2]);
        assert_eq!(saved.all(WORKER).unwrap()[0].sandbox.owner_token.as_ref().unwrap().expose_secret(), "token");
    }

    #[test]
    fn no_other_session_takes_the_place_of_the_current_one() {
        let (_home, saved) = saved();
        assert_eq!(saved.open(WORKER).unwrap().to_string(), "No page is open: porthole open URL");
        for handle in ["a", "b", "c"] {
            saved.add(WORKER, handle, &sandbox(), at(0)).unwrap();
        }
        assert_eq!(saved.open(WORKER).unwrap().current, Some(3));
        saved.choose(WORKER, "unknown").unwrap();
        saved.forget(WORKER, "a").unwrap();
        assert_eq!(saved.open(WORKER).unwrap().current, Some(3), "neither was the current one");
        saved.forget(WORKER, "c").unwrap();
        let open = saved.open(WORKER).unwrap();
        assert_eq!(open.current, None);
        assert!(open.to_string().starts_with("Session 2 is open, and not chosen: name it with --session 2;"), "{open}");
        saved.choose(WORKER, "b").unwrap();
        assert_eq!(saved.open(WORKER).unwrap().to_string(), "Session 2 is the current one.");
    }

    #[test]
    fn old_sessions_are_forgotten_and_their_number_is_bounded() {
        let (_home, saved) = saved();
        for n in 0..40 {
            saved.add(WORKER, &format!("h{n}"), &sandbox(), at(0)).unwrap();
        }
        assert_eq!(numbers(&saved).len(), SESSIONS_MAX);
        saved.add(WORKER, "next-day", &sandbox(), at(24 * 3600)).unwrap();
        assert_eq!(numbers(&saved), [1]);
    }
}
