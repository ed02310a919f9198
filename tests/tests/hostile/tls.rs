//! A TLS site with a self-signed certificate that only a flag of the test's browser makes trusted.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rcgen::PublicKeyData as _;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

/// Maximum bytes of a request that are read before the answer.
const REQUEST_MAX_BYTES: usize = 16 * 1024;

/// The running site. Dropping this ends it.
pub(crate) struct TlsSite {
    pub(crate) addr: SocketAddr,
    /// The flag that makes a browser trust the site's certificate.
    pub(crate) trusting: String,
    task: JoinHandle<()>,
}

impl TlsSite {
    /// Answers every request at a free port of this address with these headers and this text.
    ///
    /// # Panics
    /// When there is no free port.
    pub(crate) async fn at(address: IpAddr, name: &str, headers: &str, text: &str) -> TlsSite {
        TlsSite::answering(address, name, "200 OK", headers, text, Duration::ZERO).await
    }

    /// The same with this status, so long after each request.
    ///
    /// # Panics
    /// As there.
    pub(crate) async fn answering(
        address: IpAddr,
        name: &str,
        status: &str,
        headers: &str,
        text: &str,
        after: Duration,
    ) -> TlsSite {
        let signed = rcgen::generate_simple_self_signed([name.to_owned()]).expect("a certificate");
        let fingerprint = STANDARD.encode(Sha256::digest(signed.signing_key.subject_public_key_info()));
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(signed.signing_key.serialize_der()));
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("a provider with the usual protocols")
            .with_no_client_auth()
            .with_single_cert(vec![signed.cert.der().clone()], key)
            .expect("a certificate with its key");
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind((address, 0)).await.expect("a free port");
        let addr = listener.local_addr().expect("a bound address");
        let answer = format!(
            "HTTP/1.1 {status}\r\n{headers}Content-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{text}",
            text.len()
        );
        let task = tokio::spawn(async move {
            loop {
                let Ok((stream, _)) = listener.accept().await else { continue };
                tokio::spawn(serve(acceptor.clone(), stream, answer.clone(), after));
            }
        });
        let trusting = format!("--ignore-certificate-errors-spki-list={fingerprint}");
        TlsSite { addr, trusting, task }
    }
}

impl Drop for TlsSite {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(acceptor: TlsAcceptor, stream: TcpStream, answer: String, after: Duration) -> std::io::Result<()> {
    let mut stream = acceptor.accept(stream).await?;
    let mut request = vec![0; REQUEST_MAX_BYTES];
    let _ = stream.read(&mut request).await?;
    tokio::time::sleep(after).await;
    stream.write_all(answer.as_bytes()).await?;
    stream.shutdown().await
}
