//! Plain sockets, for requests that no HTTP library sends: HTTP/1.0, half a request, a caller that disconnects.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A connection on which a test writes arbitrary bytes.
#[derive(Debug)]
pub struct Connection(TcpStream);

impl Connection {
    /// Connects and sends these bytes.
    ///
    /// # Panics
    /// When no process listens.
    pub async fn send(addr: SocketAddr, bytes: &[u8]) -> Self {
        let mut stream = TcpStream::connect(addr).await.expect("a listener");
        stream.write_all(bytes).await.expect("a peer that reads");
        Self(stream)
    }

    /// Sends more, as far as the peer takes it, and reads what it answers until it closes the connection.
    pub async fn send_until_answered(self, bytes: &[u8]) -> String {
        let (mut reads, mut writes) = self.0.into_split();
        let mut answer = Vec::new();
        let _ = tokio::join!(writes.write_all(bytes), reads.read_to_end(&mut answer));
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Reads until the peer closes the connection.
    ///
    /// # Panics
    /// When the peer has not closed it after `within`.
    pub async fn read_to_close(mut self, within: Duration) -> String {
        let mut answer = Vec::new();
        // A reset counts as closing.
        let ended = tokio::time::timeout(within, self.0.read_to_end(&mut answer)).await;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        assert!(ended.is_ok(), "the connection was still open after {within:?}; received so far: {answer:?}");
        answer
    }
}

/// Formats a `POST` of JSON for the wire.
#[must_use]
pub fn post(version: &str, path: &str, host: SocketAddr, json: &serde_json::Value) -> String {
    let body = json.to_string();
    let length = body.len();
    format!(
        "POST {path} {version}\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}
