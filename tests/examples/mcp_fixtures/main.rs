//! A server with the fixtures of the protocol's conformance suite, on the worker's own transport: what the suite asks of
//! tools, prompts and resources that Porthole does not have. Prints its URL; ends with its standard input.
//!
//! `make mcp-conformance` runs it.

#![expect(deprecated, reason = "the suite asks for logging, which the current revision has no more")]

mod input;
mod things;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::any;
use http::{Method, StatusCode};
use porthole_daemon::layers::without_web_pages;
use porthole_daemon::web_pages::Hosts;
use porthole_mcp::{BODY_MAX_BYTES, Endpoint, ended_reply};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use self::things::Fixtures;

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await?;
    println!("http://{}/mcp", listener.local_addr()?);
    let endpoint = Endpoint::new(Fixtures, CancellationToken::new());
    let router = Router::new().route("/mcp", any(answer)).with_state(endpoint);
    let serving = axum::serve(listener, without_web_pages(router, Hosts::Loopback));
    let mut rest = Vec::new();
    let mut input = tokio::io::stdin();
    tokio::select! {
        served = serving => served,
        ended = input.read_to_end(&mut rest) => ended.map(drop),
    }
}

async fn answer(State(endpoint): State<Endpoint<Fixtures>>, request: Request) -> Result<Response, StatusCode> {
    let tenant = Arc::from("fixtures");
    let (parts, body) = request.into_parts();
    if parts.method == Method::DELETE {
        let reply = endpoint.end(&tenant, &parts).map_or_else(|refused| *refused, |_ended| ended_reply());
        return Ok(reply.map(Body::new));
    }
    let body = to_bytes(body, BODY_MAX_BYTES).await.map_err(|_too_long| StatusCode::PAYLOAD_TOO_LARGE)?;
    Ok(endpoint.answer(&tenant, parts, body).await.map(Body::new))
}
