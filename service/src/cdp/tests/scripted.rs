//! A scripted browser at the other end of a pipe: it sends the messages that a test gives it.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};

use crate::cdp::{Bounds, Connection, Meter, connect_pipe};

/// No test waits longer than this for anything.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

pub(super) struct Browser {
    reader: DuplexStream,
    writer: DuplexStream,
}

impl Browser {
    /// Opens a connection to a scripted browser and returns both.
    pub(super) fn connect(bounds: Bounds) -> (Connection, Browser) {
        let (ours_in, theirs_out) = tokio::io::duplex(1 << 20);
        let (theirs_in, ours_out) = tokio::io::duplex(1 << 20);
        (connect_pipe(ours_in, ours_out, bounds, Meter::default()), Browser { reader: theirs_in, writer: theirs_out })
    }

    pub(super) fn reader(&mut self) -> &mut DuplexStream {
        &mut self.reader
    }

    /// Waits for the next message from the client.
    pub(super) async fn receives(&mut self) -> Value {
        let read = async {
            let mut message = Vec::new();
            loop {
                match self.reader.read_u8().await.unwrap() {
                    0 => return serde_json::from_slice(&message).unwrap(),
                    byte => message.push(byte),
                }
            }
        };
        tokio::time::timeout(PATIENCE, read).await.expect("a message to the browser")
    }

    pub(super) async fn sends_message(&mut self, message: Value) {
        self.sends_bytes(&[message.to_string().as_bytes(), b"\0"].concat()).await;
    }

    /// Sends an event as Chromium writes it: the method first, the session last.
    pub(super) async fn sends_event(&mut self, method: &str, params: &Value, session: &str) {
        let event = format!(r#"{{"method":"{method}","params":{params},"sessionId":"{session}"}}"#);
        self.sends_bytes(&[event.as_bytes(), b"\0"].concat()).await;
    }

    pub(super) async fn sends_bytes(&mut self, bytes: &[u8]) {
        self.writer.write_all(bytes).await.unwrap();
    }

    pub(super) async fn answers(&mut self, call: &Value, result: Value) {
        self.sends_message(json!({"id": call["id"], "result": result})).await;
    }
}
