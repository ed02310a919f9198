//! A pipelined client of the Chrome DevTools Protocol.
//!
//! One connection to a browser carries any number of target sessions. A call is sent when it is made and awaited when
//! its answer is needed, so independent calls share one round trip. Events are routed by session and method and decoded
//! only by their subscribers.
//!
//! Knows JSON and sockets; knows nothing of pages, screenshots or where a browser comes from.

mod attach;
mod bounds;
mod connection;
mod error;
mod event;
mod pipe;
mod routes;
mod transport;
mod websocket;

pub use attach::{Attached, Attachments, WITHOUT_SHARED_WORKERS, targets_only};
pub use bounds::{Bounds, Meter};
pub use connection::{Call, Connection, Session};
pub use error::CdpError;
pub use event::{Event, EventSink, Events, FLOODED, Flooded, SCREENCAST_FRAME};
pub use pipe::connect as connect_pipe;
pub use websocket::{WebSocketOptions, connect as connect_websocket};

/// The largest message that a browser may send, in bytes. The largest answer that the service requests is a lossless
/// picture of 50 million pixels of noise: 200 MB as base64.
pub const MESSAGE_MAX_BYTES: usize = 256 * 1024 * 1024;

/// Makes a type of ours a command of the protocol, for what the generated types don't have, or read more strictly than we do.
macro_rules! command {
    ($command:ty, $method:expr => $answer:ty) => {
        impl chromiumoxide_types::Method for $command {
            fn identifier(&self) -> chromiumoxide_types::MethodId {
                $method.into()
            }
        }

        impl chromiumoxide_types::Command for $command {
            type Response = $answer;
        }
    };
}
pub(crate) use command;

#[cfg(test)]
mod tests;
