//! `GET /live`: a viewer's WebSocket. One loop moves messages between the connection and the session's viewer, and ends
//! with a close code.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{FromRequestParts as _, Request, State};
use axum::response::Response;
use bytes::Bytes;
use futures_util::{Sink, SinkExt as _, Stream, StreamExt as _};
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use porthole_contract::limits::{
    LIVE_FILES_MESSAGE_MAX_BYTES, LIVE_HELLO_TIMEOUT, LIVE_INPUT_EVENTS_PER_SECOND_MAX, LIVE_MESSAGE_MAX_BYTES,
};
use porthole_contract::live::{CloseCode, Hello, LIVE_PROTOCOL};
use porthole_daemon::answer::Refused;
use porthole_daemon::listen::UpgradePermit;
use porthole_daemon::pace::FramePace;
use porthole_daemon::websocket::{self, Gate, MessageLimit};
use serde::Deserialize;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::coop::consume_budget;
use tokio::time::{Instant, interval_at, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::protocol::frame::Utf8Bytes;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_util::sync::CancellationToken;

use super::Routes;
use crate::session::{BARE_PING, Outgoing, Packed, Sessions, Viewer};

/// Between two pings to a viewer that is sent nothing: the worker closes a connection without a byte for 5 minutes.
const PING_INTERVAL: Duration = Duration::from_secs(30);
/// Frames a second before the first message, and of one that only watches: it answers a ping for each frame that it gets.
const FRAMES_PER_SECOND: u32 = 200;
/// Frames a second of a viewer that may act: above what is taken of its input.
const ACTING_FRAMES_PER_SECOND: u32 = LIVE_INPUT_EVENTS_PER_SECOND_MAX + FRAMES_PER_SECOND;
/// For the closing handshake; after a session's end also for what is being written to a viewer that does not read.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(3);
/// A message of fewer bytes than tungstenite's buffer waits there until it is flushed; a larger one is written at once, and
/// what is to follow it must wait until that is done.
const BUFFERED_BYTES: usize = 100_000;
/// The payload of pings that follow no frame.
const KEEP_ALIVE: &[u8] = b"";

/// Answers a viewer's handshake.
pub(super) async fn live(State(routes): State<Routes>, request: Request) -> Result<Response, Refused> {
    let (mut parts, _no_body) = request.into_parts();
    websocket::check(&parts.headers)?;
    let upgrade = parts.extensions.remove::<OnUpgrade>();
    let upgrade = upgrade.ok_or_else(|| websocket::invalid("connection: must be an upgrade of HTTP/1.1"))?;
    let permit = UpgradePermit::from_request_parts(&mut parts, &()).await?;
    let response = websocket::switch(&parts.headers, LIVE_PROTOCOL);
    tokio::spawn(async move {
        let Ok(upgraded) = upgrade.await else { return };
        let limit = MessageLimit::new(LIVE_MESSAGE_MAX_BYTES, FramePace::new(FRAMES_PER_SECOND));
        let config = WebSocketConfig::default()
            .max_message_size(Some(LIVE_FILES_MESSAGE_MAX_BYTES))
            .max_frame_size(Some(LIVE_FILES_MESSAGE_MAX_BYTES));
        let mut gate = Gate::new(TokioIo::new(upgraded), limit.clone());
        let socket = WebSocketStream::from_raw_socket(&mut gate, Role::Server, Some(config)).await;
        serve(socket, &routes.sessions, &limit, permit.going_away).await;
        if limit.was_exceeded() {
            drop(timeout(CLOSE_TIMEOUT, gate.drain()).await);
        }
    });
    Ok(response)
}

/// A viewer's connection, in halves: reading goes on while something is written.
struct Socket<O, I> {
    outgoing: O,
    incoming: I,
}

/// Serves a viewer until it leaves or is closed.
async fn serve(
    socket: WebSocketStream<impl AsyncRead + AsyncWrite + Unpin>,
    sessions: &Sessions,
    limit: &MessageLimit,
    going_away: CancellationToken,
) {
    let (outgoing, incoming) = socket.split();
    let mut socket = Socket { outgoing, incoming };
    let hello = tokio::select! {
        biased;
        () = going_away.cancelled() => Err(Some(CloseCode::GoingAway)),
        hello = timeout(LIVE_HELLO_TIMEOUT, hello(&mut socket.incoming, limit)) => hello.unwrap_or(Err(Some(CloseCode::NoHello))),
    };
    let viewer = match hello.and_then(|hello| sessions.watch(&hello).map_err(Some)) {
        Ok(viewer) => viewer,
        Err(code) => return end(socket, code).await,
    };
    if viewer.may_act() {
        limit.raise(LIVE_FILES_MESSAGE_MAX_BYTES, viewer.large_messages());
        limit.set_paces(vec![Arc::new(FramePace::new(ACTING_FRAMES_PER_SECOND)), viewer.pace_of_acting()]);
    }
    let session_end = viewer.session_end();
    let watching = async {
        let code = watch(&mut socket, viewer, limit, &going_away).await;
        end(socket, code).await;
    };
    let overdue = async {
        session_end.cancelled().await;
        tokio::time::sleep(CLOSE_TIMEOUT).await;
    };
    tokio::select! {
        () = watching => {}
        () = overdue => tracing::debug!("a viewer that does not read was cut after its session's end"),
    }
}

/// Ends the connection with this code; without one the other side has closed it.
async fn end(
    mut socket: Socket<impl Sink<Message, Error = Error> + Unpin, impl Stream<Item = Result<Message, Error>> + Unpin>,
    code: Option<CloseCode>,
) {
    match code {
        Some(code) => close(socket, code).await,
        // The answer to the other side's close frame.
        None => drop(timeout(CLOSE_TIMEOUT, socket.outgoing.flush()).await),
    }
}

/// Reads the first message.
async fn hello(
    incoming: &mut (impl Stream<Item = Result<Message, Error>> + Unpin),
    limit: &MessageLimit,
) -> Result<Hello, Option<CloseCode>> {
    loop {
        match incoming.next().await {
            Some(Ok(Message::Text(text))) => return Hello::parse(&text).map_err(|_| Some(CloseCode::BadHello)),
            Some(Ok(Message::Binary(_))) => return Err(Some(CloseCode::BadHello)),
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {}
            Some(Ok(Message::Close(_))) | None => return Err(None),
            Some(Err(error)) => return Err(code_of(&error, limit)),
        }
    }
}

/// Moves messages between the connection and the viewer. Returns the code to close with; `None` where the other side has
/// left.
async fn watch(
    socket: &mut Socket<impl Sink<Message, Error = Error> + Unpin, impl Stream<Item = Result<Message, Error>> + Unpin>,
    mut viewer: Viewer,
    limit: &MessageLimit,
    going_away: &CancellationToken,
) -> Option<CloseCode> {
    let Socket { outgoing, incoming } = socket;
    let mut pings = interval_at(Instant::now() + PING_INTERVAL, PING_INTERVAL);
    let mut writing = Writing { outgoing, is_begun: false, ping_after: None };
    if writing.begin(ping(BARE_PING)).await.is_err() {
        return None;
    }
    loop {
        // A connection on which much comes lets others work.
        consume_budget().await;
        tokio::select! {
            biased;
            () = going_away.cancelled() => return Some(CloseCode::GoingAway),
            message = incoming.next() => match hear(message, &mut viewer, limit) {
                ControlFlow::Continue(is_answered) => writing.is_begun |= is_answered,
                ControlFlow::Break(code) => return code,
            },
            flushed = writing.outgoing.flush(), if writing.is_begun => {
                if flushed.is_err() || writing.goes_on().await.is_err() {
                    return None;
                }
            }
            told = viewer.next(), if !writing.is_begun => {
                match &told {
                    Outgoing::Frame(frame, _) => viewer.sent(frame.len()),
                    Outgoing::Close(code) => return Some(*code),
                    Outgoing::Text(_) => {}
                }
                if writing.tell(told).await.is_err() {
                    return None;
                }
            }
            _ = pings.tick(), if !writing.is_begun => {
                if writing.begin(Message::Ping(Bytes::from_static(KEEP_ALIVE))).await.is_err() {
                    return None;
                }
            }
        }
    }
}

/// Has the viewer hear a message. Says whether the connection answers it by itself, or that it ends, with the code.
fn hear(
    message: Option<Result<Message, Error>>,
    viewer: &mut Viewer,
    limit: &MessageLimit,
) -> ControlFlow<Option<CloseCode>, bool> {
    match message {
        Some(Ok(Message::Text(text))) if text.len() > LIVE_MESSAGE_MAX_BYTES && !is_files(&text) => {
            return ControlFlow::Break(Some(CloseCode::TooBig));
        }
        Some(Ok(Message::Binary(bytes))) if bytes.len() > LIVE_MESSAGE_MAX_BYTES => {
            return ControlFlow::Break(Some(CloseCode::TooBig));
        }
        Some(Ok(Message::Text(text))) => viewer.hears(&text),
        Some(Ok(Message::Binary(_))) => viewer.hears_binary(),
        Some(Ok(Message::Pong(payload))) => {
            if let Ok(seq) = payload.as_ref().try_into() {
                viewer.answered(u64::from_be_bytes(seq));
            }
        }
        Some(Ok(Message::Ping(_) | Message::Frame(_))) => return ControlFlow::Continue(true),
        Some(Ok(Message::Close(_))) | None => return ControlFlow::Break(None),
        Some(Err(error)) => return ControlFlow::Break(code_of(&error, limit)),
    }
    ControlFlow::Continue(false)
}

/// The writing half of a viewer's connection. Nothing is begun before what was begun is written: so a viewer that does not
/// read holds one frame.
struct Writing<'a, O> {
    outgoing: &'a mut O,
    is_begun: bool,
    /// Follows a large frame once that is written: meanwhile the viewer is heard.
    ping_after: Option<Message>,
}

impl<O: Sink<Message, Error = Error> + Unpin> Writing<'_, O> {
    async fn begin(&mut self, message: Message) -> Result<(), Error> {
        self.outgoing.feed(message).await?;
        self.is_begun = true;
        Ok(())
    }

    /// Goes on once everything begun is written.
    async fn goes_on(&mut self) -> Result<(), Error> {
        self.is_begun = false;
        match self.ping_after.take() {
            Some(ping) => self.begin(ping).await,
            None => Ok(()),
        }
    }

    /// Begins what the viewer is told. A ping follows each frame; its answer tells that the frame has arrived.
    async fn tell(&mut self, told: Outgoing) -> Result<(), Error> {
        match told {
            Outgoing::Text(text) => self.begin(Message::Text(text.into())).await,
            Outgoing::Frame(frame, seq) if frame.len() >= BUFFERED_BYTES => {
                self.ping_after = Some(ping(seq));
                self.begin(message(frame)).await
            }
            Outgoing::Frame(frame, seq) => {
                self.begin(message(frame)).await?;
                self.begin(ping(seq)).await
            }
            Outgoing::Close(_) => Ok(()),
        }
    }
}

fn ping(seq: u64) -> Message {
    Message::Ping(Bytes::copy_from_slice(&seq.to_be_bytes()))
}

/// The code to close with after reading has failed (RFC 6455, 7.4.1); `None` where the connection is gone.
fn code_of(error: &Error, limit: &MessageLimit) -> Option<CloseCode> {
    match error {
        _ if limit.was_exceeded() => Some(CloseCode::TooBig),
        Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => None,
        Error::Protocol(_) => Some(CloseCode::ProtocolError),
        Error::Utf8(_) => Some(CloseCode::NotUtf8),
        Error::Capacity(_) => Some(CloseCode::TooBig),
        _ => None,
    }
}

fn message(frame: Packed) -> Message {
    match frame {
        Packed::Binary(bytes) => Message::Binary(bytes),
        // JSON and base64 are UTF-8.
        Packed::Text(bytes) => Message::Text(Utf8Bytes::try_from(bytes).unwrap_or_default()),
    }
}

/// Whether a large message is one that may be large.
fn is_files(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Typed<'a> {
        #[serde(borrow, rename = "type")]
        kind: std::borrow::Cow<'a, str>,
    }
    serde_json::from_str(text).is_ok_and(|Typed { kind }| kind == "files")
}

/// Closes the connection with a code, and waits for the other side to do so too.
async fn close(
    mut socket: Socket<impl Sink<Message, Error = Error> + Unpin, impl Stream<Item = Result<Message, Error>> + Unpin>,
    code: CloseCode,
) {
    let frame = CloseFrame { code: code.number().into(), reason: code.reason().into() };
    let closing = async {
        if socket.outgoing.send(Message::Close(Some(frame))).await.is_ok() {
            while let Some(Ok(_)) = socket.incoming.next().await {}
        }
    };
    drop(timeout(CLOSE_TIMEOUT, closing).await);
}
