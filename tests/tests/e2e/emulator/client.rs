//! The tests' client of the emulator: requests about sessions, and a bare DevTools socket.

use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use http::Method;
use porthole_tests::Emulator;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{Connector, MaybeTlsStream, WebSocketStream};

/// Limit for any wait of these tests, generous enough for a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Creates a session with these fields, and the project's id.
pub(crate) async fn create(emulator: &Emulator, fields: Value) -> Value {
    let (status, session) = try_create(emulator, fields).await;
    assert_eq!(status, 201, "{session}");
    session
}

pub(crate) async fn try_create(emulator: &Emulator, fields: Value) -> (u16, Value) {
    let mut body = json!({"projectId": emulator.project_id()});
    body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    emulator.call(Method::POST, "/v1/sessions", Some(&body)).await
}

pub(crate) async fn release(emulator: &Emulator, session: &Value) -> (u16, Value) {
    let body = json!({"projectId": emulator.project_id(), "status": "REQUEST_RELEASE"});
    emulator.call(Method::POST, &path(session), Some(&body)).await
}

pub(crate) async fn status(emulator: &Emulator, session: &Value) -> String {
    let (_, session) = emulator.call(Method::GET, &path(session), None).await;
    session["status"].as_str().unwrap().to_owned()
}

pub(crate) fn path(session: &Value) -> String {
    format!("/v1/sessions/{}", session["id"].as_str().unwrap())
}

/// A DevTools socket to a browser.
pub(crate) struct Socket {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    last_id: u64,
}

/// Opens a session's connect URL.
pub(crate) async fn connect(session: &Value) -> Socket {
    try_connect(session["connectUrl"].as_str().unwrap(), None).await.unwrap()
}

pub(crate) async fn try_connect(
    request: impl IntoClientRequest + Unpin,
    tls: Option<Connector>,
) -> Result<Socket, Error> {
    let connecting = tokio_tungstenite::connect_async_tls_with_config(request, None, true, tls);
    let (socket, _) = timeout(PATIENCE, connecting).await.expect("an answer to the upgrade")?;
    Ok(Socket { socket, last_id: 0 })
}

impl Socket {
    /// Calls a method and returns its result.
    pub(crate) async fn call(&mut self, method: &str, params: Value) -> Value {
        self.try_call(method, params).await.unwrap()
    }

    /// Calls a method whose answer the end of the socket may prevent.
    pub(crate) async fn try_call(&mut self, method: &str, params: Value) -> Result<Value, Error> {
        let id = self.send(method, params).await?;
        Ok(self.answer(id).await?["result"].clone())
    }

    /// Calls a method, on a target session if one is named, and returns its whole answer.
    pub(crate) async fn ask(&mut self, session: Option<&str>, method: &str, params: Value) -> Value {
        self.last_id += 1;
        let mut call = json!({"id": self.last_id, "method": method, "params": params});
        if let Some(session) = session {
            call["sessionId"] = session.into();
        }
        self.socket.send(Message::text(call.to_string())).await.unwrap();
        let answer = self.answer(self.last_id).await.unwrap();
        assert_eq!(answer.get("sessionId").and_then(Value::as_str), session, "{answer}");
        answer
    }

    /// Waits for the answer to a call.
    async fn answer(&mut self, id: u64) -> Result<Value, Error> {
        loop {
            let message = self.next().await?;
            let message: Value = serde_json::from_str(&message).expect("JSON from the browser");
            if message["id"] == id {
                return Ok(message);
            }
        }
    }

    /// Sends a call without waiting for its answer.
    pub(crate) async fn send(&mut self, method: &str, params: Value) -> Result<u64, Error> {
        self.last_id += 1;
        let call = json!({"id": self.last_id, "method": method, "params": params});
        self.socket.send(Message::text(call.to_string())).await?;
        Ok(self.last_id)
    }

    /// Waits for the next text message; an end of any kind is an error.
    pub(crate) async fn next(&mut self) -> Result<String, Error> {
        loop {
            match timeout(PATIENCE, self.socket.next()).await.expect("a message, or an end") {
                Some(Ok(Message::Text(text))) => return Ok(text.to_string()),
                Some(Ok(Message::Close(_))) | None => return Err(Error::ConnectionClosed),
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(error),
            }
        }
    }

    pub(crate) async fn ping(&mut self) {
        self.socket.send(Message::Ping("are you there".into())).await.unwrap();
    }

    /// Waits for the answer to a ping, which must be the next message.
    pub(crate) async fn expect_pong(&mut self) {
        let next = timeout(PATIENCE, self.socket.next()).await.expect("an answer to the ping");
        assert!(matches!(next, Some(Ok(Message::Pong(_)))), "{next:?}");
    }

    /// Whether no message arrives within this time.
    pub(crate) async fn is_silent_for(&mut self, time: Duration) -> bool {
        timeout(time, self.socket.next()).await.is_err()
    }

    /// Waits for the end of the socket and returns its close code, if there was one.
    pub(crate) async fn ended(&mut self) -> Option<u16> {
        let ended = async {
            loop {
                match self.socket.next().await {
                    Some(Ok(Message::Close(frame))) => return frame.map(|frame| frame.code.into()),
                    Some(Ok(_)) => {}
                    Some(Err(_)) | None => return None,
                }
            }
        };
        timeout(PATIENCE, ended).await.expect("the socket ends")
    }

    /// Closes the socket with a close handshake.
    pub(crate) async fn close(mut self) {
        self.socket.close(None).await.unwrap();
        self.ended().await;
    }
}
