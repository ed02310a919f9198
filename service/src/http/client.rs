//! Whose request it is, for the queue's fairness.
//!
//! The worker names its caller by a hash. Whoever gets as far as here presented the service's key, or is on this machine
//! where none is set: the same that may send anybody's credentials, so its word is taken.

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
