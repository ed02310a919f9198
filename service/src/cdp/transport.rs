//! The transport's interface: messages in and out, in order. A message over its size cap is read and discarded.

use std::borrow::Cow;

use bytes::Bytes;

/// Why a transport ended.
pub(super) type Ending = Cow<'static, str>;

/// A message from the browser.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Incoming {
    /// A complete message.
    Whole(Bytes),
    /// A message over its size cap, which was read and not kept.
    Oversized(Oversized),
}

/// The ends of a message over its size cap: enough to find its call or its page.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Oversized {
    /// Its first bytes: Chromium begins an answer with the call's id, an event with its method.
    pub head: Bytes,
    /// Its last bytes: Chromium ends a message with the session's id.
    pub tail: Bytes,
    /// Its length.
    pub bytes: usize,
}

/// The sending half.
pub(super) trait Sender: Send {
    /// Sends messages in this order, in one write: each write wakes the browser, and its answers wake us.
    fn send(
        &mut self,
        messages: impl Iterator<Item = Vec<u8>> + Send,
    ) -> impl Future<Output = Result<(), Ending>> + Send;

    /// Keeps the connection alive; returns only when the connection is dead.
    fn keep_alive(&mut self) -> impl Future<Output = Result<(), Ending>> + Send;
}

/// The receiving half.
pub(super) trait Receiver: Send {
    /// Waits for the next message; fails with the reason why the transport ended.
    fn receive(&mut self) -> impl Future<Output = Result<Incoming, Ending>> + Send;
}
