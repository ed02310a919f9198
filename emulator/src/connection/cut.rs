//! A stream that breaks off after a given number of bytes written, even in the middle of a frame.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A stream that fails once `left` more bytes were written. `None`: never.
pub(super) struct Cut<S> {
    stream: S,
    left: Option<u64>,
}

impl<S> Cut<S> {
    pub(super) fn new(stream: S, bytes_max: Option<u64>) -> Self {
        Self { stream, left: bytes_max }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Cut<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Cut<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let Some(left) = self.left else {
            return Pin::new(&mut self.stream).poll_write(context, bytes);
        };
        let fits = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len());
        if fits == 0 && !bytes.is_empty() {
            // Earlier bytes must be flushed before the connection breaks.
            std::task::ready!(Pin::new(&mut self.stream).poll_flush(context))?;
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        let written = std::task::ready!(Pin::new(&mut self.stream).poll_write(context, &bytes[..fits]))?;
        self.left = Some(left - written as u64);
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    #[tokio::test]
    async fn exactly_the_given_number_of_bytes_arrives() {
        let (ours, mut theirs) = duplex(64);
        let mut cut = Cut::new(ours, Some(5));
        assert_eq!(cut.write_all(b"abcdefgh").await.unwrap_err().kind(), io::ErrorKind::ConnectionReset);
        drop(cut);
        let mut arrived = String::new();
        theirs.read_to_string(&mut arrived).await.unwrap();
        assert_eq!(arrived, "abcde");
    }
}
