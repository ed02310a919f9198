//! What every route works with.

use std::sync::Arc;

use super::answer::ApiError;
use super::reach::Reach;
use crate::faults::Faults;
use crate::keys::ApiKeys;
use crate::ledger::Requests;
use crate::session::Session;
use crate::session::registry::Sessions;

/// State shared by the routes.
pub(crate) struct Emulator {
    pub(crate) keys: ApiKeys,
    /// The known projects; if empty, every project is accepted.
    pub(crate) projects: Vec<String>,
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) faults: Faults,
    pub(crate) requests: Requests,
    pub(crate) reach: Reach,
    pub(crate) is_tls: bool,
    pub(crate) started_at: time::OffsetDateTime,
}

impl Emulator {
    /// Returns `plain`, or its TLS variant: `https` for `http`, `wss` for `ws`.
    pub(crate) fn scheme(&self, plain: &str) -> String {
        if self.is_tls { format!("{plain}s") } else { plain.to_owned() }
    }

    /// Returns the session with this id.
    pub(super) fn session(&self, id: &str) -> Result<Arc<Session>, ApiError> {
        self.sessions.get(id).ok_or_else(|| ApiError::not_found(format!("Session {id} not found")))
    }
}
