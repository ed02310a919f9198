//! Where a running browser is reached: connections to it and to its pages, and the list of its pages.

use std::path::PathBuf;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use url::Url;

use super::error::BrowserError;

/// Time for a listening browser to answer a request.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);
/// Largest list of targets that is read, in bytes.
const TARGETS_MAX_BYTES: usize = 4_000_000;
/// Largest WebSocket message that is relayed, in bytes.
const MESSAGE_MAX_BYTES: usize = 256 << 20;

/// A connection to a browser.
pub(crate) struct Connected {
    pub(crate) socket: WebSocketStream<TcpStream>,
    /// The folder that the session's downloads go to.
    pub(crate) downloads: PathBuf,
}

/// Where a browser is reached.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint {
    /// `127.0.0.1:port`.
    authority: String,
    /// `/devtools/browser/…`.
    path: String,
    /// The folder that the session's downloads go to, within the profile's.
    downloads: PathBuf,
}

/// A page as the browser lists it.
#[derive(Debug, Deserialize)]
pub(crate) struct Target {
    pub(crate) id: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    #[serde(default)]
    pub(crate) title: String,
    #[serde(default)]
    pub(crate) url: String,
    #[serde(default, rename = "faviconUrl")]
    pub(crate) favicon_url: String,
}

impl Endpoint {
    pub(super) fn parse(url: &str, downloads: PathBuf) -> Option<Self> {
        let url = Url::parse(url).ok()?;
        let authority = format!("{}:{}", url.host_str()?, url.port()?);
        Some(Self { authority, path: url.path().to_owned(), downloads })
    }

    /// Opens a new connection to the browser.
    pub(crate) async fn connect(&self) -> Result<Connected, BrowserError> {
        self.open(&self.path).await
    }

    /// A connection to one of its pages alone.
    pub(crate) async fn connect_page(&self, id: &str) -> Result<Connected, BrowserError> {
        self.open(&format!("/devtools/page/{id}")).await
    }

    async fn open(&self, path: &str) -> Result<Connected, BrowserError> {
        let connecting = async {
            let stream = self.dial().await?;
            let url = format!("ws://{}{path}", self.authority);
            let (socket, _) = tokio_tungstenite::client_async_with_config(url, stream, Some(websocket())).await?;
            Ok(Connected { socket, downloads: self.downloads.clone() })
        };
        within_time(connecting).await
    }

    /// Lists the browser's pages.
    pub(crate) async fn pages(&self) -> Result<Vec<Target>, BrowserError> {
        let asking = async {
            let (mut sender, connection) =
                hyper::client::conn::http1::handshake(TokioIo::new(self.dial().await?)).await?;
            let connection = tokio::spawn(connection);
            let request = http::Request::get("/json/list")
                .header(http::header::HOST, &self.authority)
                .body(Empty::<Bytes>::new())?;
            let response = sender.send_request(request).await?;
            let body = Limited::new(response.into_body(), TARGETS_MAX_BYTES).collect().await?.to_bytes();
            connection.abort();
            let targets: Vec<Target> = serde_json::from_slice(&body)?;
            Ok(targets.into_iter().filter(|target| target.kind == "page").collect())
        };
        within_time(asking).await
    }

    async fn dial(&self) -> std::io::Result<TcpStream> {
        let stream = TcpStream::connect(&self.authority).await?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }
}

async fn within_time<T>(
    asking: impl Future<Output = Result<T, Box<dyn std::error::Error + Send + Sync>>>,
) -> Result<T, BrowserError> {
    match timeout(ANSWER_TIMEOUT, asking).await {
        Ok(answer) => answer.map_err(BrowserError::Unreachable),
        Err(late) => Err(BrowserError::Unreachable(late.into())),
    }
}

/// Size limits of WebSockets, to clients and to browsers.
pub(crate) fn websocket() -> WebSocketConfig {
    WebSocketConfig::default().max_message_size(Some(MESSAGE_MAX_BYTES)).max_frame_size(Some(MESSAGE_MAX_BYTES))
}
