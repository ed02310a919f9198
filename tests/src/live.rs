//! A viewer that knows only the live view's wire: a WebSocket client over the worker.

use std::net::SocketAddr;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use futures_util::{SinkExt as _, StreamExt as _};
use http::{HeaderValue, StatusCode, header};
use porthole_contract::live::{FrameHeader, split_binary_frame};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::agent::Agent;
use crate::picture::Picture;

/// The time limit for whatever a viewer waits for.
const WITHIN: Duration = Duration::from_secs(20);
/// The WebSocket's path at the worker.
const PATH: &str = "/api/sandbox/live";

/// A viewer.
pub struct LiveViewer {
    socket: WebSocketStream<TcpStream>,
    frames: String,
    /// Every JSON message so far, frames left out.
    pub messages: Vec<Value>,
}

/// What a viewer is told.
#[derive(Debug)]
pub enum Heard {
    /// A JSON message that is no frame.
    Message(Value),
    /// A frame, with a zeroed header in raw mode.
    Frame(Frame),
    /// The connection was closed with this code; 1006 if it just ended.
    Closed(u16),
}

/// A frame.
#[derive(Clone, Debug)]
pub struct Frame {
    /// What is told of it.
    pub header: FrameHeader,
    /// Its JPEG.
    pub jpeg: Vec<u8>,
}

impl Frame {
    /// How coarse its JPEG is: the sum of its first quantisation table (ITU-T T.81, B.2.4.1). The lower its quality, the
    /// coarser it is.
    ///
    /// # Panics
    /// When it has no such table.
    #[must_use]
    pub fn coarseness(&self) -> u32 {
        let marker = self.jpeg.windows(2).position(|two| two == [0xff, 0xdb]).expect("a quantisation table");
        // After the marker: two bytes of length, one of precision and number.
        self.jpeg[marker + 5..marker + 69].iter().map(|entry| u32::from(*entry)).sum()
    }

    /// Decodes the picture.
    #[must_use]
    pub fn picture(&self) -> Picture {
        Picture::decode(&self.jpeg)
    }
}

/// Returns a WebSocket frame with this first byte, masked with zeros, which leave the payload as it is.
///
/// # Panics
/// With a payload of more than 125 bytes.
#[must_use]
pub fn masked_frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let length = u8::try_from(payload.len()).ok().filter(|length| *length < 126).expect("a short payload");
    let mut frame = vec![first, 0x80 | length, 0, 0, 0, 0];
    frame.extend(payload);
    frame
}

/// Asks for a ticket.
///
/// # Panics
/// When that fails.
pub async fn ticket(agent: &Agent, role: &str) -> String {
    let answer = agent.does("viewer", json!({"role": role})).await;
    answer["ticket"].as_str().expect("a ticket").to_owned()
}

impl LiveViewer {
    /// Connects to a worker without a word.
    ///
    /// # Errors
    /// The status of a handshake that is refused.
    ///
    /// # Panics
    /// When there is no answer.
    pub async fn connect(worker: SocketAddr, origin: Option<&str>) -> Result<Self, StatusCode> {
        let mut request = format!("ws://{worker}{PATH}").into_client_request().expect("a URL");
        let headers = request.headers_mut();
        headers.insert(header::SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static("porthole.live.v1"));
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, HeaderValue::from_str(origin).expect("an origin"));
        }
        let stream = TcpStream::connect(worker).await.expect("the worker listens");
        match tokio::time::timeout(WITHIN, client_async(request, stream)).await.expect("an answer") {
            Ok((socket, answer)) => {
                assert_eq!(answer.headers()[header::SEC_WEBSOCKET_PROTOCOL], "porthole.live.v1");
                Ok(Self { socket, frames: "binary".to_owned(), messages: Vec::new() })
            }
            Err(Error::Http(answer)) => Err(answer.status()),
            Err(error) => panic!("no handshake: {error}"),
        }
    }

    /// Connects and says hello with this ticket and these fields.
    ///
    /// # Panics
    /// When the handshake fails.
    pub async fn with_ticket(worker: SocketAddr, ticket: &str, mut fields: Value) -> Self {
        let mut viewer = Self::connect(worker, None).await.expect("a handshake");
        fields["type"] = json!("hello");
        fields["ticket"] = json!(ticket);
        viewer.frames = fields["frames"].as_str().unwrap_or("binary").to_owned();
        viewer.says(fields).await;
        viewer
    }

    /// Watches an agent's session in this role.
    ///
    /// # Panics
    /// When that fails.
    pub async fn of(agent: &Agent, role: &str, fields: Value) -> Self {
        let worker = agent.caller.base.trim_start_matches("http://").split('/').next().expect("an address");
        Self::with_ticket(worker.parse().expect("an address"), &ticket(agent, role).await, fields).await
    }

    /// Sends a message.
    pub async fn says(&mut self, message: Value) {
        self.sends(message.to_string()).await;
    }

    /// Sends this text.
    pub async fn sends(&mut self, text: String) {
        // Where the server has closed, what it closed with is what counts.
        let _ = self.socket.send(Message::text(text)).await;
    }

    /// Sends bytes.
    pub async fn sends_binary(&mut self, bytes: Vec<u8>) {
        let _ = self.socket.send(Message::binary(bytes)).await;
    }

    /// Sends these bytes past the WebSocket, which frames them itself otherwise.
    pub async fn sends_raw(&mut self, bytes: &[u8]) {
        let _ = self.socket.get_mut().write_all(bytes).await;
    }

    /// What comes next.
    ///
    /// # Panics
    /// When nothing comes, or what is none of the protocol's.
    pub async fn next(&mut self) -> Heard {
        let heard = tokio::time::timeout(WITHIN, self.hears()).await;
        heard.unwrap_or_else(|_| panic!("nothing came after {:#?}", self.messages))
    }

    async fn hears(&mut self) -> Heard {
        loop {
            let message = match self.socket.next().await {
                Some(Ok(message)) => message,
                Some(Err(_)) | None => return Heard::Closed(1006),
            };
            match message {
                Message::Binary(bytes) => {
                    assert_eq!(self.frames, "binary");
                    let (header, jpeg) = split_binary_frame(&bytes).expect("a frame");
                    return Heard::Frame(Frame { header, jpeg: jpeg.to_vec() });
                }
                Message::Text(text) if self.frames == "raw" && !text.starts_with('{') => {
                    let jpeg = BASE64_STANDARD.decode(text.as_bytes()).expect("base64");
                    return Heard::Frame(Frame { header: FrameHeader::default(), jpeg });
                }
                Message::Text(text) => {
                    let message: Value = serde_json::from_str(&text).expect("JSON");
                    if message["type"] == "frame" {
                        let data = message["data"].as_str().expect("base64");
                        let jpeg = BASE64_STANDARD.decode(data).expect("base64");
                        let header = serde_json::from_value(message).expect("a header");
                        return Heard::Frame(Frame { header, jpeg });
                    }
                    self.messages.push(message.clone());
                    return Heard::Message(message);
                }
                Message::Close(frame) => return Heard::Closed(frame.map_or(1005, |frame| frame.code.into())),
                Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
            }
        }
    }

    /// Waits for a message of this type, or one that came already and was not yet waited for.
    ///
    /// # Panics
    /// When the connection is closed before.
    pub async fn message(&mut self, kind: &str) -> Value {
        self.message_that(kind, |_| true).await
    }

    /// Waits for a message of this type that fits.
    ///
    /// # Panics
    /// When the connection is closed before.
    pub async fn message_that(&mut self, kind: &str, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            match self.next().await {
                Heard::Message(message) if message["type"] == kind && fits(&message) => return message,
                Heard::Closed(code) => panic!("closed with {code} before {kind}: {:#?}", self.messages),
                Heard::Message(_) | Heard::Frame(_) => {}
            }
        }
    }

    /// Waits for the next frame.
    ///
    /// # Panics
    /// When the connection is closed before.
    pub async fn frame(&mut self) -> Frame {
        self.frame_that(|_| true).await
    }

    /// Waits for a frame that fits.
    ///
    /// # Panics
    /// When the connection is closed before.
    pub async fn frame_that(&mut self, fits: impl Fn(&Frame) -> bool) -> Frame {
        loop {
            match self.next().await {
                Heard::Frame(frame) if fits(&frame) => return frame,
                Heard::Closed(code) => panic!("closed with {code} before a frame: {:#?}", self.messages),
                Heard::Message(_) | Heard::Frame(_) => {}
            }
        }
    }

    /// Waits for a frame with this colour, about, at a pixel of its own.
    ///
    /// # Panics
    /// When the connection is closed before.
    pub async fn shows(&mut self, x: u32, y: u32, colour: [u8; 3]) -> Frame {
        self.frame_that(|frame| {
            let picture = frame.picture();
            // On a slow machine frames are smaller for a while.
            let (width, height) = picture.size();
            if x >= width || y >= height {
                return false;
            }
            let seen = picture.at(x, y);
            seen.iter().zip(colour).all(|(seen, wanted)| seen.abs_diff(wanted) <= 24)
        })
        .await
    }

    /// Waits until the connection is closed, and returns the code.
    ///
    /// # Panics
    /// When it stays open.
    pub async fn closed(&mut self) -> u16 {
        loop {
            if let Heard::Closed(code) = self.next().await {
                return code;
            }
        }
    }

    /// Sends a ping and waits for its pong: all that was said before has been heard.
    ///
    /// # Panics
    /// When the connection is closed before.
    pub async fn is_heard(&mut self) {
        let id = fastrand::u32(..);
        self.says(json!({"type": "ping", "id": id})).await;
        self.message_that("pong", |pong| pong["id"] == id).await;
    }
}
