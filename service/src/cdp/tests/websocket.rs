//! The WebSocket transport: plain, over TLS, silent, with a message over the size cap, refused.

use std::sync::Arc;
use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::browser::GetVersionParams;
use futures_util::{SinkExt as _, StreamExt as _};
use secrecy::SecretString;
use serde_json::json;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

use super::scripted::PATIENCE;
use crate::cdp::{CdpError, WebSocketOptions, connect_websocket};

async fn answer_one<S: AsyncRead + AsyncWrite + Unpin>(socket: &mut WebSocketStream<S>) {
    let Message::Text(call) = socket.next().await.unwrap().unwrap() else { panic!("not a text message") };
    let call: serde_json::Value = serde_json::from_str(&call).unwrap();
    let version =
        json!({"protocolVersion": "1.3", "product": "Scripted/1", "revision": "", "userAgent": "", "jsVersion": ""});
    socket.send(Message::text(json!({"id": call["id"], "result": version}).to_string())).await.unwrap();
}

fn secret(url: String) -> SecretString {
    url.into()
}

#[tokio::test]
async fn a_plain_websocket_carries_calls_and_its_end_is_noticed_at_once() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = secret(format!("ws://{}/?signingKey=hush", listener.local_addr().unwrap()));
    let server = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut socket = tokio_tungstenite::accept_async(stream).await.unwrap();
        answer_one(&mut socket).await;
        socket.close(None).await.unwrap();
    });
    let connection = connect_websocket(&url, WebSocketOptions::default()).await.unwrap();
    let version = timeout(PATIENCE, connection.browser().call(&GetVersionParams::default())).await.unwrap().unwrap();
    assert_eq!(version.product, "Scripted/1");
    timeout(PATIENCE, connection.closed()).await.unwrap();
    server.await.unwrap();
}

#[tokio::test]
async fn wss_is_trusted_only_with_the_right_root() {
    let certificate = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = rustls::pki_types::PrivateKeyDer::try_from(certificate.signing_key.serialize_der()).unwrap();
    let chain = vec![certificate.cert.der().clone()];
    let server_config = rustls::ServerConfig::builder().with_no_client_auth().with_single_cert(chain, key).unwrap();
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(server_config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = tokio::spawn(async move {
        let (untrusting, _) = listener.accept().await.unwrap();
        assert!(acceptor.accept(untrusting).await.is_err(), "the client must refuse an unknown root");
        let (trusting, _) = listener.accept().await.unwrap();
        let stream = acceptor.accept(trusting).await.unwrap();
        answer_one(&mut tokio_tungstenite::accept_async(stream).await.unwrap()).await;
    });
    let url = secret(format!("wss://localhost:{port}/?signingKey=hush"));
    let refused = connect_websocket(&url, WebSocketOptions::default()).await.unwrap_err();
    assert!(matches!(refused, CdpError::Connect(_)));
    assert!(!format!("{refused} {refused:?}").contains("hush"));

    let mut roots = rustls::RootCertStore::empty();
    roots.add(certificate.cert.der().clone()).unwrap();
    let tls = rustls::ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    let options = WebSocketOptions { tls: Some(Arc::new(tls)), ..WebSocketOptions::default() };
    let connection = connect_websocket(&url, options).await.unwrap();
    assert!(timeout(PATIENCE, connection.browser().call(&GetVersionParams::default())).await.unwrap().is_ok());
    server.await.unwrap();
}

#[tokio::test]
async fn a_connection_without_pongs_is_closed() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = secret(format!("ws://{}/", listener.local_addr().unwrap()));
    let server = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        // The socket stays open and is never read, so it sends no pong.
        let socket = tokio_tungstenite::accept_async(stream).await.unwrap();
        std::future::pending::<()>().await;
        drop(socket);
    });
    let options = WebSocketOptions { ping_every: Duration::from_millis(20), ..WebSocketOptions::default() };
    let connection = connect_websocket(&url, options).await.unwrap();
    let call = connection.browser().call(&GetVersionParams::default());
    assert!(matches!(timeout(PATIENCE, call).await.unwrap(), Err(CdpError::Closed(_))));
    server.abort();
}

#[tokio::test]
async fn a_message_over_the_cap_ends_the_websocket() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = secret(format!("ws://{}/", listener.local_addr().unwrap()));
    let server = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut socket = tokio_tungstenite::accept_async(stream).await.unwrap();
        drop(socket.send(Message::text("x".repeat(100_000))).await);
        while socket.next().await.is_some_and(|message| message.is_ok()) {}
    });
    let options = WebSocketOptions { message_max_bytes: 10_000, ..WebSocketOptions::default() };
    let connection = connect_websocket(&url, options).await.unwrap();
    assert!(timeout(PATIENCE, connection.closed()).await.unwrap().contains("size cap"));
    drop(connection);
    server.await.unwrap();
}

#[tokio::test]
async fn a_refused_handshake_reports_its_status_and_no_secret() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = secret(format!("ws://{}/?signingKey=hush", listener.local_addr().unwrap()));
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = [0; 4096];
        assert!(stream.read(&mut request).await.unwrap() > 0);
        stream.write_all(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 4\r\n\r\nhush").await.unwrap();
    });
    let error = connect_websocket(&url, WebSocketOptions::default()).await.unwrap_err();
    assert_eq!(error, CdpError::Connect("the handshake was refused with status 403".into()));
    server.await.unwrap();
}
