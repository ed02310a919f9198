//! What a browser says on standard error: the last of it, to tell why it did not start, and where it listens.

use std::collections::VecDeque;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};
use tokio::sync::watch;

/// How much of what the browser last said is kept.
const LAST_LINES: usize = 8;
const LINE_MAX_CHARS: usize = 300;
/// What a browser with a debugging port says when it listens.
const LISTENING: &str = "DevTools listening on ";

/// What a browser has said so far. A clone hears the same.
#[derive(Clone, Debug)]
pub struct Said(watch::Receiver<Heard>);

#[derive(Debug, Default)]
struct Heard {
    last: VecDeque<String>,
    endpoint: Option<String>,
}

impl Said {
    /// Hears what `stream` brings until it ends.
    pub(crate) fn hear(stream: impl AsyncRead + Send + Unpin + 'static) -> Self {
        let (heard, said) = watch::channel(Heard::default());
        tokio::spawn(async move {
            let mut lines = BufReader::new(stream).split(b'\n');
            while let Ok(Some(line)) = lines.next_segment().await {
                let line: String = String::from_utf8_lossy(&line).chars().take(LINE_MAX_CHARS).collect();
                tracing::trace!(line, "the local browser said");
                heard.send_modify(|heard| {
                    if let Some(endpoint) = line.strip_prefix(LISTENING) {
                        heard.endpoint = Some(endpoint.trim().to_owned());
                    }
                    if heard.last.len() == LAST_LINES {
                        heard.last.pop_front();
                    }
                    heard.last.push_back(line);
                });
            }
        });
        Self(said)
    }

    /// The last lines, in one.
    #[must_use]
    pub fn last_words(&self) -> String {
        let heard = self.0.borrow();
        heard.last.iter().map(String::as_str).collect::<Vec<_>>().join("; ")
    }

    /// The endpoint of a browser that was started with a debugging port, a `ws://` URL, as soon as it is told; nothing
    /// from one that ends without telling it.
    pub async fn endpoint(&mut self) -> Option<String> {
        let heard = self.0.wait_for(|heard| heard.endpoint.is_some()).await.ok()?;
        heard.endpoint.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_endpoint_is_heard_among_other_lines_and_the_last_lines_are_kept() {
        let (mut theirs, ours) = tokio::io::duplex(4096);
        let mut said = Said::hear(ours);
        let mut lines: Vec<String> = (0..20).map(|n| format!("line {n}")).collect();
        lines.insert(3, format!("{LISTENING}ws://127.0.0.1:1/devtools/browser/x"));
        tokio::io::AsyncWriteExt::write_all(&mut theirs, (lines.join("\n") + "\n").as_bytes()).await.unwrap();
        assert_eq!(said.endpoint().await.as_deref(), Some("ws://127.0.0.1:1/devtools/browser/x"));
        drop(theirs);
        said.0.wait_for(|heard| heard.last.back().is_some_and(|line| line == "line 19")).await.unwrap();
        assert_eq!(said.last_words(), (12..20).map(|n| format!("line {n}")).collect::<Vec<_>>().join("; "));
    }

    #[tokio::test]
    async fn a_browser_that_ends_without_a_word_has_no_endpoint() {
        let (theirs, ours) = tokio::io::duplex(64);
        let mut said = Said::hear(ours);
        drop(theirs);
        assert_eq!(said.endpoint().await, None);
    }
}
