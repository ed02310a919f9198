//! Has the browser report a local page's requests while anyone needs them. A remote page's are always reported.

use std::sync::{Arc, Mutex, PoisonError};

use chromiumoxide_cdp::cdp::browser_protocol::network::{DisableParams, EnableParams};

use crate::cdp::Session;

/// Who needs the events of `Network` on a page's own target session. Clones are the same.
#[derive(Clone)]
pub(in super::super) struct NetworkUse {
    /// `None` for a remote page.
    session: Option<Session>,
    users: Arc<Mutex<usize>>,
}

/// One user; they are reported until it is dropped.
pub(in super::super) struct NetworkOn(NetworkUse);

/// Builds the command that reports requests and responses. The browser keeps no bodies for us: its default is 100 MB.
pub(in super::super) fn network() -> EnableParams {
    EnableParams { max_total_buffer_size: Some(0), max_resource_buffer_size: Some(0), ..EnableParams::default() }
}

impl NetworkUse {
    pub(in super::super) fn new(session: &Session, is_remote: bool) -> Self {
        Self { session: (!is_remote).then(|| session.clone()), users: Arc::default() }
    }

    /// Has them reported. Awaits nothing.
    pub(in super::super) fn begin(&self) -> NetworkOn {
        self.count(|users, session| {
            *users += 1;
            if *users == 1 {
                session.call(&network()).forget();
            }
        });
        NetworkOn(self.clone())
    }

    /// Commands are sent under the lock, so that the last one is for the last count.
    fn count(&self, change: impl FnOnce(&mut usize, &Session)) {
        let Some(session) = &self.session else { return };
        change(&mut self.users.lock().unwrap_or_else(PoisonError::into_inner), session);
    }
}

impl Drop for NetworkOn {
    fn drop(&mut self) {
        self.0.count(|users, session| {
            *users -= 1;
            if *users == 0 {
                session.call(&DisableParams::default()).forget();
            }
        });
    }
}
