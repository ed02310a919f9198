//! Events: routed as raw JSON, read only by whoever asked for them.

use bytes::Bytes;
use serde::Deserialize;
use tokio::sync::mpsc;

use super::error::CdpError;

/// How many events may wait for a reader. A reader that falls further behind loses its stream, not our memory.
pub(super) const EVENTS_WAITING_MAX: usize = 16 * 1024;

/// The method of an event that no browser sends: the session, or one below it, sent more than the connection's
/// [`Bounds`](super::Bounds) allow, and no further event of it is routed.
pub const FLOODED: &str = "Porthole.flooded";

/// One event.
#[derive(Clone, Debug)]
pub struct Event {
    /// Its method, as `Page.frameNavigated`.
    pub method: &'static str,
    /// Its parameters as JSON.
    params: Bytes,
}

impl Event {
    pub(super) fn new(method: &'static str, params: Bytes) -> Self {
        Self { method, params }
    }

    /// Reads the parameters. Readers name only the fields that they need, and take what the browser may extend (an
    /// enum, say) as a string: a browser newer than our copy of the protocol must not be misread.
    ///
    /// # Errors
    /// [`CdpError::Unreadable`] where a field that is needed is missing or of another type.
    pub fn read<'a, T: Deserialize<'a>>(&'a self) -> Result<T, CdpError> {
        serde_json::from_slice(&self.params)
            .map_err(|error| CdpError::Unreadable { method: self.method.into(), reason: error.to_string() })
    }
}

/// A stream of the events that were asked for, in the order in which the browser sent them.
#[derive(Debug)]
pub struct Events {
    receiver: mpsc::Receiver<Event>,
}

impl Events {
    pub(super) fn new(receiver: mpsc::Receiver<Event>) -> Self {
        Self { receiver }
    }

    /// The next event; none when the session or the connection has ended.
    pub async fn next(&mut self) -> Option<Event> {
        self.receiver.recv().await
    }

    /// The next event if it has arrived already.
    pub fn try_next(&mut self) -> Option<Event> {
        self.receiver.try_recv().ok()
    }
}
