//! Porthole's client: requests sandboxes, pictures and texts of pages from a worker, and retries temporary failures.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use porthole_client::{Client, CreateRequest, ScreenshotRequest, image_bytes};
//!
//! let client = Client::builder().url("http://127.0.0.1:8787").build()?;
//! let sandbox = client.create(&CreateRequest::default()).await?;
//! let answer = client
//!     .screenshot(&ScreenshotRequest {
//!         sandbox_id: sandbox.sandbox_id,
//!         owner_token: sandbox.owner_token,
//!         url: "https://example.com".to_owned(),
//!         ..ScreenshotRequest::default()
//!     })
//!     .await?;
//! std::fs::write("example.png", image_bytes(&answer)?)?;
//! # Ok(())
//! # }
//! ```
//!
//! [`Client::session`] has a browser that stays between calls: see [`Session`].
//!
//! Requests and answers are the contract's types, re-exported here. The library does not print, write files or read the
//! environment (except the proxy variables, see [`ClientBuilder::url`]); the `porthole` command (crate `porthole-cli`)
//! does. `examples/` shows a screenshot, an extract with retries, a session, and how to mint an owner token.

mod admin;
mod answer;
mod browser_session;
mod builder;
mod client;
mod error;
mod metrics;
mod retry;
mod tool_routes;

pub use admin::{Admin, Readiness, is_worker};
pub use answer::image_bytes;
pub use browser_session::Session;
pub use builder::{BuildError, ClientBuilder, DEFAULT_URL};
pub use client::Client;
pub use error::{Code, Error, Refusal};
pub use porthole_contract::metrics::{Metrics, Operation, OperationMetrics};
/// The requests and answers of sessions, and their parts.
pub use porthole_contract::session;
/// The requests and answers of models' tools, and cards.
pub use porthole_contract::tools;
pub use porthole_contract::{
    ColorScheme, CreateRequest, CreateResponse, ErrorAnswer, ErrorCode, ExtractRequest, ExtractResponse, ImageFormat,
    OnTimeout, ScreenshotRequest, ScreenshotResponse, Until, Viewport, Wait,
};
pub use retry::{RETRY_AFTER_MAX, Retry};
pub use secrecy::SecretString;
