//! A connection to a site. It counts every byte, enforces the idle timeout and records how it ended.

use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use super::dial;
use super::fate::Fate;
use super::idle::IdleTimer;
use super::message::Ask;
use super::report::DialOutcome;
use super::shared::Shared;

/// A connection to a judged address.
#[derive(Debug)]
pub(super) struct Upstream {
    stream: TcpStream,
    is_excepted: bool,
    idle: IdleTimer,
    fate: Fate,
    /// How much may come before the head of an answer is complete.
    head_max: usize,
}

/// The most that is read at once while the head of an answer is awaited. Any number of interim answers (1xx) may precede it,
/// and all that were read are parsed before anything else runs.
const HEAD_READ_MAX: usize = 16 * 1024;
/// Interim answers and the head itself may have this many times the longest head.
const HEADS_MAX: usize = 2;

// === impl Upstream ===

impl Upstream {
    /// Connects to the target of this request, if the guard allows it, and records the outcome.
    pub(super) async fn connect(shared: &Shared, ask: &Ask) -> Result<Upstream, DialOutcome> {
        let authority = &ask.authority;
        let fate = Fate::new(authority.clone(), Arc::clone(&shared.books));
        match dial::dial(shared, &ask.url, &ask.asker).await {
            Ok((stream, is_excepted)) => {
                shared.books.ended(authority, DialOutcome::Connected);
                Ok(Upstream {
                    stream,
                    is_excepted,
                    idle: IdleTimer::new(shared.limits.idle_timeout),
                    fate,
                    head_max: HEADS_MAX * shared.limits.head_bytes,
                })
            }
            Err(outcome) => {
                shared.books.ended(authority, outcome.clone());
                Err(outcome)
            }
        }
    }

    /// Returns whether an exception was needed to connect.
    pub(super) fn is_excepted(&self) -> bool {
        self.is_excepted
    }

    pub(super) fn fate(&self) -> Fate {
        self.fate.clone()
    }

    fn moved(&mut self, count: usize) -> io::Result<()> {
        self.idle.progress();
        self.fate.more_bytes(count).map_err(|excess| self.fail(DialOutcome::OverBudget(excess)))
    }

    fn fail(&self, outcome: DialOutcome) -> io::Error {
        let kind = if outcome == DialOutcome::Silent { ErrorKind::TimedOut } else { ErrorKind::ConnectionAborted };
        self.fate.ends(outcome);
        kind.into()
    }

    fn failed(&self, error: io::Error) -> io::Error {
        self.fate.ends(match error.kind() {
            ErrorKind::TimedOut => DialOutcome::TimedOut,
            ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable => DialOutcome::Unreachable,
            _ => DialOutcome::Reset,
        });
        error
    }

    /// Reads a part of an answer whose head is not complete.
    fn poll_read_head(&mut self, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let most = buf.remaining().min(HEAD_READ_MAX);
        let mut part = ReadBuf::new(buf.initialize_unfilled_to(most));
        let read = Pin::new(&mut self.stream).poll_read(cx, &mut part).map_ok(|()| part.filled().len());
        let read = ready!(self.transferred(cx, read))?;
        buf.advance(read);
        if self.fate.head_bytes(read) > self.head_max {
            return Poll::Ready(Err(self.fail(DialOutcome::Garbled)));
        }
        Poll::Ready(Ok(()))
    }

    /// Counts a finished transfer. Fails on an error, over a limit, or after the idle timeout.
    fn transferred(&mut self, cx: &mut Context<'_>, transfer: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match transfer {
            Poll::Ready(Ok(count)) => Poll::Ready(self.moved(count).map(|()| count)),
            Poll::Ready(Err(error)) => Poll::Ready(Err(self.failed(error))),
            Poll::Pending if self.idle.poll_expired(cx).is_ready() => Poll::Ready(Err(self.fail(DialOutcome::Silent))),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for Upstream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.fate.awaits_head() {
            return self.poll_read_head(cx, buf);
        }
        let before = buf.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buf).map_ok(|()| buf.filled().len() - before);
        self.transferred(cx, read).map_ok(drop)
    }
}

impl AsyncWrite for Upstream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.transferred(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.transferred(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
