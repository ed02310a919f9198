//! `/mcp`: the Model Context Protocol. Each caller's key is a tenant with a sandbox of its own.
//!
//! The crate `porthole-mcp` implements the protocol. This file has the callers (origin, host, key, rate) and their
//! sandboxes, and sends tool calls to the service.

mod run;
mod tenants;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, Extension, Request, State};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use http::{HeaderMap, Method};
use porthole_contract::{Failure, routes};
use porthole_daemon::answer::Refused;
use porthole_daemon::body::read_json;
use porthole_daemon::request_id::RequestId;
use porthole_daemon::trace::TraceContext;
use porthole_daemon::web_pages::Hosts;
use porthole_mcp::{BODY_MAX_BYTES, Endpoint, Server, Toolset, close_sessions, ended_reply};
use secrecy::SecretString;
use tokio_util::sync::CancellationToken;

use self::run::ToolCaller;
use self::tenants::Tenants;
use crate::callers::Weight;
use crate::shared::Shared;
use crate::tool_calls::ToService;

/// The endpoint, and what it needs of the worker.
pub(crate) struct Mcp {
    shared: Arc<Shared>,
    endpoint: Endpoint<Server<ToolCaller>>,
    tenants: Arc<Tenants>,
    hosts: Hosts,
}

impl Mcp {
    /// Builds the endpoint of these tools. Without client keys the listener is on loopback, and only requests that name
    /// a loopback host are taken: a web page whose name was bound to that address is not one of them.
    pub(crate) fn new(
        shared: Arc<Shared>,
        tools: Toolset,
        client_keys: &[SecretString],
        service_key: Option<&SecretString>,
    ) -> Self {
        let hosts = if client_keys.is_empty() { Hosts::Loopback } else { Hosts::Any };
        Self {
            shared,
            endpoint: Endpoint::new(Server::new(tools), CancellationToken::new()),
            tenants: Arc::new(Tenants::new(client_keys, service_key)),
            hosts,
        }
    }

    /// The route.
    pub(crate) fn router(self) -> Router {
        Router::new().route(routes::MCP, any(answer)).with_state(Arc::new(self))
    }
}

async fn answer(
    State(mcp): State<Arc<Mcp>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    Extension(id): Extension<RequestId>,
    Extension(trace): Extension<TraceContext>,
    request: Request,
) -> Result<Response, Response> {
    let refused = |failure: Failure| Refused(failure).into_response();
    mcp.hosts.judge(&request).map_err(|refused| refused.into_response())?;
    let admitted = mcp
        .shared
        .callers
        .admit_caller(request.headers(), peer.ip(), Weight::SESSION_CALL)
        .map_err(|refusal| *refusal)?;
    let tenant = mcp.tenants.name(admitted.key());
    let name = admitted.name().to_str().unwrap_or_default().to_owned();
    let (shared, admitted) = (Arc::clone(&mcp.shared), Arc::new(admitted));
    let to_service = ToService { shared, admitted, id, trace, host: HeaderMap::new() };
    let caller = ToolCaller { to_service, tenants: Arc::clone(&mcp.tenants), tenant: Arc::clone(&tenant) };
    if request.method() == Method::DELETE {
        let (parts, _body) = request.into_parts();
        let reply = match mcp.endpoint.end(&tenant, &parts) {
            Ok(connection) => {
                close_sessions(&caller, connection.take_opened()).await;
                ended_reply()
            }
            Err(reply) => *reply,
        };
        return Ok(reply.map(Body::new));
    }
    let (mut parts, body) = request.into_parts();
    let (body, _held) = if parts.method == Method::POST {
        let mut whole = Request::new(body);
        *whole.headers_mut() = parts.headers.clone();
        *whole.extensions_mut() = parts.extensions.clone();
        let (bytes, held) = read_json(whole, BODY_MAX_BYTES, &name).await.map_err(refused)?.into_parts();
        (bytes, Some(held))
    } else {
        Default::default()
    };
    parts.extensions.insert(caller);
    Ok(mcp.endpoint.answer(&tenant, parts, body).await.map(Body::new))
}
