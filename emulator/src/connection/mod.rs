//! A client's connection to its session's browser: relays whole messages in both directions and applies faults. `calls`
//! decides which of the client's messages reach the browser.

mod calls;
mod carry;
mod cut;
mod handshake;

use std::future::{pending, ready};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::sink::{drain, unfold as sink};
use futures_util::stream::{once, select, unfold as stream};
use futures_util::{Sink, SinkExt as _, Stream, StreamExt as _};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{CloseCode, Data, OpCode};
use tokio_tungstenite::tungstenite::protocol::frame::{CloseFrame, Frame, FrameHeader};
use tokio_tungstenite::tungstenite::{self, Message, Utf8Bytes};

use self::calls::{Judged, judge};
use self::carry::{Carried, Step, carry};
use self::cut::Cut;
pub(crate) use self::handshake::{Upgrade, upgrade};
use crate::browser::Connected;
use crate::faults::{ConnectDue, ConnectFault, Garbage};
use crate::session::{Session, Socket};

/// Time for a browser's exit to be noticed after its socket has closed.
const BROWSER_END_TIMEOUT: Duration = Duration::from_secs(5);
/// Time for a client to answer a close frame.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Unsent refusals per client; at this number its next calls wait.
const REFUSALS_MAX: usize = 64;

/// A socket to a browser.
pub(crate) type BrowserSocket = WebSocketStream<TcpStream>;
type ClientSocket = WebSocketStream<Cut<TokioIo<Upgraded>>>;

/// Why the relay ended.
enum End {
    /// The client closed its socket or lost the connection.
    Client,
    /// The browser's socket closed.
    Browser,
    /// The session ended.
    Session,
    /// A fault interrupts the connection.
    Fault,
}

/// The effect of a fault on an open socket, and when it begins.
struct Struck {
    after_messages: u64,
    strike: Strike,
}

enum Strike {
    Close(CloseFrame),
    Drop,
    /// Sends this message once; the connection stays open.
    Inject(Message),
    Mute,
    LoseEvents {
        names: Vec<String>,
        until: Instant,
    },
    Freeze,
    KillBrowser,
}

impl Struck {
    fn of(fault: Option<ConnectFault>) -> Option<Self> {
        let (after_messages, strike) = match fault? {
            ConnectFault::Close { code, reason, after_messages } => {
                let frame = CloseFrame { code: CloseCode::from(code), reason: Utf8Bytes::from(reason) };
                (after_messages, Strike::Close(frame))
            }
            ConnectFault::DropAfter { messages: Some(messages), .. } => (messages, Strike::Drop),
            ConnectFault::Garbage { kind, after_messages } => (after_messages, Strike::Inject(garbage(kind))),
            ConnectFault::Mute { after_messages } => (after_messages, Strike::Mute),
            ConnectFault::LoseEvents { names, for_ms } => {
                (0, Strike::LoseEvents { names, until: Instant::now() + Duration::from_millis(for_ms) })
            }
            ConnectFault::Freeze { after_messages } => (after_messages, Strike::Freeze),
            ConnectFault::KillBrowser { after_messages } => (after_messages, Strike::KillBrowser),
            // `Cut` counts bytes below the frames; the others apply before there is a socket.
            ConnectFault::DropAfter { messages: None, .. }
            | ConnectFault::Delay { .. }
            | ConnectFault::Status { .. }
            | ConnectFault::Refuse
            | ConnectFault::Hang => return None,
        };
        Some(Self { after_messages, strike })
    }

    /// Decides about the next message after `sent` messages to the client.
    fn step(&self, message: &Message, sent: u64, session: &Session) -> Step {
        match &self.strike {
            _ if sent < self.after_messages => Step::Deliver,
            Strike::Close(_) | Strike::Drop | Strike::Freeze => Step::Stop,
            Strike::Inject(message) if sent == self.after_messages => Step::DeliverAfter(message.clone()),
            Strike::Inject(_) => Step::Deliver,
            Strike::Mute => Step::Swallow,
            Strike::LoseEvents { names, until } if Instant::now() < *until && is_event(message, names) => Step::Swallow,
            Strike::LoseEvents { .. } => Step::Deliver,
            Strike::KillBrowser => {
                session.kill.cancel();
                Step::Swallow
            }
        }
    }
}

/// Whether a message is an event of one of these names.
fn is_event(message: &Message, names: &[String]) -> bool {
    #[derive(Deserialize)]
    struct Event {
        method: String,
    }
    let Message::Text(text) = message else { return false };
    serde_json::from_str::<Event>(text).is_ok_and(|event| names.contains(&event.method))
}

fn garbage(kind: Garbage) -> Message {
    match kind {
        Garbage::Text => Message::text("this is no JSON {"),
        Garbage::Json => Message::text(r#"["no message of the protocol",{"id":"x"},null]"#),
        Garbage::Frame => {
            let header = FrameHeader { opcode: OpCode::Data(Data::Reserved(3)), ..FrameHeader::default() };
            Message::Frame(Frame::from_payload(header, Bytes::from_static(b"no frame of the protocol")))
        }
    }
}

/// Relays messages between a client and its session's browser, until one of them closes, the session ends or a fault
/// breaks the connection. `held` counts it among the session's sockets.
pub(crate) async fn serve(session: Arc<Session>, held: Socket, upgrade: Upgrade, browser: Connected, due: ConnectDue) {
    let bytes_max = match &due.fault {
        Some(ConnectFault::DropAfter { bytes, .. }) => *bytes,
        _ => None,
    };
    let Some(client) = upgrade.socket(bytes_max).await else { return };
    let number = session.state().connections;
    tracing::info!(session = session.id, number, "a client has connected");
    serve_socket(&session, client, browser, due, number).await;
    drop(held);
    tracing::info!(session = session.id, number, "a client's connection has ended");
}

async fn serve_socket(session: &Session, client: ClientSocket, browser: Connected, due: ConnectDue, number: u32) {
    let Connected { socket, downloads } = browser;
    let (mut client_sink, mut client_stream) = client.split();
    let (browser_sink, browser_stream) = socket.split();
    let (refusals, refused) = refusals();
    let struck = Struck::of(due.fault);
    let traffic = session.traffic.as_ref();

    let to_browser = carry(&mut client_stream, browser_sink, refusals, due.delay, |message| {
        if let (Some(traffic), Message::Text(text)) = (traffic, message) {
            traffic.record_call(number, text);
        }
        judged(message, &downloads)
    });
    let mut sent = 0;
    let answers = with_refusals(browser_stream, refused);
    let to_client = carry(answers, &mut client_sink, drain(), due.delay, |message| {
        if let (Some(traffic), Message::Text(text)) = (traffic, message) {
            traffic.record_answer(number, text);
        }
        let step = struck.as_ref().map_or(Step::Deliver, |struck| struck.step(message, sent, session));
        sent += 1;
        step
    });
    let end = tokio::select! {
        () = strikes_at_once(struck.as_ref(), session) => End::Fault,
        carried = to_client => match carried {
            Carried::Stopped => End::Fault,
            Carried::SourceGone => End::Browser,
            Carried::TargetGone => End::Client,
        },
        carried = to_browser => match carried {
            Carried::SourceGone => End::Client,
            Carried::TargetGone | Carried::Stopped => End::Browser,
        },
        // Not before: a browser whose client has left sends the requests that the client had paused.
        () = session.killed.cancelled() => End::Session,
    };
    let Ok(client) = client_stream.reunite(client_sink) else { return };
    match (first_end(end, session).await, struck) {
        (End::Fault, Some(Struck { strike: Strike::Freeze, .. })) => tokio::select! {
            () = ignore_until_closed(client) => {}
            () = session.over.cancelled() => {}
        },
        (End::Fault, Some(Struck { strike: Strike::Close(frame), .. })) => close(client, frame).await,
        (End::Session, _) => {
            close(client, CloseFrame { code: CloseCode::Normal, reason: "the session is over".into() }).await;
        }
        _ => {}
    }
}

/// Ends when a fault strikes before the first message; never where there is none.
async fn strikes_at_once(struck: Option<&Struck>, session: &Session) {
    match struck {
        Some(Struck { after_messages: 0, strike: Strike::Close(_) | Strike::Drop | Strike::Freeze }) => {}
        Some(Struck { after_messages: 0, strike: Strike::KillBrowser }) => {
            session.kill.cancel();
            pending::<()>().await;
        }
        _ => pending::<()>().await,
    }
}

/// Decides what ended first: the session's end also kills its browser, and the session's keeper knows which came first.
/// A browser that ended by itself sends no close frame, even if the session's end is noticed first.
async fn first_end(end: End, session: &Session) -> End {
    if !matches!(end, End::Browser | End::Session) {
        return end;
    }
    let _ = timeout(BROWSER_END_TIMEOUT, session.over.cancelled()).await;
    let is_over = session.over.is_cancelled() && !session.lost_its_browser();
    if is_over { End::Session } else { End::Browser }
}

/// Sends a close frame. Best effort: the client may have left or may not read.
async fn close(mut client: ClientSocket, frame: CloseFrame) {
    let closing = async {
        client.send(Message::Close(Some(frame))).await?;
        // Reads the client's remaining messages: closing a connection with unread bytes resets it, and the close frame
        // would be lost.
        while client.next().await.transpose()?.is_some() {}
        Ok::<(), tungstenite::Error>(())
    };
    let _ = timeout(CLOSE_TIMEOUT, closing).await;
}

/// Reads and drops what a client sends, without answering even pings, until it leaves.
async fn ignore_until_closed(mut client: ClientSocket) {
    let mut ignored = [0; 4096];
    while client.get_mut().read(&mut ignored).await.is_ok_and(|read| read > 0) {}
}

/// Relays like [`serve`] for an observer, without faults; it neither counts as a connection nor ends the session.
pub(crate) async fn observe(session: Arc<Session>, upgrade: Upgrade, browser: Connected) {
    let Some(client) = upgrade.socket(None).await else { return };
    let Connected { socket, downloads } = browser;
    let (client_sink, client_stream) = client.split();
    let (browser_sink, browser_stream) = socket.split();
    let (refusals, refused) = refusals();
    let answers = with_refusals(browser_stream, refused);
    tokio::select! {
        _ = carry(client_stream, browser_sink, refusals, Duration::ZERO, |message| judged(message, &downloads)) => {}
        _ = carry(answers, client_sink, drain(), Duration::ZERO, |_| Step::Deliver) => {}
        () = session.killed.cancelled() => {}
    }
}

/// Decides about a client's message.
fn judged(message: &Message, downloads: &Path) -> Step {
    match judge(message, downloads) {
        Judged::Forward => Step::Deliver,
        Judged::Rewrite(other) => Step::DeliverInstead(other),
        Judged::Refuse(answer) => Step::Answer(answer),
    }
}

/// Makes a queue for refusals: its sink and its stream.
fn refusals() -> (impl Sink<Message> + Unpin, impl Stream<Item = Message> + Unpin) {
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
fn with_refusals(
    browser: impl Stream<Item = Result<Message, tungstenite::Error>> + Unpin,
    refused: impl Stream<Item = Message> + Unpin,
) -> impl Stream<Item = Result<Message, tungstenite::Error>> + Unpin {
    let browser = browser.map(Some).chain(once(ready(None)));
    let refused = refused.map(|refusal| Some(Ok(refusal)));
    select(browser, refused).take_while(|message| ready(message.is_some())).filter_map(ready)
}
