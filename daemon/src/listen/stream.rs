//! The socket of a served connection. It owns the connection's slot, which is freed when the socket closes, gives up
//! writes that make no progress, and reports reads and flushes to the connection table.

use std::future::Future as _;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tokio_util::task::task_tracker::TaskTrackerToken;

use super::table::Slot;

/// The socket of one connection, plain or upgraded.
pub(super) struct Stream {
    socket: TcpStream,
    slot: Slot,
    write_timeout: Duration,
    /// Deadline of a pending write; only polled while one is pending.
    write_deadline: Pin<Box<Sleep>>,
    write_pending: bool,
    /// Ends an upgraded connection, whose socket its handler owns. A plain one ends with its task.
    cut: Pin<Box<WaitForCancellationFutureOwned>>,
    /// Makes the listener's drain wait until the socket closes.
    _open: TaskTrackerToken,
}

impl Stream {
    pub(super) fn new(
        socket: TcpStream,
        slot: Slot,
        write_timeout: Duration,
        cut: CancellationToken,
        open: TaskTrackerToken,
    ) -> Self {
        Self {
            socket,
            slot,
            write_timeout,
            write_deadline: Box::pin(tokio::time::sleep(write_timeout)),
            write_pending: false,
            cut: Box::pin(cut.cancelled_owned()),
            _open: open,
        }
    }

    /// Fails once an upgraded connection was cut.
    fn not_cut(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        if self.slot.is_upgraded() && self.cut.as_mut().poll(context).is_ready() {
            return Err(io::Error::new(io::ErrorKind::ConnectionAborted, "the listener ended the connection"));
        }
        Ok(())
    }

    fn bounded<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.write_pending = false;
            return written;
        }
        self.not_cut(context)?;
        if !std::mem::replace(&mut self.write_pending, true) {
            self.write_deadline.as_mut().reset(Instant::now() + self.write_timeout);
        }
        match self.write_deadline.as_mut().poll(context) {
            Poll::Ready(()) => {
                Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the caller does not read its answer")))
            }
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.not_cut(context)?;
        let read = Pin::new(&mut self.socket).poll_read(context, buffer);
        if read.is_pending() {
            self.slot.read_everything();
        }
        read
    }
}

impl AsyncWrite for Stream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.socket).poll_write(context, bytes);
        self.bounded(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.socket).poll_write_vectored(context, slices);
        self.bounded(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.socket).poll_flush(context);
        if flushed.is_ready() {
            // hyper flushes the socket only once its own buffer is empty.
            self.slot.flushed();
        }
        self.bounded(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.socket).poll_shutdown(context);
        self.bounded(context, shut)
    }
}
