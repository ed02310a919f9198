//! What a browser says on standard error: the last of it, to tell why it did not start, and where it listens.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, PipeReader, Read as _};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::unix::pipe;
use tokio::sync::watch;
use tokio::time::sleep;

/// How much of what the browser last said is kept.
const LAST_LINES: usize = 8;
const LINE_MAX_CHARS: usize = 300;
/// As many bytes of a line as so many characters can take.
const LINE_MAX_BYTES: usize = 4 * LINE_MAX_CHARS;
/// What a browser with a debugging port says when it listens.
const LISTENING: &str = "DevTools listening on ";
/// How much is heard at one go, in bytes: as much as fits into the pipe.
const HEARD_MAX_BYTES: usize = 64 * 1024;
/// How long nobody listens after something was heard. Chromium says something with each picture, and being woken for it
/// costs more than reading it.
const REST_MIN: Duration = Duration::from_millis(1);
const REST_MAX: Duration = Duration::from_millis(200);
/// With so much of it the rest was too long: a browser that finds the pipe full stands still.
const MUCH_BYTES: usize = HEARD_MAX_BYTES / 8;

/// What a browser has said so far. A clone hears the same.
#[derive(Clone, Debug)]
pub struct Said(Arc<Ear>);

#[derive(Debug)]
struct Ear {
    /// Reading it does not wait.
    stream: PipeReader,
    heard: watch::Sender<Heard>,
}

#[derive(Debug, Default)]
struct Heard {
    last: VecDeque<String>,
    /// A line whose end has not come yet.
    begun: Vec<u8>,
    endpoint: Option<String>,
    /// Nothing more will come.
    is_all: bool,
}

impl Said {
    /// Hears what `stream` brings until it ends.
    ///
    /// # Errors
    /// Where the system can't read it without waiting.
    pub(crate) fn hear(stream: pipe::Receiver) -> io::Result<Self> {
        let ear = Ear { stream: stream.into_nonblocking_fd()?.into(), heard: watch::Sender::default() };
        let ear = Arc::new(ear);
        tokio::spawn(listen(Arc::clone(&ear)));
        Ok(Self(ear))
    }

    /// The last lines, in one.
    #[must_use]
    pub fn last_words(&self) -> String {
        self.0.hear();
        let heard = self.0.heard.borrow();
        heard.last.iter().map(String::as_str).collect::<Vec<_>>().join("; ")
    }

    /// The endpoint of a browser that was started with a debugging port, a `ws://` URL, as soon as it is told; nothing
    /// from one that ends without telling it.
    pub async fn endpoint(&self) -> Option<String> {
        let mut heard = self.0.heard.subscribe();
        let heard = heard.wait_for(|heard| heard.endpoint.is_some() || heard.is_all).await.ok()?;
        heard.endpoint.clone()
    }
}

async fn listen(ear: Arc<Ear>) {
    let mut rest = REST_MIN;
    while !ear.heard.borrow().is_all {
        if let Err(error) = ear.speaks().await {
            tracing::warn!(%error, "what the local browser says can't be heard");
            ear.heard.send_modify(|heard| heard.is_all = true);
            return;
        }
        rest = if ear.hear() >= MUCH_BYTES { rest / 4 } else { rest * 2 }.clamp(REST_MIN, REST_MAX);
        sleep(rest).await;
    }
}

impl Ear {
    /// Waits until there is something to be heard. What the system watches for us wakes us whether somebody waits for it
    /// or not: so it is told anew each time.
    async fn speaks(&self) -> io::Result<()> {
        let stream = OwnedFd::from(self.stream.try_clone()?);
        pipe::Receiver::from_owned_fd(stream)?.readable().await
    }

    /// Hears what has been said by now; how much it was, in bytes.
    fn hear(&self) -> usize {
        let mut bytes = 0;
        self.heard.send_modify(|heard| bytes = heard.read(&self.stream));
        bytes
    }
}

impl Heard {
    fn read(&mut self, mut stream: &PipeReader) -> usize {
        let mut buffer = [0; 4096];
        let mut bytes = 0;
        while bytes < HEARD_MAX_BYTES && !self.is_all {
            match stream.read(&mut buffer) {
                Ok(0) => self.is_all = true,
                Ok(read) => {
                    bytes += read;
                    buffer[..read].split_inclusive(|byte| *byte == b'\n').for_each(|piece| self.take(piece));
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => self.is_all = true,
            }
        }
        if self.is_all && !self.begun.is_empty() {
            self.end_line();
        }
        bytes
    }

    /// Takes a piece of a line.
    fn take(&mut self, piece: &[u8]) {
        let (piece, ends) = piece.strip_suffix(b"\n").map_or((piece, false), |piece| (piece, true));
        let room = LINE_MAX_BYTES - self.begun.len();
        self.begun.extend(&piece[..piece.len().min(room)]);
        if ends {
            self.end_line();
        }
    }

    fn end_line(&mut self) {
        let line: String = String::from_utf8_lossy(&self.begun).chars().take(LINE_MAX_CHARS).collect();
        self.begun.clear();
        tracing::trace!(line, "the local browser said");
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
    async fn the_endpoint_is_heard_among_other_lines_and_the_last_lines_are_kept() {
        let (mut theirs, ours) = pipe::pipe().unwrap();
        let said = Said::hear(ours).unwrap();
        let mut lines: Vec<String> = (0..20).map(|n| format!("line {n}")).collect();
        lines.insert(3, format!("{LISTENING}ws://127.0.0.1:1/devtools/browser/x"));
        theirs.write_all(lines.join("\n").as_bytes()).await.unwrap();
        assert_eq!(said.endpoint().await.as_deref(), Some("ws://127.0.0.1:1/devtools/browser/x"));
        let last_words = |from: usize| (from..from + LAST_LINES).map(|n| format!("line {n}")).collect::<Vec<_>>();
        assert_eq!(said.last_words(), last_words(11).join("; "), "the last line is not at its end");
        drop(theirs);
        assert_eq!(said.last_words(), last_words(12).join("; "), "at once, whether somebody listens or rests");
    }

    #[tokio::test]
    async fn a_browser_that_ends_without_a_word_has_no_endpoint() {
        let (theirs, ours) = pipe::pipe().unwrap();
        let said = Said::hear(ours).unwrap();
        drop(theirs);
        assert_eq!(said.endpoint().await, None);
    }

    #[tokio::test]
    async fn one_that_talks_without_end_is_heard_and_little_of_it_kept() {
        let (mut theirs, ours) = pipe::pipe().unwrap();
        let said = Said::hear(ours).unwrap();
        let flood = [b'x'; HEARD_MAX_BYTES];
        for _ in 0..16 {
            theirs.write_all(&flood).await.unwrap();
        }
        theirs.write_all(b"\nthe end\n").await.unwrap();
        drop(theirs);
        said.0.heard.subscribe().wait_for(|heard| heard.is_all).await.unwrap();
        assert_eq!(said.last_words(), format!("{}; the end", "x".repeat(LINE_MAX_CHARS)));
        assert!(said.0.heard.borrow().begun.capacity() <= 2 * LINE_MAX_BYTES);
    }
}
