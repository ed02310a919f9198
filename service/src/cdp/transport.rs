//! What a transport is: whole messages in, whole messages out, in order.

use std::borrow::Cow;

use bytes::Bytes;

/// Why a transport ended.
pub(super) type Ending = Cow<'static, str>;

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
    fn receive(&mut self) -> impl Future<Output = Result<Bytes, Ending>> + Send;
}
