//! A pipelined client of the Chrome DevTools Protocol.
//!
//! One connection to a browser carries any number of sessions. A call is on its way as soon as it is made; whoever
//! needs its answer awaits it, so calls that don't depend on one another cost one round trip together. Events are
//! routed by session and method, and read only by whoever asked for them.
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

pub use attach::{Attached, Attachments};
pub use bounds::{Bounds, Meter};
pub use connection::{Call, Connection, Session};
pub use error::CdpError;
pub use event::{Event, Events, FLOODED};
pub use pipe::connect as connect_pipe;
pub use websocket::{WebSocketOptions, connect as connect_websocket};

/// The largest message that a browser may send, in bytes: a lossless picture of 50 million pixels of noise as base64
/// is 200 MB, the largest thing that anybody here asks for.
pub const MESSAGE_MAX_BYTES: usize = 256 * 1024 * 1024;

#[cfg(test)]
mod tests;
