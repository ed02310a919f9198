//! The server of the demo page, on a free port of loopback.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

const PAGE: &str = include_str!("page.html");
/// A browser on the same machine sends its request head well within this time.
const HEAD_TIMEOUT: Duration = Duration::from_secs(5);
const HEAD_MAX_BYTES: u64 = 16 * 1024;

/// A server that ends when dropped.
pub(super) struct Site {
    pub(super) address: SocketAddr,
    _serving: JoinSet<()>,
}

impl Site {
    pub(super) async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((connection, _)) = listener.accept().await {
                connections.spawn(async move { drop(timeout(HEAD_TIMEOUT, answer(connection)).await) });
                while connections.try_join_next().is_some() {}
            }
        });
        Ok(Self { address, _serving: serving })
    }
}

/// Answers one request and closes the connection: the page at `/`, 404 elsewhere.
async fn answer(mut connection: TcpStream) -> io::Result<()> {
    let (reader, mut writer) = connection.split();
    let mut head = BufReader::new(reader.take(HEAD_MAX_BYTES)).lines();
    let request = head.next_line().await?.unwrap_or_default();
    while head.next_line().await?.is_some_and(|line| !line.is_empty()) {}
    let (status, body) = if request.starts_with("GET / ") { ("200 OK", PAGE) } else { ("404 Not Found", "") };
    let length = body.len();
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
    writer.write_all(answer.as_bytes()).await?;
    writer.shutdown().await
}
