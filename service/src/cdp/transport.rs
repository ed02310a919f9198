//! What a transport is: whole messages in, whole messages out, in order.

use std::borrow::Cow;

use bytes::Bytes;

/// Why a transport ended.
pub(super) type Ending = Cow<'static, str>;

/// The half that sends.
pub(super) trait Sender: Send {
    /// Sends one message.
    fn send(&mut self, message: Vec<u8>) -> impl Future<Output = Result<(), Ending>> + Send;

    /// Keeps the line alive, forever; ends only when the line is dead.
    fn keep_alive(&mut self) -> impl Future<Output = Result<(), Ending>> + Send;
}

/// The half that receives.
pub(super) trait Receiver: Send {
    /// The next message, or why there will be none.
    fn receive(&mut self) -> impl Future<Output = Result<Bytes, Ending>> + Send;
}
