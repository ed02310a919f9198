//! The transport of a remote browser: a WebSocket, plain or over TLS (rustls).

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use secrecy::{ExposeSecret as _, SecretString};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{Instant, Interval, MissedTickBehavior};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error as WsError, Message};
use tokio_tungstenite::{Connector, MaybeTlsStream, WebSocketStream};

use super::MESSAGE_MAX_BYTES;
use super::bounds::Meter;
use super::connection::Connection;
use super::error::CdpError;
use super::transport::{Ending, Incoming, Receiver, Sender};

/// Options of a WebSocket.
#[derive(Clone)]
pub struct WebSocketOptions {
    /// The largest message accepted, in bytes.
    pub message_max_bytes: usize,
    /// The interval of pings. A connection on which nothing arrives for three intervals is dead.
    pub ping_every: Duration,
    /// The TLS configuration for `wss`; if `None`, the system's roots are trusted.
    pub tls: Option<Arc<rustls::ClientConfig>>,
}

impl Default for WebSocketOptions {
    fn default() -> Self {
        Self { message_max_bytes: MESSAGE_MAX_BYTES, ping_every: Duration::from_secs(5), tls: None }
    }
}

/// Ping intervals without any message after which a connection is dead.
const SILENT_PINGS_MAX: u32 = 3;

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Connects to a browser's endpoint. The URL is a secret: it often carries a signing key.
///
/// # Errors
/// [`CdpError::Connect`], with a reason that never holds the URL.
pub async fn connect(url: &SecretString, options: WebSocketOptions) -> Result<Connection, CdpError> {
    let config = WebSocketConfig::default()
        .max_message_size(Some(options.message_max_bytes))
        .max_frame_size(Some(options.message_max_bytes));
    let connector = options.tls.map(Connector::Rustls);
    let (socket, _) =
        tokio_tungstenite::connect_async_tls_with_config(url.expose_secret(), Some(config), true, connector)
            .await
            .map_err(|error| CdpError::Connect(reason(&error)))?;
    let (sink, stream) = socket.split();
    let (received, last_received) = watch::channel(Instant::now());
    let mut pings = tokio::time::interval(options.ping_every);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let sender = WebSocketSender { sink, last_received, pings };
    // The connection serves one lease, so a page can flood only its own: no bounds but the size cap of a message.
    Ok(Connection::start(sender, WebSocketReceiver { stream, received }, None, Meter::default()))
}

/// Describes an error by its kind, without its own text: that may quote headers and URLs, which hold secrets.
fn reason(error: &WsError) -> Ending {
    match error {
        WsError::ConnectionClosed | WsError::AlreadyClosed => "closed".into(),
        WsError::Io(error) => error.kind().to_string().into(),
        WsError::Tls(_) => "the TLS handshake failed".into(),
        WsError::Capacity(_) => "a message is over the size cap".into(),
        WsError::Protocol(_) => "the WebSocket protocol was broken".into(),
        WsError::Utf8(_) => "a text message is not UTF-8".into(),
        WsError::Url(_) => "the endpoint's URL can't be used".into(),
        WsError::Http(answer) => format!("the handshake was refused with status {}", answer.status().as_u16()).into(),
        _ => "the WebSocket failed".into(),
    }
}

struct WebSocketSender {
    sink: SplitSink<Socket, Message>,
    last_received: watch::Receiver<Instant>,
    pings: Interval,
}

impl Sender for WebSocketSender {
    async fn send(&mut self, messages: impl Iterator<Item = Vec<u8>> + Send) -> Result<(), Ending> {
        for message in messages {
            let text = String::from_utf8(message).map_err(|_| "a message to the browser is not UTF-8")?;
            self.sink.feed(Message::text(text)).await.map_err(|error| reason(&error))?;
        }
        self.sink.flush().await.map_err(|error| reason(&error))
    }

    async fn keep_alive(&mut self) -> Result<(), Ending> {
        loop {
            // Each message sent cancels this future; the interval keeps its schedule.
            self.pings.tick().await;
            if self.last_received.borrow().elapsed() > self.pings.period() * SILENT_PINGS_MAX {
                return Err("the browser sent nothing, not even an answer to a ping".into());
            }
            self.sink.send(Message::Ping(Bytes::new())).await.map_err(|error| reason(&error))?;
        }
    }
}

struct WebSocketReceiver {
    stream: SplitStream<Socket>,
    received: watch::Sender<Instant>,
}

impl Receiver for WebSocketReceiver {
    async fn receive(&mut self) -> Result<Incoming, Ending> {
        loop {
            let message = match self.stream.next().await {
                Some(Ok(message)) => message,
                Some(Err(error)) => return Err(reason(&error)),
                None => return Err("the browser closed the WebSocket".into()),
            };
            self.received.send_replace(Instant::now());
            match message {
                Message::Text(text) => return Ok(Incoming::Whole(text.into())),
                Message::Binary(bytes) => return Ok(Incoming::Whole(bytes)),
                Message::Close(Some(frame)) => {
                    return Err(format!("the browser closed the WebSocket with code {}", u16::from(frame.code)).into());
                }
                Message::Close(None) => return Err("the browser closed the WebSocket".into()),
                Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
            }
        }
    }
}
