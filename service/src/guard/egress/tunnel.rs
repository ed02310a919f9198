//! Joins two connections, for `CONNECT` and WebSockets. Their bytes are not inspected. A tunnel at rest holds no buffer:
//! a page keeps a dozen of them for half a minute after it has loaded.

use std::future::poll_fn;
use std::io::{self, ErrorKind};
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The most bytes of one read, and the most of one direction that wait to be written.
const READ_BYTES: usize = 32 * 1024;

/// One direction of a tunnel.
#[derive(Default)]
struct Way {
    /// Bytes that were read and could not be written yet, and how many of them were since.
    waiting: Vec<u8>,
    written: usize,
    is_unflushed: bool,
    has_ended: bool,
    is_closed: bool,
}

/// Joins the browser's connection, after its upgrade, with the one to the site, until both have closed or one fails.
/// The connection to the site enforces the idle timeout and counts bytes.
pub(super) async fn join(browser: OnUpgrade, mut site: impl AsyncRead + AsyncWrite + Unpin) {
    let browser = match browser.await {
        Ok(browser) => browser,
        Err(error) => return tracing::debug!(%error, "the browser closed its connection before the tunnel was ready"),
    };
    if let Err(error) = both_ways(&mut TokioIo::new(browser), &mut site).await {
        tracing::debug!(%error, "a tunnel failed");
    }
}

async fn both_ways<A, B>(browser: &mut A, site: &mut B) -> io::Result<()>
where
    A: AsyncRead + AsyncWrite + Unpin,
    B: AsyncRead + AsyncWrite + Unpin,
{
    let (mut out, mut back) = (Way::default(), Way::default());
    poll_fn(|cx| {
        let out = out.poll(cx, browser, site)?;
        let back = back.poll(cx, site, browser)?;
        if out.is_ready() && back.is_ready() { Poll::Ready(Ok(())) } else { Poll::Pending }
    })
    .await
}

// === impl Way ===

impl Way {
    /// Moves bytes until one side makes us wait; ready once the end has been passed on.
    fn poll<A, B>(&mut self, cx: &mut Context<'_>, from: &mut A, to: &mut B) -> Poll<io::Result<()>>
    where
        A: AsyncRead + Unpin,
        B: AsyncWrite + Unpin,
    {
        while !self.is_closed {
            while let Some(rest) = self.waiting.get(self.written..).filter(|rest| !rest.is_empty()) {
                self.written += ready!(poll_write(cx, to, rest))?;
            }
            (self.waiting, self.written) = (Vec::new(), 0);
            if self.has_ended {
                ready!(Pin::new(&mut *to).poll_shutdown(cx))?;
                self.is_closed = true;
                break;
            }
            let mut space = [const { MaybeUninit::uninit() }; READ_BYTES];
            let mut read = ReadBuf::uninit(&mut space);
            if Pin::new(&mut *from).poll_read(cx, &mut read)?.is_pending() {
                if self.is_unflushed {
                    ready!(Pin::new(&mut *to).poll_flush(cx))?;
                    self.is_unflushed = false;
                }
                return Poll::Pending;
            }
            let mut bytes = read.filled();
            (self.has_ended, self.is_unflushed) = (bytes.is_empty(), true);
            while !bytes.is_empty() {
                match poll_write(cx, to, bytes)? {
                    Poll::Ready(written) => bytes = &bytes[written..],
                    Poll::Pending => {
                        self.waiting = bytes.to_vec();
                        return Poll::Pending;
                    }
                }
            }
        }
        Poll::Ready(Ok(()))
    }
}

fn poll_write(cx: &mut Context<'_>, to: &mut (impl AsyncWrite + Unpin), bytes: &[u8]) -> Poll<io::Result<usize>> {
    Pin::new(to).poll_write(cx, bytes).map(|written| match written {
        Ok(0) => Err(ErrorKind::WriteZero.into()),
        written => written,
    })
}
