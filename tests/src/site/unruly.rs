//! Servers that misbehave below HTTP: they refuse, reset, drip their head, break off in the middle of a response, never
//! accept a connection or present a self-signed certificate. And the canary, a server that must never be visited.

use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use nix::sys::socket::Backlog;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio_rustls::TlsAcceptor;

use super::listen::listen;

const PLAIN_RESPONSE: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 12\r\nConnection: close\r\n\r\n<h1>here</h1";

const CUT_RESPONSE: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000\r\n\r\n<title>cut</title><p>the first part</p>";
/// Part of the path under which a response breaks off late.
pub(super) const LATE: &str = "/late";

/// A loopback connection that is not established within this time found the queue full.
const QUEUED_WITHIN: Duration = Duration::from_millis(200);

/// The addresses of these servers.
pub(super) struct Unruly {
    pub(super) refusing: SocketAddr,
    pub(super) resetting: SocketAddr,
    pub(super) dripping_head: SocketAddr,
    pub(super) breaking_off: SocketAddr,
    pub(super) self_signed: SocketAddr,
    pub(super) canary: SocketAddr,
    pub(super) canary_visits: Arc<AtomicUsize>,
    /// Bound but not listening: connections are refused, and no other process gets the port.
    _refusing: TcpSocket,
    /// Listens with the shortest possible queue, and never accepts.
    unaccepting: TcpSocket,
    /// The connections that fill its queue.
    waiting: OnceLock<Vec<std::net::TcpStream>>,
}

impl Unruly {
    /// Binds all servers. The returned function serves them on the runtime that calls it.
    pub(super) fn bind() -> (Self, impl FnOnce() + Send + 'static) {
        let refuser = TcpSocket::new_v4().expect("a socket");
        refuser.bind(SocketAddr::from(([127, 0, 0, 1], 0))).expect("a free port");
        let refusing = refuser.local_addr().expect("a bound address");
        let unaccepting = TcpSocket::new_v4().expect("a socket");
        unaccepting.bind(SocketAddr::from(([127, 0, 0, 1], 0))).expect("a free port");
        nix::sys::socket::listen(&unaccepting, Backlog::new(0).expect("a length")).expect("a listener");
        let (resetter, resetting) = listen();
        let (dripper, dripping_head) = listen();
        let (breaker, breaking_off) = listen();
        let (signer, self_signed) = listen();
        let (listener, canary) = listen();
        let canary_visits = Arc::new(AtomicUsize::new(0));
        let visits = Arc::clone(&canary_visits);
        let acceptor = acceptor();
        let serve = move || {
            accept(resetter, reset);
            accept(dripper, drip);
            accept(breaker, break_off);
            accept(signer, move |stream| show_certificate(acceptor.clone(), stream));
            accept(listener, move |stream| {
                visits.fetch_add(1, Ordering::SeqCst);
                welcome(stream)
            });
        };
        let unruly = Self {
            refusing,
            resetting,
            dripping_head,
            breaking_off,
            self_signed,
            canary,
            canary_visits,
            _refusing: refuser,
            unaccepting,
            waiting: OnceLock::new(),
        };
        (unruly, serve)
    }

    /// Returns the address at which connections are neither accepted nor refused.
    pub(super) fn unaccepting(&self) -> SocketAddr {
        self.unaccepting.local_addr().expect("a bound address")
    }

    /// Fills the queue of the listener that never accepts, so that it answers no further handshake.
    pub(super) fn fill_queue(&self) {
        let addr = self.unaccepting();
        self.waiting.get_or_init(|| {
            std::iter::from_fn(|| std::net::TcpStream::connect_timeout(&addr, QUEUED_WITHIN).ok()).collect()
        });
    }
}

fn accept<F: Future<Output = std::io::Result<()>> + Send + 'static>(
    listener: TcpListener,
    serve: impl Fn(TcpStream) -> F + Send + 'static,
) {
    let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream));
        }
    });
}

async fn reset(mut stream: TcpStream) -> std::io::Result<()> {
    // Any byte of the request is enough.
    stream.read_u8().await?;
    stream.set_zero_linger()
}

async fn drip(mut stream: TcpStream) -> std::io::Result<()> {
    // Wait for the request: an answer before it would be another kind of fault.
    stream.read_u8().await?;
    for byte in PLAIN_RESPONSE {
        stream.write_all(&[*byte]).await?;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    Ok(())
}

/// Sends a part of a page and closes the connection; under the path [`LATE`] only once that part may be parsed.
async fn break_off(mut stream: TcpStream) -> std::io::Result<()> {
    let mut request = [0; 1024];
    let read = stream.read(&mut request).await?;
    stream.write_all(CUT_RESPONSE).await?;
    let line = String::from_utf8_lossy(&request[..read]);
    if line.lines().next().is_some_and(|line| line.contains(LATE)) {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    stream.shutdown().await
}

async fn show_certificate(acceptor: TlsAcceptor, stream: TcpStream) -> std::io::Result<()> {
    let mut stream = acceptor.accept(stream).await?;
    stream.write_all(PLAIN_RESPONSE).await?;
    stream.shutdown().await
}

async fn welcome(mut stream: TcpStream) -> std::io::Result<()> {
    stream.write_all(PLAIN_RESPONSE).await
}

fn acceptor() -> TlsAcceptor {
    let signed = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).expect("a certificate");
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(signed.signing_key.serialize_der()));
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("a provider with the usual protocols")
        .with_no_client_auth()
        .with_single_cert(vec![signed.cert.der().clone()], key)
        .expect("a certificate with its key");
    TlsAcceptor::from(Arc::new(config))
}
