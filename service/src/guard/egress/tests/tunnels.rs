//! `CONNECT` and WebSockets.

use futures_util::{SinkExt as _, StreamExt as _};
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio_rustls::{TlsAcceptor, TlsConnector};
use tokio_tungstenite::tungstenite::Message;

use super::*;

#[tokio::test]
async fn tls_goes_through_a_tunnel_to_the_name_that_was_asked_for() {
    let made = rcgen::generate_simple_self_signed(["site.example".to_owned()]).unwrap();
    let certificate = made.cert.der().clone();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let config =
        ServerConfig::builder().with_no_client_auth().with_single_cert(vec![certificate.clone()], key).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let mut stream = acceptor.accept(listener.accept().await.unwrap().0).await.unwrap();
        let mut word = [0; 4];
        stream.read_exact(&mut word).await.unwrap();
        stream.write_all(&word).await.unwrap();
        stream.shutdown().await.unwrap();
    });
    let egress = open_default().await;
    let (caller, answer) = connect(&egress, &format!("site.example:{port}")).await;
    assert_eq!(answer, "HTTP/1.1 200 OK\r\n\r\n");
    let mut roots = RootCertStore::empty();
    roots.add(certificate).unwrap();
    let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    let name = ServerName::try_from("site.example").unwrap();
    let mut stream = TlsConnector::from(Arc::new(config)).connect(name, caller.0).await.unwrap();
    stream.write_all(b"ping").await.unwrap();
    let mut received = Vec::new();
    stream.read_to_end(&mut received).await.unwrap();
    assert_eq!(received, b"ping");
}

#[tokio::test]
async fn a_websocket_goes_through_a_tunnel_and_through_an_upgrade() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            tokio::spawn(async move {
                let mut socket = tokio_tungstenite::accept_async(stream).await.unwrap();
                while let Some(Ok(message)) = socket.next().await {
                    drop(socket.send(message).await);
                }
            });
        }
    });
    let egress = open_default().await;
    let (tunnel, answer) = connect(&egress, &format!("site.example:{port}")).await;
    assert_eq!(answer, "HTTP/1.1 200 OK\r\n\r\n");
    let url = format!("ws://site.example:{port}/");
    let (mut socket, _) = tokio_tungstenite::client_async(url, tunnel.0).await.unwrap();
    socket.send(Message::text("through a tunnel")).await.unwrap();
    assert_eq!(socket.next().await.unwrap().unwrap(), Message::text("through a tunnel"));

    let mut caller = Caller::to(&egress).await;
    let upgrade = format!(
        "GET http://site.example:{port}/ HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, Upgrade\r\n\
         Upgrade: WebSocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    let answer = caller.ask(&upgrade).await.to_ascii_lowercase();
    assert!(answer.starts_with("http/1.1 101 ") && answer.contains("upgrade: websocket"), "{answer}");
    assert!(answer.contains("sec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo="), "{answer}");
    let role = tokio_tungstenite::tungstenite::protocol::Role::Client;
    let mut socket = tokio_tungstenite::WebSocketStream::from_raw_socket(caller.0, role, None).await;
    socket.send(Message::text("through an upgrade")).await.unwrap();
    assert_eq!(socket.next().await.unwrap().unwrap(), Message::text("through an upgrade"));
    server.abort();
}

#[tokio::test]
async fn a_half_closed_tunnel_still_delivers_the_answer() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut received = String::new();
        stream.read_to_string(&mut received).await.unwrap();
        stream.write_all(format!("received {received}").as_bytes()).await.unwrap();
    });
    let egress = open_default().await;
    let (mut caller, _) = connect(&egress, &format!("site.example:{port}")).await;
    caller.write("all").await;
    caller.0.shutdown().await.unwrap();
    assert_eq!(caller.read_to_end().await, b"received all");
}

#[tokio::test]
async fn a_refused_upgrade_is_an_answer_like_any_other() {
    let (site, egress) = (Site::that(Does::Answers(OK)).await, open_default().await);
    let port = site.addr.port();
    let upgrade = format!(
        "GET http://site.example:{port}/ HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nOrigin: x\r\n\r\n"
    );
    assert_eq!(Caller::to(&egress).await.ask(&upgrade).await, OK);
    assert!(site.received().to_ascii_lowercase().contains("upgrade: websocket"), "{}", site.received());
}
