//! The effect of a fault on an open socket.

use std::future::pending;
use std::time::Duration;

use bytes::Bytes;
use serde::Deserialize;
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{CloseCode, Data, OpCode};
use tokio_tungstenite::tungstenite::protocol::frame::{CloseFrame, Frame, FrameHeader};
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};

use super::carry::Step;
use crate::faults::{ConnectFault, Garbage};
use crate::session::Session;

/// The effect of a fault on an open socket, and when it begins.
pub(super) struct Struck {
    after_messages: u64,
    pub(super) strike: Strike,
}

pub(super) enum Strike {
    Close(CloseFrame),
    Drop,
    /// Sends this message once; the connection stays open.
    Inject(Message),
    Mute,
    LoseEvents {
        names: Vec<String>,
        until: Instant,
    },
    Freeze,
    KillBrowser,
}

impl Struck {
    pub(super) fn of(fault: Option<ConnectFault>) -> Option<Self> {
        let (after_messages, strike) = match fault? {
            ConnectFault::Close { code, reason, after_messages } => {
                let frame = CloseFrame { code: CloseCode::from(code), reason: Utf8Bytes::from(reason) };
                (after_messages, Strike::Close(frame))
            }
            ConnectFault::DropAfter { messages: Some(messages), .. } => (messages, Strike::Drop),
            ConnectFault::Garbage { kind, after_messages } => (after_messages, Strike::Inject(garbage(kind))),
            ConnectFault::Mute { after_messages } => (after_messages, Strike::Mute),
            ConnectFault::LoseEvents { names, for_ms } => {
                (0, Strike::LoseEvents { names, until: Instant::now() + Duration::from_millis(for_ms) })
            }
            ConnectFault::Freeze { after_messages } => (after_messages, Strike::Freeze),
            ConnectFault::KillBrowser { after_messages } => (after_messages, Strike::KillBrowser),
            // `Cut` counts bytes below the frames; the others apply before there is a socket.
            ConnectFault::DropAfter { messages: None, .. }
            | ConnectFault::Delay { .. }
            | ConnectFault::Status { .. }
            | ConnectFault::Refuse
            | ConnectFault::Hang => return None,
        };
        Some(Self { after_messages, strike })
    }

    /// Decides about the next message after `sent` messages to the client.
    pub(super) fn step(&self, message: &Message, sent: u64, session: &Session) -> Step {
        match &self.strike {
            _ if sent < self.after_messages => Step::Deliver,
            Strike::Close(_) | Strike::Drop | Strike::Freeze => Step::Stop,
            Strike::Inject(message) if sent == self.after_messages => Step::DeliverAfter(message.clone()),
            Strike::Inject(_) => Step::Deliver,
            Strike::Mute => Step::Swallow,
            Strike::LoseEvents { names, until } if Instant::now() < *until && is_event(message, names) => Step::Swallow,
            Strike::LoseEvents { .. } => Step::Deliver,
            Strike::KillBrowser => {
                session.kill.cancel();
                Step::Swallow
            }
        }
    }
}

/// Whether a message is an event of one of these names.
fn is_event(message: &Message, names: &[String]) -> bool {
    #[derive(Deserialize)]
    struct Event {
        method: String,
    }
    let Message::Text(text) = message else { return false };
    serde_json::from_str::<Event>(text).is_ok_and(|event| names.contains(&event.method))
}

fn garbage(kind: Garbage) -> Message {
    match kind {
        Garbage::Text => Message::text("this is no JSON {"),
        Garbage::Json => Message::text(r#"["no message of the protocol",{"id":"x"},null]"#),
        Garbage::Frame => {
            let header = FrameHeader { opcode: OpCode::Data(Data::Reserved(3)), ..FrameHeader::default() };
            Message::Frame(Frame::from_payload(header, Bytes::from_static(b"no frame of the protocol")))
        }
    }
}

/// Ends when a fault strikes before the first message; never where there is none.
pub(super) async fn strikes_at_once(struck: Option<&Struck>, session: &Session) {
    match struck {
        Some(Struck { after_messages: 0, strike: Strike::Close(_) | Strike::Drop | Strike::Freeze }) => {}
        Some(Struck { after_messages: 0, strike: Strike::KillBrowser }) => {
            session.kill.cancel();
            pending::<()>().await;
        }
        _ => pending::<()>().await,
    }
}
