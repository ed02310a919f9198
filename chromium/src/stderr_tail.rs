//! A browser's stderr: its last lines, which explain a failed start, and the endpoint on which the browser listens.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, PipeReader, Read as _};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::unix::pipe;
use tokio::sync::watch;
use tokio::time::sleep;

/// How many of the last lines are kept, and how much of each.
const LAST_LINES: usize = 8;
const LINE_MAX_CHARS: usize = 300;
/// The most bytes that [`LINE_MAX_CHARS`] characters take.
const LINE_MAX_BYTES: usize = 4 * LINE_MAX_CHARS;
/// How a browser with a debugging port announces its endpoint.
const LISTENING: &str = "DevTools listening on ";
/// The most bytes read per wake-up: the capacity of the pipe.
const READ_MAX_BYTES: usize = 64 * 1024;
/// Pause between reads. Chromium writes a line with each picture, and the wake-up costs more than the read.
const PAUSE_MIN: Duration = Duration::from_millis(1);
const PAUSE_MAX: Duration = Duration::from_millis(200);
/// After a read of this many bytes the pause is shortened: a browser blocks on a full pipe.
const MUCH_BYTES: usize = READ_MAX_BYTES / 8;

/// The tail of a browser's stderr. Clones share it.
#[derive(Clone, Debug)]
pub struct StderrTail(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// Non-blocking.
    stream: PipeReader,
    tail: watch::Sender<Tail>,
}

#[derive(Debug, Default)]
struct Tail {
    last: VecDeque<String>,
    /// A line whose end has not arrived yet.
    partial_line: Vec<u8>,
    endpoint: Option<String>,
    /// Whether the stream has ended.
    has_ended: bool,
}

impl StderrTail {
    /// Starts a task that reads `stream` until it ends.
    ///
    /// # Errors
    /// If the stream can't be made non-blocking.
    pub(crate) fn read(stream: pipe::Receiver) -> io::Result<Self> {
        let inner = Inner { stream: stream.into_nonblocking_fd()?.into(), tail: watch::Sender::default() };
        let inner = Arc::new(inner);
        tokio::spawn(read_on(Arc::clone(&inner)));
        Ok(Self(inner))
    }

    /// Returns the last lines, joined by `; `.
    #[must_use]
    pub fn last_lines(&self) -> String {
        self.0.read_available();
        let tail = self.0.tail.borrow();
        tail.last.iter().map(String::as_str).collect::<Vec<_>>().join("; ")
    }

    /// Waits for the endpoint (a `ws://` URL) of a browser that was started with a debugging port; `None` if the
    /// browser ends without announcing one.
    pub async fn endpoint(&self) -> Option<String> {
        let mut receiver = self.0.tail.subscribe();
        let tail = receiver.wait_for(|tail| tail.endpoint.is_some() || tail.has_ended).await.ok()?;
        tail.endpoint.clone()
    }
}

async fn read_on(inner: Arc<Inner>) {
    let mut pause = PAUSE_MIN;
    while !inner.tail.borrow().has_ended {
        if let Err(error) = inner.readable().await {
            tracing::warn!(%error, "reading the local browser's stderr failed");
            inner.tail.send_modify(|tail| tail.has_ended = true);
            return;
        }
        pause = if inner.read_available() >= MUCH_BYTES { pause / 4 } else { pause * 2 }.clamp(PAUSE_MIN, PAUSE_MAX);
        sleep(pause).await;
    }
}

impl Inner {
    /// Waits until the stream is readable. Registers the descriptor for this wait only: a registered one would wake us
    /// during the pauses too.
    async fn readable(&self) -> io::Result<()> {
        let stream = OwnedFd::from(self.stream.try_clone()?);
        pipe::Receiver::from_owned_fd(stream)?.readable().await
    }

    /// Reads what is available now; returns the number of bytes.
    fn read_available(&self) -> usize {
        let mut bytes = 0;
        self.tail.send_modify(|tail| bytes = tail.read(&self.stream));
        bytes
    }
}

impl Tail {
    fn read(&mut self, mut stream: &PipeReader) -> usize {
        let mut buffer = [0; 4096];
        let mut bytes = 0;
        while bytes < READ_MAX_BYTES && !self.has_ended {
            match stream.read(&mut buffer) {
                Ok(0) => self.has_ended = true,
                Ok(read) => {
                    bytes += read;
                    buffer[..read].split_inclusive(|byte| *byte == b'\n').for_each(|piece| self.take(piece));
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => self.has_ended = true,
            }
        }
        if self.has_ended && !self.partial_line.is_empty() {
            self.end_line();
        }
        bytes
    }

    /// Appends a piece of a line.
    fn take(&mut self, piece: &[u8]) {
        let (piece, ends) = piece.strip_suffix(b"\n").map_or((piece, false), |piece| (piece, true));
        let room = LINE_MAX_BYTES - self.partial_line.len();
        self.partial_line.extend(&piece[..piece.len().min(room)]);
        if ends {
            self.end_line();
        }
    }

    fn end_line(&mut self) {
        let line: String = String::from_utf8_lossy(&self.partial_line).chars().take(LINE_MAX_CHARS).collect();
        self.partial_line.clear();
        tracing::trace!(line, "line on the local browser's stderr");
        if let Some(endpoint) = line.strip_prefix(LISTENING) {
            self.endpoint = Some(endpoint.trim().to_owned());
        }
        if self.last.len() == LAST_LINES {
            self.last.pop_front();
        }
        self.last.push_back(line);
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt as _;

    use super::*;

    #[tokio::test]
    async fn the_endpoint_is_found_among_other_lines_and_the_last_lines_are_kept() {
        let (mut theirs, ours) = pipe::pipe().unwrap();
        let stderr = StderrTail::read(ours).unwrap();
        let mut lines: Vec<String> = (0..20).map(|n| format!("line {n}")).collect();
        lines.insert(3, format!("{LISTENING}ws://127.0.0.1:1/devtools/browser/x"));
        theirs.write_all(lines.join("\n").as_bytes()).await.unwrap();
        assert_eq!(stderr.endpoint().await.as_deref(), Some("ws://127.0.0.1:1/devtools/browser/x"));
        let last_lines = |from: usize| (from..from + LAST_LINES).map(|n| format!("line {n}")).collect::<Vec<_>>();
        assert_eq!(stderr.last_lines(), last_lines(11).join("; "), "the last line is incomplete and not listed yet");
        drop(theirs);
        assert_eq!(stderr.last_lines(), last_lines(12).join("; "), "at once, even during a pause");
    }

    #[tokio::test]
    async fn a_browser_that_ends_without_output_has_no_endpoint() {
        let (theirs, ours) = pipe::pipe().unwrap();
        let stderr = StderrTail::read(ours).unwrap();
        drop(theirs);
        assert_eq!(stderr.endpoint().await, None);
    }

    #[tokio::test]
    async fn endless_output_is_drained_and_little_of_it_is_kept() {
        let (mut theirs, ours) = pipe::pipe().unwrap();
        let stderr = StderrTail::read(ours).unwrap();
        let flood = [b'x'; READ_MAX_BYTES];
        for _ in 0..16 {
            theirs.write_all(&flood).await.unwrap();
        }
        theirs.write_all(b"\nthe end\n").await.unwrap();
        drop(theirs);
        stderr.0.tail.subscribe().wait_for(|tail| tail.has_ended).await.unwrap();
        assert_eq!(stderr.last_lines(), format!("{}; the end", "x".repeat(LINE_MAX_CHARS)));
        assert!(stderr.0.tail.borrow().partial_line.capacity() <= 2 * LINE_MAX_BYTES);
    }
}
