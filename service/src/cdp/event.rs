//! Events: routed as raw JSON and decoded only by their subscribers.

use std::sync::Arc;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use super::error::CdpError;

/// How many events may wait for a reader. The stream of a reader that falls further behind ends, which bounds memory.
pub(super) const EVENTS_WAITING_MAX: usize = 16 * 1024;

/// The method of our own event for a session that, alone or with its children, sent more than the connection's
/// [`Bounds`](super::Bounds) allow. No further event of it is routed. The browser's own session gets one as well, a
/// [`Flooded`].
pub const FLOODED: &str = "Porthole.flooded";

/// The parameters of [`FLOODED`] for the browser's own session.
#[derive(Debug, Deserialize, Serialize)]
pub struct Flooded {
    /// The session of the page.
    #[serde(rename = "sessionId")]
    pub session: Arc<str>,
}

/// The method of a screencast's frames. They are not charged to their page: we ask for them, and acknowledge each.
pub const SCREENCAST_FRAME: &str = "Page.screencastFrame";

/// One event.
#[derive(Clone, Debug)]
pub struct Event {
    /// Its method, for example `Page.frameNavigated`.
    pub method: &'static str,
    /// The id of the session that it is of; `None` for the browser's own.
    pub session: Option<Arc<str>>,
    /// Its parameters as JSON.
    params: Bytes,
}

impl Event {
    pub(crate) fn new(method: &'static str, session: Option<Arc<str>>, params: Bytes) -> Self {
        Self { method, session, params }
    }

    /// Decodes the parameters. `T` names only the fields that it needs and takes extensible ones (enums, for example)
    /// as strings, so that a browser newer than our copy of the protocol can be read.
    ///
    /// # Errors
    /// [`CdpError::Unreadable`] if a required field is missing or of another type.
    pub fn read<'a, T: Deserialize<'a>>(&'a self) -> Result<T, CdpError> {
        serde_json::from_slice(&self.params)
            .map_err(|error| CdpError::Unreadable { method: self.method.into(), reason: error.to_string() })
    }
}

/// A stream of the subscribed events, in the order in which the browser sent them.
#[derive(Debug)]
pub struct Events {
    receiver: mpsc::Receiver<Event>,
}

/// The sending side of a stream of events, for [`Session::report_to`](super::Session::report_to). It does not keep the
/// stream open.
#[derive(Clone, Debug)]
pub struct EventSink(pub(super) mpsc::WeakSender<Event>);

impl Events {
    pub(super) fn new(receiver: mpsc::Receiver<Event>) -> Self {
        Self { receiver }
    }

    /// Waits for the next event; `None` when the session or the connection has ended.
    pub async fn next(&mut self) -> Option<Event> {
        self.receiver.recv().await
    }

    /// Returns the next event if it has already arrived.
    pub fn try_next(&mut self) -> Option<Event> {
        self.receiver.try_recv().ok()
    }
}
