//! The WebSocket's opening handshake, on the server's side of an HTTP/1 request.

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use http::{HeaderValue, Method, StatusCode, header};
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::Role;

use super::cut::Cut;
use crate::browser::websocket;

/// The only version of the protocol. RFC 6455.
const VERSION: &str = "13";

/// A client's socket.
pub(super) type ClientSocket = WebSocketStream<Cut<TokioIo<Upgraded>>>;

/// A WebSocket upgrade request that has not been answered yet.
pub(crate) struct Upgrade {
    upgraded: OnUpgrade,
    accept: HeaderValue,
}

/// Reads a request's WebSocket upgrade; `None` if it asks for none.
pub(crate) fn upgrade(request: &mut Request) -> Option<Upgrade> {
    let headers = request.headers();
    let names = |name: header::HeaderName, token: &str| {
        let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
        values.flat_map(|value| value.split(',')).any(|word| word.trim().eq_ignore_ascii_case(token))
    };
    let key = headers.get(header::SEC_WEBSOCKET_KEY)?;
    let is_asked = request.method() == Method::GET
        && names(header::CONNECTION, "upgrade")
        && names(header::UPGRADE, "websocket")
        && headers.get(header::SEC_WEBSOCKET_VERSION).is_some_and(|version| version == VERSION);
    if !is_asked {
        return None;
    }
    let accept = HeaderValue::from_str(&derive_accept_key(key.as_bytes())).ok()?;
    Some(Upgrade { upgraded: hyper::upgrade::on(request), accept })
}

impl Upgrade {
    /// Returns the 101 answer that grants the upgrade.
    pub(crate) fn granted(&self) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        let headers = response.headers_mut();
        headers.insert(header::CONNECTION, HeaderValue::from_static("Upgrade"));
        headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(header::SEC_WEBSOCKET_ACCEPT, self.accept.clone());
        response
    }

    /// Waits until that answer is sent and returns the socket, which breaks off after `bytes_max` bytes sent. `None` if
    /// the client has left.
    pub(super) async fn socket(self, bytes_max: Option<u64>) -> Option<ClientSocket> {
        match self.upgraded.await {
            Ok(upgraded) => {
                let stream = Cut::new(TokioIo::new(upgraded), bytes_max);
                Some(WebSocketStream::from_raw_socket(stream, Role::Server, Some(websocket())).await)
            }
            Err(error) => {
                tracing::debug!(%error, "a client left before its WebSocket was open");
                None
            }
        }
    }
}
