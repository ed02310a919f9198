//! Refusals of a client's calls, sent to it between the browser's messages.

use std::future::ready;

use futures_util::sink::unfold as sink;
use futures_util::stream::{once, select, unfold as stream};
use futures_util::{Sink, Stream, StreamExt as _};
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::{self, Message};

/// Unsent refusals per client; at this number its next calls wait.
const REFUSALS_MAX: usize = 64;

/// Makes a queue for refusals: its sink and its stream.
pub(super) fn refusals() -> (impl Sink<Message> + Unpin, impl Stream<Item = Message> + Unpin) {
    let (sender, receiver) = mpsc::channel(REFUSALS_MAX);
    let into = sink(sender, async |sender: mpsc::Sender<Message>, refusal| {
        sender.send(refusal).await?;
        Ok::<_, mpsc::error::SendError<Message>>(sender)
    });
    let out = stream(receiver, async |mut receiver: mpsc::Receiver<Message>| {
        let refusal = receiver.recv().await?;
        Some((refusal, receiver))
    });
    (Box::pin(into), Box::pin(out))
}

/// Merges the browser's messages with refusals, until the browser's stream ends.
pub(super) fn with_refusals(
    browser: impl Stream<Item = Result<Message, tungstenite::Error>> + Unpin,
    refused: impl Stream<Item = Message> + Unpin,
) -> impl Stream<Item = Result<Message, tungstenite::Error>> + Unpin {
    let browser = browser.map(Some).chain(once(ready(None)));
    let refused = refused.map(|refusal| Some(Ok(refusal)));
    select(browser, refused).take_while(|message| ready(message.is_some())).filter_map(ready)
}
