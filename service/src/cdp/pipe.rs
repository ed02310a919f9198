//! The transport of a local browser, `--remote-debugging-pipe`: JSON messages, each ended by a NUL byte.
//!
//! There is no port for other programs to find, and the browser ends when the pipe closes, however its parent died.
//! Pages of several sandboxes share the pipe, so a message over its size cap is skipped: it fails only its own page.

use bytes::{Buf as _, Bytes, BytesMut};
use memchr::memchr;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use super::bounds::{Bounds, Meter};
use super::connection::Connection;
use super::routes::EVENT_START;
use super::transport::{Ending, Incoming, Oversized, Receiver, Sender};

/// The most bytes per read: the kernel's buffer of a pipe.
const READ_BYTES: usize = 64 * 1024;
/// How many bytes of either end of an oversized message are kept: room for the method or id, and for the session's id.
pub(super) const ENDS_BYTES: usize = 256;

/// Connects to a browser whose messages come from `reader` and go to `writer`.
pub fn connect(
    reader: impl AsyncRead + Send + Unpin + 'static,
    writer: impl AsyncWrite + Send + Unpin + 'static,
    bounds: Bounds,
    meter: Meter,
) -> Connection {
    let receiver = PipeReceiver::new(reader, bounds, meter.clone());
    Connection::start(PipeSender { writer, buffer: Vec::new() }, receiver, Some(bounds), meter)
}

struct PipeSender<W> {
    writer: W,
    /// The messages of one write.
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
        // The kernel reports at once when a pipe's other end closes.
        std::future::pending().await
    }
}

/// Splits the bytes from the browser into messages.
pub(super) struct PipeReceiver<R> {
    reader: R,
    buffer: BytesMut,
    /// The length of the buffer's part known to hold no NUL byte: a large message is not searched from its start again.
    searched: usize,
    /// The oversized message that is being skipped: its first bytes, and how many of its bytes were dropped so far.
    skipping: Option<(Bytes, usize)>,
    bounds: Bounds,
    meter: Meter,
}

impl<R> PipeReceiver<R> {
    pub(super) fn new(reader: R, bounds: Bounds, meter: Meter) -> Self {
        Self { reader, buffer: BytesMut::new(), searched: 0, skipping: None, bounds, meter }
    }

    /// Takes the message that ends `end` bytes into the buffer.
    fn message(&mut self, end: usize) -> Incoming {
        let mut message = self.buffer.split_to(end + 1);
        message.truncate(end);
        self.searched = 0;
        let skipped = self.skipping.take();
        if skipped.is_none() && end <= self.max_bytes(&message) {
            return Incoming::Whole(message.freeze());
        }
        let (head, before) = skipped.unwrap_or_else(|| (copy(&message[..end.min(ENDS_BYTES)]), 0));
        let tail = copy(&message[end.saturating_sub(ENDS_BYTES)..]);
        Incoming::Oversized(Oversized { head, tail, bytes: before + end })
    }

    /// Records that the buffer holds no end of a message. Drops all but the ends of an oversized one.
    fn searched_all(&mut self) {
        self.searched = self.buffer.len();
        if self.skipping.is_none() && self.searched > self.max_bytes(&self.buffer) {
            self.skipping = Some((copy(&self.buffer[..self.searched.min(ENDS_BYTES)]), 0));
        }
        if let Some((_, gone)) = &mut self.skipping {
            let dropped = self.searched.saturating_sub(ENDS_BYTES);
            *gone += dropped;
            self.buffer.advance(dropped);
            self.searched -= dropped;
            if self.buffer.capacity() > 2 * READ_BYTES {
                // Releases the memory that the message has filled so far.
                self.buffer = BytesMut::from(&self.buffer[..]);
            }
        }
    }

    /// Returns the size cap of a message, by its first bytes.
    fn max_bytes(&self, message: &[u8]) -> usize {
        if message.starts_with(EVENT_START) { self.bounds.event_max_bytes } else { self.bounds.answer_max_bytes }
    }

    /// Returns the buffer's memory, in bytes.
    #[cfg(test)]
    pub(super) fn held_bytes(&self) -> usize {
        self.buffer.capacity()
    }
}

impl<R: AsyncRead + Send + Unpin> Receiver for PipeReceiver<R> {
    async fn receive(&mut self) -> Result<Incoming, Ending> {
        loop {
            if let Some(end) = memchr(0, &self.buffer[self.searched..]) {
                return Ok(self.message(self.searched + end));
            }
            self.searched_all();
            self.buffer.reserve(READ_BYTES);
            match self.reader.read_buf(&mut self.buffer).await {
                Ok(0) => return Err("the browser closed the pipe".into()),
                Ok(read) => self.meter.read(read),
                Err(error) => return Err(error.kind().to_string().into()),
            }
        }
    }
}

/// Copies the bytes, so that a few of them don't keep a whole buffer alive.
fn copy(bytes: &[u8]) -> Bytes {
    Bytes::copy_from_slice(bytes)
}
