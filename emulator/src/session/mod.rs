//! A session: its request, its state and its end. `registry` creates and keeps sessions.

pub(crate) mod lifetimes;
pub(crate) mod limits;
pub(crate) mod query;
pub(crate) mod registry;
pub(crate) mod request;
pub(crate) mod totals;
pub(crate) mod traffic;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use secrecy::SecretString;
use serde::Serialize;
use serde_json::{Map, Value};
use time::OffsetDateTime;
use tokio::net::TcpSocket;
use tokio_util::sync::CancellationToken;

use self::request::Region;
use self::traffic::Traffic;
use crate::browser::Endpoint;

/// Open sockets per session.
const SOCKETS_MAX: u32 = 100;

/// A session's status, with Browserbase's names.
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
    /// Its last socket closed, and it was created without `keepAlive`.
    SocketClosed,
    /// Its client told the browser to close.
    BrowserClosed,
    /// Its browser died, or failed to start.
    BrowserDied,
    /// Its timeout, or the time for the first connection, had passed.
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

    /// Whether the session leaked: no client ended it, so on Browserbase it would have been billed until this end.
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
    /// The body of the create request, as it was sent.
    pub(crate) asked_with: Value,
    pub(crate) created_at: OffsetDateTime,
    pub(crate) lifetime: Duration,
    /// The calls to the browser and their answers; `None` if `logSession` is off.
    pub(crate) traffic: Option<Traffic>,
    /// Reserves the closed port of an unreachable connect URL.
    pub(crate) unreachable: Option<TcpSocket>,
    /// Cancelled when the session has ended.
    pub(crate) over: CancellationToken,
    /// Cancelled to kill its browser.
    pub(crate) kill: CancellationToken,
    /// Cancelled when its browser has been killed.
    pub(crate) killed: CancellationToken,
    state: Mutex<State>,
}

/// The mutable state of a session.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) status: Status,
    pub(crate) updated_at: OffsetDateTime,
    pub(crate) ended: Option<(OffsetDateTime, EndedBy)>,
    pub(crate) endpoint: Option<Endpoint>,
    /// Open sockets.
    pub(crate) sockets: u32,
    /// Sockets opened so far.
    pub(crate) connections: u32,
    /// Release requests, those that a fault refused included.
    pub(crate) release_requests: u32,
    /// Whether a release was granted, even after the end.
    pub(crate) released: bool,
}

impl Session {
    pub(crate) fn state(&self) -> State {
        self.locked().clone()
    }

    pub(crate) fn expires_at(&self) -> OffsetDateTime {
        self.created_at + self.lifetime
    }

    /// Marks the session as running at `endpoint`. Returns `false` if it has already ended.
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

    /// Ends the session, unless it has already ended: the first reason counts.
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

    /// Whether the session ended because its browser closed or died.
    pub(crate) fn lost_its_browser(&self) -> bool {
        matches!(self.locked().ended, Some((_, EndedBy::BrowserClosed | EndedBy::BrowserDied)))
    }

    /// Counts a release request.
    pub(crate) fn release_requested(&self) {
        self.locked().release_requests += 1;
    }

    /// Releases the session, if it still runs.
    pub(crate) fn release(&self) {
        self.locked().released = true;
        self.end(EndedBy::Released);
    }

    /// Opens a client's socket, counted until dropped, and returns it with the browser's endpoint. `None` if the
    /// session does not run or has too many sockets.
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

/// A client's socket. Dropping the last one ends a session without `keepAlive`.
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
