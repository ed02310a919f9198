//! Bounds the messages that arrive on a connection, by their heads: one that is too large is never buffered, and frames that
//! come too fast are not read yet, control frames included. Unlike a WebSocket library's own bound, these can be changed
//! while the connection is open.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, ReadBuf};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Sleep, sleep};
use tokio_util::sync::PollSemaphore;

use super::head::{HEAD_MAX_BYTES, Head};
use crate::pace::FramePace;

/// How long a message that takes its turn may take: 14 MB at 1 Mbit/s. The others wait meanwhile.
const TURN_TIMEOUT: Duration = Duration::from_secs(120);

/// Most that is read at once: small frames are counted before the next are read.
const READ_MAX_BYTES: usize = 16 * 1024;

/// What a frame that continues a message counts: a message may be in many parts.
const CONTINUED: f64 = 1.0 / 32.0;

/// What is read at once of a message that is dropped.
const DRAIN_BUFFER_BYTES: usize = 16 * 1024;
/// A close frame's opcode (RFC 6455, 5.5.1).
const CLOSE_OPCODE: u8 = 8;

/// The bound of one connection. Clones share it.
#[derive(Clone, Debug)]
pub struct MessageLimit(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    bytes: AtomicUsize,
    was_exceeded: AtomicBool,
    /// The bound before it was raised, and whose turn it is to send more than that.
    turns: OnceLock<(u64, Arc<Semaphore>)>,
    /// The connection's own pace, and those that it shares with others.
    paces: Mutex<Vec<Arc<FramePace>>>,
}

impl MessageLimit {
    /// A bound of this many bytes a message, at this pace.
    #[must_use]
    pub fn new(bytes: usize, pace: FramePace) -> Self {
        Self(Arc::new(Shared {
            bytes: AtomicUsize::new(bytes),
            was_exceeded: AtomicBool::new(false),
            turns: OnceLock::new(),
            paces: Mutex::new(vec![Arc::new(pace)]),
        }))
    }

    /// Raises the bound, once, for frames whose heads come from now on. Connections that share `turns` take turns with
    /// messages over the bound before, so that the memory for these is bounded by turns, not by connections.
    pub fn raise(&self, bytes: usize, turns: Arc<Semaphore>) {
        let before = self.0.bytes.load(Ordering::Relaxed) as u64;
        if self.0.turns.set((before, turns)).is_ok() {
            self.0.bytes.store(bytes, Ordering::Relaxed);
        }
    }

    /// From now on what comes is bounded by these paces, which other connections may share.
    pub fn set_paces(&self, paces: Vec<Arc<FramePace>>) {
        *self.0.paces.lock().unwrap_or_else(PoisonError::into_inner) = paces;
    }

    /// Counts what was read; returns how long nothing may be read now.
    fn spend(&self, frames: f64, bytes: usize) -> Duration {
        let paces = self.0.paces.lock().unwrap_or_else(PoisonError::into_inner);
        paces.iter().map(|pace| pace.spend(frames, bytes)).max().unwrap_or_default()
    }

    /// Whether a message was larger: then reading has failed.
    #[must_use]
    pub fn was_exceeded(&self) -> bool {
        self.0.was_exceeded.load(Ordering::Relaxed)
    }
}

/// A connection whose incoming messages are bounded.
#[derive(Debug)]
pub struct Gate<S> {
    inner: S,
    limit: MessageLimit,
    head: [u8; HEAD_MAX_BYTES],
    head_read: usize,
    payload_left: u64,
    message_bytes: u64,
    /// Whether the payload is a control frame's, which stands between frames of a message.
    is_control: bool,
    /// Whether the message has no further frames.
    is_last: bool,
    /// The frames whose heads have come since they were counted last.
    frames: f64,
    /// Until when nothing is read, since too much has come.
    rests: Option<Pin<Box<Sleep>>>,
    turns: Option<PollSemaphore>,
    turn: Option<Turn>,
    /// Whether what comes is dropped, so that no bound counts.
    is_draining: bool,
    /// Whether a close frame's head has come.
    has_closed: bool,
}

/// A connection's turn to send a large message.
#[derive(Debug)]
struct Turn {
    _permit: OwnedSemaphorePermit,
    ends: Pin<Box<Sleep>>,
}

impl<S> Gate<S> {
    /// Bounds what arrives on `inner`.
    pub fn new(inner: S, limit: MessageLimit) -> Self {
        Self {
            inner,
            limit,
            head: [0; HEAD_MAX_BYTES],
            head_read: 0,
            payload_left: 0,
            message_bytes: 0,
            is_control: false,
            is_last: true,
            frames: 0.0,
            rests: None,
            turns: None,
            turn: None,
            is_draining: false,
            has_closed: false,
        }
    }

    /// Reads on after a message was too large, and drops what comes, until the other side has answered the close frame or is
    /// gone: closing a socket with unread bytes resets it, and the other side may lose the close frame.
    pub async fn drain(&mut self)
    where
        S: AsyncRead + Unpin,
    {
        self.turn = None;
        self.is_draining = true;
        let mut buffer = vec![0; DRAIN_BUFFER_BYTES];
        while let Ok(read @ 1..) = self.inner.read(&mut buffer).await {
            self.follow(&buffer[..read]);
            if self.has_closed {
                return;
            }
        }
    }

    /// Waits for this connection's turn if it is within a message that needs one. Fails once that has taken too long.
    fn poll_turn(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let is_over = self.is_last && (self.is_control || self.payload_left == 0);
        let turns = self.limit.0.turns.get().filter(|(before, _)| !is_over && self.message_bytes > *before);
        let Some((_, turns)) = turns else {
            self.turn = None;
            return Poll::Ready(Ok(()));
        };
        if self.turn.is_none() {
            let turns = self.turns.get_or_insert_with(|| PollSemaphore::new(Arc::clone(turns)));
            let permit = ready!(turns.poll_acquire(context));
            self.turn = permit.map(|permit| Turn { _permit: permit, ends: Box::pin(sleep(TURN_TIMEOUT)) });
        }
        let has_ended = self.turn.as_mut().is_some_and(|turn| turn.ends.as_mut().poll(context).is_ready());
        Poll::Ready(match has_ended {
            true => Err(io::Error::new(io::ErrorKind::TimedOut, "a large message was not complete in time")),
            false => Ok(()),
        })
    }

    /// Follows the frames over these bytes. Whether all messages are within the bound.
    fn follow(&mut self, mut bytes: &[u8]) -> bool {
        let mut is_within = true;
        while let [byte, rest @ ..] = bytes {
            if self.payload_left > 0 {
                let here = usize::try_from(self.payload_left).map_or(bytes.len(), |left| left.min(bytes.len()));
                self.payload_left -= here as u64;
                bytes = &bytes[here..];
                continue;
            }
            self.head[self.head_read] = *byte;
            self.head_read += 1;
            bytes = rest;
            let Some(head) = Head::read(&self.head[..self.head_read]) else { continue };
            self.head_read = 0;
            self.frames += if head.opcode == 0 { CONTINUED } else { 1.0 };
            self.payload_left = head.payload_bytes;
            self.is_control = head.is_control();
            if self.is_control {
                self.has_closed |= head.opcode == CLOSE_OPCODE;
                continue;
            }
            self.is_last = head.is_last;
            let before = if head.opcode == 0 { self.message_bytes } else { 0 };
            self.message_bytes = before.saturating_add(head.payload_bytes);
            if !self.is_draining && self.message_bytes > self.limit.0.bytes.load(Ordering::Relaxed) as u64 {
                is_within = false;
            }
        }
        is_within
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Gate<S> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_turn(context))?;
        if let Some(rests) = &mut this.rests {
            ready!(rests.as_mut().poll(context));
            this.rests = None;
        }
        let room = buffer.remaining().min(READ_MAX_BYTES);
        let mut part = ReadBuf::new(buffer.initialize_unfilled_to(room));
        ready!(Pin::new(&mut this.inner).poll_read(context, &mut part))?;
        let read = part.filled().len();
        if this.limit.was_exceeded() || !this.follow(part.filled()) {
            this.limit.0.was_exceeded.store(true, Ordering::Relaxed);
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, "a message is too large")));
        }
        buffer.advance(read);
        let rest = this.limit.spend(std::mem::take(&mut this.frames), read);
        this.rests = (!rest.is_zero()).then(|| Box::pin(sleep(rest)));
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Gate<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    fn bound(bytes: usize) -> MessageLimit {
        MessageLimit::new(bytes, FramePace::new(1_000_000))
    }

    fn frame(first: u8, payload_bytes: usize) -> Vec<u8> {
        let mut frame = vec![first, 0x80 | 126];
        frame.extend(u16::try_from(payload_bytes).unwrap().to_be_bytes());
        frame.extend([1, 2, 3, 4]);
        // The payload looks like heads.
        frame.extend(std::iter::repeat_n(0xff, payload_bytes));
        frame
    }

    async fn passes(stream: &[u8], limit: &MessageLimit) -> bool {
        let (mut sender, receiver) = duplex(7);
        let sending = async {
            // A refused message is not read to its end.
            let _ = sender.write_all(stream).await;
            drop(sender);
        };
        let reading = async {
            let mut gate = Gate::new(receiver, limit.clone());
            let mut read = Vec::new();
            let ended = gate.read_to_end(&mut read).await;
            ended.is_ok() && read == stream
        };
        tokio::join!(sending, reading).1
    }

    #[tokio::test]
    async fn messages_within_the_bound_pass_and_larger_ones_do_not() {
        let fits = [frame(0x81, 1_000), frame(0x01, 400), frame(0x89, 125), frame(0x80, 600), frame(0x82, 0)].concat();
        let limit = bound(1_000);
        assert!(passes(&fits, &limit).await && !limit.was_exceeded());
        for stream in [frame(0x81, 1_001), [frame(0x01, 400), frame(0x00, 600), frame(0x80, 1)].concat()] {
            let limit = bound(1_000);
            assert!(!passes(&stream, &limit).await && limit.was_exceeded());
            let limit = bound(1);
            limit.raise(1_001, Arc::new(Semaphore::new(1)));
            assert!(passes(&stream, &limit).await, "the bound was raised");
        }
    }

    #[tokio::test]
    async fn messages_over_the_bound_before_take_turns() {
        let turns = Arc::new(Semaphore::new(1));
        let connection = || {
            let limit = bound(100);
            limit.raise(10_000, Arc::clone(&turns));
            let (sender, receiver) = duplex(64 * 1024);
            (sender, Gate::new(receiver, limit))
        };
        let reads = |gate: &mut Gate<tokio::io::DuplexStream>| {
            let mut buffer = [0; 256];
            let mut read = ReadBuf::new(&mut buffer);
            let polled = Pin::new(gate).poll_read(&mut Context::from_waker(std::task::Waker::noop()), &mut read);
            matches!(polled, Poll::Ready(Ok(()))) && !read.filled().is_empty()
        };
        let ((mut one, mut first), (mut other, mut second)) = (connection(), connection());
        let large = frame(0x81, 5_000);
        one.write_all(&large[..large.len() - 1]).await.unwrap();
        other.write_all(&[frame(0x81, 50), large.clone()].concat()).await.unwrap();
        while reads(&mut first) {}
        assert_eq!(turns.available_permits(), 0, "it is in a large message");
        let pieces = (0..1_000).take_while(|_| reads(&mut second)).count();
        assert_eq!(pieces, 1, "up to the large message's head");
        one.write_all(&large[large.len() - 1..]).await.unwrap();
        while reads(&mut first) {}
        assert!((0..1_000).take_while(|_| reads(&mut second)).count() > 10, "its turn has come");
        assert_eq!(turns.available_permits(), 1, "both messages have ended");
        one.write_all(&large[..2_000]).await.unwrap();
        while reads(&mut first) {}
        assert_eq!(turns.available_permits(), 0);
        drop(first);
        assert_eq!(turns.available_permits(), 1, "a connection that ends gives its turn back");
    }

    #[tokio::test(start_paused = true)]
    async fn a_large_message_that_is_never_complete_loses_its_turn() {
        let turns = Arc::new(Semaphore::new(1));
        let limit = bound(100);
        limit.raise(10_000, Arc::clone(&turns));
        let (mut sender, receiver) = duplex(64 * 1024);
        let mut gate = Gate::new(receiver, limit);
        let large = frame(0x81, 5_000);
        sender.write_all(&large[..large.len() - 1]).await.unwrap();
        let mut read = Vec::new();
        // It sends no more: the clock goes on to the end of its turn.
        let failed = gate.read_to_end(&mut read).await.map_err(|error| error.kind());
        assert_eq!(failed, Err(io::ErrorKind::TimedOut));
        assert_eq!(read.len(), large.len() - 1);
        drop(gate);
        assert_eq!(turns.available_permits(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn frames_that_come_too_fast_wait_control_frames_too() {
        for (frame, frames, seconds) in [(vec![0x89, 0x80, 1, 2, 3, 4], 12_000, 10), (frame(0x82, 20_000), 1_000, 9)] {
            let limit = MessageLimit::new(100_000, FramePace::new(1_000));
            let (mut sender, receiver) = duplex(64 * 1024);
            let stream = frame.repeat(frames);
            let sent = stream.len();
            let sending = async move {
                sender.write_all(&stream).await.unwrap();
            };
            let began = tokio::time::Instant::now();
            let reading = async {
                let mut read = Vec::new();
                Gate::new(receiver, limit).read_to_end(&mut read).await.unwrap();
                read.len()
            };
            assert_eq!(tokio::join!(sending, reading).1, sent);
            assert_eq!(began.elapsed().as_secs(), seconds, "two seconds' frames come at once");
        }
    }
}
