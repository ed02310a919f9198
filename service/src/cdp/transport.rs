//! What a transport is: messages in, messages out, in order. A message that is larger than its kind may be is read to its
//! end and not kept.

use std::borrow::Cow;

use bytes::Bytes;

/// Why a transport ended.
pub(super) type Ending = Cow<'static, str>;

/// A message from the browser.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Incoming {
    /// All of it.
    Whole(Bytes),
    /// One over its size cap, which was read and not kept.
    Oversized(Oversized),
}

/// What was kept of a message over its size cap: enough to tell whose it was.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Oversized {
    /// Its first bytes: Chromium begins an answer with the call's id, an event with its method.
    pub head: Bytes,
    /// Its last bytes: Chromium ends a message with the session's id.
    pub tail: Bytes,
    /// How long it was.
    pub bytes: usize,
}

/// The half that sends.
pub(super) trait Sender: Send {
    /// Sends messages, in this order and at one go: each go wakes the browser, and us again to hear its answers.
    fn send(
        &mut self,
        messages: impl Iterator<Item = Vec<u8>> + Send,
    ) -> impl Future<Output = Result<(), Ending>> + Send;

    /// Keeps the line alive, forever; ends only when the line is dead.
    fn keep_alive(&mut self) -> impl Future<Output = Result<(), Ending>> + Send;
}

/// The half that receives.
pub(super) trait Receiver: Send {
    /// The next message, or why there will be none.
    fn receive(&mut self) -> impl Future<Output = Result<Incoming, Ending>> + Send;
}
