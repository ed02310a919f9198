//! The tunnels that a page was lent by an exception. What goes through a tunnel is encrypted, so no request in it can be judged,
//! and the browser sends requests of any document through the tunnels that are there. So once the page has a foreign document
//! nothing more is sent through them: answers under way still come, and the next byte from the browser ends the tunnel. A document
//! that comes over a connection that is there already, or by a redirect within TLS, is told of by events alone: so beside foreign
//! content these are read before bytes are sent.

use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_util::sync::{CancellationToken, DropGuard};

/// The tunnels of one page that are open by an exception.
#[derive(Debug, Default)]
pub(super) struct LentTunnels(Mutex<Vec<CancellationToken>>);

/// Reads the events that matter before more is sent; `None` where none do.
pub(super) type Reads = Box<dyn Fn() -> Option<BoxFuture<'static, ()>> + Send + Sync>;

/// A connection to a site that an exception has opened for a tunnel.
pub(super) struct LentTunnel<S> {
    site: S,
    reads: Reads,
    ended: CancellationToken,
    /// The events that are being read before more is sent.
    reading: Option<BoxFuture<'static, ()>>,
    /// Cancels the same token, by which a closed tunnel is known.
    _closed: DropGuard,
}

// === impl LentTunnels ===

impl LentTunnels {
    /// Adds a tunnel to this site.
    pub(super) fn open<S>(&self, reads: Reads, site: S) -> LentTunnel<S> {
        let ended = CancellationToken::new();
        let mut tunnels = self.tunnels();
        tunnels.retain(|tunnel| !tunnel.is_cancelled());
        tunnels.push(ended.clone());
        LentTunnel { site, reads, reading: None, _closed: ended.clone().drop_guard(), ended }
    }

    /// Lets nothing more be sent through any of them.
    pub(super) fn end(&self) {
        self.tunnels().drain(..).for_each(|tunnel| tunnel.cancel());
    }

    /// Returns whether something can still be sent through one of them.
    pub(super) fn are_open(&self) -> bool {
        self.tunnels().iter().any(|tunnel| !tunnel.is_cancelled())
    }

    fn tunnels(&self) -> MutexGuard<'_, Vec<CancellationToken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// === impl LentTunnel ===

impl<S> LentTunnel<S> {
    /// Ready once the page's events are read, if they matter; fails if the tunnel has ended.
    fn poll_may_send(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.ended.is_cancelled() {
            if self.reading.is_none() {
                self.reading = (self.reads)();
            }
            if let Some(reading) = &mut self.reading {
                ready!(reading.poll_unpin(cx));
                self.reading = None;
            }
        }
        Poll::Ready(if self.ended.is_cancelled() { Err(ErrorKind::ConnectionAborted.into()) } else { Ok(()) })
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for LentTunnel<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.site).poll_read(cx, buf)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for LentTunnel<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.poll_may_send(cx))?;
        Pin::new(&mut self.site).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_may_send(cx))?;
        Pin::new(&mut self.site).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.site.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.site).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.site).poll_shutdown(cx)
    }
}
