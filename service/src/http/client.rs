//! Identifies the client of a request, for the queue's fairness.
//!
//! The worker names its caller by a hash. A request that gets here has presented the service's key or, if none is
//! set, comes from this machine. Its sender may send any caller's credentials, so the name is trusted too.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::extract::{ConnectInfo, Request};
use axum::middleware::Next;
use axum::response::Response;
use porthole_contract::routes::CLIENT_HEADER;

use crate::admission::Client;

/// Puts the [`Client`] among the request's extensions.
pub(super) async fn name_client(mut request: Request, next: Next) -> Response {
    let named = request.headers().get(CLIENT_HEADER).and_then(|name| Client::named(name.to_str().ok()?));
    let client = named.unwrap_or_else(|| {
        let peer = request.extensions().get().map(|ConnectInfo(peer): &ConnectInfo<SocketAddr>| peer.ip());
        Client::at(peer.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED)))
    });
    request.extensions_mut().insert(client);
    next.run(request).await
}
