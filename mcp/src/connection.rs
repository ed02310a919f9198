//! One client's connection: the browser session that its calls imply, the sessions that it opened, its calls in flight.
//!
//! Over stdio a process has one. Over HTTP a client of 2025-11-25 has one under its `Mcp-Session-Id`; later revisions
//! have none, since each of their requests stands alone.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

/// Sessions of a connection that are remembered. A sandbox has fewer at a time.
const OPENED_MAX: usize = 32;

/// A connection. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Connection(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// The session that a call without a handle is about.
    implied: Option<String>,
    /// The implied session that ended last.
    ended: Option<String>,
    /// The sessions that calls of this connection opened and did not close, the oldest first.
    opened: Vec<String>,
    /// Cancels the requests in flight, by their JSON-RPC ids as JSON.
    calls: HashMap<String, CancellationToken>,
}

/// Keeps a request cancellable until dropped.
#[derive(Debug)]
pub(crate) struct CallGuard {
    connection: Connection,
    id: String,
}

// === impl Connection ===

impl Connection {
    /// The session that was used last.
    #[must_use]
    pub fn implied(&self) -> Option<String> {
        self.state().implied.clone()
    }

    /// Returns the implied session that ended last: to close it again is a success.
    pub(crate) fn last_ended(&self) -> Option<String> {
        self.state().ended.clone()
    }

    /// Notes that a call was about this session.
    pub(crate) fn used(&self, session: &str) {
        let mut state = self.state();
        if state.implied.as_deref() != Some(session) {
            state.implied = Some(session.to_owned());
        }
    }

    /// Notes that a call opened this session.
    pub(crate) fn opened(&self, session: &str) {
        let mut state = self.state();
        state.opened.retain(|known| known != session);
        if state.opened.len() >= OPENED_MAX {
            state.opened.remove(0);
        }
        state.opened.push(session.to_owned());
        state.implied = Some(session.to_owned());
    }

    /// Notes that this session has ended.
    pub(crate) fn ended(&self, session: &str) {
        let mut state = self.state();
        state.opened.retain(|known| known != session);
        if state.implied.as_deref() == Some(session) {
            state.implied = None;
            state.ended = Some(session.to_owned());
        }
    }

    /// Takes the sessions that the connection opened and that may still be there, to close them.
    #[must_use]
    pub fn take_opened(&self) -> Vec<String> {
        let mut state = self.state();
        state.implied = None;
        std::mem::take(&mut state.opened)
    }

    /// Whether a request is in flight.
    pub(crate) fn is_busy(&self) -> bool {
        !self.state().calls.is_empty()
    }

    /// Begins a request with this id. A second one with the same id, which the protocol forbids, takes its place.
    pub(crate) fn begin(&self, id: String) -> (CallGuard, CancellationToken) {
        let cancelled = CancellationToken::new();
        self.state().calls.insert(id.clone(), cancelled.clone());
        (CallGuard { connection: self.clone(), id }, cancelled)
    }

    /// Cancels the request with this id, if it is in flight.
    pub(crate) fn cancel(&self, id: &str) {
        if let Some(cancelled) = self.state().calls.remove(id) {
            cancelled.cancel();
        }
    }

    /// Cancels all requests in flight.
    pub(crate) fn cancel_all(&self) {
        self.state().calls.drain().for_each(|(_, cancelled)| cancelled.cancel());
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Each change is complete before anything can panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for CallGuard {
    fn drop(&mut self) {
        self.connection.state().calls.remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_session_used_last_is_implied_until_it_ends() {
        let connection = Connection::default();
        assert_eq!(connection.implied(), None);
        connection.opened("ses_a");
        connection.opened("ses_b");
        assert_eq!(connection.implied().as_deref(), Some("ses_b"));
        connection.used("ses_a");
        assert_eq!(connection.implied().as_deref(), Some("ses_a"));
        connection.ended("ses_a");
        assert_eq!(connection.implied(), None);
        connection.used("ses_of_another");
        assert_eq!(connection.take_opened(), ["ses_b"], "only what it opened is its to close");
        assert_eq!((connection.implied(), connection.take_opened().len()), (None, 0));
    }

    #[test]
    fn the_sessions_that_are_remembered_are_bounded() {
        let connection = Connection::default();
        for number in 0..OPENED_MAX + 3 {
            connection.opened(&format!("ses_{number}"));
        }
        let opened = connection.take_opened();
        assert_eq!((opened.len(), opened[0].as_str()), (OPENED_MAX, "ses_3"));
    }

    #[test]
    fn a_request_is_cancelled_by_its_id_while_it_is_in_flight() {
        let connection = Connection::default();
        let (guard, cancelled) = connection.begin("7".to_owned());
        let (_other, unharmed) = connection.begin("\"7\"".to_owned());
        connection.cancel("8");
        assert!(!cancelled.is_cancelled() && connection.is_busy());
        connection.cancel("7");
        assert!(cancelled.is_cancelled() && !unharmed.is_cancelled());
        drop(guard);
        connection.cancel_all();
        assert!(unharmed.is_cancelled() && !connection.is_busy());
    }
}
