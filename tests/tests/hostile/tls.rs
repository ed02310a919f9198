//! A TLS site with a self-signed certificate that only a flag of the test's browser makes trusted.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
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

/// The flag that makes a browser trust certificates by their fingerprints.
pub(crate) const TRUSTING: &str = "--ignore-certificate-errors-spki-list";
/// Maximum bytes of a request that are read before the answer.
const REQUEST_MAX_BYTES: usize = 16 * 1024;

/// The running site. Dropping this ends it.
pub(crate) struct TlsSite {
    pub(crate) addr: SocketAddr,
    /// The flag that makes a browser trust the site's certificate.
    pub(crate) trusting: String,
    /// The same certificate's fingerprint, of which the flag may name several.
    pub(crate) fingerprint: String,
    heard: Heard,
    task: JoinHandle<()>,
}

/// The first lines of all requests.
type Heard = Arc<Mutex<Vec<String>>>;

/// How a site answers.
#[derive(Clone)]
enum Answers {
    /// With these bytes after that time; then it closes the connection.
    Once(String, Duration),
    /// With the page that this makes of the target, on connections that stay open.
    Lasting(fn(&str) -> String),
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
        let answer = format!(
            "HTTP/1.1 {status}\r\n{headers}Content-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{text}",
            text.len()
        );
        TlsSite::running(address, name, Answers::Once(answer, after)).await
    }

    /// Answers each request with the page that this makes of its target, on connections that stay open.
    ///
    /// # Panics
    /// As there.
    pub(crate) async fn lasting(address: IpAddr, name: &str, page: fn(&str) -> String) -> TlsSite {
        TlsSite::running(address, name, Answers::Lasting(page)).await
    }

    /// The first lines of the requests that have come.
    pub(crate) fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn running(address: IpAddr, name: &str, answers: Answers) -> TlsSite {
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
        let heard = Heard::default();
        let task = tokio::spawn({
            let heard = Arc::clone(&heard);
            async move {
                loop {
                    let Ok((stream, _)) = listener.accept().await else { continue };
                    tokio::spawn(serve(acceptor.clone(), stream, answers.clone(), Arc::clone(&heard)));
                }
            }
        });
        let trusting = format!("{TRUSTING}={fingerprint}");
        TlsSite { addr, trusting, fingerprint, heard, task }
    }
}

impl Drop for TlsSite {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(acceptor: TlsAcceptor, stream: TcpStream, answers: Answers, heard: Heard) -> std::io::Result<()> {
    let mut stream = acceptor.accept(stream).await?;
    let mut request = vec![0; REQUEST_MAX_BYTES];
    loop {
        let count = stream.read(&mut request).await?;
        let text = String::from_utf8_lossy(&request[..count]);
        let Some(line) = text.lines().next() else { return Ok(()) };
        heard.lock().unwrap_or_else(PoisonError::into_inner).push(line.to_owned());
        match &answers {
            Answers::Once(answer, after) => {
                tokio::time::sleep(*after).await;
                stream.write_all(answer.as_bytes()).await?;
                return stream.shutdown().await;
            }
            Answers::Lasting(page) => {
                let page = page(line.split(' ').nth(1).unwrap_or_default());
                let head =
                    format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n", page.len());
                stream.write_all(format!("{head}{page}").as_bytes()).await?;
            }
        }
    }
}
