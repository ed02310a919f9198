//! Standard input and output: one client, one line a message.

use std::io;

use porthole_contract::replace_lone_surrogates;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{RoleServer, ServerHandler};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use crate::http::BODY_MAX_BYTES;

/// The longest line, in bytes: a body over HTTP, and room for what JSON escapes.
const LINE_MAX_BYTES: usize = BODY_MAX_BYTES + 1_000_000;
/// What is read ahead of rmcp, in bytes.
const AHEAD_BYTES: usize = 64 * 1024;

/// Serves `handler` on this process's standard input and output until the input ends, which cancels `ended`, or until
/// `ended` is cancelled. Requests in flight have 5 s to answer after that; dropping the future cancels them.
///
/// # Errors
/// When the client breaks the protocol before its first request.
pub async fn serve_stdio<H: ServerHandler>(handler: H, ended: CancellationToken) -> io::Result<()> {
    let (input, output) = rmcp::transport::stdio_pipes();
    serve(handler, input, output, ended).await
}

/// Serves `handler` like [`serve_stdio`] on other streams.
///
/// # Errors
/// As [`serve_stdio`].
pub async fn serve<H, R, W>(handler: H, input: R, output: W, ended: CancellationToken) -> io::Result<()>
where
    H: ServerHandler,
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    use rmcp::service::{ServerInitializeError, serve_server};

    let (lines, readable) = tokio::io::duplex(AHEAD_BYTES);
    // For rmcp the input ends in both cases: a server that is cancelled cancels its requests at once.
    let _passing_on = AbortOnDropHandle::new(tokio::spawn(async move {
        ended.run_until_cancelled(pass_on(input, lines)).await;
        ended.cancel();
    }));
    let transport = AsyncRwTransport::<RoleServer, _, _>::new(readable, output).with_max_line_length(LINE_MAX_BYTES);
    match serve_server(handler, transport).await {
        Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
        // A client that left before it said anything.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(io::Error::other(error.to_string())),
    }
}

/// Passes lines on until an end closes. rmcp answers nothing to a request that serde can't read, and its client would wait
/// for ever: so lone surrogates are replaced before.
async fn pass_on(input: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin) {
    let mut input = BufReader::new(input);
    loop {
        let mut line = Vec::new();
        // A longer line comes in pieces, and rmcp drops it.
        let read = (&mut input).take(LINE_MAX_BYTES as u64 + 1).read_until(b'\n', &mut line).await;
        if !read.is_ok_and(|bytes| bytes > 0) {
            return;
        }
        replace_lone_surrogates(&mut line);
        if to.write_all(&line).await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use porthole_contract::ErrorAnswer;
    use porthole_tools::{Call, Runner};
    use serde_json::{Value, json};
    use tokio::sync::Notify;

    use super::*;
    use crate::connection::Connection;
    use crate::server::Server;
    use crate::toolset::Toolset;

    /// Says when a call has begun, and answers it when told to.
    #[derive(Clone, Default)]
    struct Held {
        begun: Arc<Notify>,
        released: Arc<Notify>,
    }

    impl Runner for Held {
        async fn send(&self, _call: &Call) -> Result<Value, Box<ErrorAnswer>> {
            self.begun.notify_one();
            self.released.notified().await;
            Ok(json!({"ok": true, "content": "in time", "format": "text"}))
        }
    }

    #[tokio::test]
    async fn a_request_in_flight_is_answered_after_the_end() {
        let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": {"name": "sandbox_browser_extract", "arguments": {"url": "http://a.example"}}});
        for input_ends in [true, false] {
            let runner = Held::default();
            let server = Server::of_connection(Toolset::all(), runner.clone(), Connection::default());
            let ended = CancellationToken::new();
            let (mut to_server, input) = tokio::io::duplex(AHEAD_BYTES);
            let (output, from_server) = tokio::io::duplex(AHEAD_BYTES);
            let serving = tokio::spawn(serve(server, input, output, ended.clone()));
            for message in [&initialize, &initialized, &call] {
                to_server.write_all(format!("{message}\n").as_bytes()).await.unwrap();
            }
            runner.begun.notified().await;
            if input_ends {
                drop(to_server);
                ended.cancelled().await;
            } else {
                ended.cancel();
                // Until the server reads no more.
                while to_server.write_all(b" ").await.is_ok() {
                    tokio::task::yield_now().await;
                }
            }
            runner.released.notify_one();
            let mut lines = BufReader::new(from_server).lines();
            let answer = loop {
                let line = lines.next_line().await.unwrap().expect("an answer to the call");
                let line: Value = serde_json::from_str(&line).unwrap();
                if line["id"] == 2 {
                    break line;
                }
            };
            assert!(
                answer["result"]["content"][0]["text"].as_str().unwrap_or_default().contains("in time"),
                "{answer}"
            );
            serving.await.unwrap().unwrap();
        }
    }
}
