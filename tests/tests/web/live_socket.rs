//! A scripted end of the live view's WebSocket, with real JPEG frames: the page under test says what it sends.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, WebSocket};
use image::codecs::jpeg::JpegEncoder;
use image::{Rgb, RgbImage};
use porthole_contract::live::{FrameHeader, binary_frame};
use serde_json::{Value, json};
use tokio::sync::broadcast;

/// What every open socket does next.
#[derive(Clone, Debug)]
enum Order {
    Send(Message),
    Close(u16),
}

/// All sockets of one page.
pub(crate) struct LiveSocket {
    orders: broadcast::Sender<Order>,
    received: Mutex<Vec<Value>>,
    opened: Mutex<u64>,
    /// Whether pings get no answer.
    mute: AtomicBool,
}

impl LiveSocket {
    pub(crate) fn new() -> Self {
        let orders = broadcast::channel(256).0;
        Self { orders, received: Mutex::default(), opened: Mutex::default(), mute: AtomicBool::default() }
    }

    /// Keeps a socket: notes what comes, sends what is ordered.
    pub(crate) async fn keep(&self, mut socket: WebSocket) {
        let mut orders = self.orders.subscribe();
        *self.opened.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        loop {
            tokio::select! {
                message = socket.recv() => match message {
                    Some(Ok(Message::Text(text))) => self.note(&text, &mut socket).await,
                    Some(Ok(_)) => {}
                    Some(Err(_)) | None => return,
                },
                order = orders.recv() => match order {
                    Ok(Order::Send(message)) => drop(socket.send(message).await),
                    Ok(Order::Close(code)) => {
                        let _ = socket.send(Message::Close(Some(CloseFrame { code, reason: "".into() }))).await;
                        return;
                    }
                    Err(_) => return,
                },
            }
        }
    }

    async fn note(&self, text: &str, socket: &mut WebSocket) {
        let message: Value = serde_json::from_str(text).unwrap_or_else(|_| json!({"malformed": text}));
        if message["type"] == "ping" {
            if self.mute.load(Ordering::Relaxed) {
                return;
            }
            let pong = json!({"type": "pong", "id": message["id"]}).to_string();
            let _ = socket.send(Message::text(pong)).await;
            return;
        }
        self.received.lock().unwrap_or_else(PoisonError::into_inner).push(message);
    }

    /// Does what the page says: `send` messages, a `frame`, `close` with a code, `mute` pongs, `forget` what came and
    /// answer pings again. Answers what came since, and how many sockets were opened.
    pub(crate) fn does(&self, order: &Value) -> Value {
        for message in order["send"].as_array().into_iter().flatten() {
            let _ = self.orders.send(Order::Send(Message::text(message.to_string())));
        }
        if order["frame"].is_object() {
            let _ = self.orders.send(Order::Send(Message::Binary(frame(&order["frame"]))));
        }
        if let Some(code) = order["close"].as_u64() {
            let _ = self.orders.send(Order::Close(code.try_into().unwrap()));
        }
        if order["mute"] == true || order["forget"] == true {
            self.mute.store(order["mute"] == true, Ordering::Relaxed);
        }
        let mut received = self.received.lock().unwrap_or_else(PoisonError::into_inner);
        if order["forget"] == true {
            received.clear();
            *self.opened.lock().unwrap_or_else(PoisonError::into_inner) = 0;
        }
        json!({"received": *received, "opened": *self.opened.lock().unwrap_or_else(PoisonError::into_inner)})
    }
}

/// A picture whose quarters have colours of their own, around the one that is asked for.
fn frame(asked: &Value) -> Bytes {
    let number = |name: &str| u32::try_from(asked[name].as_u64().unwrap()).unwrap();
    let (width, height) = (number("width"), number("height"));
    let colour = |at: usize| u8::try_from(asked["colour"][at].as_u64().unwrap_or(128)).unwrap();
    let middle = Rgb([colour(0), colour(1), colour(2)]);
    let corners = [Rgb([220, 40, 40]), Rgb([40, 160, 60]), Rgb([40, 80, 220]), Rgb([230, 190, 40])];
    let picture = RgbImage::from_fn(width, height, |x, y| {
        let (left, top) = (x < width / 8, y < height / 8);
        let (right, bottom) = (x >= width - width / 8, y >= height - height / 8);
        match (left, right, top, bottom) {
            (true, _, true, _) => corners[0],
            (_, true, true, _) => corners[1],
            (true, _, _, true) => corners[2],
            (_, true, _, true) => corners[3],
            _ => middle,
        }
    });
    let mut jpeg = Vec::new();
    JpegEncoder::new_with_quality(&mut jpeg, 90).encode_image(&picture).unwrap();
    let header = json!({"seq": asked["seq"], "width": width, "height": height, "timestamp_ms": 0, "scroll_x": 0.0,
        "scroll_y": 0.0, "page_scale_factor": 1.0});
    let header: FrameHeader = serde_json::from_value(header).unwrap();
    binary_frame(&header, &jpeg).into()
}
