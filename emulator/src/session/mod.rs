//! A session: what it was asked for with, how it stands, and how it ended. `registry` makes and keeps them.

pub(crate) mod limits;
pub(crate) mod query;
pub(crate) mod registry;
pub(crate) mod request;
pub(crate) mod traffic;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use secrecy::SecretString;
use serde::Serialize;
use serde_json::{Map, Value};
use time::OffsetDateTime;
use tokio::net::TcpSocket;
use tokio_util::sync::CancellationToken;

use crate::browser::Endpoint;
use crate::session::request::Region;
use crate::session::traffic::Traffic;

/// A session's sockets at once.
const SOCKETS_MAX: u32 = 100;

/// How a session stands, in Browserbase's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum Status {
    Pending,
    Running,
    Error,
    TimedOut,
    Completed,
}

impl Status {
    pub(crate) fn parse(name: &str) -> Option<Self> {
        [Self::Pending, Self::Running, Self::Error, Self::TimedOut, Self::Completed]
            .into_iter()
            .find(|status| serde_json::to_value(status).is_ok_and(|known| known == name))
    }

    pub(crate) fn is_over(self) -> bool {
        !matches!(self, Self::Pending | Self::Running)
    }
}

/// What ended a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EndedBy {
    /// `REQUEST_RELEASE`.
    Released,
    /// Its last socket closed and it was not to be kept alive.
    SocketClosed,
    /// Its client told the browser to close.
    BrowserClosed,
    /// Its browser died, or never lived.
    BrowserDied,
    /// Its timeout, or the time to connect, had passed.
    TimedOut,
    /// The emulator ended.
    Shutdown,
}

impl EndedBy {
    fn status(self) -> Status {
        match self {
            Self::Released | Self::SocketClosed | Self::BrowserClosed | Self::Shutdown => Status::Completed,
            Self::BrowserDied => Status::Error,
            Self::TimedOut => Status::TimedOut,
        }
    }

    /// Whether nobody gave the session back: it ran until it was stopped for somebody else's reasons, and was paid for
    /// until then.
    pub(crate) fn is_leak(self) -> bool {
        matches!(self, Self::TimedOut | Self::Shutdown)
    }
}

/// A session.
pub(crate) struct Session {
    pub(crate) id: String,
    pub(crate) signing_key: SecretString,
    pub(crate) project_id: String,
    pub(crate) region: Region,
    pub(crate) keep_alive: bool,
    pub(crate) user_metadata: Option<Map<String, Value>>,
    /// The create's body, as it was sent.
    pub(crate) asked_with: Value,
    pub(crate) created_at: OffsetDateTime,
    pub(crate) lifetime: Duration,
    /// What was said to the browser and what it answered; `None` if that is not to be kept.
    pub(crate) traffic: Option<Traffic>,
    /// Holds the port that its connect URL names and nobody listens on, for a connect URL that leads nowhere.
    pub(crate) unreachable: Option<TcpSocket>,
    /// Cancelled when it has ended.
    pub(crate) over: CancellationToken,
    /// Cancelled when its browser shall die.
    pub(crate) kill: CancellationToken,
    state: Mutex<State>,
}

/// What changes about a session.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) status: Status,
    pub(crate) updated_at: OffsetDateTime,
    pub(crate) ended: Option<(OffsetDateTime, EndedBy)>,
    pub(crate) endpoint: Option<Endpoint>,
    /// Sockets that are open.
    pub(crate) sockets: u32,
    /// Sockets that were ever open.
    pub(crate) connections: u32,
    /// Releases that were asked for, those that a fault refused among them.
    pub(crate) release_requests: u32,
    /// Whether a release was ever granted, though it may have come after the end.
    pub(crate) released: bool,
}

impl Session {
    pub(crate) fn state(&self) -> State {
        self.locked().clone()
    }

    pub(crate) fn expires_at(&self) -> OffsetDateTime {
        self.created_at + self.lifetime
    }

    /// Its browser listens. `false` if it has ended before.
    pub(crate) fn runs(&self, endpoint: Endpoint) -> bool {
        let mut state = self.locked();
        if state.status.is_over() {
            return false;
        }
        state.status = Status::Running;
        state.updated_at = OffsetDateTime::now_utc();
        state.endpoint = Some(endpoint);
        true
    }

    /// Ends it, unless it has ended: what came first is what ended it.
    pub(crate) fn end(&self, by: EndedBy) {
        let mut state = self.locked();
        if state.ended.is_some() {
            return;
        }
        let now = OffsetDateTime::now_utc();
        state.status = by.status();
        state.updated_at = now;
        state.ended = Some((now, by));
        state.endpoint = None;
        drop(state);
        tracing::info!(session = self.id, ?by, "a session has ended");
        self.over.cancel();
    }

    /// Whether it is over because its browser is gone.
    pub(crate) fn lost_its_browser(&self) -> bool {
        matches!(self.locked().ended, Some((_, EndedBy::BrowserClosed | EndedBy::BrowserDied)))
    }

    /// Somebody asks for its release.
    pub(crate) fn release_requested(&self) {
        self.locked().release_requests += 1;
    }

    /// Releases it, if it still runs.
    pub(crate) fn release(&self) {
        self.locked().released = true;
        self.end(EndedBy::Released);
    }

    /// A client's socket to its browser, counted until dropped. Nothing if it does not run or has too many.
    pub(crate) fn socket(self: &Arc<Self>) -> Option<(Socket, Endpoint)> {
        let mut state = self.locked();
        let endpoint = state.endpoint.clone().filter(|_| state.sockets < SOCKETS_MAX)?;
        state.sockets += 1;
        state.connections += 1;
        Some((Socket(Arc::clone(self)), endpoint))
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A client's socket. With the last one a session ends that is not to be kept alive.
pub(crate) struct Socket(Arc<Session>);

impl Drop for Socket {
    fn drop(&mut self) {
        let mut state = self.0.locked();
        state.sockets -= 1;
        let is_last = state.sockets == 0;
        drop(state);
        if is_last && !self.0.keep_alive {
            self.0.end(EndedBy::SocketClosed);
        }
    }
}
