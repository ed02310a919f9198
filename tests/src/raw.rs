//! Plain sockets, for what no HTTP library would send: HTTP/1.0, half a request, a caller that walks away.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A connection on which a test writes what it likes.
#[derive(Debug)]
pub struct Connection(TcpStream);

impl Connection {
    /// Connects and sends these bytes.
    ///
    /// # Panics
    /// When nobody listens.
    pub async fn send(addr: SocketAddr, bytes: &[u8]) -> Self {
        let mut stream = TcpStream::connect(addr).await.expect("a listener");
        stream.write_all(bytes).await.expect("a peer that reads");
        Self(stream)
    }

    /// Everything that comes until the peer closes.
    ///
    /// # Panics
    /// When it has not closed after `within`.
    pub async fn read_to_close(mut self, within: Duration) -> String {
        let mut answer = Vec::new();
        // A reset closes as well as an orderly end does.
        let ended = tokio::time::timeout(within, self.0.read_to_end(&mut answer)).await;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        assert!(ended.is_ok(), "the connection was still open after {within:?}; so far came {answer:?}");
        answer
    }
}

/// A `POST` of JSON as it goes over the wire.
#[must_use]
pub fn post(version: &str, path: &str, host: SocketAddr, json: &serde_json::Value) -> String {
    let body = json.to_string();
    let length = body.len();
    format!(
        "POST {path} {version}\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}
