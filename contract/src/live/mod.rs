//! The live view: the messages of its WebSocket, in both directions.
//!
//! A viewer sends a [`Hello`] and then [`ViewerMessage`]s; it is sent [`ServerMessage`]s and frames, in the
//! [`FrameMode`] that it asked for. Messages that can't be read are [`Unread`]: ignored and counted.

mod close;
mod field;
mod frame;
mod hello;
mod input;
mod ping;
mod raw;
mod server;
#[cfg(test)]
mod tests;
mod unread;
mod viewer;

pub use close::CloseCode;
pub use field::{FieldKind, FieldOption, OpenField};
pub use frame::{FrameHeader, NotAFrame, binary_frame, json_frame, split_binary_frame};
pub use hello::{FrameMode, Hello};
pub use input::{
    ImeEvent, ImeEventType, KeyEvent, KeyEventType, MouseEvent, MouseEventType, PointerButton, TouchEvent,
    TouchEventType, TouchPoint,
};
pub use ping::PingId;
pub use raw::raw_text;
pub use server::{LiveStatus, ServerMessage};
pub use unread::Unread;
pub use viewer::{Answer, ControlAction, Goto, QualityChange, Size, ViewerMessage};

/// The WebSocket's subprotocol.
pub const LIVE_PROTOCOL: &str = "porthole.live.v1";
