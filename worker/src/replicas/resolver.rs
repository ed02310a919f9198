//! Looking up the DNS name of the replicas.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::settings::Peers;

/// Looks a name up: [`system_resolver`], or a test's.
pub type Resolver = Arc<dyn Fn(Peers) -> BoxFuture<'static, io::Result<Vec<SocketAddr>>> + Send + Sync>;

/// The DNS name of the replicas, and what looks it up.
pub(super) struct Lookup {
    pub(super) peers: Peers,
    pub(super) resolver: Resolver,
}

/// The system's resolver.
#[must_use]
pub fn system_resolver() -> Resolver {
    Arc::new(|Peers { name, port }| Box::pin(async move { Ok(tokio::net::lookup_host((name, port)).await?.collect()) }))
}
