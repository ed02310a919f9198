//! Carrying messages one way, each after its delay: a line that is long, not narrow.
//!
//! Every message arrives when it was sent plus the delay, in order, however many are under way. Without a delay it is
//! handed on at once.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{Sink, SinkExt as _, Stream, StreamExt as _};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::{Instant, sleep_until};
use tokio_tungstenite::tungstenite::{Error, Message};

/// What may be under way at once, in KiB. Beyond it the sender waits: the line is as wide as nobody will notice.
const UNDER_WAY_MAX_KIB: u32 = 512 * 1024;
/// Messages that may be under way at once.
const UNDER_WAY_MAX: usize = 65_536;

/// What becomes of a message that arrives.
pub(super) enum Step {
    Deliver,
    /// This is delivered before it.
    DeliverAfter(Message),
    /// This is delivered in its place.
    DeliverInstead(Message),
    /// It is lost, and this goes back to where it came from.
    Answer(Message),
    /// It is lost.
    Swallow,
    /// It is lost, and the carrying ends.
    Stop,
}

/// Why carrying ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Carried {
    /// Whence messages came is gone; what was under way has arrived.
    SourceGone,
    /// Where they went is gone.
    TargetGone,
    /// A step said so.
    Stopped,
}

struct UnderWay {
    due: Instant,
    message: Message,
    _room: Option<OwnedSemaphorePermit>,
}

/// Carries from `source` to `target`. `step` sees each message as it arrives and says what becomes of it; `back` takes
/// the answers that it gives itself.
pub(super) async fn carry(
    mut source: impl Stream<Item = Result<Message, Error>> + Unpin,
    mut target: impl Sink<Message> + Unpin,
    mut back: impl Sink<Message> + Unpin,
    delay: Duration,
    mut step: impl FnMut(&Message) -> Step,
) -> Carried {
    let room = Arc::new(Semaphore::new(UNDER_WAY_MAX_KIB as usize));
    let (line, mut arrivals) = mpsc::channel(UNDER_WAY_MAX);
    let send = async {
        while let Some(Ok(message)) = source.next().await {
            // Pings are answered where they arrive; a close is what the end of the stream is.
            if !matches!(message, Message::Text(_) | Message::Binary(_)) {
                continue;
            }
            let due = Instant::now() + delay;
            let kib = u32::try_from(message.len() / 1024 + 1).unwrap_or(u32::MAX).min(UNDER_WAY_MAX_KIB);
            let room = Arc::clone(&room).acquire_many_owned(kib).await.ok();
            if line.send(UnderWay { due, message, _room: room }).await.is_err() {
                break;
            }
        }
        drop(line);
        std::future::pending::<()>().await;
    };
    let deliver = async {
        while let Some(UnderWay { due, message, .. }) = arrivals.recv().await {
            // A timer is good to a millisecond: what is due at once must not wait for the next.
            if due > Instant::now() {
                sleep_until(due).await;
            }
            let message = match step(&message) {
                Step::Deliver => message,
                Step::DeliverAfter(first) => {
                    if target.send(first).await.is_err() {
                        return Carried::TargetGone;
                    }
                    message
                }
                Step::DeliverInstead(other) => other,
                Step::Answer(answer) => {
                    if back.send(answer).await.is_err() {
                        return Carried::SourceGone;
                    }
                    continue;
                }
                Step::Swallow => continue,
                Step::Stop => return Carried::Stopped,
            };
            if target.send(message).await.is_err() {
                return Carried::TargetGone;
            }
        }
        Carried::SourceGone
    };
    tokio::select! {
        carried = deliver => carried,
        () = send => unreachable!("sending never returns"),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use futures_util::sink::drain;
    use futures_util::stream;

    use super::*;

    type Notes = Arc<Mutex<Vec<(String, Duration)>>>;

    /// Notes what arrives, and when after `start`.
    fn noting(start: Instant) -> (Notes, impl Sink<Message, Error = Error> + Unpin) {
        let noted = Arc::new(Mutex::new(Vec::new()));
        let notes = Arc::clone(&noted);
        let sink = futures_util::sink::unfold((), move |(), message: Message| {
            notes.lock().unwrap().push((message.to_string(), start.elapsed()));
            std::future::ready(Ok(()))
        });
        (noted, Box::pin(sink))
    }

    #[tokio::test]
    async fn many_messages_are_under_way_at_once_and_keep_their_order() {
        let delay = Duration::from_millis(100);
        let start = Instant::now();
        let (noted, sink) = noting(start);
        let sent = stream::iter((0..200).map(|n| Ok(Message::text(n.to_string()))));
        assert_eq!(carry(sent, sink, drain(), delay, |_| Step::Deliver).await, Carried::SourceGone);
        let noted = noted.lock().unwrap();
        assert!(noted.iter().map(|(text, _)| text.clone()).eq((0..200).map(|n| n.to_string())));
        assert!(noted.iter().all(|(_, at)| *at >= delay), "{noted:?}");
        // One after the other they would have taken 20 s.
        assert!(start.elapsed() < Duration::from_secs(10));
    }

    #[tokio::test]
    async fn each_step_does_what_it_says_and_a_target_that_is_gone_is_told() {
        let (noted, sink) = noting(Instant::now());
        let step = |message: &Message| match message.to_text().unwrap() {
            "1" => Step::DeliverAfter(Message::text("first")),
            "2" => Step::Swallow,
            "4" => Step::DeliverInstead(Message::text("instead")),
            "5" => Step::Answer(Message::text("answer")),
            "7" => Step::Stop,
            _ => Step::Deliver,
        };
        let (answers, back) = noting(Instant::now());
        let sent = stream::iter((0..9).map(|n| Ok(Message::text(n.to_string()))));
        assert_eq!(carry(sent, sink, back, Duration::ZERO, step).await, Carried::Stopped);
        let texts = |notes: &Notes| notes.lock().unwrap().iter().map(|(text, _)| text.clone()).collect::<Vec<_>>();
        assert_eq!(texts(&noted), ["0", "first", "1", "3", "instead", "6"]);
        assert_eq!(texts(&answers), ["answer"]);

        let broken = Box::pin(futures_util::sink::unfold((), |(), _: Message| {
            std::future::ready(Err::<(), _>(Error::ConnectionClosed))
        }));
        let sent = stream::iter([Ok(Message::text("x"))]).chain(stream::pending());
        assert_eq!(carry(sent, broken, drain(), Duration::ZERO, |_| Step::Deliver).await, Carried::TargetGone);
    }
}
