//! Streamable HTTP: one endpoint, each request on its own.
//!
//! rmcp reads and answers the messages without sessions of the protocol. What a client of 2025-11-25 expects of its
//! `Mcp-Session-Id` is here: an id is given at `initialize`, it implies a browser session, `notifications/cancelled`
//! cancels a request that came under it, and `DELETE` ends it. A caller that leaves cancels its request in all
//! revisions. Origins, hosts and keys are judged by the listener before.

mod connections;
mod message;

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use porthole_contract::replace_lone_surrogates;
use rmcp::ServerHandler;
use rmcp::model::ProtocolVersion;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use self::connections::Connections;
use self::message::{Message, Unreadable};
use crate::connection::Connection;

/// The largest body, in bytes: files that are uploaded travel in it.
pub const BODY_MAX_BYTES: usize = 14_000_000;
/// Names a connection of 2025-11-25.
const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
/// The longest id of a client, in bytes; ours have 32.
const SESSION_ID_MAX_BYTES: usize = 128;
const ALLOWED_METHODS: HeaderValue = HeaderValue::from_static("POST, DELETE");

/// An answer of the endpoint.
pub type Reply = Response<BoxBody<Bytes, Infallible>>;

/// Cancelled when the caller takes its request back by a message. Among the extensions of a request's parts.
#[derive(Clone, Debug)]
pub(crate) struct TakenBack(pub(crate) CancellationToken);

/// The endpoint of a handler.
pub struct Endpoint<H> {
    service: StreamableHttpService<H, NeverSessionManager>,
    connections: Arc<Connections>,
}

impl<H> Clone for Endpoint<H> {
    fn clone(&self) -> Self {
        Self { service: self.service.clone(), connections: Arc::clone(&self.connections) }
    }
}

impl<H: ServerHandler + Clone + Send + Sync + 'static> Endpoint<H> {
    /// Builds the endpoint. All requests in flight are given up once `ended` is cancelled.
    #[must_use]
    pub fn new(handler: H, ended: CancellationToken) -> Self {
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_max_request_body_bytes(BODY_MAX_BYTES)
            .with_cancellation_token(ended);
        let service = StreamableHttpService::new(move || Ok(handler.clone()), Arc::default(), config);
        Self { service, connections: Arc::default() }
    }

    /// Answers a request of a tenant. Dropping the future or the answer cancels the request.
    ///
    /// The handler finds `parts`, with the caller's extensions, among its own request's.
    pub async fn answer(&self, tenant: &Arc<str>, mut parts: Parts, body: Bytes) -> Reply {
        if parts.method != Method::POST {
            return not_allowed();
        }
        let mut body = Vec::from(body);
        replace_lone_surrogates(&mut body);
        let body = Bytes::from(body);
        let message = match Message::read(&body) {
            Ok(message) => message,
            Err(unreadable) => return unreadable_reply(&unreadable),
        };
        let connection = match self.connection(tenant, &parts) {
            Ok(connection) => connection,
            Err(reply) => return *reply,
        };
        if let (Some(connection), Some(id)) = (&connection, message.cancels()) {
            connection.cancel(&id);
            return reply(StatusCode::ACCEPTED, Bytes::new());
        }
        let is_initialize = message.is_initialize();
        // Without a connection the guard is never cancelled, which costs less than a second path.
        let connection = connection.filter(|_| !is_initialize);
        let in_flight = connection.as_ref().zip(message.request_id()).map(|(connection, id)| connection.begin(id));
        let guard = in_flight.map(|(guard, cancelled)| {
            parts.extensions.insert(TakenBack(cancelled));
            guard
        });
        if let Some(connection) = connection {
            parts.extensions.insert(connection);
        }
        let mut answer = self.service.handle(Request::from_parts(parts, Full::new(body))).await;
        if is_initialize && answer.status().is_success() {
            let id = Uuid::new_v4().simple().to_string();
            answer.headers_mut().insert(SESSION_ID, HeaderValue::from_str(&id).expect("hexadecimal digits are valid"));
        }
        // The request is in flight until its answer has been sent.
        answer.map(|body| {
            body.map_frame(move |frame| {
                let _in_flight = &guard;
                frame
            })
            .boxed()
        })
    }

    /// Ends the connection that a `DELETE` names, and returns it, so that its sessions can be closed.
    ///
    /// # Errors
    /// The answer for a request that names none, or one that has ended.
    pub fn end(&self, tenant: &Arc<str>, parts: &Parts) -> Result<Connection, Box<Reply>> {
        let id = session_id(parts)?.ok_or_else(|| Box::new(not_allowed()))?;
        self.connections.end(tenant, id).ok_or_else(|| Box::new(ended()))
    }

    fn connection(&self, tenant: &Arc<str>, parts: &Parts) -> Result<Option<Connection>, Box<Reply>> {
        if is_stateless(parts) {
            return Ok(None);
        }
        let Some(id) = session_id(parts)? else { return Ok(None) };
        self.connections.get(tenant, id).map(Some).ok_or_else(|| Box::new(ended()))
    }
}

/// The answer to a `DELETE` that ended its connection.
#[must_use]
pub fn ended_reply() -> Reply {
    reply(StatusCode::NO_CONTENT, Bytes::new())
}

/// Whether the request is of a revision without connections.
fn is_stateless(parts: &Parts) -> bool {
    let version = parts.headers.get(PROTOCOL_VERSION).and_then(|version| version.to_str().ok());
    version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28.as_str())
}

/// Returns the id of the connection that the request names.
fn session_id(parts: &Parts) -> Result<Option<&str>, Box<Reply>> {
    let Some(value) = parts.headers.get(SESSION_ID) else { return Ok(None) };
    let id = value
        .to_str()
        .ok()
        .filter(|id| (1..=SESSION_ID_MAX_BYTES).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic()));
    id.map(Some).ok_or_else(|| Box::new(reply(StatusCode::BAD_REQUEST, "Mcp-Session-Id: must be an id of this server")))
}

fn ended() -> Reply {
    reply(StatusCode::NOT_FOUND, "this Mcp-Session-Id has ended; initialize again")
}

fn not_allowed() -> Reply {
    let mut reply = reply(StatusCode::METHOD_NOT_ALLOWED, "accepted are POST, and DELETE with an Mcp-Session-Id");
    reply.headers_mut().insert(header::ALLOW, ALLOWED_METHODS);
    reply
}

fn unreadable_reply(unreadable: &Unreadable) -> Reply {
    let error = serde_json::json!({
        "jsonrpc": "2.0",
        "id": null,
        "error": {"code": unreadable.code(), "message": unreadable.to_string()},
    });
    let mut reply = reply(StatusCode::BAD_REQUEST, error.to_string());
    reply.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    reply
}

fn reply(status: StatusCode, text: impl Into<Bytes>) -> Reply {
    let mut reply = Response::new(Full::new(text.into()).boxed());
    *reply.status_mut() = status;
    reply
}
