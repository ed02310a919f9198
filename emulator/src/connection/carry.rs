//! Carries messages in one direction, each after a delay: a connection with high latency and unlimited bandwidth.
//!
//! Every message arrives at its sending time plus the delay, in order, with any number in flight. Without a delay
//! it is passed on at once.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{Sink, SinkExt as _, Stream, StreamExt as _};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::{Instant, sleep_until};
use tokio_tungstenite::tungstenite::{Error, Message};

/// Size of all messages in flight, in KiB. Beyond it the sender waits; clients in practice stay far below.
const UNDER_WAY_MAX_KIB: u32 = 512 * 1024;
/// Number of messages in flight.
const UNDER_WAY_MAX: usize = 65_536;

/// What to do with a message that arrives.
pub(super) enum Step {
    Deliver,
    /// Delivers this message before it.
    DeliverAfter(Message),
    /// Delivers this message in its place.
    DeliverInstead(Message),
    /// Drops it, and sends this message back to its sender.
    Answer(Message),
    /// Drops it.
    Swallow,
    /// Drops it, and stops carrying.
    Stop,
}

/// Why carrying ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Carried {
    /// The source has closed; all messages in flight were delivered.
    SourceGone,
    /// The target has closed.
    TargetGone,
    /// A step returned [`Step::Stop`].
    Stopped,
}

struct UnderWay {
    due: Instant,
    message: Message,
    _room: Option<OwnedSemaphorePermit>,
}

/// Carries messages from `source` to `target`. `step` decides about each message when it arrives; `back` takes the
/// answers of [`Step::Answer`].
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
            // The WebSocket library answers pings; a close message is followed by the end of the stream.
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
            // Timers have millisecond resolution: a message that is due now must not wait for the next tick.
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

    /// Records each message that arrives, with its time since `start`.
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
    async fn many_messages_are_in_flight_at_once_and_keep_their_order() {
        let delay = Duration::from_millis(100);
        let start = Instant::now();
        let (noted, sink) = noting(start);
        let sent = stream::iter((0..200).map(|n| Ok(Message::text(n.to_string()))));
        assert_eq!(carry(sent, sink, drain(), delay, |_| Step::Deliver).await, Carried::SourceGone);
        let noted = noted.lock().unwrap();
        assert!(noted.iter().map(|(text, _)| text.clone()).eq((0..200).map(|n| n.to_string())));
        assert!(noted.iter().all(|(_, at)| *at >= delay), "{noted:?}");
        // Sent one by one they would take 20 s.
        assert!(start.elapsed() < Duration::from_secs(10));
    }

    #[tokio::test]
    async fn each_step_is_applied_and_a_closed_target_is_reported() {
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
