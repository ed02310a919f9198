//! Who comes and goes: viewers, and the calls by which an agent acts.

use std::sync::Arc;

use porthole_contract::limits::LIVE_VIEWERS_MAX;
use porthole_contract::live::{CloseCode, Hello};
use porthole_contract::session::ViewerRole;
use tokio::sync::mpsc;

use super::control::ViewerId;
use super::director;
use super::state::Watching;
use super::viewer::Viewer;
use super::wish::Wish;
use crate::session::ticket::Ticket;
use crate::session::{Session, SessionId, Sessions};

/// Messages that wait for one viewer, beside what it is told of the session's state.
const NOTES_MAX: usize = 64;

/// An acting call that runs. Dropping it tells viewers that it has ended.
pub(in crate::session) struct Acting(Arc<Session>);

impl Sessions {
    /// Adds a viewer to the session that the hello's ticket names.
    ///
    /// # Errors
    /// The code by which the connection is to be closed: the ticket is bad, its session is gone, or has too many viewers.
    pub fn watch(&self, hello: &Hello) -> Result<Viewer, CloseCode> {
        let shared = &self.0;
        let ticket = Ticket::read(&hello.ticket, &shared.owner_keys).ok_or(CloseCode::BadTicket)?;
        let id = SessionId::read(&ticket.session, &shared.owner_keys).ok_or(CloseCode::NoSession)?;
        let session = shared.store().live.get(&id).cloned().ok_or(CloseCode::NoSession)?;
        let viewer = session.join(hello, ticket.role)?;
        tracing::info!(session = %id, role = ?ticket.role, "a viewer joined a session");
        let begins = {
            let mut state = session.viewers.state();
            !std::mem::replace(&mut state.has_director, true)
        };
        if begins {
            shared.tasks.spawn(director::direct(session));
        }
        Ok(viewer)
    }
}

impl Session {
    fn join(self: &Arc<Self>, hello: &Hello, role: ViewerRole) -> Result<Viewer, CloseCode> {
        if self.end.reason().is_some() {
            return Err(CloseCode::NoSession);
        }
        let (notes, from_others) = mpsc::channel(NOTES_MAX);
        let wish = Wish {
            max_width: hello.max_width,
            max_height: hello.max_height,
            quality: hello.quality,
            max_fps: hello.max_fps,
            viewport: None,
            is_unscaled: false,
        };
        let id = {
            let mut state = self.viewers.state();
            if state.watching.len() >= LIVE_VIEWERS_MAX {
                return Err(CloseCode::TooManyViewers);
            }
            state.given += 1;
            let id = state.given;
            state.watching.insert(id, Watching { role, tab: None, wish, notes });
            id
        };
        self.viewers.metrics.joined();
        self.touch();
        self.viewers.stir();
        Ok(Viewer::new(Arc::clone(self), id, role, hello, from_others))
    }

    pub(super) fn leave(&self, id: ViewerId) {
        {
            let mut state = self.viewers.state();
            state.watching.remove(&id);
            state.release(id);
        }
        self.viewers.metrics.left();
        self.touch();
        self.viewers.publish();
        self.viewers.stir();
    }

    /// An acting call begins: viewers are told that the agent has control.
    pub(in crate::session) fn agent_acts(self: &Arc<Self>) -> Acting {
        self.viewers.state().control.agent_begins();
        self.viewers.publish();
        Acting(Arc::clone(self))
    }
}

impl Drop for Acting {
    fn drop(&mut self) {
        {
            let mut state = self.0.viewers.state();
            state.control.agent_ends();
            // What the agent did may have opened or closed a field.
            state.inputs.values().for_each(|tab| tab.input.look());
        }
        self.0.viewers.publish();
    }
}
