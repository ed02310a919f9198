//! Standard input and output: one client, one line a message.

use std::io;

use porthole_tools::replace_lone_surrogates;
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

/// Serves `handler` on this process's standard input and output until the input ends or `ended` is cancelled. Requests in
/// flight have 5 s to answer after that.
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
    use rmcp::service::{ServerInitializeError, serve_server_with_ct};

    let (lines, readable) = tokio::io::duplex(AHEAD_BYTES);
    let _passing_on = AbortOnDropHandle::new(tokio::spawn(pass_on(input, lines)));
    let transport = AsyncRwTransport::<RoleServer, _, _>::new(readable, output).with_max_line_length(LINE_MAX_BYTES);
    match serve_server_with_ct(handler, transport, ended).await {
        Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
        // A client that left before it said anything.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => Ok(()),
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
