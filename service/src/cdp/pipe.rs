//! The transport of a local browser, `--remote-debugging-pipe`: JSON messages, each ended by a NUL byte.
//!
//! No port that others could find, and the browser ends when the pipe closes, however its parent died.

use bytes::{Bytes, BytesMut};
use memchr::memchr;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use super::connection::Connection;
use super::transport::{Ending, Receiver, Sender};

/// How much is read at once, in bytes: the kernel's own buffer of a pipe.
const READ_BYTES: usize = 64 * 1024;

/// Drives a browser whose messages come from `reader` and go to `writer`.
pub fn connect(
    reader: impl AsyncRead + Send + Unpin + 'static,
    writer: impl AsyncWrite + Send + Unpin + 'static,
    message_max_bytes: usize,
) -> Connection {
    let receiver = PipeReceiver { reader, buffer: BytesMut::new(), searched: 0, message_max_bytes };
    Connection::start(PipeSender { writer, buffer: Vec::new() }, receiver)
}

struct PipeSender<W> {
    writer: W,
    /// What is to be written at one go.
    buffer: Vec<u8>,
}

impl<W: AsyncWrite + Send + Unpin> Sender for PipeSender<W> {
    async fn send(&mut self, messages: impl Iterator<Item = Vec<u8>> + Send) -> Result<(), Ending> {
        self.buffer.clear();
        for message in messages {
            self.buffer.extend(message);
            self.buffer.push(0);
        }
        self.writer.write_all(&self.buffer).await.map_err(|error| error.kind().to_string().into())
    }

    async fn keep_alive(&mut self) -> Result<(), Ending> {
        // The kernel tells at once when a pipe's other end is gone.
        std::future::pending().await
    }
}

struct PipeReceiver<R> {
    reader: R,
    buffer: BytesMut,
    /// Where in the buffer no NUL byte was found yet, so that a large message is not searched from its start again.
    searched: usize,
    message_max_bytes: usize,
}

impl<R: AsyncRead + Send + Unpin> Receiver for PipeReceiver<R> {
    async fn receive(&mut self) -> Result<Bytes, Ending> {
        loop {
            if let Some(end) = memchr(0, &self.buffer[self.searched..]) {
                let mut message = self.buffer.split_to(self.searched + end + 1);
                message.truncate(message.len() - 1);
                self.searched = 0;
                return Ok(message.freeze());
            }
            self.searched = self.buffer.len();
            if self.searched > self.message_max_bytes {
                return Err("a message is over the size cap".into());
            }
            self.buffer.reserve(READ_BYTES);
            match self.reader.read_buf(&mut self.buffer).await {
                Ok(0) => return Err("the browser closed the pipe".into()),
                Ok(_) => {}
                Err(error) => return Err(error.kind().to_string().into()),
            }
        }
    }
}
