//! The ledger: how every session ended, and the totals.
//!
//! A session is **leaked** when no client ended it: it ended by its timeout (or by the limit for the first connection),
//! or still ran when the emulator ended. A session that was released, whose last socket closed, whose client closed the
//! browser or whose browser died is not leaked.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use serde_json::{Map, Value};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::faults::Place;
use crate::session::registry::Sessions;
use crate::session::totals::Totals;
use crate::session::{EndedBy, Session, State, Status};

/// Sessions listed in the text form of the ledger.
const LISTED_MAX: usize = 200;

/// Requests by place, those with a fault included.
#[derive(Default)]
pub(crate) struct Requests(Mutex<BTreeMap<Place, u64>>);

impl Requests {
    pub(crate) fn count(&self, place: Place) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(place).or_default() += 1;
    }

    fn counted(&self) -> BTreeMap<Place, u64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// A snapshot of the ledger.
#[derive(Serialize)]
pub(crate) struct Ledger {
    totals: Totals,
    requests: BTreeMap<Place, u64>,
    /// Oldest first.
    sessions: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    id: String,
    project_id: String,
    status: Status,
    ended_by: Option<EndedBy>,
    connected: bool,
    connections: u32,
    /// Sockets that are open.
    sockets: u32,
    release_requests: u32,
    released: bool,
    leaked: bool,
    created_at: String,
    ended_at: Option<String>,
    lived_ms: u64,
    keep_alive: bool,
    user_metadata: Option<Map<String, Value>>,
    /// The body of the create request, as it was sent.
    asked_with: Value,
}

impl Ledger {
    pub(crate) fn of(sessions: &Sessions, requests: &Requests) -> Self {
        let mut totals = sessions.forgotten();
        let listed = sessions.all();
        let entry = |session: &Arc<Session>| {
            let state = session.state();
            totals.add(&state);
            Entry::of(session, &state)
        };
        let entries = listed.iter().rev().map(entry).collect();
        Self { totals, requests: requests.counted(), sessions: entries }
    }

    /// Returns the ledger as text.
    pub(crate) fn as_text(&self) -> String {
        let mut text = String::from("The ledger of this run\n");
        let skipped = self.sessions.len().saturating_sub(LISTED_MAX);
        if skipped > 0 {
            let _ = writeln!(text, "  ({skipped} earlier sessions are not shown)");
        }
        for entry in &self.sessions[skipped..] {
            let ended_by = entry.ended_by.map(|by| name(&by)).unwrap_or_default();
            let _ = writeln!(
                text,
                "  {}  {:<14} {:>8} ms  connections {}  releases asked for {}{}",
                entry.id,
                ended_by,
                entry.lived_ms,
                entry.connections,
                entry.release_requests,
                if entry.leaked { "  LEAKED" } else { "" },
            );
        }
        let Totals { created, connected, released, expired, leaked, .. } = &self.totals;
        let _ = writeln!(
            text,
            "created {created}  connected {connected}  released {released}  expired {expired}  leaked {leaked}"
        );
        text
    }
}

impl Entry {
    fn of(session: &Session, state: &State) -> Self {
        let until = state.ended.map_or_else(OffsetDateTime::now_utc, |(at, _)| at);
        let ended_by = state.ended.map(|(_, by)| by);
        Self {
            id: session.id.clone(),
            project_id: session.project_id.clone(),
            status: state.status,
            ended_by,
            connected: state.connections > 0,
            connections: state.connections,
            sockets: state.sockets,
            release_requests: state.release_requests,
            released: state.released,
            leaked: ended_by.is_some_and(EndedBy::is_leak),
            created_at: rfc3339(session.created_at),
            ended_at: state.ended.map(|(at, _)| rfc3339(at)),
            lived_ms: (until - session.created_at).whole_milliseconds().try_into().unwrap_or_default(),
            keep_alive: session.keep_alive,
            user_metadata: session.user_metadata.clone(),
            asked_with: session.asked_with.clone(),
        }
    }
}

/// Formats a time as in the API and the ledger.
pub(crate) fn rfc3339(at: OffsetDateTime) -> String {
    let ms = at.replace_millisecond(at.millisecond()).unwrap_or(at);
    ms.format(&Rfc3339).unwrap_or_default()
}

fn name(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}
