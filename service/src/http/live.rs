//! `GET /live`: a viewer's WebSocket. One loop moves messages between the connection and the session's viewer, and ends
//! with a close code.

use std::time::Duration;

use axum::extract::{FromRequestParts as _, Request, State};
use axum::response::Response;
use bytes::Bytes;
use futures_util::{Sink, SinkExt as _, Stream, StreamExt as _};
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use porthole_contract::limits::{LIVE_FILES_MESSAGE_MAX_BYTES, LIVE_HELLO_TIMEOUT, LIVE_MESSAGE_MAX_BYTES};
use porthole_contract::live::{CloseCode, Hello, LIVE_PROTOCOL};
use porthole_daemon::answer::Refused;
use porthole_daemon::listen::UpgradePermit;
use porthole_daemon::websocket::{self, Gate, MessageLimit};
use serde::Deserialize;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, interval_at, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::protocol::frame::Utf8Bytes;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_util::sync::CancellationToken;

use super::Routes;
use crate::session::{BARE_PING, Packed, Sessions, Told, Viewer};

/// Between two pings to a viewer that is sent nothing: the worker closes a connection without a byte for 5 minutes.
const PING_INTERVAL: Duration = Duration::from_secs(30);
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
        let limit = MessageLimit::new(LIVE_MESSAGE_MAX_BYTES);
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
    // What is being written. Nothing else is begun before: so a viewer that does not read holds one frame.
    let bare = Message::Ping(Bytes::copy_from_slice(&BARE_PING.to_be_bytes()));
    if outgoing.feed(bare).await.is_err() {
        return None;
    }
    let mut is_writing = true;
    // Follows a large frame once that is written: meanwhile the viewer is heard.
    let mut ping_after = None;
    loop {
        tokio::select! {
            biased;
            () = going_away.cancelled() => return Some(CloseCode::GoingAway),
            message = incoming.next() => match message {
                Some(Ok(Message::Text(text))) => {
                    if text.len() > LIVE_MESSAGE_MAX_BYTES && !is_files(&text) {
                        return Some(CloseCode::TooBig);
                    }
                    viewer.hears(&text);
                }
                Some(Ok(Message::Binary(bytes))) if bytes.len() > LIVE_MESSAGE_MAX_BYTES => return Some(CloseCode::TooBig),
                Some(Ok(Message::Binary(_))) => viewer.hears_binary(),
                Some(Ok(Message::Pong(payload))) => {
                    if let Ok(seq) = payload.as_ref().try_into() {
                        viewer.answered(u64::from_be_bytes(seq));
                    }
                }
                Some(Ok(Message::Ping(_) | Message::Frame(_))) => is_writing = true,
                Some(Ok(Message::Close(_))) | None => return None,
                Some(Err(error)) => return code_of(&error, limit),
            },
            written = outgoing.flush(), if is_writing => {
                if written.is_err() {
                    return None;
                }
                is_writing = ping_after.is_some();
                if let Some(ping) = ping_after.take()
                    && outgoing.feed(ping).await.is_err()
                {
                    return None;
                }
            }
            told = viewer.next(), if !is_writing => {
                let fed = match told {
                    Told::Text(text) => outgoing.feed(Message::Text(text.into())).await,
                    Told::Frame(frame, seq) => {
                        viewer.sent(frame.len());
                        // Its answer tells that the frame has arrived.
                        let ping = Message::Ping(Bytes::copy_from_slice(&seq.to_be_bytes()));
                        if frame.len() >= BUFFERED_BYTES {
                            ping_after = Some(ping);
                            outgoing.feed(message(frame)).await
                        } else {
                            match outgoing.feed(message(frame)).await {
                                Ok(()) => outgoing.feed(ping).await,
                                failed => failed,
                            }
                        }
                    }
                    Told::Close(code) => return Some(code),
                };
                if fed.is_err() {
                    return None;
                }
                is_writing = true;
            }
            _ = pings.tick(), if !is_writing => {
                if outgoing.feed(Message::Ping(Bytes::from_static(KEEP_ALIVE))).await.is_err() {
                    return None;
                }
                is_writing = true;
            }
        }
    }
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
